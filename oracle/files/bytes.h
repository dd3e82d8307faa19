// Bytes that come from files and go into files. What is read is mapped, not copied; what is written is computed
// straight into the file, which has no name until it is complete.
//
// A file that is read may be shortened by somebody else meanwhile; the system then answers an access with SIGBUS, and
// it is the program that has to say so (the command does).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "encodings/base/result.h"

namespace vl::oracle {

/// Bytes and what keeps them there.
struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// The bytes that this machine, or the group that the process is in, can have in memory at all.
[[nodiscard]] std::size_t machine_bytes();

/// Zeros of this process's own, on pages of their own. Error: Io when there is no memory for them; what cannot be there
/// at all is not asked for.
[[nodiscard]] Result<std::shared_ptr<std::byte>> memory_of(std::size_t bytes);

/// A regular file's bytes; "-" is standard input, which may be a pipe.
/// Errors: Io of the system, and for what is not a regular file.
[[nodiscard]] Result<FileBytes> bytes_of_file(const std::string& path);

/// A file of known length in the making. Its room is taken at once, so that a full disk is an error here and not a
/// crash later. commit() gives it its name, in one step and instead of an older file; without it, and if the process is
/// killed, nothing is left. "-" is standard output: memory that commit() writes.
/// Where the system has no files without a name, a killed process leaves one called .verify-layout-….tmp.
class OutputFile {
 public:
  /// Errors: Io of the system; for a target that is there and not a regular file (renaming over /dev/null would replace
  /// it), and for sizes that are not there. Then the folder is as it was.
  static Result<OutputFile> create(const std::string& path, std::size_t bytes);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  /// All of it, zeros at first.
  [[nodiscard]] std::span<std::byte> bytes() const;
  /// Requires: not committed before. Errors: Io; then the folder is as it was.
  [[nodiscard]] std::optional<Error> commit();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vl::oracle
