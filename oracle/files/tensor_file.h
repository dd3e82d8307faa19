// Tensors in files: one interface to read and write them in all formats. The name's ending selects the format.
//
//   host.npy                    NumPy's array; also for other endings, and for "-", standard input or output
//   batch.npz:tokens            an array of an archive of numpy.savez; the name is optional if there is only one array.
//                               Written: stored, with the default name arr_0. An archive that is there keeps its
//                               other entries byte for byte, and this one replaces the one of its name
//   model.safetensors:wte       a tensor of a safetensors file, likewise; the default name is "tensor". The metadata
//                               are kept, and the header is made anew
//   image.bin  image.raw        bytes without a header; only their number is known. With `raw`, this is the
//                               format of names with other endings and of "-", instead of .npy
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/files/bytes.h"
#include "oracle/files/dtype.h"

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
  std::string spelled;                            // the dtype as the file spells it: "<f2", "F16"; "raw bytes"
  std::shared_ptr<const Watched> file = nullptr;  // of all this; none for a pipe

  /// Whether somebody wrote to the file since it was opened: then nothing that was read from it counts.
  [[nodiscard]] bool changed() const { return file != nullptr && file->changed(); }
};

/// Says why a tensor of this type and shape cannot be used, before its data are there (`data` is empty).
using Accept = std::function<std::optional<Error>(const StoredTensor& header)>;

/// Errors: Io, "PATH: …": those of the format and of the system; a name that is not in the file (the message lists the
/// names); a file that changes while it is read; the error of `accept`, which is asked before an array is inflated: 2
/// MB of an archive can hold 2 GB that no layout wants. Other tensors cost nothing before they are used, so the caller
/// compares those itself.
[[nodiscard]] Result<StoredTensor> open_tensor(const Place& place, const Accept& accept = {});

struct Writing {
  bool replace = false;  // an archive that is there with everything in it
  Replacing how;
};

class Frame;

/// What is locked while a member of an archive is written: the archive that keeps its other members, or if there is
/// none, its folder.
struct OlderArchive {
  FileBytes file;
  Descriptor folder = Descriptor();
};

/// A tensor of known type and shape that is being written: data() is a part of the file to which commit() gives its
/// name. OutputFile states the guarantees. While a member of an archive is being written, other processes that write
/// one wait for a minute.
class TensorOutput {
 public:
  /// Errors: Io, "PATH: …"; a member's name that the format does not allow; an older archive that is none, or whose
  /// lock another process keeps.
  static Result<TensorOutput> create(const Place& place, Dtype dtype, std::span<const Index> shape,
                                     const Writing& how = {});
  ~TensorOutput();
  TensorOutput(TensorOutput&&) noexcept;
  TensorOutput& operator=(TensorOutput&&) noexcept;

  /// Zeros at first; begins at a multiple of 64, or of its unit if an older safetensors file has odd sizes.
  [[nodiscard]] std::span<std::byte> data() const;
  /// Errors: Io, "PATH: …"; the folder is then unchanged. An archive that another process changed, or made, meanwhile.
  [[nodiscard]] std::optional<Error> commit();

 private:
  TensorOutput(Place place, OutputFile file, std::unique_ptr<Frame> frame, OlderArchive older);

  Place place_;
  OutputFile file_;
  std::unique_ptr<Frame> frame_;
  OlderArchive older_;
  bool alone_ = true;  // whatever is at the place is replaced
};

}  // namespace vl::oracle
