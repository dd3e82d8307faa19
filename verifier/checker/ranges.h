// The intervals of a map's values, stage by stage.
#pragma once

#include "verifier/checker/kernel.h"

namespace vl::checker {

struct Interval {
  Wide low, high;
};

/// Intervals that contain every value of the map over its domain. Requires: no extent is 0.
[[nodiscard]] std::vector<Interval> ranges_of(const Map& map);

}  // namespace vl::checker
