// Certificates for claims about accesses: what the checker is told of the access, and the evidence. What each form
// shows is said in certificate/checker/accesses.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "verifier/engines/banks.h"

namespace vl::claims {

/// What a statement says: {"bytes": "(lane:8, j:4) -> …", "coordinates": …, "when": …, "conditions": [], …}.
[[nodiscard]] nlohmann::json access_statement(const engines::Reach& reach);

/// What may be evidence for a true claim about such an access, cheapest to check first; the checker may reject some. Up
/// to `walk` lanes of instances are walked over at once; of more it is tried which variables can be free.
[[nodiscard]] std::vector<nlohmann::json> access_evidence(const nlohmann::json& access, Index walk = 1024);

}  // namespace vl::claims
