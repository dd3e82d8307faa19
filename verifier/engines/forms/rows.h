// Rows over boxes: what the engines that rewrite maps into linear rows share.
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/map.h"

namespace vl::engines {

using map::Range;
using map::Row;

/// A box of points: every coordinate in its interval.
using Box = std::vector<Range>;

/// sum += factor · row. False on overflow; terms are not in order afterwards (map::canonical).
[[nodiscard]] bool add(Row& sum, const Row& row, Index factor);

/// The interval of a row's values over a box, by its corners; nothing when a sum leaves 64 bits.
[[nodiscard]] std::optional<Range> range_of(const Row& row, const Box& box);

}  // namespace vl::engines
