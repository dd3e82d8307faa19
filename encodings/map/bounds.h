// Bounds: what a map's outputs lie in over a part of its domain, by the interval arithmetic that Map::create checks
// with.
#pragma once

#include <vector>

#include "encodings/map/map.h"

namespace vl::map {

/// Contains the outputs of every point of `part`, and for a single point nothing else. Requires: one range a dimension,
/// none empty, all within the domain. Example: 8·x0 + x1 split by (8, 1), x0 = 3, x1 < 8: [3, 3] and [0, 7].
[[nodiscard]] std::vector<Range> bounds(const Map& map, std::vector<Range> part);

}  // namespace vl::map
