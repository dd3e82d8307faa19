// The texts of Spyre layouts for the second meaning, read into plain arrays. Like reference.cpp, it uses neither the IR
// nor the family's parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "encodings/map/tensor.h"

namespace vl::spyre::second {

using Indices = std::vector<Index>;

/// A device box, and for each of its dims a host stride or the number of a host dim.
struct Device {
  Indices size;
  Indices map;
  bool by_stride = true;
  std::string arrangement = "STANDARD";
  Index per_stick = 0;
};

/// Reads every notation of every generation; a text without a type has the tensor's type.
[[nodiscard]] Result<Device> read_device(std::string_view text, const map::Tensor& tensor);

/// Strides of a dense row-major tensor; a size of 0 counts as 1. Nothing if a stride leaves 64 bits.
[[nodiscard]] std::optional<Indices> dense(const Indices& size);

}  // namespace vl::spyre::second
