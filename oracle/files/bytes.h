// Bytes from files and for files. Inputs are mapped, not copied. Outputs are computed directly into the file, which has
// no name until it is complete.
//
// Another process may shorten a file while it is read. The system then answers an access with SIGBUS, and the program
// must report it (the command does).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "encodings/base/result.h"

namespace vl::oracle {

/// Bytes, and the owner that keeps them alive.
struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// The most bytes of memory that this machine, or the control group of the process, allows.
[[nodiscard]] std::size_t machine_bytes();

/// Private zeros, on their own pages. Error: Io if there is no memory for them; sizes that cannot exist are not
/// requested.
[[nodiscard]] Result<std::shared_ptr<std::byte>> memory_of(std::size_t bytes);

/// A regular file's bytes; "-" is standard input, which may be a pipe.
/// Errors: Io of the system, and for a file that is not regular.
[[nodiscard]] Result<FileBytes> bytes_of_file(const std::string& path);

/// A file of known length that is being written. Its space is allocated at once, so that a full disk is an error here
/// and not a crash later. commit() gives the file its name in one step, and replaces an older file. Without commit(),
/// or if the process is killed, nothing is left. "-" is standard output: memory that commit() writes. If the system has
/// no files without a name, a killed process leaves a file .verify-layout-….tmp.
class OutputFile {
 public:
  /// Errors: Io of the system; for an existing target that is not a regular file (renaming over /dev/null would replace
  /// it), and for sizes that do not fit. After an error the folder is unchanged.
  static Result<OutputFile> create(const std::string& path, std::size_t bytes);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  /// All bytes of the file, zeros at first.
  [[nodiscard]] std::span<std::byte> bytes() const;
  /// Requires: not committed before. Errors: Io; then the folder is unchanged.
  [[nodiscard]] std::optional<Error> commit();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vl::oracle
