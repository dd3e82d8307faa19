// What rows and reductions of sets of codes can be (the claim padding-state): every result lies in a set.
//
// A statement has a row: positions along some dimensions, each of which goes on from an extent to a whole one. The
// positions beyond in the same dimensions are a part, by the set of these dimensions, and hold codes of one set (of
// dot: of two). Every position is read. Asked for is the one result, each of k, or those at the positions of one part.
//
//   any, all        from the parts that can be, or have to be, other than zero
//   one code each   in an order that the statement fixes, that one evaluation
//   places          those of the part that comes first, if one does; of equal elements the first or the last one
//   topk, sort      a code of the first n positions' worth of results is not behind all of n positions
//   softmax         where e^(x - m) is 1 or +0 everywhere: 1/n or 0. Else chain_rows.h
//   logsumexp       m + log s, where s is at least 1
//   norms, variance their steps on sets; welford of one number alone: +0
//   cumsum          a sum of at most as many leaves as are before it, or behind
//   reductions      fold.h
//
// Facts about exp are those of rows.h, and that e^x of x <= 0 is at most 1; log is that of functions.h.
//
// Example: softmax of 3 elements 0 and a pad -inf: {+0} at the pad, {1/3} at the elements.
#pragma once

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {

/// Rejects what does not hold, or is not shown by these laws.
void check_row_states(const std::vector<RowStateText>& said);

}  // namespace vl::values_kernel
