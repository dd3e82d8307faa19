// Which moves of a nest are moves of the layouts, as a map with bounds: it takes the offset on one side, the anchor,
// apart into the element that lies there, and holds the other side's place of it against the other offset.
//
// Example: iteration i reads a host's offset i and writes slot i of [2,2]. The slot (i/2, i mod 2) decodes to element
// 2·(i/2) + i mod 2, and its place in the host less i has to be 0.
#pragma once

#include <optional>

#include "verifier/engines/panel.h"

namespace vl::engines {

enum class Side { Source, Destination };
inline Side other_of(Side side) { return side == Side::Source ? Side::Destination : Side::Source; }
inline const use::Memory& memory_of(const TransferQuestion& question, Side side) {
  return side == Side::Source ? *question.source : *question.destination;
}
inline const use::Walk& walk_of(const use::Nest& nest, Side side) {
  return side == Side::Source ? nest.source : nest.destination;
}

/// An iteration is kept iff each output j of the map is in [0, bounds[j]). The map's first stage gives the two
/// offsets, the anchor's first, less the memories' bases.
struct KeptMoves {
  map::Map map;
  std::vector<Index> bounds;
};

/// Kept are the iterations at whose offsets one element lies on both sides, if a place of the anchor tells its element,
/// and a place of the other side its replica. Nothing where numbers leave 64 bits. Requires: no extent of the nest is
/// 0; an anchor with a decode map, and another side with one where it has replicas.
[[nodiscard]] std::optional<KeptMoves> kept_moves(const TransferQuestion& question, const use::Nest& nest, Side anchor);

}  // namespace vl::engines
