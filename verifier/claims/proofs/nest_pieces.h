// Pieces of loop nests for a certificate: nests cut until, over the digits of each part, slots and elements are linear
// forms. What a piece has to be, verifier/checker/nests.cpp says; here it is only found.
#pragma once

#include "verifier/checker/questions.h"
#include "verifier/claims/claim.h"

namespace vl::claims {

using Chains = std::vector<std::vector<long long>>;

/// A nest that moves something, as the checker reads it.
struct CertifiedNest {
  checker::Space box;
  checker::Row slots[2];  // the number of the slot that is read, and of the one that is written
};

/// This way leads to no evidence.
struct Nowhere {};

/// What is tried.
struct NestPlan {
  Part part;               // Reversed is Implemented here
  std::size_t by = 1;      // which slot tells moves apart: 0 the one that is read, 1 the one that is written
  std::size_t anchor = 1;  // and which tells their element: its side has a decode map
  bool fused = false;      // loops that both walks step through as one have digits together
  Chains weights;
};

/// A group of digits a loop; when `fused`, one for neighbouring loops that both walks step through as one.
[[nodiscard]] std::vector<checker::Group> loops_of(const CertifiedNest& nest, bool fused);

/// The evidence. Throws Nowhere or Rejected where there is none, also when there would be more than 256 pieces.
[[nodiscard]] nlohmann::json pieces_of(NestPlan plan, const checker::Layout& source, const checker::Layout& destination,
                                       std::vector<CertifiedNest> nests);

}  // namespace vl::claims
