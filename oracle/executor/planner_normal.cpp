// The normal form of a piece: loops that ascend in the destination, the innermost last, fused if one continues another.
#include <algorithm>

#include "oracle/executor/planner_pieces.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {

void normalise(PlannedPiece& piece) {
  auto& loops = piece.loops;
  const auto before = [](const PieceLoop& a, const PieceLoop& b) {  // the innermost last
    if (a.destination != b.destination) return a.destination > b.destination;
    return a.source != b.source ? a.source > b.source : a.extent > b.extent;
  };
  for (std::size_t k = 0; k < piece.rank; ++k) {
    PieceLoop loop = loops[k];
    if (loop.destination < 0 || (loop.destination == 0 && loop.source < 0)) {
      if (!planted(Fault::PlannerSourceNotReversed)) piece.source += loop.source * (loop.extent - 1);
      piece.destination += loop.destination * (loop.extent - 1);
      loop.source = -loop.source;
      loop.destination = -loop.destination;
    }
    std::size_t at = k;
    for (; at > 0 && before(loop, loops[at - 1]); --at) loops[at] = loops[at - 1];
    loops[at] = loop;
  }
  // A loop is joined with the nearest outer loop that continues it, and then perhaps with another one.
  for (std::size_t inner = piece.rank; inner-- > 1;) {
    for (std::size_t outer = inner; outer-- > 0;) {
      PieceLoop& loop = loops[inner];
      if (loops[outer].destination > loop.destination * loop.extent) break;
      if (loops[outer].destination != loop.destination * loop.extent) continue;
      if (loops[outer].source != loop.source * loop.extent) continue;
      loop.extent *= loops[outer].extent;
      std::copy(loops.data() + outer + 1, loops.data() + piece.rank--, loops.data() + outer);
      outer = --inner;
    }
    if (inner == 0) break;
  }
}

}  // namespace vl::oracle
