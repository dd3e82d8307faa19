// Tensors in files: one interface to read and write them in all formats. The name's ending selects the format.
//
//   host.npy                    NumPy's array; also for other endings, and for "-", standard input or output
//   batch.npz:tokens            an array of an archive of numpy.savez; the name is optional if there is only one array.
//                               Written: an archive with only this array, stored, with the default name arr_0
//   model.safetensors:wte       a tensor of a safetensors file, likewise; the default name is "tensor"
//   image.bin  image.raw        bytes without a header; only their number is known. With `raw`, this is the
//                               format of names with other endings and of "-", instead of .npy
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

/// The place of a tensor.
struct Place {
  enum class Format { Npy, Npz, Safetensors, Raw };
  Format format = Format::Npy;
  std::string path;
  std::string member;  // empty: the only member

  bool operator==(const Place&) const = default;
};

/// "a.npz:x" is {Npz, "a.npz", "x"}.
[[nodiscard]] Place place_of(std::string_view text, bool raw = false);

/// A tensor in a file; its bytes stay in place as long as `owner` lives. Only deflated entries and bytes from a pipe
/// are copied.
struct StoredTensor {
  std::optional<Dtype> dtype;  // none in a raw file, which also has no shape
  std::vector<Index> shape;
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;
  std::string spelled;  // the dtype as the file spells it: "<f2", "F16"; "raw bytes"
};

/// Errors: Io, "PATH: …": those of the format and of the system; a name that is not in the file (the message lists the
/// names).
[[nodiscard]] Result<StoredTensor> open_tensor(const Place& place);

/// A tensor of known type and shape that is being written: data() is a part of the file to which commit() gives its
/// name. OutputFile states the guarantees.
class TensorOutput {
 public:
  /// Errors: Io, "PATH: …"; a member's name that the format does not allow.
  static Result<TensorOutput> create(const Place& place, Dtype dtype, std::span<const Index> shape);

  /// Zeros at first; begins at a multiple of 64.
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
