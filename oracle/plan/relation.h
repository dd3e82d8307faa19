// Relation: the work of one execution, independent of any plan: which unit of a source memory goes to which unit of a
// destination memory.
//
// A side is an address of each element x of one logical tensor:
//   Dense   the row-major number of x
//   View    value(layout.host_offset(), x): a strided, expanded or offset host tensor in its own memory
//   Image   the row-major number of the slot of (x, r) in layout.physical(), for each replica r
// in units. The relation is { (source(x, r), destination(x, s)) } over the points of its domain:
//   logical dimensions ++ the source's replicas, if requested ++ the destination's replicas, if requested.
// A replica that is not requested is 0. A logical dimension that is pinned on a side is 0 there; a dimension that is
// pinned on both sides is not iterated (its extent in the domain is 1).
//
//   pack    Dense or View -> Image with replicas (all are written)
//   unpack  Image -> Dense or View; before it, if there are replicas, Image with replicas -> the same Image: compare
//   move    Image -> Image with replicas
// Example: f16[5,100,150] on (d0:100, d1:3, d2:5, d3:64), pack: (31090, 6888) is one of its pairs, that of [2,7,40].
#pragma once

#include <cstdint>
#include <optional>

#include "encodings/map/layout.h"
#include "encodings/use/transfer.h"

namespace vl::oracle {

struct Side {
  enum class Kind : std::uint8_t { Dense, View, Image };
  Kind kind = Kind::Dense;
  const map::Layout* layout = nullptr;  // its logical space has the same extents on both sides
  bool replicas = false;                // Image only: all of them, else replica 0
  std::uint64_t pinned = 0;             // bit k: logical dimension k is 0
};

/// The number of units of the side's memory: the volume of the logical or the physical space; for a View 1 + the
/// largest offset (0 for a tensor without elements). Nothing if that leaves 64 bits or an offset is negative.
[[nodiscard]] std::optional<Index> units_of(const Side& side);

/// Either two sides, or loop nests as given (`nests` not null: then the sides only say how large the memories are).
struct Relation {
  Side source;
  Side destination;
  const use::Transfer* nests = nullptr;
  Index unit = 1;  // bytes: 1, 2, 4, 8 or 16
};

/// The extents of the relation's domain, in the order above. Requires: no nests.
[[nodiscard]] std::vector<Index> domain_of(const Relation& relation);

}  // namespace vl::oracle
