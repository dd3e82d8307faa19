// Shrink: a finding made as small as possible, through the adapter. Each step makes one number smaller (an extent, a
// stride, a bound of a region, an operand) and is taken if the answer is judged the same way. The case never leaves the
// contract in which it stands, nor the nicest class that it had (bijective, injective, any), so that nobody can dismiss
// what is left; what remains decides the signature. Where nothing is smaller, a case that is plainer is tried, of which
// the signature says less; then those in which several numbers change at once (paired.h). A case of which it says more
// is never taken.
//
// Example: a slice of S[(3,4,2):(8,2,1)] that loses a carry becomes the slice 1:3 of S[(2,2):(1,2)].
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "oracle/gate/campaign.h"

namespace vl::gate {

/// Requests that are each smaller than a case in one number, the smallest first.
[[nodiscard]] std::vector<Case> smaller_cases(const Case& of);

/// Requests of which a signature says less (fewer features, a nicer class), the smallest first: other strides and
/// extents of the layout, which may be larger. Example: (3,2):(2,1) of cute becomes (3,2):(1,3) and (4,2):(1,4).
[[nodiscard]] std::vector<Case> plainer_cases(const Case& of);

/// The words of a case's cost: the sum of its numbers, and the length of its text.
[[nodiscard]] std::pair<std::uint64_t, std::size_t> cost_of(const Case& of);

constexpr std::size_t kMostAsked = 512;  // of one finding

/// What is known of one operation's cases, so that little is asked twice. A finding that becomes a case which another
/// one was goes its way.
struct ShrunkCases {
  std::map<std::string, Finding> ends;  // what cases became, by all that decides it
  std::set<std::string> others;         // cases that do not fail in the way that stands before them
};

/// The finding in the smallest case that was found. `asked` counts the questions.
[[nodiscard]] Finding shrink(Child& child, const Judge& judge, const Finding& finding,
                             const std::vector<std::string>& contract, ShrunkCases& known, std::uint64_t* asked);

/// All findings of a campaign, made smaller; those that become the same are one. At most 1024 of an operation are
/// shrunk, the most frequent ones; the others stay as they are. `done` is told after each one how many are.
void shrink_all(Child& child, const Judge& judge, CampaignResult& result, const std::function<void(std::size_t)>& done);

}  // namespace vl::gate
