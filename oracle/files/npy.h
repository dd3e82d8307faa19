// NumPy's .npy format, so that any tool can make and show the data. A file is
//   \x93NUMPY, major, minor, header length (2 bytes in version 1.0, 4 in 2.0 and 3.0, little-endian), header, data
// and the header is a Python dict of exactly three keys, padded with spaces and ended by a newline:
//   {'descr': '<f2', 'fortran_order': False, 'shape': (5, 100, 150), }
// This file handles only bytes in memory, and copies none: reading gives a view of the data, writing gives the text in
// front of it. No value of a header is trusted before it fits the file: the data must be exactly as long as the shape
// says. Format: numpy/lib/_format_impl.py (NEP 1).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "encodings/base/result.h"
#include "oracle/files/dtype.h"

namespace vl::oracle {

/// An array within a file's bytes.
struct ArrayView {
  Dtype dtype;
  std::vector<Index> shape;         // {5, 100, 150}; empty for a scalar
  std::span<const std::byte> data;  // row-major; array_bytes(dtype, shape) of them
};

/// The array of a .npy file, version 1.0, 2.0 or 3.0; its data is a part of `file`.
/// Errors: Io, with the found and the expected text: another magic or version, a header that is cut off or is not that
/// dict, column-major or big-endian data, a type that is not bool, integer or float of 1, 2, 4 or 8 bytes, a rank above
/// 64 (NumPy's own limit), and data that is shorter or longer than the shape says.
[[nodiscard]] Result<ArrayView> parse_npy(std::span<const std::byte> file);

/// What a header says, without the data.
struct ArrayHeader {
  Dtype dtype;
  std::vector<Index> shape;
  std::size_t start = 0;  // of the data; they end with the file
};

/// The bytes that are enough for every header.
constexpr std::size_t kLongestNpyStart = 12 + 65535;

/// The header of a .npy file of `file_bytes` bytes, from its first min(file_bytes, kLongestNpyStart) bytes. Errors:
/// those of parse_npy.
[[nodiscard]] Result<ArrayHeader> parse_npy_header(std::span<const std::byte> first, std::size_t file_bytes);

/// Everything before the data, in version 1.0, byte for byte what numpy.save of NumPy 2 writes for the same array (some
/// older ones leave fewer spaces at its end). f2 of shape (5, 100, 150): 128 bytes. Its length is a multiple of 64.
/// Requires: array_bytes(dtype, shape), at most 64 sizes.
[[nodiscard]] std::string npy_header(Dtype dtype, std::span<const Index> shape);

constexpr std::size_t kMostNpyDims = 64;

}  // namespace vl::oracle
