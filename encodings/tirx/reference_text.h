// The texts of TIRx layouts for the second meaning: what a text says, in plain numbers. Like reference.cpp, for which
// it is written, it knows neither the IR nor the family's parser.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::tirx::second {

/// (extent, stride, axis).
struct Triple {
  Index extent = 1;
  Index stride = 0;
  std::string axis = "m";
};

struct Xor {
  Index per_element = 0;
  Index swizzle_len = 0;
  Index atom_len = 0;
  bool inner = true;
};

/// D, R and O of a text, and its swizzle. Without `tile` the swizzle stands alone.
struct Said {
  bool tile = false;
  std::vector<Triple> d;
  std::vector<Triple> r;
  std::map<std::string, Index> o;
  std::optional<Xor> swizzle;
};

/// Reads every notation that has numbers only. It judges little: what is rejected is the other reader's matter.
[[nodiscard]] Result<Said> read_said(std::string_view text);

}  // namespace vl::tirx::second
