// The boxes by which a rule's padding is counted, kind by kind (shards.h), for all sizes: a tensor with elements in an
// array of all cores' shards, of a text whose laws hold.
//   slots     grid·shard, the ends of tiles included
//   shared    grid·share, what the cores take of it; where tiles and shards divide the array exactly, the array rounded
//             up to tiles
//   array     each dimension's greatest coordinate and 1
//   joined    the shape whose dimensions are joined: the tensor's, or this rounded up to tiles
// Each box has at least as many places as the next one, and joined as many as the tensor.
//
// Example: 53x63 on 3x2 cores, divided first: slots 96x64, shared 54x64, array, joined and tensor 53x63.
#pragma once

#include <vector>

#include "encodings/map/expression.h"

namespace vl::use {

struct RuleBoxes {
  std::vector<map::Expression> slots, shared, array;  // by dimensions of the array
  std::vector<map::Expression> joined;                // by dimensions of the tensor
  bool exact = false;  // what shared has beyond the array is the ends of tiles, and slots beyond it the grid's
};

}  // namespace vl::use
