// The order of the loops of a step that moves runs. It is searched for where the memory system matters, by a model of
// two numbers a side: how many bytes follow each other before the next jump, and how many sequences of such are alive
// at once. Reads are fast in at most 16 sequences or in long bursts, streamed writes in bursts of at least 512 bytes or
// in few sequences; both limits are properties of prefetchers and of write-combining buffers, not of layouts.
#pragma once

#include <span>

#include "oracle/executor/planner.h"

namespace vl::oracle {

/// What one order of loops, outermost first, costs; lower is better. Streamed writes need no line that is only half
/// written to stay in the caches.
[[nodiscard]] double cost_of_order(std::span<const Loop> loops, Index run, bool stream);

/// How many beginnings of orders one search looks at, at most. Layouts need a few dozen.
constexpr std::size_t kMostTried = 64;

/// Sorts the loops of a step: to ascend in the destination, or, if `search`, in the cheapest order of all, in which one
/// loop may have been split in two, its inner part innermost. Of equally cheap ones the one that ascends in the
/// destination is taken, or the first found. Adds no iteration and drops none. Returns how many beginnings of orders it
/// looked at.
std::size_t order_runs(bool search, Step& step);

}  // namespace vl::oracle
