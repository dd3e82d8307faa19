// Collision: the smallest two points of a box at which rows agree, for rows that share no input.
//
// Whether some p of a sub-box P collides with a larger q of the box is a question about δ = q - p: with the first input
// in which they differ fixed, δ ranges over a box of its own, and the row that this input is in takes the value 0 there
// (its terms at δ), or it does not; the other inputs need not differ. So subset_sum.h decides it, and p, then q, are
// found by bisection. Example: 63·x0 + x1 over 8 by 64 agrees first at [0, 63] and [1, 0].
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "verifier/engines/forms/subset_sum.h"

namespace vl::engines {

struct Collision {
  bool decided = false;
  std::optional<std::pair<Point, Point>> pair;  // none: distinct points differ in some row
};

/// The smallest p, then the smallest q > p, at which each row has one value. Requires: no two rows share an input of
/// more than one value; the rows stay in 64 bits over the box, which is not empty.
[[nodiscard]] Collision smallest_collision(std::span<const Row> rows, const Box& box);

}  // namespace vl::engines
