// Safetensors, the format that models are kept in. A file is
//   the header's length (8 bytes, little-endian), header, data
// and the header a JSON object, which may end in spaces:
//   {"__metadata__":{"format":"pt"},"wte":{"dtype":"F16","shape":[5,100,150],"data_offsets":[0,150000]}}
// Offsets count from the data's start. Nothing that a header claims is believed: it has at most 100 MB, each tensor is
// exactly as long as its shape says, and the tensors cover the data without overlap and without holes.
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

/// The tensors of a file, in the order of their data; of equal places, by name.
/// Errors: Io, with what was found and what is expected: a file that is cut off, a header that is not that JSON (a key
/// twice, an unknown one, a number that is not whole), a dtype without whole bytes or an unknown one, offsets that are
/// not those of the shape, that overlap, leave a hole or leave the file.
[[nodiscard]] Result<std::vector<NamedTensor>> parse_safetensors(std::span<const std::byte> file);

/// Everything before the data of a file with this one tensor; spaces make its length a multiple of 64.
/// Requires: array_bytes(dtype, shape).
[[nodiscard]] std::string safetensors_header(std::string_view name, Dtype dtype, std::span<const Index> shape);

/// What a tensor may be called: UTF-8, not empty and not "__metadata__".
[[nodiscard]] bool is_tensor_name(std::string_view name);

constexpr std::size_t kMostSafetensorsHeader = 100'000'000;

}  // namespace vl::oracle
