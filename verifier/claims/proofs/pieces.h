// Pieces of a layout's points, each with digits of its own, over which the checker sees what it does not see of the
// whole: the evidence ByPieces. As everywhere in this folder nothing is trusted; what is found, the checker judges.
//
// Example: f16[17408,65] on [17409, 65] with stride_map [65, 1] and view offset 1: n = 65·x0 + x1 + 1 has the quotient
// x0 by 65 for x1 < 64, and x0 + 1 for x1 = 64: two pieces.
#pragma once

#include "verifier/claims/proofs/effort.h"
#include "verifier/claims/proofs/evidence.h"

namespace vl::claims {

struct PieceTask {
  const checker::Layout& a;
  const checker::Layout* b = nullptr;
  std::vector<std::size_t> parts;  // counts of dimensions, within which neighbours may be joined
  checker::Questions::Field field;
  /// What the checker asks of a piece.
  std::function<void(checker::Questions&)> show;
  bool slots_only = false;  // pieces without slots are shown to have none, and others are cut from them
  std::size_t most = 64;    // pieces
};

/// Nothing where the first few ways to join dimensions lead to too many pieces, or to none.
[[nodiscard]] std::optional<checker::ByPieces> pieces_for(const PieceTask& task, Effort& effort);

}  // namespace vl::claims
