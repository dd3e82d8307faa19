// Census: what is true of a layout, by looking at every element and slot of it through the map alone. The measure of
// verdicts: no engine and no executor is asked.
#pragma once

#include "encodings/map/layout.h"

namespace vl::oracle {

struct Census {
  Index missing = 0;     // points (x, r) without a slot
  Index landed = 0;      // with one
  Index collisions = 0;  // with one that an earlier point has
  Index strays = 0;      // with one that the decode map gives to somebody else
};

/// Requires: a physical space of at most 2^30 slots.
[[nodiscard]] Census census_of(const map::Layout& layout);

}  // namespace vl::oracle
