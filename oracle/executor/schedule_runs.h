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

/// How hard an order is looked for. In the first caches any will do; where what is moved is far larger than all caches,
/// trying all orders takes a small part of moving it.
enum class Effort { None, Some, Search };

/// Sorts the loops of a step: None ascends in the destination; Some and Search take the cheapest order they try, in
/// which one loop may have been split in two; 32-byte runs that are transposed go by blocks of whole tiles, if they can.
/// Adds no iteration and drops none.
void order_runs(Effort effort, Step& step);

}  // namespace vl::oracle
