// The moves of loop nests, by evaluation and search alone: what replays a witness about them.
#pragma once

#include <span>

#include "verifier/question/question.h"

namespace vl::question {

/// The offset that a walk is at; nothing when it leaves 64 bits. (Of offsets whose parts cancel out after leaving 128
/// bits too.)
[[nodiscard]] std::optional<Index> offset_at(const use::Walk& walk, std::span<const Index> iteration);

/// Whether the offset is no slot's of the memory; of none it is.
[[nodiscard]] bool is_outside(const use::Memory& memory, std::optional<Index> offset);

/// Moves that write one destination offset.
struct Writers {
  Index count = 0;
  std::vector<Point> moves;  // the first ones, ascending; at most 4
};
/// All moves that write `offset`, and read `source` when it is given; found by searching each nest loop by loop,
/// largest stride first. Nothing when the search takes more than `steps` steps or the count leaves 64 bits.
[[nodiscard]] std::optional<Writers> writers_of(const use::Transfer& transfer, Index offset,
                                                std::optional<Index> source = {}, int steps = 1 << 20);

/// Of Misses and Differs: whether a point (x, r) of the destination has no slot, or is not served exactly once: by any
/// move, or by one that reads x. Nothing when a search takes more than `steps` steps; false outside the domain.
[[nodiscard]] std::optional<bool> misserved(const TransferQuestion& question, const Point& p, int steps = 1 << 20);

/// Of replay(): the part about nests.
[[nodiscard]] bool replay_nests(const TransferQuestion& question, const Witness& witness);

}  // namespace vl::question
