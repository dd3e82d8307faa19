// Bisection: the first bad point of a box, by asking of ever smaller boxes whether they have one.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "encodings/base/integer.h"

namespace vl::engines {

/// The box [low, low + count) of iterations or of points.
struct Region {
  Point low;
  Point count;
};

/// [0, extents).
[[nodiscard]] Region whole(std::span<const Index> extents);

/// Whether a box has a bad point; nothing: undecided. It has to hold for a box iff it holds for a point in it.
using Bad = std::function<std::optional<bool>(const Region&)>;

/// The lexicographically first bad point, or none; or undecided.
struct First {
  bool decided = false;
  std::optional<Point> point;
};

/// Asks about 2·log2(extent) times a dimension when every box is decided. Where one is not, its slices are asked one by
/// one, 256 of them at most. Example: bad iff x >= [2, 3] in the box of 4 by 5: [2, 3].
[[nodiscard]] First first_bad(const Region& box, const Bad& bad);

}  // namespace vl::engines
