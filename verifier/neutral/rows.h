// Rows: the meaning of the operations that are no single tree: they order their elements, add them up step by step, or
// go over them several times. An evaluation's shape is then the row from left to right: 'c' the next valid element, 'p'
// the next pad, '|' the end of a block. The reference is the row without its pads, and without blocks that held only
// pads. What counts are the results at valid elements:
//
//   layernorm    (x - m)·r, m = Σx/n, r = 1/√(Σx²/n - m² + eps)     rmsnorm   x·r, r = 1/√(Σx²/n + eps)
//   variance     Σ(x - m)²/n, after the pass that gives m = Σx/n
//   welford      count, m and M2 updated per element: d = x - m; m += d/count; M2 += d·(x - m); M2/n at the end
//   softmax      exp(x - m)/Σexp(x - m), m the maximum (NaN wins)   logsumexp m + log Σexp(x - m)
//   argmax argmin   the place of the greatest, the least            topk  the k greatest, in descending order
//   topk-indices    their places                                    sort  the first N of all, N the valid elements
//   cumsum       the sum of all up to each element; cumsum-reverse: of all from it on
//   pointwise broadcast   a function of the element itself
//
// Each operation on codes is rounded once, in the accumulator. n is the number of valid elements, or with
// Divide::Padded of all; welford's count is that of all in any case. eps is 10^-5. An order has both zeros equal;
// NaN is before or behind all numbers, as the question's MaxRule says. A place is one in the padded row.
//
// Facts. exp and log are known where a fact states them (exponential.h), and only there: an element of a result that
// depends on another value is nothing here, and is compared with nothing.
//
// Worked example: f16, softmax, "cp" with c0 = 0 and p0 = -inf: exp(0) = 1, exp(-inf) = 0, and 1/(1 + 0) is 1, as
// without the pad. With p0 = 0 it is 1/2.
#pragma once

#include <optional>

#include "verifier/neutral/question.h"

namespace vl::neutral {

/// One element of a row: its code in the accumulator, and its place in the padded row.
struct Item {
  Code code = 0;
  bool pad = false;
  std::size_t place = 0;
};
using Row = std::vector<Item>;

/// Which results count: those at the valid elements, or also what is written at the pads, in the order of the row. Of
/// an order Everywhere has as many results as the row has elements.
enum class Results { AtElements, Everywhere };

/// The results of an evaluation: codes of the accumulator, or places; nothing where no fact states it.
/// Requires: is_row, and a shape of as many letters as there are terms.
/// Example: f16 softmax "cp", 0 and -inf: AtElements {1}, Everywhere {1, +0}.
using Outcomes = std::vector<std::optional<Code>>;
[[nodiscard]] Outcomes outcomes(const Question& question, const Evaluation& evaluation, bool with_pads,
                                Results which = Results::AtElements);

/// Shapes of rows with so many valid elements (k times as many of topk) and one pad or two, as the question has them.
[[nodiscard]] std::vector<std::string> row_shapes(const Question& question, std::size_t valid);

/// Why the question's mode (flushing, another rounding) leaves it open what the operation does; empty if it does not.
/// Cumulative sums and the trees that are no mean take each mode; orders all but Flush::Both.
[[nodiscard]] std::string unstated_in_mode(const Question& question);

/// How an order prefers a code: the one with the higher rank comes first. Requires: is_ordering.
/// Example: f16 argmax, NaN wins: rank(NaN) > rank(+inf) > … > rank(+0) = rank(-0).
[[nodiscard]] std::int64_t rank(const Question& question, Code code);

/// The first element of the result that a pad changes; nothing if none is known to be changed. Of any operation. Of a
/// statistic (question.h) two NaNs are no change.
struct Change {
  std::size_t at = 0;
  Code got = 0, want = 0;
};
[[nodiscard]] std::optional<Change> change(const Question& question, const Evaluation& evaluation);

}  // namespace vl::neutral
