// Pieces of loop nests for a certificate: nests cut until, over the digits of each part, slots and elements are linear
// forms. What a piece has to be, verifier/checker/nests.cpp says; here it is only found.
//
// Why this is no use of encodings/map/pieces.h, which cuts nests too: the checker follows cuts of one loop at one
// iteration and does the rest by digits, so a piece's forms have to be its own forms over digits, with the swizzles as
// atoms. Those pieces replace loops by blocked, fused and fixed variables, keep no account of how, and end at a
// swizzle.
#pragma once

#include "verifier/checker/nests.h"
#include "verifier/claims/claim.h"

namespace vl::claims {

using Chains = std::vector<std::vector<checker::Wide>>;

/// What is tried.
struct NestPlan {
  Part part;               // never Reversed: of nests read the other way round that is Implemented
  std::size_t by = 1;      // which slot tells moves apart: 0 the one that is read, 1 the one that is written
  std::size_t anchor = 1;  // and which tells their element: its side has a decode map
  bool fused = false;      // loops that both walks step through as one have digits together
  Chains weights;
};

/// A group of digits a loop; when `fused`, one for neighbouring loops that both walks step through as one.
[[nodiscard]] std::vector<checker::Group> loops_of(const checker::Nest& nest, bool fused);

/// The evidence; nothing where there is none, also when there would be more than 256 pieces.
[[nodiscard]] std::optional<checker::Evidence> pieces_of(NestPlan plan, const checker::Layout& source,
                                                         const checker::Layout& destination,
                                                         std::vector<checker::Nest> nests);

}  // namespace vl::claims
