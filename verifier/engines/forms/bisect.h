// Bisection: the first bad point of a box, by asking of ever smaller boxes whether they have one.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "verifier/engines/forms/rows.h"

namespace vl::engines {

/// [0, extents).
[[nodiscard]] Box whole(std::span<const Index> extents);

/// Whether a box has a bad point; nothing: undecided. It has to hold for a box iff it holds for a point in it.
using Bad = std::function<std::optional<bool>(const Box&)>;

/// The first bad point, or none; or undecided.
struct First {
  bool decided = false;
  std::optional<Point> point;
};

/// The first bad point, lexicographically in this order of coordinates; no order: as they come. Asks about log2(extent)
/// times a dimension when every box is decided. Where one is not, its slices are asked one by one, so many at most.
/// Example: bad iff x >= [2, 3] in the box of 4 by 5: [2, 3].
[[nodiscard]] First first_bad(const Box& box, const Bad& bad, int slices = 0, std::vector<std::size_t> order = {});

}  // namespace vl::engines
