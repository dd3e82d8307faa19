// Evidence for claims about loop nests: steps that verifier/kernel/claims/moves.h replays. Nothing here is trusted; a
// claim that does not hold has no evidence that is accepted, and one that holds has some wherever its nests fall into
// boxes on which the layouts' maps are lines (engines/cells/moves.h). Others are cut down to single moves, as long as
// those are few, or walked over: layouts without a decode map, of which nothing says the element of a slot, and
// swizzles.
#pragma once

#include <optional>

#include "encodings/use/memory.h"
#include "encodings/use/transfer.h"
#include "verifier/checker/certificate.h"
#include "verifier/claims/claim.h"

namespace vl::claims {

/// The statement's "transfer".
[[nodiscard]] checker::TransferText transfer_statement(const use::Transfer& transfer, const use::Memory& source,
                                                       const use::Memory& destination);

/// Evidence for MovesInside, MovesApart, ServedOnce, Implemented or Reversed; nothing where none is found. Whether it
/// is a proof, the checker says.
[[nodiscard]] std::optional<checker::Evidence> transfer_evidence(Part part, const checker::TransferText& transfer);

}  // namespace vl::claims
