// The texts of tt-metal's specs for the second meaning: words, numbers and brackets. Like reference.cpp, it uses
// neither the IR nor the family's parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::ttmetal::second {

struct Place {
  Index y = 0, x = 0;
};

struct Said {
  bool tiled = false;
  Index high = 32, wide = 32, face_high = 16, face_wide = 16;
  bool faces_down = false, within_down = false;  // by columns
  std::string memory = "INTERLEAVED";
  std::vector<Index> shard;
  std::vector<Index> padded_to;  // of ShardMode::LOGICAL
  bool logical = false;
  std::vector<std::vector<Place>> ranges;  // two corners each, in their order
  bool down = false;                       // COL_MAJOR
  std::string deal = "ROUND_ROBIN_1D";
  std::vector<Index> alignment;
  Index banks = 0;
};

/// Checks little: rejecting texts is the task of the other reader.
[[nodiscard]] Said read_said(std::string_view text);

}  // namespace vl::ttmetal::second
