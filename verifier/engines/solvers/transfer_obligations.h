// The obligations that questions about loop nests are made of. Each has values iff something bad exists; its first
// variables are the witness: p a move, or q a point (x, r) of one side's domain. They use the layouts' maps as they are
// and share with pieces and progressions only which moves are kept.
//
// A transfer's sides are alike: what one side's places are to the moves that write them, the other side's are to those
// that read them.
//
// No nest that is named may have an extent 0, and no domain of a memory may be empty.
#pragma once

#include <optional>

#include "verifier/engines/engine.h"
#include "verifier/engines/kept_moves.h"
#include "verifier/engines/solvers/smt_terms.h"

namespace vl::engines {

/// An iteration of nest n that is outside of one of the memories.
[[nodiscard]] Encoded leaving(const TransferQuestion& question, std::size_t n);

/// Two iterations, of nests n and m, at one offset of the side; not the same iteration.
[[nodiscard]] Encoded meeting(const TransferQuestion& question, std::size_t n, std::size_t m, Side side);

/// A point of the side at whose place two iterations, of nests n and m, are.
[[nodiscard]] Encoded served_twice(const TransferQuestion& question, std::size_t n, std::size_t m, Side side);

/// A point of the side with a place that is in none of these memories, the nests' nested_memories(). Requires: a side
/// with slots.
[[nodiscard]] Encoded unserved(const TransferQuestion& question, const std::vector<use::Memory>& nests, Side side);

/// A point of the side without a slot.
[[nodiscard]] Encoded homeless(const TransferQuestion& question, Side side);

/// An element in a slot of `anchor` that does not decode to an element there with the same outputs in `other`. Without
/// values, a place of the anchor tells where the elements in it are kept in `other`. Requires: anchor has slots and
/// decodes.
[[nodiscard]] Encoded ambiguous(const use::Memory& anchor, const use::Memory& other);

/// An element x in a slot of `memory` whose decoded replica number does not give this slot of x. Without values, "x is
/// kept here" can be read off the slot. Requires: slots and a decode map.
[[nodiscard]] Encoded ambiguous_replica(const use::Memory& memory);

/// An iteration of nest n that is not kept (kept_moves.h). Requires: the anchor has no ambiguous() values, and the
/// other side, where it has replicas, no ambiguous_replica() ones.
[[nodiscard]] Encoded stray(const TransferQuestion& question, std::size_t n, Side anchor);

}  // namespace vl::engines
