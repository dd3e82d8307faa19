// NumPy's .npy files, so that data can be made and looked at with any tool. A file is
//   \x93NUMPY, major, minor, header length (2 bytes in version 1.0, 4 in 2.0 and 3.0, little-endian), header,
//   data
// and the header a Python dict of exactly three keys, padded with spaces and ended by a newline:
//   {'descr': '<f2', 'fortran_order': False, 'shape': (5, 100, 150), }
// Elements are opaque units here: what is read is written again bit for bit. Nothing that a header claims is
// believed before it fits the file: the data must be exactly as long as the shape says, and only then is
// memory taken for it. Format: numpy/lib/_format_impl.py (NEP 1).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verifier/base/integer.h"
#include "verifier/base/result.h"

namespace vl::oracle {

struct NpyArray {
  std::string descr;            // "<f2"; "|u1" for types of one byte
  std::vector<Index> shape;     // {5, 100, 150}; empty for a scalar
  std::size_t item_bytes = 0;   // what descr says: 1, 2, 4 or 8
  std::vector<std::byte> data;  // row-major; product(shape) * item_bytes bytes

  bool operator==(const NpyArray&) const = default;
};

/// Reads the bytes of a .npy file, version 1.0, 2.0 or 3.0.
/// Errors: Io, with what was found and what is expected there: another magic or version, a header that is cut
/// off or is not that dict, column-major or big-endian data, a type that is not bool, integer or float of 1,
/// 2, 4 or 8 bytes, a rank above 64 (NumPy's own limit), and data that is shorter or longer than the shape
/// says.
[[nodiscard]] Result<NpyArray> parse_npy(std::span<const std::byte> file);

/// Reads a regular file. Errors: those of parse_npy and of the system, after "path: ".
[[nodiscard]] Result<NpyArray> read_npy(const std::string& path);

/// Writes version 1.0, byte for byte what numpy.save of NumPy 2 writes of the same array (some older
/// ones leave fewer spaces at the end of the header). f2 of shape (5, 100, 150): 128 bytes of header, then
/// 150000 of data. The file appears whole or not at all: it is written under another name in the same folder
/// and then renamed.
/// Errors: Io; then the folder is as it was. A target that is there and not a regular file is refused:
/// renaming over /dev/null would replace it.
[[nodiscard]] std::optional<Error> write_npy(const std::string& path, const NpyArray& array);

}  // namespace vl::oracle
