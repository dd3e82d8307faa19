// Questions: is a fill neutral for a reduction, whatever the number and the order of the valid elements and the pads?
//
// A reduction has terms. A term is an element, or of dot a pair of elements; a valid term's elements are any codes of
// the contents, a pad's any of the fill. A term gives a leaf, a code of the accumulator:
//
//   sum prod max min   the element, converted to the accumulator's type
//   sumsq dot          the element times itself, or the product of the pair, rounded in the accumulator's type
//   any all            whether the element is other than zero; NaN is
//   exx2               another name of sumsq; mean: the element, and the result is divided by a count
//
// and an evaluation is a binary tree of leaves, whose nodes add (sum sumsq dot), multiply, or take the maximum, the
// minimum, or, and:
//
//   Tree::Any          any tree over the terms in any order, pads anywhere
//   Tree::Sequential   from left to right, pads anywhere: before, between and behind the valid terms
//   Start::First       the leaves alone
//   Start::Zero        and one leaf +0, which counts as valid; the leftmost one of Tree::Sequential. MinusZero: -0
//   fused              sumsq and dot: each term after the first leaf is added by fma(a, b, accumulator) if Sequential;
//                      of Tree::Any any node whose right child is a term may be such an addition
//
// The mode (values::Mode) says how nodes and products round, flush subnormals and saturate. A leaf that is one element
// is converted and not flushed: alone in its row it is the result as it is.
//
// The reference of an evaluation is the same tree with its pads cut out: a node with one child left is that child, a
// term as its leaf. A node with both children keeps its kind: it adds a term by fma in the reference if it does so in
// the evaluation. So the question is not about another order of the valid terms, nor about products that are rounded in
// one of the two alone; both give another result without any padding. The fill is neutral if for every choice of at
// least one valid term, of pads, and of the evaluation, its result equals that of its reference. Results are the
// accumulator's; a conversion after it cannot tell equal ones apart.
//
// Worked example: f16, sum, fill +0, First. The valid term -0 and one pad: -0 + +0 = +0, and the reference is -0. So +0
// is not neutral; -0 is: x + -0 = x for every x but a signalling NaN, which becomes quiet.
#pragma once

#include <string>
#include <vector>

#include "encodings/values/arithmetic.h"
#include "encodings/values/code_set.h"
#include "encodings/values/profile.h"

namespace vl::neutral {

using values::Code;
using values::CodeRange;
using values::CodeSet;
using values::Extent;
using values::Format;
using values::Start;
using values::Ties;  // which of several elements that compare equal comes first
using values::Tree;

enum class Operation {
  Sum,
  Prod,
  Max,
  Min,
  Any,
  All,
  SumOfSquares,
  Dot,
  Exx2,
  Mean,  // trees
  LayerNorm,
  RmsNorm,
  Variance,
  Welford,
  Softmax,
  LogSumExp,  // rows (rows.h)
  ArgMax,
  ArgMin,
  TopK,
  TopKIndices,
  Sort,
  SortDescending,
  CumSum,
  CumSumReverse,
  Pointwise,
  Broadcast
};

/// What a count divides by: the valid elements, or those and the pads.
enum class Divide { Logical, Padded };
/// Where the pads of a row may be: before, between and behind its elements, or behind all of them.
enum class Pads { Anywhere, After };
/// How softmax and logsumexp are computed: from the whole row, or block by block with a running maximum and sum.
enum class Blocks {
  Whole,
  Valid,      // blocks, each of which has a valid element
  Unguarded,  // any blocks
  Guarded,    // any blocks; where the maximum so far is -inf, 0 is subtracted and not the maximum
};

/// When two results are the same.
enum class Equality {
  Bits,
  AnyNan,         // or both are NaN
  AnyNanAndZero,  // or both are zero
};

constexpr unsigned kMostK = 16;

struct Question {
  Operation operation = Operation::Sum;
  Format type = {};
  Format accumulate = {};
  Start start = Start::First;
  Tree tree = Tree::Any;
  values::MaxRule max = values::MaxRule::NanWins;  // of Max and Min
  bool fused = false;                              // of SumOfSquares and Dot
  Equality equal = Equality::AnyNan;
  CodeSet contents = {};  // of the type, not empty
  values::Mode mode = {};
  Divide divide = Divide::Logical;  // of means, variances and norms
  Ties ties = Ties::First;          // of what orders its elements
  Pads pads = Pads::Anywhere;       // of what orders its elements, and of cumulative sums
  Blocks blocks = Blocks::Whole;    // of Softmax and LogSumExp
  unsigned k = 1;                   // of TopK and TopKIndices: at most the number of valid elements

