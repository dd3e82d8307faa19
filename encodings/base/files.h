// Files as texts: read with bounds, and replaced as a whole.
//
// A reader takes a regular file or a pipe, never waits where nothing will come, and looks at Interrupt::told() ten
// times per second. A writer makes a new file and renames it, so nobody sees a part of it, and a failure leaves the old
// one.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "encodings/base/result.h"

namespace vl {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// "cannot be opened: No such file or directory", of code Io.
[[nodiscard]] Error system_error(std::string_view doing, int code = errno);

/// What tells that a file is not what it was: its identity, length, and times. Two writes within one tick of the file
/// system's clock look alike (4 ms on ext4).
struct FileStamp {
  dev_t device = 0;
  ino_t node = 0;
  off_t size = 0;
  timespec changed{}, modified{};

  bool operator==(const FileStamp& other) const;
};
[[nodiscard]] FileStamp stamp_of(const struct stat& status);

/// A regular file or a pipe that is read part by part; "-" is standard input, which may also be a terminal.
class Input {
 public:
  /// Errors, of code Io: those of the system; a folder or a device.
  static Result<Input> open(const std::string& path);

  /// How many bytes came, 0 at the end. Errors, of code Io: those of the system; a named pipe that nobody opens within
  /// two seconds, or a file such as /proc/kmsg that makes its reader wait as long; an interrupt.
  Result<std::size_t> read(std::span<char> into);
  /// The length of a regular file; of others and of files in /proc nothing.
  [[nodiscard]] std::optional<std::size_t> size() const;
  /// Whether a file with a size is not what it was when it was opened.
  [[nodiscard]] bool changed() const;

 private:
  Input() = default;

  Descriptor own_;
  int file_ = -1;
  struct stat status_ {};
  bool started_ = false;
  int waited_ = 0;  // milliseconds
};

constexpr std::size_t kLargestText = std::size_t{64} << 20;

/// All bytes of an Input. Errors: its own; more than `most` bytes; a file that changes while it is read.
[[nodiscard]] Result<std::string> read_whole(const std::string& path, std::size_t most = kLargestText);

struct Replacing {
  bool force = false;  // also a file that is read-only
  bool sync = true;    // it is on the disk when commit() returns, and so is its name
};

/// A file that takes its name when it is complete. It replaces an older file of that name, whose mode and owner it
/// keeps; of a symbolic link it replaces what the link points to. Without commit(), or if the process is killed,
/// nothing is left, or at most a file .verify-layout-….tmp, which the next NewFile in the folder removes.
class NewFile {
 public:
  /// Errors, of code Io: those of the system; a target that is there and is no regular file, or is read-only.
  static Result<NewFile> create(const std::string& path, const Replacing& how = {});
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) noexcept = default;
  ~NewFile();

  [[nodiscard]] int descriptor() const { return file_.get(); }
  /// Requires: not committed before. After an error the folder is as it was, if the disk did not fail.
  [[nodiscard]] std::optional<Error> commit();

 private:
  struct Name {  // of the file for now; empty if it has none
    std::string path;
    Name() = default;
    Name(Name&& other) noexcept : path(std::exchange(other.path, {})) {}
    Name& operator=(Name&& other) noexcept {
      std::swap(path, other.path);
      return *this;
    }
  };
  NewFile() = default;
  [[nodiscard]] std::optional<Error> open(const struct stat* old);
  [[nodiscard]] std::optional<Error> take_name();

  std::string path_, folder_;
  Replacing how_;
  Descriptor file_;
  Name name_;
};

/// All bytes to a descriptor. Errors: Io of the system.
[[nodiscard]] std::optional<Error> write_all(int file, std::string_view bytes);

/// Makes or replaces a file. Errors: those of NewFile and write_all.
[[nodiscard]] std::optional<Error> write_whole(const std::string& path, std::string_view content,
                                               const Replacing& how = {});

}  // namespace vl
