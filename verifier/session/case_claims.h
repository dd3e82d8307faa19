// The claims of a case file: cases.cpp calls these functions for each [[case.claim]].
#pragma once

#include "verifier/session/cases.h"
#include "verifier/session/toml_document.h"

namespace vl::session {

/// The claim of that name; with nests, the claim about nests (there are two claims in-bounds). Null after an error.
const claims::Claim* claim_named(TomlDocument& in, std::string_view name, const toml::source_region& where,
                                 bool nests = false);

/// The value of `expect`: a verdict's word, or the number for a claim that measures.
std::optional<question::Expectation> expectation(TomlDocument& in, const toml::node& node, const ClaimRequest& request);

/// The same into the claim; for all sizes, a measuring claim may also give an expression.
void expect_of(TomlDocument& in, const toml::node& node, ClaimRequest& request);

/// The keys of a case and of an operand that say a layout and its tensor.
void read_layout_keys(TomlDocument& in, const toml::table& table, CaseRequest& out);

/// One [[case.claim]].
ClaimRequest read_claim(TomlDocument& in, const toml::table& table);

/// Nests as a list of tables, with the fields of their JSON, or as a text in any form that --nests reads. Requires: the
/// key `nests`.
std::shared_ptr<const use::Transfer> read_case_nests(TomlDocument& in, const toml::table& table);
/// Nests for all sizes, where they are a text of JSON; else null. Requires: the key `nests`.
std::shared_ptr<const use::RuleTransfer> read_case_rule_nests(const toml::table& table);

}  // namespace vl::session