  bool operator==(const Question&) const = default;
};

[[nodiscard]] std::string_view name(Operation operation);
[[nodiscard]] std::optional<Operation> find_operation(std::string_view name);
[[nodiscard]] std::vector<std::string> operation_names();
/// A tree whose nodes add: Sum, SumOfSquares, Exx2, Dot, Mean.
[[nodiscard]] bool is_additive(Operation operation);
[[nodiscard]] bool is_square(Operation operation);  // SumOfSquares, and Exx2, which is another name
[[nodiscard]] bool has_start(Operation operation);  // adds, and may do so from a start
/// Not a tree: what rows.h is about.
[[nodiscard]] bool is_row(Operation operation);
/// Whose results are places, not codes.
[[nodiscard]] bool is_index(Operation operation);
/// Whose result depends on an order of its elements.
[[nodiscard]] bool is_ordering(Operation operation);

/// Whose formula makes a NaN of its own in the midst (inf - inf, the root of a negative number), whose bits no source
/// states: LayerNorm, RmsNorm, Variance, Welford. Two NaNs of theirs refute nothing, also where bits are compared.
[[nodiscard]] bool is_statistic(Operation operation);

/// Whether its result is a list: one result per valid element, or k of them.
[[nodiscard]] bool has_several_results(const Question& question);

/// Why a question has no meaning here; empty if it has one.
/// Example: "max starts with its first element: it has no start +0".
[[nodiscard]] std::string misfit(const Question& question);

/// Elements of a term; `b` only of Dot.
struct Term {
  Code a = 0;
  Code b = 0;
  bool operator==(const Term&) const = default;
};

/// The code of the accumulator that a term gives. Of Any and All: 0 or 1.
[[nodiscard]] Code leaf(const Question& question, const Term& term);
/// The start's code. Requires: a start that is not First.
[[nodiscard]] Code start_of(const Question& question);
/// What nodes do to subnormal numbers: nothing, also where the accumulator has none.
[[nodiscard]] values::Flush flush_of(const Question& question);
/// A node of the tree.
[[nodiscard]] Code combined(const Question& question, Code left, Code right);
/// The accumulator after one more term of a sequential evaluation; fused or not.
[[nodiscard]] Code next(const Question& question, Code accumulator, const Term& term);
[[nodiscard]] bool equals(const Question& question, Code a, Code b);

/// An evaluation in postfix notation: 'c' the next valid term, 'p' the next pad, 's' the start, '+' a node. Fused
/// evaluations have a term on the right of each node.
/// Example: "cp+c+" is (c0 + p0) + c1.
struct Evaluation {
  std::string shape;
  std::vector<Term> valid;
  std::vector<Term> pads;
};

/// Whether the question has evaluations of such a shape. Those of fused ones are from left to right, also of Tree::Any,
/// whose other trees are the business of laws.
[[nodiscard]] bool fits(const Question& question, std::string_view shape);

/// The result with its pads, or of the reference. Requires: a shape that fits the question and has a valid term.
[[nodiscard]] Code result(const Question& question, const Evaluation& evaluation, bool with_pads);

}  // namespace vl::neutral
