// Cover: the destination's memory, taken apart until each part is a gap or exactly the units that one piece writes.
//
// Memory is cut between pieces whose hulls do not overlap. Pieces that interleave step by one stride S, the longest of
// their strides. Memory then becomes rows of S units, pieces that span other rows or other columns are cut apart, and
// the same question remains within a row.
//
// Example: units 0 … 95999, pieces {100:960, 640:1} from 0 and {100:960, 5:64, 22:1} from 640. Rows of 960; cut a row
// at 640: the first piece. Within 320: rows of 64, cut at 22: the second piece, and a gap {100:960, 5:64, 42:1}.
#pragma once

#include <optional>
#include <vector>

#include "oracle/executor/planner_pieces.h"

namespace vl::oracle {

/// Writes plan.cover and the gaps, as pieces without a source. The error says that two pieces share units, or that they
/// interleave in a way that this function does not cover.
[[nodiscard]] std::optional<Error> derive_cover(Index units, const std::vector<PlannedPiece>& pieces, Plan& plan,
                                                std::vector<PlannedPiece>& gaps);

}  // namespace vl::oracle
