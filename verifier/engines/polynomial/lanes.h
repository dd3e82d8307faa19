// Accesses to the memory of a rule: what their lanes cost in banks, for all sizes.
//
// Lanes and the access's variables are numbers, and are walked over once; which element a lane is at does not depend on
// sizes, but for an origin that all have in common. On a cell each element has a place, which is a polynomial
// (shape.h); the swizzle needs its remainder by the period 2^(base+bits+shift), and the banks need the byte's remainder
// by banks·bytes_per_bank. Where such a remainder is not a number, the cell is parted by remainders of a variable; so
// what a size decides is its remainder by a number. Two words of one bank are the same where their polynomials are, and
// different where one is greater.
//
// Example: eight rows of f16, 16 bytes a lane, pitch P: free of conflicts iff P % 16 == 8 among the multiples of 8.
#pragma once

#include "verifier/engines/polynomial/prove.h"
#include "verifier/question/access.h"

namespace vl::engines {

/// The lanes of an access whose tensor has names. `lanes`: what is known without them; its `bytes` are those at which
/// the buffer starts, and its `logical` is not that of the tensor.
struct RuleAccess {
  question::Reach lanes;
  Index element = 0;                         // bytes
  std::vector<map::Expression> origin = {};  // what is added to the coordinates of every lane; empty: nothing
};

/// The most lanes of all instances that are walked over.
inline constexpr Index kMostRuleLanes = 1 << 14;

enum class LaneCost { Wavefronts, Excess };

/// The leaves of an access: a leaf holds where its cost, the largest one of all instances, is a number, and is at most
/// the limit where there is one. `costs` has a number a leaf; that of an open leaf says nothing.
struct LaneLeaves {
  Leaves leaves;
  std::vector<Index> costs;
};

/// Requires: the rule has one place and no replicas; at most kMostRuleLanes lanes of instances.
[[nodiscard]] LaneLeaves leaves_of_lanes(const map::Rule& rule, const RuleAccess& access, LaneCost cost,
                                         std::optional<Index> limit, const AllSizesOptions& options = {});

}  // namespace vl::engines
