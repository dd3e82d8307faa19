// Remap: a layout change as a map between two device images of one tensor: for each place of the result, the place of
// the source that is read. Both are arrays of shards side by side (shards.h).
//
// Example: 5 elements, from one core of 5 to cores of 3: place 4 of the result is read from place 4 of the source, and
// place 5, which is padding, from place 5, which the source does not have.
#pragma once

#include "encodings/use/shards.h"

namespace vl::use {

struct Remap {
  map::Layout moved;  // element -> the place of the source that is read for its place in the result
  map::Layout reads;  // place of the result -> place of the source, over the whole array, padding included
  Shards result;
  Shards source;  // its array has the same box as `moved`
};

}  // namespace vl::use
