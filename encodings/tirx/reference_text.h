// The texts of TIRx layouts for the second meaning, read into plain numbers. Like reference.cpp, it uses neither the IR
// nor the family's parser.
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

/// D, R and O of a text, and its swizzle. Without `tile` there is only the swizzle.
struct Said {
  bool tile = false;
  std::vector<Triple> d;
  std::vector<Triple> r;
  std::map<std::string, Index> o;
  std::optional<Xor> swizzle;
};

/// Reads every notation that has only numbers. It checks little: rejecting texts is the task of the other reader.
[[nodiscard]] Result<Said> read_said(std::string_view text);

}  // namespace vl::tirx::second
