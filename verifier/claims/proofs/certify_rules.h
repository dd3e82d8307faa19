// Certificates of proofs for all sizes: a rule as they state it (checker/rules.h), and its cases.
#pragma once

#include <span>

#include "encodings/map/rule.h"
#include "encodings/use/family.h"
#include "encodings/use/rule_nests.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/engines/banks.h"
#include "verifier/engines/cells/size_search.h"

namespace vl::claims {

/// What a certificate of a proof for all sizes states. `rules` are the family's, of well-formed; `value` is what a
/// claim measures.
[[nodiscard]] checker::Statement all_sizes_statement(const Claim& claim, const map::Rule& rule,
                                                     std::span<const use::Rule> rules,
                                                     const std::optional<map::Expression>& value, const Texts& texts);

/// A rule as certificates state it.
[[nodiscard]] checker::RuleText text_of(const map::Rule& rule);

/// What a statement says of an access to a rule. `origin`: what is added to the coordinates of every lane, or nothing.
[[nodiscard]] checker::AccessText rule_access_statement(const engines::Reach& lanes,
                                                        const std::vector<map::Expression>& origin);

/// A statement of such a claim about nests; those between devices come from the layout `from`.
[[nodiscard]] checker::Statement with_nests(checker::Statement statement, const use::RuleTransfer& transfer,
                                            const map::Rule* from = nullptr);

/// A statement about a second layout, too.
[[nodiscard]] checker::Statement with_rule(checker::Statement statement, const map::Rule& other);

/// The cases by which every size of the statement's rule has the claim, of no sizes at all, too; nothing where they are
/// not found in time. A case is parted where what is asked of it is not decided.
[[nodiscard]] std::optional<checker::CasesProof> all_sizes_cases(const checker::Statement& statement,
                                                                 const Effort& effort = Effort::generous());

/// Evidence that the checker accepts; nothing where it is not found in time. `instances` are sizes of which one is to
/// have an element. `cases`: those of the statement, where they are known.
[[nodiscard]] std::optional<checker::Evidence> all_sizes_evidence(const checker::Statement& statement,
                                                                  std::span<const map::Sizes> instances,
                                                                  const Effort& effort = Effort::generous(),
                                                                  std::optional<checker::CasesProof> cases = {});

/// What the kernel replays at a leaf, goal by goal; what is shown of its sizes for them is known to the place then.
/// Rejected where the claim is not shown; engines::cells::Open where sizes have to be parted first.
[[nodiscard]] std::vector<engines::cells::NamedSteps> goals_of(const checker::Statement& statement,
                                                               engines::cells::Place& place);

}  // namespace vl::claims
