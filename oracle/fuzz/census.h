// Census: facts about a layout, found by a look at every element and slot, through the map alone. Verdicts are compared
// with it: it asks no engine and no executor.
#pragma once

#include "encodings/map/layout.h"

namespace vl::oracle {

struct Census {
  Index missing = 0;     // points (x, r) without a slot
  Index landed = 0;      // points with a slot
  Index collisions = 0;  // points with the slot of an earlier point
  Index strays = 0;      // points with a slot that the decode map gives to another point
};

/// Requires: a physical space of at most 2^30 slots.
[[nodiscard]] Census census_of(const map::Layout& layout);

}  // namespace vl::oracle
