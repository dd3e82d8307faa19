// equal, for all sizes: two layouts of one tensor put every element in the same places. Without named axes that is the
// number of the slot in memory, and the boxes have as many slots; of named axes it is each coordinate, an axis that a
// layout lacks being 0.
//
//   levels   of the same host number: f(n) = first + Σ step_l·digit_l, the digits by descending weight. Neighbours of
//            which weight and step of the outer one are the same multiple of the inner one's are one level; digits that
//            are always 0 are left out. Two functions whose levels then have the same weights and steps are the same;
//            every element has a slot in both.
//   digits   of numbers that count dimensions in different orders: each level is cut at the dimensions, and is
//            (x_i div u) mod e of one of them. Two sums of the same such digits with the same steps are the same.
//   numbers  of tensors that are joined to several: the same numbers, levels and steps.
//
// Replicas are the same one by one, and so is a swizzle, of the same coordinate.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/checker/sizes.h"

namespace vl::checker {

/// Rejected where the two layouts of a statement, `rule` and `from_rule`, are not shown to be equal at the sizes of a
/// set; Undecided where a step is needed. Requires: the tensor has an element.
void check_equal(const Statement& statement, const SizeSet& sizes);

}  // namespace vl::checker
