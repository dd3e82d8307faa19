// Scalars: what an operation does with one term and with two parts of its tree, on codes, under one arithmetic in which
// nothing is left open. It is the meaning of the operation, written from its definition and without any law about
// padding: verifier/neutral has laws, and this is what they are held against.
//
//   term      the operands' elements at one point of the iteration, codes of the operands' formats
//   leaf      the code of the accumulator that a term gives: the element converted, its square, a product, 0 or 1
//   node      two parts combined: added, multiplied, the greater one, …
//   finish    the result's code from the root: divided by the number of elements (mean), in the result's format
//
// Example: f16 in f32, sumsq: the term 0x1000 (2^-11) has the leaf 0x34800000 (2^-22).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/values/profile.h"

namespace vl::oracle::ops {

using values::Code;
using values::Format;

enum class Operation {
  // pointwise
  Add,
  Sub,
  Mul,
  Maximum,
  Minimum,
  Neg,
  Abs,
  Relu,
  // reductions
  Sum,
  Mean,
  Prod,
  Max,
  Min,
  Any,
  All,
  SumOfSquares,
  Dot,
  // the place of an element of a row
  ArgMax,
  ArgMin,
};
enum class Shape { Pointwise, Reduction, Place };

/// "add", "sumsq", "dot", "argmax".
[[nodiscard]] std::string_view name(Operation operation);
/// Also "exx2" for sumsq, and "matmul" and "bmm" for dot. Nothing: there is none of that name.
[[nodiscard]] std::optional<Operation> find_operation(std::string_view name);
/// All names, also those of one operation.
[[nodiscard]] std::vector<std::string_view> operation_names();
[[nodiscard]] Shape shape_of(Operation operation);
/// How many operands it reads: 1 or 2.
[[nodiscard]] std::size_t inputs_of(Operation operation);

/// Which of equal elements argmax gives the place of, in the order of the iteration.
enum class Ties { First, Last };
/// By how many elements mean divides: those of the tensor, or all over which it iterates.
enum class Count { Valid, Padded };

/// The arithmetic of one run. A leaf that is one element is converted, and not flushed.
struct Arithmetic {
  Format accumulate = {};
  values::Start start = values::Start::First;  // a leaf +0 or -0 before the terms; of sum, mean, sumsq, dot
  values::MaxRule max = values::MaxRule::NanWins;
  bool fused = false;  // a term of sumsq and dot on the right of a node is added by fma
  values::Mode mode = {};
  Ties ties = Ties::First;
  Count count = Count::Valid;
};

/// Why an arithmetic does not fit an operation on these formats; empty if it does.
[[nodiscard]] std::string misfit(Operation operation, const Arithmetic& arithmetic, const Format& type,
                                 const Format& result);

struct Term {
  Code a = 0;
  Code b = 0;  // of operations with two operands
  bool pad = false;
};

/// A part of a tree: a code, or a term whose leaf is not yet made, because fma takes the term.
struct Part {
  Code code = 0;
  const Term* term = nullptr;
};

/// The operation on elements of `type`.
class Scalar {
 public:
  /// Requires: misfit() is empty.
  Scalar(Operation operation, const Arithmetic& arithmetic, const Format& type)
      : operation_(operation), with_(arithmetic), type_(type) {}

  [[nodiscard]] Operation operation() const { return operation_; }
  [[nodiscard]] const Arithmetic& arithmetic() const { return with_; }
  [[nodiscard]] const Format& type() const { return type_; }

  /// The code of the start. Requires: it is not First.
  [[nodiscard]] Code start() const;
  [[nodiscard]] bool starts() const { return with_.start != values::Start::First; }
  [[nodiscard]] Code leaf(const Term& term) const;
  [[nodiscard]] Code value(const Part& part) const { return part.term != nullptr ? leaf(*part.term) : part.code; }
  [[nodiscard]] Code node(const Part& left, const Part& right) const;
  /// `count`: of mean, the number of elements.
  [[nodiscard]] Code finish(Code root, const Format& result, Index count) const;
  /// Of ArgMax and ArgMin: whether an element comes before another one. NaN is greater than every number for both, as
  /// in PyTorch, where NaN wins; by the other rules it comes behind.
  [[nodiscard]] bool is_before(Code a, Code b) const;

 private:
  [[nodiscard]] Code widened(Code code) const;

  Operation operation_;
  Arithmetic with_;
  Format type_;
};

/// a / n, rounded once. Requires: a float format, n >= 1.
/// Example: f16 0x3C00 / 3 is 0x3555 (0.33325…).
[[nodiscard]] Code divided(const Format& format, Code a, Index n, const values::Mode& mode = {});

}  // namespace vl::oracle::ops
