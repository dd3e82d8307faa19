// Bytes from files and for files. Inputs are mapped, not copied. Outputs are computed directly into the file, which has
// no name until it is complete.
//
// Another process may change a file while it is read: Watched notices. If it shortens the file, the system answers an
// access with SIGBUS, which the program must report (the command does).
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "encodings/base/files.h"
#include "encodings/base/result.h"

namespace vl::oracle {

/// An open file, and what it was when it was opened. Before that, a clock tick passes if the file is younger, so that
/// every later write gives it another time (that of a network's server may be coarser).
class Watched {
 public:
  Watched(Descriptor file, const struct stat& status);

  [[nodiscard]] int descriptor() const { return file_.get(); }
  /// Whether somebody wrote to it. That its name was removed, or now names another file, is no change.
  [[nodiscard]] bool changed() const;
  /// Whether a path still names this file.
  [[nodiscard]] bool is_at(const std::string& path) const;

 private:
  Descriptor file_;
  FileStamp stamp_;
  nlink_t names_ = 0;
};

/// Bytes, and the owner that keeps them alive.
struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner = nullptr;
  std::shared_ptr<const Watched> file = nullptr;  // from which they come; none for a pipe
};

/// Private zeros, on their own pages. Error: Io if there is no memory for them.
[[nodiscard]] Result<std::shared_ptr<std::byte>> memory_of(std::size_t bytes);

/// A regular file's bytes; "-" is standard input, which may be a pipe. A pipe's bytes are read into memory that grows
/// without a copy of itself.
/// Errors: Io of the system, and for a file that is not regular; a pipe of more bytes than check_free() allows.
[[nodiscard]] Result<FileBytes> bytes_of_file(const std::string& path);

/// A file of known length that is being written: a NewFile (encodings/base/files.h), whose law it keeps. Its space is
/// allocated at once, so that a full disk is an error here and not a crash later. "-" is standard output: memory that
/// commit() writes.
class OutputFile {
 public:
  /// Errors: those of NewFile; Io for sizes that do not fit. After an error the folder is unchanged.
  static Result<OutputFile> create(const std::string& path, std::size_t bytes, const Replacing& how = {});

  /// All bytes of the file, zeros at first. None after commit().
  [[nodiscard]] std::span<std::byte> bytes() const { return {memory_.get(), bytes_}; }
  /// Requires: not committed before. Errors: Io; then the folder is unchanged.
  [[nodiscard]] std::optional<Error> commit();

 private:
  OutputFile(std::optional<NewFile> file, std::shared_ptr<std::byte> memory, std::size_t bytes)
      : file_(std::move(file)), memory_(std::move(memory)), bytes_(bytes) {}

  std::optional<NewFile> file_;  // none for standard output
  std::shared_ptr<std::byte> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace vl::oracle
