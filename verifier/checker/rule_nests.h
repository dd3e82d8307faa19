// Loop nests between the host and the layout of a rule, for all sizes.
//
// A nest moves, for every iteration 0 <= i_l < extents_l, between the numbers host_0 - offset + Σ host_l·i_l of the
// tensor, whose element 0 lies at the rule's `offset` on the host, and the slots device_0 + Σ device_l·i_l of the box,
// row-major. The host is a layout, too: element x at Σ stride·x, in a memory that ends behind the last element. Between
// devices a nest has a third walk, in the layout of another rule over the same tensor; then the host's walk says which
// elements are moved.
//
//   in-bounds     every walk stays inside its memory
//   implements    the moves are those of the elements, each once: from the host to the device, and between devices
//   covers-once   the same, and no two elements share a place in any of the memories
//
// A nest of which an extent is 0 moves nothing. Example: f16[N] on sticks of 64 is N//64 full sticks, and the N % 64
// elements behind them.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/checker/leaf_goal.h"

namespace vl::checker {

/// Rejected if the claim is not shown.
void check_rule_nests(const Statement& statement, const SizeSet& sizes, const StepsForLeaf& steps);

}  // namespace vl::checker
