// Loop nests between the host and the layout of a rule, for all sizes.
//
// A nest moves, for every iteration 0 <= i_l < extents_l, between the numbers host_0 - offset + Σ host_l·i_l of the
// tensor, whose element 0 lies at the rule's `offset` on the host, and the slots device_0 + Σ device_l·i_l of the box,
// row-major. On a set of sizes it is shown that
//   - a loop that goes back on the host is counted from its end, and one over several dimensions or digits is a loop
//     over each: i < extent as a·inner + b, where inner divides the extent and a stride or weight is inner steps;
//   - an iteration is an element: each coordinate is a form of the loops, found by dividing the host's strides by the
//     tensor's, and its first number, summand by summand or, multiplied out, by one stride after the other; it lies in
//     its extent;
//   - iterations of one nest are different elements, by peeling; those of two nests differ in the range of one
//     coordinate, or of its remainder by a step of one of its loops;
//   - the nests have as many iterations as there are elements: so each element is moved once;
//   - the digits of start + its number by the rule's levels are forms of the loops too, and make the device's walk: the
//     digits are the places, or the places are sums of them (without replicas and without a swizzle), each inside its
//     extent; two digits whose slots are those of their common number are one
// Between devices a nest has a third walk, in the layout of another rule over the same tensor; what is shown of the
// device's walk is shown of that one too, and the host's walk only says which elements are moved.
// A nest of which an extent is 0 moves nothing. Example: f16[N] on sticks of 64 is N//64 full sticks, and the N % 64
// elements behind them.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/checker/sizes.h"

namespace vl::checker {

/// The claims in-bounds, implements and covers-once. Both of the latter are shown by moves that are all elements, each
/// once: covers-once where no two elements share a slot, and implements where no two share both places. Rejected if
/// that is not shown; Undecided where a step is needed.
void check_rule_nests(const Statement& statement, const SizeSet& sizes);

}  // namespace vl::checker
