// The obligations that questions about loop nests are made of. Each has values iff something bad exists; its first
// variables are the witness: p a move, or q a point (x, r) of the destination's domain. They use the layouts' maps as
// they are and share nothing with pieces or progressions.
//
// No nest that is named may have an extent 0, and no domain of a memory may be empty.
#pragma once

#include <optional>

#include "verifier/engines/engine.h"
#include "verifier/engines/solvers/nest_digits.h"

namespace vl::engines {

/// Which moves serve an element x at its place d: all that write d, or only those of them that read x. The latter needs
/// a source without replicas.
enum class Serving { ByWriting, ByReadingToo };

/// An iteration of nest n that is outside of one of the memories.
[[nodiscard]] Encoded leaving(const TransferQuestion& question, std::size_t n);

/// Two iterations, of nests n and m, that write one offset; not the same iteration.
[[nodiscard]] Encoded meeting(const TransferQuestion& question, std::size_t n, std::size_t m);

/// An element that two iterations, of nests n and m, serve at one place.
[[nodiscard]] Encoded served_twice(const TransferQuestion& question, std::size_t n, std::size_t m, Serving serving);

/// An element with a place at which none of these nests serves it; they are nested_slices() of the transfer's.
/// Requires: memories with slots.
[[nodiscard]] Encoded unserved(const TransferQuestion& question, const std::vector<use::Nest>& slices, Serving serving);

/// An element without a slot in the destination.
[[nodiscard]] Encoded homeless(const TransferQuestion& question);

/// An element in a slot of `anchor` that does not decode to an element there with the same outputs in `other`. Without
/// values, a place of the anchor tells where the elements in it are kept in `other`. Requires: anchor has slots and
/// decodes.
[[nodiscard]] Encoded ambiguous(const use::Memory& anchor, const use::Memory& other);

/// An element x in a slot of `memory` whose decoded replica number does not give this slot of x. Without values, "x is
/// kept here" can be read off the slot. Requires: slots and a decode map.
[[nodiscard]] Encoded ambiguous_replica(const use::Memory& memory);

/// Where moves are anchored: one of the two sides, of which ambiguous(…) has no values.
enum class Anchor { Source, Destination };

/// An iteration of nest n within the anchor's memory that is not a move of the layouts'. Requires: the anchor has no
/// ambiguous() values, and the other side, where it has replicas, no ambiguous_replica() ones.
[[nodiscard]] Encoded stray(const TransferQuestion& question, std::size_t n, Anchor side);

}  // namespace vl::engines
