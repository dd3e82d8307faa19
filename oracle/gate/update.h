// Update: a file of expectations, rewritten by what was seen. Comments, issues and the order stay; only numbers and
// entries change.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "oracle/gate/expect.h"

namespace vl::gate {

struct UpdateOptions {
  std::vector<std::string> lower;   // operations "family/op" whose minima may fall
  std::vector<std::string> accept;  // signatures that become known
  std::string issue;                // of these
};

/// The new text of the file. Minima rise to 98 % of what was seen, and never fall but for --lower; the version is the
/// peer's; entries that agree now go away; accepted signatures come in behind. Errors: Value for an accepted signature
/// that was not found, or without an issue.
[[nodiscard]] Result<std::string> updated(const std::string& text, const Expectations& expected, const Peer& peer,
                                          const CampaignResult& result, const std::vector<Red>& reds,
                                          const UpdateOptions& options);
/// A file for a peer that has none yet.
[[nodiscard]] std::string new_expectations(const Peer& peer);

}  // namespace vl::gate
