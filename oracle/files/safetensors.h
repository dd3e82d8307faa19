// Safetensors, a file format of models. A file is
//   the header's length (8 bytes, little-endian), header, data
// and the header is a JSON object, which may end in spaces:
//   {"__metadata__":{"format":"pt"},"wte":{"dtype":"F16","shape":[5,100,150],"data_offsets":[0,150000]}}
// Offsets count from the data's start. No value of a header is trusted: the header has at most 100 MB, each tensor
// is exactly as long as its shape says, and the tensors cover the data without overlaps and holes.
// Format: README of huggingface/safetensors.
#pragma once

#include <cstddef>
#include <optional>
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

/// The bytes around the data of one tensor of a file: header, the data of tensors before it, its own, that of the
/// others.
struct SafetensorsFrame {
  std::string header;
  std::vector<std::span<const std::byte>> before, behind;  // of the older file
};

/// The frame of a tensor in a new file, or beside the metadata and the other tensors of an older one; their dtypes may
/// be unknown. The tensors are in descending order of their elements' sizes, this one first among its like, so each is
/// aligned to its elements; spaces in the header let this one begin at a multiple of 64, if it has whole multiples of 8
/// bytes before it. Errors: those of parse_safetensors; a header of more than 100 MB.
/// Requires: array_bytes(dtype, shape); is_tensor_name(name).
[[nodiscard]] Result<SafetensorsFrame> safetensors_frame(std::string_view name, Dtype dtype,
                                                         std::span<const Index> shape,
                                                         std::optional<std::span<const std::byte>> older = {});

/// Whether a tensor may have this name: UTF-8, not empty and not "__metadata__".
[[nodiscard]] bool is_tensor_name(std::string_view name);

constexpr std::size_t kMostSafetensorsHeader = 100'000'000;

}  // namespace vl::oracle
