// Bounds: the ranges of values by interval arithmetic. Map::create checks every map with this value domain (run.h). The
// interval of a row of independent inputs is exact; after further stages an interval contains the values and maybe
// more.
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/map.h"

namespace vl::map {

/// Intervals as a value domain. It refuses values that may leave 64 bits, and a swizzle of values that may be negative.
struct Intervals {
  using Value = Range;

  [[nodiscard]] bool row(const Row& row, std::span<const Range> in, Range& out);
  [[nodiscard]] bool split(const Split& split, Range x, std::span<Range> digits);
  [[nodiscard]] bool swizzle(const Swizzle& swizzle, Range x, Range& out);

  std::optional<Error> refused = {};  // why; Overflow or Value
};

/// The interval of a row's values over a box of inputs, by the box' corners; nothing if a partial sum, in the order of
/// the terms, leaves 64 bits. 8·x0 - x1 + 3 over [0, 3] and [0, 7]: [-4, 27].
[[nodiscard]] std::optional<Range> range_of(const Row& row, std::span<const Range> box);

/// The intervals of the greedy digits of a value in `x` by `weights`. [0, 149] by (64, 1): [0, 2] and [0, 63].
void digit_ranges(Range x, std::span<const Index> weights, std::span<Range> digits);

/// Contains the outputs of every point of `part`; exact for a single point. Requires: one range per dimension, none
/// empty, all within the domain. Example: 8·x0 + x1 split by (8, 1), x0 = 3, x1 < 8: [3, 3] and [0, 7].
[[nodiscard]] std::vector<Range> bounds(const Map& map, std::vector<Range> part);

}  // namespace vl::map
