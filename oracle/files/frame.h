// The bytes of a file around the data of the one tensor that is written, in each format. Of an older archive they
// contain the other members.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracle/files/tensor_file.h"

namespace vl::oracle {

class Frame {
 public:
  /// `older` is the archive that keeps its other members, as it was read. Errors: Io, for names and shapes that the
  /// format does not have, for an older file that is not of the format, and for sizes beyond 64 bits.
  static Result<Frame> create(const Place& place, Dtype dtype, std::span<const Index> shape,
                              std::optional<std::span<const std::byte>> older);

  /// Of the whole file, and of its part that is the tensor's data.
  [[nodiscard]] std::size_t total() const { return total_; }
  [[nodiscard]] std::size_t start() const { return start_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Writes everything but the data. Requires: total() bytes; the older file is still there.
  void write(std::span<std::byte> file) const;
  /// Writes what depends on the data, when that is complete: an archive's CRC.
  void finish(std::span<std::byte> file) const;

 private:
  struct Piece {
    std::string made;
    std::span<const std::byte> kept;
  };
  struct Crc {
    std::size_t from = 0;  // of the content, which ends with the data
    std::size_t before = 0, behind = 0;
  };

  Frame() = default;
  std::optional<Error> frame_npz(const std::string& member, const std::string& header,
                                 std::optional<std::span<const std::byte>> older);
  std::optional<Error> frame_safetensors(const std::string& member, Dtype dtype, std::span<const Index> shape,
                                         std::optional<std::span<const std::byte>> older);
  [[nodiscard]] bool measure();

  std::vector<Piece> before_, behind_;
  std::size_t total_ = 0, start_ = 0, bytes_ = 0;
  std::optional<Crc> crc_;
};

/// numpy.savez keeps the array x in the entry x.npy.
[[nodiscard]] std::string array_name(const std::string& entry);

}  // namespace vl::oracle
