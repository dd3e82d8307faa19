// What a step could be, where a cell shows too little. Hints only: the kernel decides.
#pragma once

#include <optional>

#include "verifier/kernel/core/cell.h"

namespace vl::engines::cells {

struct Block {
  std::size_t atom;
  kernel::Wide size;
};
struct Cut {
  std::size_t atom;
  kernel::Wide at;
};

/// An atom, and where to cut it, so that in one of the parts the line is on one side of the bound: of the largest
/// reach.
[[nodiscard]] std::optional<Cut> across(const kernel::Cell<kernel::Wide>& cell, const kernel::Line<kernel::Wide>& line,
                                        kernel::Wide bound);
/// A block of an atom of which a rest then has a multiple of the weight: groups are taken from the last one on.
[[nodiscard]] std::optional<Block> block_for(const kernel::Cell<kernel::Wide>& cell,
                                             const kernel::Line<kernel::Wide>& rest, kernel::Wide weight);

/// A bound that holds at every point of a cell, and the multiples of facts that show it.
struct Bound {
  kernel::Wide value;
  kernel::Multiples<kernel::Wide> by;
};
/// The greatest lower bound of a line that the box and multiples of single facts show. Example: of 86 - 64y - z, with
/// y < 3, z < 64 and the fact 149 - 64y - z >= 0: -63, by that fact once.
[[nodiscard]] Bound least(const kernel::Cell<kernel::Wide>& cell, const kernel::Line<kernel::Wide>& line);

}  // namespace vl::engines::cells
