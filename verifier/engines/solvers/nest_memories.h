// One side of a loop nest as memories of its iterations: each lies at the offset that the nest reads there, or at the
// one that it writes. So what lies at an offset of a nest is asked as of any memory.
#pragma once

#include <optional>

#include "encodings/use/memory.h"
#include "encodings/use/transfer.h"

namespace vl::engines {

/// Whether the offsets of this walk tell a nest's iterations apart because its strides nest. False says nothing. Loops
/// of extent 1 never matter.
[[nodiscard]] bool tells_iterations(const use::Nest& nest, const use::Walk& walk);

/// Memories that decode, whose offsets together are those of the walk: of the nest; or of the slices of it in which the
/// loops that break the nesting stand at each of their values. Nothing when those are more than `most`, or where
/// numbers leave 64 bits. Requires: no extent is 0.
/// Example: (2,3):(3,2) from 0 gives (1,3):(3,2) from 0 and from 3.
[[nodiscard]] std::optional<std::vector<use::Memory>> nested_memories(const use::Nest& nest, const use::Walk& walk,
                                                                      std::size_t most);

}  // namespace vl::engines
