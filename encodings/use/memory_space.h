// Memory spaces: a device's memories, of which each core or bank has its own, and the host's. A place in one is none in
// another, whatever its coordinates are. Where two layouts lie in different memories, each gets one more axis,
// `memory`, on which they differ: so claims that compare places, and their certificates, tell the memories apart.
//
// Example: core (0, 0) place 3 of l1 and of dram: (c0 0, c1 0, m 3, memory 3) and (c0 0, c1 0, m 3, memory 2).
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "encodings/map/layout.h"

namespace vl::use {

/// Coordinates on the axis `memory`. The first five are numbered as tt-mlir numbers its MemorySpace; l1_small and trace
/// are tt-metal's regions of their own.
inline constexpr std::array<std::string_view, 7> kMemorySpaces = {"system", "mmio",     "dram", "l1",
                                                                  "dst",    "l1_small", "trace"};
inline constexpr std::string_view kMemorySpaceAxis = "memory";

/// What two memories are to one another. The host's memory and the part of it that a device maps (mmio) may be one. An
/// alias ('#buf') is the same as itself and else unknown; so is no name beside
/// a name, and no name is the same as none.
enum class Memories { Same, Different, Unknown };
[[nodiscard]] Memories compare_memories(std::string_view a, std::string_view b);

/// The layouts with the axis `memory`. Nothing if the memories are not known to be different.
/// Errors: those of Layout::create. Requires: named axes.
[[nodiscard]] Result<std::optional<std::pair<map::Layout, map::Layout>>> in_memories(const map::Layout& a,
                                                                                     std::string_view memory_a,
                                                                                     const map::Layout& b,
                                                                                     std::string_view memory_b);

}  // namespace vl::use
