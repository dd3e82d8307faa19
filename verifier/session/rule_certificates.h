// Certificates of answers about all sizes: made, checked, and written to a folder on request.
#pragma once

#include <span>

#include "verifier/session/all_sizes.h"
#include "verifier/session/certificates.h"

namespace vl::session {

/// Numbers of a claim that stand in no rule.
struct RuleNumbers {
  std::optional<Index> number = {};           // the bytes of `fits`, the base of `aligned`
  std::optional<map::Expression> value = {};  // what an access costs
};

/// What a claim measures of a layout of which all elements have a slot, and none share one; nothing of claims that
/// measure nothing. Padding: Π extents - Π sizes.
[[nodiscard]] std::optional<map::Expression> measured(const claims::Claim& claim, const map::Rule& rule,
                                                      const RuleNumbers& numbers);

/// The layout from which nests between devices move, or which is equal, the claim's key `with`: over the same tensor,
/// of the symbols and under the conditions of `rule`, and of `equal` also its own. Else what is wrong with its text, or
/// why it is no rule of these symbols. `space`: the memory of the first layout (use::Reading::space). Of the claim
/// equal a second one in another memory has the axis `memory`, which the first one lacks.
[[nodiscard]] std::variant<map::Rule, TextError, std::string> rule_of_source(const ClaimRequest& claim,
                                                                             const CaseRequest& request,
                                                                             const map::Rule& rule,
                                                                             std::string_view space);

/// What a certificate of such a proof states; the texts are the request's. Requires of an access: it can be read
/// (rule_accesses.h); of a mask: its shape can, and what it keeps is known (rule_masks.h); of nests between devices:
/// their layout can, and which elements they move is known.
[[nodiscard]] checker::Statement rule_statement(const ClaimRequest& claim, const CaseRequest& request,
                                                const RuleReading& read, const RuleNumbers& numbers = {});

/// Whether a layout change is that of the compiler from the case's layout to itself.
[[nodiscard]] bool is_to_itself(const ClaimRequest& claim, const CaseRequest& request);

class RuleCertificates {
 public:
  RuleCertificates(const CaseRequest& request, const RuleReading& read, const CertificateOptions& options)
      : request_(request), read_(read), options_(options) {}

  /// As certify() (certificates.h), of a proof for all sizes. A refutation is one of an instance.
  /// `instances`: sizes of which a layout exists. `cases`: those of the proof, where they are known. It takes as long
  /// as `effort` says.
  [[nodiscard]] Certified certify(const ClaimRequest& claim, std::span<const map::Sizes> instances,
                                  const RuleNumbers& numbers, const claims::Effort& effort,
                                  std::optional<checker::CasesProof> cases, question::Verdict& verdict,
                                  const std::string& stem);

 private:
  [[nodiscard]] const RuleReading& again(const ClaimRequest& claim);

  const CaseRequest& request_;
  const RuleReading& read_;
  const CertificateOptions& options_;
  std::optional<RuleReading> again_;
};

}  // namespace vl::session
