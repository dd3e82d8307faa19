// Evidence for claims about loop nests: what verifier/checker/nests.h checks. Nothing here is trusted; a claim that
// does not hold has no evidence that is accepted, and one that holds has some wherever its nests fall into boxes on
// which the layouts' maps are linear forms of digits. Others are cut down to single moves, as long as those are few, or
// walked over: layouts without a decode map, of which nothing says the element of a slot, and swizzles.
#pragma once

#include <vector>

#include "encodings/use/memory.h"
#include "encodings/use/transfer.h"
#include "verifier/checker/certificate.h"
#include "verifier/claims/claim.h"

namespace vl::claims {

/// The statement's "transfer".
[[nodiscard]] checker::TransferText transfer_statement(const use::Transfer& transfer, const use::Memory& source,
                                                       const use::Memory& destination);

/// Candidates of evidence for MovesInside, MovesApart, ServedOnce, Implemented or Reversed, cheapest to check first.
/// Whether one of them is a proof, the checker says. Empty when no form fits.
[[nodiscard]] std::vector<checker::Evidence> transfer_evidence(Part part, const checker::TransferText& transfer);

}  // namespace vl::claims
