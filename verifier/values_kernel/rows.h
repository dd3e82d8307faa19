// Fills that no row notices: means, norms, variances, softmax, logsumexp, orders (argmax, topk, sort), cumulative sums
// and pointwise functions, which verifier/neutral/rows.h defines.
//
// `proved`: a mean, a cumulative sum and a norm stay as they are if their sums do, which are statements of
// reductions.h. An order: every pad comes behind every code of the contents, or ties with the last of them and the
// statement's rules make that no matter. softmax and logsumexp: every pad is -inf; or, of a whole row, it is below each
// number of the contents, and e^(p - m) is less than half of the least number for the least maximum m. Facts that are
// taken as they are: exp(NaN) is NaN, exp(-inf) = +0, exp(0) = 1, exp(x) for other x <= 0 is a number with the sign +,
// and is +0 where e^x is less than half of the least number; log(1) = +0, log(+0) = -inf, log(NaN) is NaN. `refuted`:
// the evidence has the row, 'c' a valid element, 'p' a pad, '|' the end of a block (of a mean its tree), which is
// evaluated with its pads and without, as far as those facts go. `fills`: as of reductions; the element alone in its
// row may also be the code itself.
#pragma once

#include "verifier/values_kernel/row_values.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {

/// Whether a statement is one of this file, or of exx2, which is another name of sumsq.
[[nodiscard]] bool is_row(const ReductionText& said);
/// Its words, read; rejects those that have no meaning.
[[nodiscard]] RowQuestion row_question_of(const ReductionText& said);
/// Rejects what shows no such thing.
void check_row(bool refuted, const ReductionText& said, Evidence& evidence);
void check_fills_of_rows(const ReductionText& said, Evidence& evidence);

}  // namespace vl::values_kernel
