// When a claim about all sizes holds, as the engine says it, held against the checker and against instances.
#pragma once

#include <vector>

#include "verifier/claims/proofs/effort.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/instances.h"
#include "verifier/session/rule_certificates.h"

namespace vl::session {

/// Alternatives, each a list of conditions that hold together.
using Alternatives = std::vector<std::vector<map::Condition>>;

/// Whether somebody reads such a condition: at most 64 alternatives, of at most 8 conditions each.
[[nodiscard]] bool is_readable(const Alternatives& holds);

/// Whether the checker has a proof under each of the alternatives, in time.
[[nodiscard]] bool is_shown_where(const ClaimRequest& claim, const CaseRequest& request, const RuleReading& read,
                                  const RuleNumbers& numbers, const Alternatives& holds, const claims::Effort& effort);

/// Sizes at which concrete engines say something else than the alternatives: refuted where one of them holds, or, if
/// they are `exact`, proved where none does. Nothing: none was found among sizes of every leaf, and random ones.
[[nodiscard]] std::optional<Refutation> contradicted(const ClaimRequest& claim, const engines::Leaves& leaves,
                                                     const Alternatives& holds, bool exact, Instances& instances);

}  // namespace vl::session
