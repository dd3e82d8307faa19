// Statements: facts about operations on codes, as text.
//
//   statement   [condition {"&" condition} "=>"] condition
//   condition   ["not"] (TEST "(" term ")" | term RELATION term)
//   TEST        nan, snan (a signalling NaN), finite, zero, nonneg (NaN, or a number without a sign)
//   RELATION    =  the same code;  =0  or both zero;  ~  or both NaN;  ~~  or both NaN or both zero;
//               <  <=  numbers in order, -0 before +0; false of NaN
//   term        x y z w, codes of the wide format; a b c d, codes of the type; a constant; or an operation:
//               add mul (2 terms) fma (3) satadd (2) max min (NaN wins) maxn minn (NaN loses) maxx minx (x86)
//               widen (of the type, into the wide format) narrow (back, rounded once) quiet (of a NaN) or and (bits)
//               exponent (its field, as a code) plus (of codes, whatever they mean) bfp8 bfp4 bfp2 (a lane of a block
//               float, of bf16 or f32, and the shared exponent's field)
//   constant    +0 -0 1 nan lowest highest (the ends of the numbers' order, infinities if there are any) or 0x…
//
// A statement holds if it is true of all codes of its variables. It is evaluated, or made into clauses that no codes
// satisfy. Example: f32 "not x = -0 => add(x, +0) ~ x". Without its condition it is false: -0 + +0 = +0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verifier/rup/clauses.h"
#include "verifier/values_kernel/values.h"

namespace vl::values_kernel {
using rup::check_refutation;
using rup::Clauses;
using rup::Number;

enum class Operator {
  Variable,
  Constant,
  Add,
  Mul,
  Fma,
  Saturated,
  Max,
  Min,
  MaxLoses,
  MinLoses,
  MaxX86,
  MinX86,
  Widen,
  Narrow,
  Quiet,
  Exponent,
  Sum,
  Packed8,
  Packed4,
  Packed2,
  Or,
  And
};
struct Operand {
  Operator by;
  const Format* format;  // of the result
  std::size_t variable = 0;
  Code constant = 0;
  std::vector<Operand> of = {};
};

enum class Test { Nan, Signalling, Finite, Zero, Nonnegative, Same, SameOrZeros, Alike, AlikeZeros, Before, NotAfter };
struct Condition {
  bool negated;
  Test test;
  std::vector<Operand> of;
};

struct LemmaStatement {
  const Format *wide, *type;
  std::vector<Condition> hypotheses;
  Condition conclusion;

  /// The formats of its variables, by the variable's place in "xyzwabcd"; nullptr: it is not there.
  [[nodiscard]] std::vector<const Format*> variables() const;
  /// Whether it speaks of the type, and not of the wide format alone.
  [[nodiscard]] bool uses_type() const;
  /// How many bits its variables have together.
  [[nodiscard]] unsigned bits() const;
};

/// Rejects what is no statement; also a constant that the format does not have.
[[nodiscard]] LemmaStatement parse_statement(const Format& wide, const Format& type, const std::string& text);

/// One code per variable, by its place; 0 where it is not there.
using Codes8 = std::vector<Code>;

/// What a term is of these codes.
[[nodiscard]] Code value(const Operand& term, const Codes8& codes);
/// Whether it is true of these codes; whether its hypotheses are.
[[nodiscard]] bool is_true(const LemmaStatement& statement, const Codes8& codes);
[[nodiscard]] bool applies(const LemmaStatement& statement, const Codes8& codes);

/// Codes of which it is false; nothing if there are none. `applied`: of how many codes the hypotheses are true.
/// Requires: at most 32 bits.
[[nodiscard]] std::optional<Codes8> sweep(const LemmaStatement& statement, std::uint64_t& applied);

/// Of how many codes its hypotheses and its conclusion are true. Requires: at most 32 bits.
[[nodiscard]] std::uint64_t count(const LemmaStatement& statement);

/// Clauses that codes satisfy if and only if the statement is false of them. `points` has a number per variable.
[[nodiscard]] Clauses encode(const LemmaStatement& statement);
/// The same of the hypotheses alone: a statement that applies to nothing says nothing.
[[nodiscard]] Clauses encode_hypotheses(const LemmaStatement& statement);

}  // namespace vl::values_kernel
