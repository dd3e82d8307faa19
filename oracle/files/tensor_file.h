// Tensors in files: one way to read and to write them, whatever the format. The format is the name's ending.
//
//   host.npy                    NumPy's array; so is a name with another ending, and "-", standard input or output
//   batch.npz:tokens            the array of an archive of numpy.savez; its name may be left out when it is alone.
//                               Written: an archive with this one array, stored, named arr_0 unless it is given
//   model.safetensors:wte       a tensor of a safetensors file, likewise; by default "tensor" is written
//   image.bin  image.raw        bytes without a header: their number is all that it says. With `raw`, names with
//   another
//                               ending and "-" are this instead of .npy
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/files/bytes.h"
#include "oracle/files/dtype.h"
#include "oracle/files/zip.h"

namespace vl::oracle {

/// Where a tensor is kept.
struct Place {
  enum class Format { Npy, Npz, Safetensors, Raw };
  Format format = Format::Npy;
  std::string path;
  std::string member;  // empty: the only one

  bool operator==(const Place&) const = default;
};

/// "a.npz:x" is {Npz, "a.npz", "x"}.
[[nodiscard]] Place place_of(std::string_view text, bool raw = false);

/// A tensor as its file has it; its bytes stay where they are as long as `owner` lives. Nothing is copied but deflated
/// entries and what comes through a pipe.
struct StoredTensor {
  std::optional<Dtype> dtype;  // none in a raw file, which has no shape either
  std::vector<Index> shape;
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;
  std::string spelled;  // the dtype as the file spells it: "<f2", "F16"; "raw bytes"
};

/// Errors: Io, "PATH: …": those of the format and of the system; a name that the file does not have (it says which it
/// has).
[[nodiscard]] Result<StoredTensor> open_tensor(const Place& place);

/// A tensor of known type and shape in the making: data() is a part of the file that commit() gives its name. See
/// OutputFile for what is promised.
class TensorOutput {
 public:
  /// Errors: Io, "PATH: …"; a member's name that the format does not allow.
  static Result<TensorOutput> create(const Place& place, Dtype dtype, std::span<const Index> shape);

  /// Zeros at first; at a multiple of 64.
  [[nodiscard]] std::span<std::byte> data() const;
  [[nodiscard]] std::optional<Error> commit();

 private:
  TensorOutput(Place place, OutputFile file) : place_(std::move(place)), file_(std::move(file)) {}

  Place place_;
  OutputFile file_;
  std::size_t start_ = 0, bytes_ = 0;
  std::optional<ZipFrame> frame_;  // of .npz, whose CRC is known at the end
};

}  // namespace vl::oracle
