// A claim on the command line:
//
//   NAME                              injective
//   NAME=ARG                          equal=LAYOUT, inverse=LAYOUT, padding=21000, aligned=1024,
//                                     partition=[4,1,8] cores=32
//   NAME<=K                           conflicts<=4
//   NAME=key=value; key=value; …      slice=region=3:5; with=S[(2,1):(-2,4)] + 6
//                                     disjoint=with=S[8:2]; with_tensor=f16[8]; at=1, or just disjoint=LAYOUT
#pragma once

#include <string>
#include <variant>

#include "verifier/cli/arguments.h"
#include "verifier/session/cases.h"

namespace vl::cli {

/// The claim, or its error. With --nests it is a claim about the nests. An access or hardware that the claim does not
/// name comes from the options.
[[nodiscard]] std::variant<session::ClaimRequest, std::string> claim_of(const std::string& text,
                                                                        const CheckArguments& arguments);

}  // namespace vl::cli
