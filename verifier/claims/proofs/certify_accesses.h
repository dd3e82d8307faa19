// Certificates for claims about accesses: what the checker is told of the access, and the evidence. What each form
// shows is said in verifier/checker/accesses.h.
#pragma once

#include <vector>

#include "verifier/checker/certificate.h"
#include "verifier/engines/banks.h"

namespace vl::claims {

/// What a statement says.
[[nodiscard]] checker::AccessText access_statement(const engines::Reach& reach);

/// What may be evidence for a true claim about such an access, cheapest to check first; the checker may reject some. Up
/// to `walk` lanes of instances are walked over at once; of more it is tried which variables can be free.
[[nodiscard]] std::vector<checker::Evidence> access_evidence(const checker::AccessText& access, Index walk = 1024);

}  // namespace vl::claims
