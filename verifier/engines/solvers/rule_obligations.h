// What a proof for all sizes says of one of its cells, as a question for a solver that knows products of variables
// (QF_NIA). The cells are the engine's; what the closed forms say of a cell (polynomial/prove.h), the solver is asked
// anew, in terms that have no peeling, no corners and no exact quotients:
//
//   InBox   ∃ sizes of the cell, an element: some place is outside of its extent, or the split leaves a rest
//   Apart   ∃ sizes of the cell, two elements that differ: all places are the same (of a split: the numbers are)
//
// The split is fresh digits q_k and rests r_k with r_{k-1} = w_k·q_k + r_k, 0 <= r_k < w_k. No solution is agreement.
// Example: rows of pitch P >= N + 1 = n + 2: P·i + j = P·i' + j', 0 <= j, j' < N, (i, j) ≠ (i', j').
#pragma once

#include "encodings/base/budget.h"
#include "verifier/engines/polynomial/prove.h"

namespace vl::engines {

/// The question as an SMT-LIB 2 script, and how many variables v0, v1, … it has.
struct RuleObligation {
  std::string script;
  std::size_t variables = 0;
};

/// Of Decoded it is that of Apart. Nothing of other parts, where a swizzle is in the way, and where the cell leaves
/// something undecided.
[[nodiscard]] std::optional<RuleObligation> rule_obligation(AllSizesPart part, const map::Rule& rule, const Cell& cell);

/// What a solver says of the leaves of a proof.
struct RuleOpinion {
  std::size_t asked = 0;
  std::size_t agreed = 0;
  std::optional<std::string> against;  // the first question that has a solution
};
/// Asks Z3 about the first `most` leaves, each part by itself. Requires: all leaves hold.
[[nodiscard]] RuleOpinion second_opinion(const map::Rule& rule, std::span<const AllSizesPart> parts,
                                         const Leaves& leaves, const Budget& budget, std::size_t most = 32);

}  // namespace vl::engines
