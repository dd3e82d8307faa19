// Pieces: a relation's domain, taken apart into boxes on which the unit's number on either side is affine.
//
// The only question is when floor(g / w) is affine for an affine g on a box. Terms that w divides go to the quotient.
// If the rest stays below w, the quotient is found. Else the variable with the largest remaining coefficient is blocked
// (v = q·y + z, where q steps make a w), cut where a block begins or ends, or, as the last resort, fixed to its values.
// Before each of these, except a clean block or cut, variables that every line steps through as one are fused.
//
// The method is that of encodings/map/pieces.h. This is a deliberate copy: it works in place on arrays of fixed
// capacity, makes no allocations once warm, and writes each cut down as a Rewrite of the plan, which oracle/plan
// checks. Measured (gcc -O1, best of 9): map::run alone takes 1.2 us for f16[2,8,60] in sticks, 5.0 us for
// f16[5,100,150] in sticks and 6.0 us for a fragment of f16[8,128] on 32 lanes; a whole plan, of which pieces are the
// first part, takes 1.0, 5.0 and 1.5 us.
//
// Example: f16[150] in sticks of 64, g = v, w = 64: cut at 128; the first part is blocked into y < 2 and z < 64 with
// quotient y and rest z; the second has quotient 2 and rest z < 22.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/executor/planner.h"
#include "oracle/executor/planner_cell.h"

namespace vl::oracle {

/// Why there is no plan.
[[nodiscard]] inline Error no_plan(std::string why) { return Error{ErrorCode::Value, std::move(why)}; }

struct PieceLoop {
  Index extent;
  Index source;  // in units, as is the rest
  Index destination;
};

/// A piece: loops in no order, of extents > 1.
struct PlannedPiece {
  PlannedPiece() {}  // leaves the loops as they are
  std::size_t rank = 0;
  Index source = 0;
  Index destination = 0;
  std::array<PieceLoop, kMostVariables> loops;
};

/// The facts about one side before its stages are walked.
struct SidePlan {
  const map::Layout* image = nullptr;  // null: Dense, View or nests, an address from the start
  std::size_t stages = 0;              // up to the last stage that has an effect; later stages are left out
  Index units = 0;
  ByteSwizzle swizzle;  // of unit numbers
};

struct PiecesRequest {
  const Relation* relation = nullptr;
  std::array<SidePlan, 2> sides;
  bool covered = false;  // each piece must be a nest of strides in the destination
  bool runs = false;     // each piece must be one run of units
  std::size_t most = kMostPlanPieces;
};

/// Writes plan.pieces and the pieces. The error says why there are none.
[[nodiscard]] std::optional<Error> derive_pieces(const PiecesRequest& request, Plan& plan,
                                                 std::vector<PlannedPiece>& pieces);

/// Sorted by descending destination stride (none is negative), then source; fused.
void normalise(PlannedPiece& piece);

}  // namespace vl::oracle
