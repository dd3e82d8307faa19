// Parts of a case's answer that are the same for one layout and for all sizes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "encodings/base/budget.h"
#include "verifier/question/record.h"
#include "verifier/session/cases.h"

namespace vl::session {

/// How the verdict differs from what the case expects; empty if it does not.
[[nodiscard]] std::string mismatch_of(const ClaimRequest& request, const question::Verdict& verdict);

/// What was asked besides the layout, key by key, as it was given.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> asked_of(const ClaimRequest& request);

/// The answer to a claim that says nothing of this case.
[[nodiscard]] question::Answer unsupported_answer(const ClaimRequest& claim, std::string why);

/// The family's default claims. Requires: a family reads the layout.
[[nodiscard]] std::vector<ClaimRequest> default_claims(const CaseRequest& request);

/// Whether the verdict is unknown, for another reason than vacuous, unsupported or engines-disagree.
[[nodiscard]] bool is_open(const question::Verdict& verdict);

/// The verdict of an answer whose time was over before it was decided.
[[nodiscard]] question::Unknown timed_out(const Budget& budget);

/// A case before it is read.
[[nodiscard]] question::Case unread(const CaseRequest& request);

}  // namespace vl::session
