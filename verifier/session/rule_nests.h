// Loop nests of a case about all sizes: made, proved by the checker, and held against concrete engines at instances.
#pragma once

#include "encodings/use/rule_nests.h"
#include "verifier/question/record.h"
#include "verifier/session/all_sizes.h"

namespace vl::session {

/// Nests that implement the layout at all sizes, and write each element once.
struct ProvedRuleNests {
  use::RuleTransfer transfer;
  question::RuleView rule;
  std::size_t instances = 0;  // at which concrete engines proved them too, at least 1
};

/// No nests: an element without a slot at some sizes, or elements that share one, or why none are known.
struct NoRuleNests {
  question::Verdict verdict;             // refuted or unknown
  std::string_view claim = "in-bounds";  // that is refuted
};

/// Between host and device; with a text `from`, whatever the direction, from that layout into the request's. A proof
/// that concrete engines contradict is unknown (engines-disagree). Requires: has_names(request).
[[nodiscard]] std::variant<ProvedRuleNests, NoRuleNests, Diagnostic> nests_for_all_sizes(
    const CaseRequest& request, const std::optional<SourceText>& from, use::Direction direction,
    const JudgeOptions& options);

}  // namespace vl::session
