// The order of the loops of a step that moves runs. If the memory system matters, the order is searched for by a model
// of two numbers per side: the number of consecutive bytes before the next jump, and the number of such sequences that
// are alive at once. Reads are fast in at most 16 sequences or in long bursts. Streamed writes are fast in bursts of at
// least 512 bytes or in few sequences. Both limits are properties of prefetchers and of write-combining buffers, not of
// layouts.
#pragma once

#include <span>

#include "oracle/executor/planner.h"

namespace vl::oracle {

/// The cost of one order of loops, outermost first; lower is better. Streamed writes do not need half-written lines to
/// stay in the caches.
[[nodiscard]] double cost_of_order(std::span<const Loop> loops, Index run, bool stream);

/// The most beginnings of orders that one search looks at. Layouts need a few dozen.
constexpr std::size_t kMostTried = 64;

/// Sorts the loops of a step: to ascend in the destination, or, if `search`, in the cheapest order of all, in which one
/// loop may have been split in two, its inner part innermost. Of equally cheap orders it takes the one that ascends
/// in the destination, or the first found. Adds no iteration and drops none. Returns the number of beginnings of orders
/// that it looked at.
std::size_t order_runs(bool search, Step& step);

}  // namespace vl::oracle
