// A claim as one text, as the command line and the shared library take it:
//
//   NAME                              injective
//   NAME=ARG                          equal=LAYOUT, inverse=LAYOUT, padding=21000, aligned=1024,
//                                     partition=[4,1,8] cores=32
//   NAME<=K                           conflicts<=4
//   NAME=key=value; key=value; …      slice=region=3:5; with=S[(2,1):(-2,4)] + 6
//                                     disjoint=with=S[8:2]; with_tensor=f16[8]; at=1, or just disjoint=LAYOUT
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "verifier/session/cases.h"

namespace vl::session {

/// What stands beside a claim's text: whether it is about loop nests, and an access and hardware for claims that do not
/// name them.
/// Beside what descriptors are given.
enum class Beside { Nothing, NoLayout, Layout };

struct ClaimSetting {
  bool nests = false;
  Beside transfer = Beside::Nothing;
  bool target = false;  // they have one
  std::optional<std::string> access = {};
  std::optional<std::string> hardware = {};  // absent: sm_90
};

/// Whether a target has a part in the claim.
[[nodiscard]] bool has_target(const claims::Claim& claim);

/// The claim, or its error.
[[nodiscard]] std::variant<ClaimRequest, std::string> claim_of(const std::string& text, const ClaimSetting& setting);

/// The claims of these texts; of none, those about the nests or about the access of the setting, or else none: the
/// family's. Also an error: an access or hardware that no claim takes.
[[nodiscard]] std::variant<std::vector<ClaimRequest>, std::string> claims_of(std::vector<std::string> texts,
                                                                             const ClaimSetting& setting);

}  // namespace vl::session
