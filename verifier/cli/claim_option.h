// --claim TEXT (verifier/session/claim_text.h).
#pragma once

#include "verifier/cli/arguments.h"
#include "verifier/session/claim_text.h"

namespace vl::cli {

/// The claim, or its error. With --nests it is a claim about the nests. An access or hardware that the claim does not
/// name comes from the options.
[[nodiscard]] inline std::variant<session::ClaimRequest, std::string> claim_of(const std::string& text,
                                                                               const CheckArguments& arguments) {
  return session::claim_of(text, {!arguments.nests.empty(), arguments.access, arguments.hardware});
}

}  // namespace vl::cli
