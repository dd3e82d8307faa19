// Safetensors, a file format of models. A file is
//   the header's length (8 bytes, little-endian), header, data
// and the header is a JSON object, which may end in spaces:
//   {"__metadata__":{"format":"pt"},"wte":{"dtype":"F16","shape":[5,100,150],"data_offsets":[0,150000]}}
// Offsets count from the data's start. No value of a header is trusted: the header has at most 100 MB, each tensor
// is exactly as long as its shape says, and the tensors cover the data without overlaps and holes.
// Format: README of huggingface/safetensors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/result.h"
#include "oracle/files/npy.h"

namespace vl::oracle {

struct NamedTensor {
  std::string name;
  ArrayView array;  // its data is a part of the file
};

/// The tensors of a file, in the order of their data; tensors at equal places by name.
/// Errors: Io, with the found and the expected text: a file that is cut off; a header that is not that JSON (a repeated
/// key, an unknown key, a number that is not whole); a dtype that is unknown or not of whole bytes; offsets that
/// contradict the shape, overlap, leave a hole or leave the file.
[[nodiscard]] Result<std::vector<NamedTensor>> parse_safetensors(std::span<const std::byte> file);

/// Everything before the data of a file with this one tensor; spaces make its length a multiple of 64.
/// Requires: array_bytes(dtype, shape).
[[nodiscard]] std::string safetensors_header(std::string_view name, Dtype dtype, std::span<const Index> shape);

/// Whether a tensor may have this name: UTF-8, not empty and not "__metadata__".
[[nodiscard]] bool is_tensor_name(std::string_view name);

constexpr std::size_t kMostSafetensorsHeader = 100'000'000;

}  // namespace vl::oracle
