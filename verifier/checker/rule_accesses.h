// Accesses to the memory of a rule, for all sizes: what their lanes cost in banks (accesses.h).
//
// The rule has one place, the axis m, and no replicas. The access's `bytes` are the byte at which the buffer starts;
// its lanes and variables are numbers, and all of them are walked over. On a set of sizes it is shown that
//   - each active lane's element, the origin added, lies in the tensor; its number, Σ stride·x, is divided by the
//     levels' weights one after the other: weight w takes stride/w·x of a stride that it divides, and x div t of
//     w = t·stride, where x mod t is a number
//   - the swizzle changes an address by what its rest by 2^(base+bits+shift) says, which is a number
//   - a byte's rest by banks·bytes_per_bank is a number, so that banks are known; two words of one bank are the same
//     polynomial, or differ by 1 or more
// Example: eight rows of f16 with the pitch P, 16 bytes a lane: lane l is at byte 2·P·l, so P is parted by its rest by
// 64; where that is 8, each lane needs 4 other banks.
#pragma once

#include "verifier/checker/rule_digits.h"

namespace vl::checker {

/// The claims conflict-free, conflicts and wavefronts. Rejected if that is not shown.
/// Requires: statement.access and statement.bits.
void check_rule_access(const Statement& statement, const SizeSet& sizes, const Polynomials& logical);

}  // namespace vl::checker
