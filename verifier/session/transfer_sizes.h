// Transfers with names for sizes. A claim about one asks its laws (use/target.h) of all sizes: they are those of a rule
// without elements, which is answered as that of a layout is (all_sizes.h), with the same engine, kernel and instances.
// An instance is the descriptor with numbers for its names, judged as any other.
//
// Example: tensormap(f16, dim (K,M), stride (2*K), box (64,64)) on tma-sm_90 has the laws K >= 1, K <= 2**32, M >= 1,
// M <= 2**32, 2*K >= 0, 2*K < 2**40 and 2*K % 16 == 0.
#pragma once

#include "verifier/checker/texts.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/certificates.h"

namespace vl::session {

/// The laws of a claim about one descriptor, the request's `layout`, under its conditions; the target is the claim's
/// argument. The rules of the reading are those that do not depend on sizes.
[[nodiscard]] std::variant<RuleReading, TextError> read_sized_transfer(const ClaimRequest& claim,
                                                                       const CaseRequest& request);

/// Certifies a claim about a descriptor of numbers, as certify() does (certificates.h); the target is the claim's
/// argument. Of one with names a refutation is certified at the sizes that it names.
[[nodiscard]] Certified certify_transfer(const ClaimRequest& claim, const CaseRequest& request,
                                         question::Verdict& verdict, const JudgeOptions& options,
                                         const std::string& stem);

/// What the texts of such a statement, read again, say about it.
[[nodiscard]] checker::Texts compared_transfer(const checker::Statement& said, const ClaimRequest& claim,
                                               const CaseRequest& request);

/// Answers such a claim. Requires: the request's `layout` is a descriptor with names; of `keeps`, its law is known.
/// `view`: its names and conditions.
[[nodiscard]] question::Answer answer_sized_transfer(const ClaimRequest& claim, const CaseRequest& request,
                                                     const JudgeOptions& options, const std::string& stem,
                                                     std::optional<question::RuleView>& view,
                                                     std::optional<Diagnostic>& wrong);

/// The request with numbers for names in its descriptors; names that have none stay.
[[nodiscard]] std::variant<CaseRequest, TextError> transfer_at(const CaseRequest& request, const map::Sizes& sizes);

}  // namespace vl::session
