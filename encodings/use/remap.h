// Remap: a layout change as a map between two device images of one tensor: for each place of the result, the place of
// the source that is read. Both are arrays of shards side by side (shards.h).
//
// Example: 5 elements, from one core of 5 to cores of 3: place 4 of the result is read from place 4 of the source, and
// place 5, which is padding, from place 5, which the source does not have.
//
// A map over cores and cells may name a cell past the end of a core's shard. In the array that is the next core's first
// cell, so the quotients of the cells by the shard's size are guards (map/layout.h), one a dimension, unless every cell
// is seen to lie in its shard. From 2x2 cores of 32x32, cell 40 of core 0 is row 40 of the array with guard 1: no
// place.
#pragma once

#include "encodings/use/shards.h"

namespace vl::use {

struct Remap {
  map::Layout moved;  // element -> the place of the source that is read for its place in the result ++ guards
  map::Layout reads;  // place of the result -> place of the source ++ guards, over the whole array, padding included
  Shards result;
  Shards source;  // its array has the same box as `moved`
};

}  // namespace vl::use
