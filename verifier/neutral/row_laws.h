// Laws of rows: neutral fills of the operations of rows.h, for every number of elements and pads.
//
// Mean. Σ and then division by n: equal sums have equal quotients, so the laws of the sum hold. Divided by the number
// of all elements there is no neutral fill: beside the element 0 a neutral pad has |p|/2 = 0, beside 1 (1 + p)/2 = 1.
//
// Norms. Each result is one function of its element, of Σx² and (layernorm) of Σx, and pads reach only those. So what
// is neutral for both sums is neutral; where both zeros count as the same, Σx² is still needed exactly, because 1/√
// tells them apart.
//
// Variance and Welford. Beside the element 1 the result is 0 without pads. With a pad p it is not: in two passes a sum
// of squares is 0 only if 1 = m and p = m, and then m is that of 1 and 1, which is 2. With the padded count, p = 1 is
// left, and the element 0 refutes it. Welford: d·(x - m) is at least 1/8 beside one of 0 and 1, whichever is farther.
//
// Orders (argmax, topk, sort …). Let r be the lowest rank of any content: no row has an element that the order likes
// less, and some row has only elements of rank r. A pad of a lower rank comes behind every element. A pad of a higher
// rank is first in a row of rank r. One of rank r is behind each of its equals if ties go to the first and all pads are
// behind; else it takes the place of one of them, which is no matter only if results are values, and these are equal.
//
// Cumulative sums. Each result is the sum of a row that ends in its element: the sum's laws hold. Forward, with all
// pads behind, no result reads a pad.
//
// Softmax, logsumexp. A fill below every number of the contents leaves the maximum m as it is. If exp(p - m) is +0 for
// every p and m that is not NaN, pads add +0 to a sum of what is never -0 (E3), which is that sum. For -inf that is E2,
// and if m = -inf, each term is NaN with the pads and without. A finite p needs E5 at the least m, and that no p - m is
// beyond the numbers of a format without infinity. In blocks only -inf is followed: a block of pads alone leaves m, and
// s·exp(m - m) + 0 is s by E4; but before the first number it is exp(-inf - -inf), NaN, unless that is guarded.
//
// Pointwise. No result reads a pad.
#pragma once

#include "verifier/neutral/laws.h"
#include "verifier/neutral/rows.h"

namespace vl::neutral {

/// As neutral_codes(), of Mean and rows. Requires: misfit() is empty.
[[nodiscard]] Neutral neutral_codes_of_rows(const Question& question);

/// What answers about a question take for granted: of exp and log, of orders, of eps, and that max and min flush no
/// result; nothing of most operations.
[[nodiscard]] std::vector<std::string> assumptions(const Question& question);

}  // namespace vl::neutral
