// The texts of Spyre layouts for the second meaning: what a text says, in plain arrays. Like reference.cpp, for which
// it is written, it knows neither the IR nor the family's parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "encodings/map/tensor.h"

namespace vl::spyre::second {

using Indices = std::vector<Index>;

/// A device box and what each of its dims stands for: a host stride, or the number of a host dim.
struct Device {
  Indices size;
  Indices map;
  bool by_stride = true;
  std::string arrangement = "STANDARD";
  Index per_stick = 0;
};

/// Reads every notation of every generation; a text without a type has that of the tensor.
[[nodiscard]] Result<Device> read_device(std::string_view text, const map::Tensor& tensor);

/// Strides of a dense row-major tensor; a size of 0 counts as 1. Nothing when one leaves 64 bits.
[[nodiscard]] std::optional<Indices> dense(const Indices& size);

}  // namespace vl::spyre::second
