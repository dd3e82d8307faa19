// What a proof for all sizes says of one of its cells, as a question for isl: the same as rule_obligations.h asks Z3,
// where all is linear in the cell's variables. Strides and weights have to be numbers then, and bounds may have names.
// Example: S[(M,64):(72,1)] asks for 72·i + j = 72·i' + j' with i > i' or j > j', 0 <= i, i' <= m and 0 <= j, j' <= 63.
// S[(M,N):(P,1)] multiplies P by i, which is no linear question.
#pragma once

#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/rule_obligations.h"

namespace vl::engines {

/// Of Decoded it is that of Apart. Nothing of other parts, where a swizzle is in the way, and of what is not linear.
[[nodiscard]] std::optional<IntegerSets> rule_sets(AllSizesPart part, const map::Rule& rule, const Cell& cell);

/// Asks isl about the first `most` leaves, each part by itself. Requires: all leaves hold.
[[nodiscard]] RuleOpinion linear_opinion(const map::Rule& rule, std::span<const AllSizesPart> parts,
                                         const Leaves& leaves, const Budget& budget, std::size_t most = 32);

}  // namespace vl::engines
