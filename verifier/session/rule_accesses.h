// The access of a claim about all sizes: its lanes, which no size moves (engines/polynomial/lanes.h).
#pragma once

#include <variant>

#include "verifier/engines/polynomial/lanes.h"
#include "verifier/session/all_sizes.h"

namespace vl::session {

/// The access that the keys access and hardware say; or why it is not carried for all sizes. The diagnostic points into
/// the text that is wrong.
[[nodiscard]] std::variant<engines::RuleAccess, question::Unknown, Diagnostic> rule_access(const ClaimRequest& claim,
                                                                                           const RuleReading& read);

}  // namespace vl::session
