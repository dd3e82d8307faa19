// Evidence for claims about loop nests: what verifier/certificate/checker/nests.h checks. Nothing here is trusted; a claim that
// does not hold has no evidence that is accepted, and one that holds has some wherever its nests fall into boxes on which
// the layouts' maps are linear forms of digits. Others are cut down to single moves, as long as those are few.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "encodings/map/memory.h"
#include "encodings/map/transfer.h"

namespace vl::claims {

/// The statement's "transfer".
[[nodiscard]] nlohmann::json transfer_statement(const map::Transfer& transfer, const map::Memory& source,
                                                const map::Memory& destination);

/// Candidates of evidence for "in-bounds", "no-overlap", "covers-once", "implements" or "symmetric", cheapest to check
/// first. Whether one of them is a proof, the checker says. Empty when no form fits.
[[nodiscard]] std::vector<nlohmann::json> transfer_evidence(const std::string& claim, const map::Transfer& transfer,
                                                            const map::Memory& source, const map::Memory& destination);

}  // namespace vl::claims
