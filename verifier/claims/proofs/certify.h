// Certify: a certificate for an answer, and the checker's word on it. Whatever engine found the answer, the certificate
// is made from the statement alone: steps that the kernel replays, a look at every point of small domains, or what the
// claim asks for besides.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "verifier/checker/certificate.h"
#include "verifier/claims/claim.h"
#include "verifier/claims/proofs/effort.h"

namespace vl::claims {

/// The texts that a user gave, for people and for reading again (checker/texts.h).
struct Texts {
  std::string layout;
  std::string tensor;
  std::map<std::string, std::string> arguments;  // "with", "region", "access", …
  std::optional<checker::OperationText> operation = {};
  std::vector<checker::FileText> files = {};       // which arguments name, by key
  std::vector<checker::DerivedText> derived = {};  // what operations in the texts give
  std::vector<checker::DerivedRuleText> derived_rules = {};
};

/// Gives a statement its texts.
void state_texts(const Texts& texts, checker::Statement& out);

/// What a certificate of this answer states: the texts, the claim, the maps in canonical text, and the number that was
/// measured. Nothing for answers that are neither proved nor refuted and for claims that no certificate covers
/// (Claim::proof).
[[nodiscard]] std::optional<checker::Statement> statement_of(const Claim& claim, const Subject& subject,
                                                             const Verdict& verdict, const Texts& texts);

/// A layout as certificates state it.
[[nodiscard]] checker::LayoutText text_of(const map::Layout& layout);

/// Evidence for the statement of this verdict that the checker accepts; nothing when no form of ours shows the
/// statement, or none that is found in time.
[[nodiscard]] std::optional<checker::Evidence> evidence_of(const Claim& claim, const checker::Statement& statement,
                                                           const Verdict& verdict, Effort effort = Effort::generous());

/// The files that say that a check of it enters them (kernel/core/entered.h).
[[nodiscard]] std::vector<std::string> files_entered(const checker::Statement& statement,
                                                     const checker::Evidence& evidence);

/// The two together, with the statement's digest.
[[nodiscard]] checker::Certificate certificate_of(const checker::Statement& statement, checker::Evidence evidence);

/// The certificate of a verdict's statement, with such evidence.
[[nodiscard]] std::optional<checker::Certificate> certify(const Claim& claim, const checker::Statement& statement,
                                                          const Verdict& verdict, Effort effort = Effort::generous());

/// What evidence shows, joined by '+': "cells+sweep".
[[nodiscard]] std::string forms_of(const checker::Evidence& evidence);

}  // namespace vl::claims
