// Certificates for the answer of engines/swizzle_search.h that no swizzle of a tile will do (checker/accesses.h).
#pragma once

#include "verifier/claims/proofs/certify.h"
#include "verifier/engines/swizzle_search.h"

namespace vl::claims {

/// The name of the claim, which `check` does not ask.
inline constexpr const char* kNoSwizzle = "no-swizzle";

/// The tile, and its accesses as lanes to addresses; nothing for accesses that find_swizzle does not take.
[[nodiscard]] std::optional<checker::Statement> no_swizzle_statement(const engines::SwizzleTask& task,
                                                                     const Texts& texts);

/// The statement with one refusal per candidate; nothing if the checker does not accept it, as of too many lanes.
[[nodiscard]] std::optional<checker::Certificate> certify_no_swizzle(const engines::SwizzleTask& task,
                                                                     const engines::SwizzleNone& none,
                                                                     const Texts& texts);

}  // namespace vl::claims
