#include "oracle/files/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "encodings/base/memory.h"
#include "oracle/files/io_error.h"

namespace vl::oracle {
namespace {

Result<std::shared_ptr<std::byte>> map(std::size_t bytes, int protection, int flags, int file) {
  if (bytes == 0) return std::shared_ptr<std::byte>();
  void* const at = ::mmap(nullptr, bytes, protection, flags, file, 0);
  if (at == MAP_FAILED) return system_error(fmt::format("{} bytes cannot be mapped", bytes));
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(at), [bytes](std::byte* p) { ::munmap(p, bytes); });
}

/// Memory of its own that grows: the system moves its pages, and copies none.
class Growing {
 public:
  Growing() = default;
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;
  ~Growing() {
    if (at_ != nullptr) ::munmap(at_, size_);
  }

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(at_); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::optional<Error> grow(std::size_t size) {
    if (auto error = check_free(size - size_)) return error;
    void* const at = at_ == nullptr ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                    : ::mremap(at_, size_, size, MREMAP_MAYMOVE);
    if (at == MAP_FAILED) return system_error(fmt::format("there is no memory for {} bytes", size));
    at_ = at, size_ = size;
    return std::nullopt;
  }

 private:
  void* at_ = nullptr;
  std::size_t size_ = 0;
};

// Standard input has no length before its end. Pages that nobody wrote to take no room, so memory is asked for in steps
// only to notice in time that there is no more.
Result<FileBytes> read_to_the_end(std::shared_ptr<const Watched> watched) {
  constexpr std::size_t kFirst = std::size_t{1} << 20, kPage = std::size_t{1} << 12;
  auto input = Input::open("-");
  if (!input) return input.error();
  const auto read = std::make_shared<Growing>();
  std::size_t used = 0;
  for (;;) {
    if (used == read->size())
      if (auto error = read->grow(used + std::max(kFirst, used / 16 / kPage * kPage))) return *error;
    const auto got = input->read({reinterpret_cast<char*>(read->data()) + used, read->size() - used});
    if (!got) return got.error();
    if (*got == 0) return FileBytes{{read->data(), used}, read, std::move(watched)};
    used += *got;
  }
}

Result<FileBytes> bytes_of_descriptor(Descriptor file, bool is_standard) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_error("cannot be looked at");
  if (!S_ISREG(status.st_mode))
    return is_standard ? read_to_the_end(nullptr) : Result<FileBytes>(io("not a regular file"));
  const auto watched = std::make_shared<const Watched>(std::move(file), status);
  if (is_standard && ::lseek(watched->descriptor(), 0, SEEK_CUR) != 0) return read_to_the_end(watched);  // its rest
  const auto bytes = static_cast<std::size_t>(status.st_size);
  auto memory = map(bytes, PROT_READ, MAP_PRIVATE, watched->descriptor());
  if (!memory) return memory.error();
  return FileBytes{{memory->get(), bytes}, *memory, watched};
}

bool is_in_memory(int file) {
  struct statfs system {};
  return ::fstatfs(file, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

std::optional<Error> reserve(int file, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<off_t>::max()))
    return io(fmt::format("a file of {} bytes is longer than any can be", bytes));
  if (is_in_memory(file))
    if (auto error = check_free(bytes)) return error;
  int code = EINTR;
  while (bytes > 0 && code == EINTR) code = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (bytes > 0 && code != 0) return system_error(fmt::format("there is no room for {} bytes", bytes), code);
  return std::nullopt;
}

bool same_time(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

}  // namespace

// Files get the time of the coarse clock. While it still is that of the last change, another change would not show.
Watched::Watched(Descriptor file, const struct stat& status)
    : file_(std::move(file)), stamp_(stamp_of(status)), names_(status.st_nlink) {
  constexpr int kMostTicks = 20;
  constexpr timespec kMillisecond{0, 1'000'000};
  for (int tick = 0; tick < kMostTicks; ++tick) {
    timespec now{};
    if (::clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 || !same_time(now, stamp_.changed)) return;
    ::nanosleep(&kMillisecond, nullptr);
  }
}

bool Watched::changed() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return true;
  FileStamp now = stamp_of(status);
  if (status.st_nlink != names_) now.changed = stamp_.changed;  // the time of that
  return now != stamp_;
}

bool Watched::is_at(const std::string& path) const {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_dev == stamp_.device && status.st_ino == stamp_.node;
}

Result<std::shared_ptr<std::byte>> memory_of(std::size_t bytes) {
  if (auto error = check_free(bytes)) return *error;
  auto memory = map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (memory && bytes > 0) static_cast<void>(::madvise(memory->get(), bytes, MADV_HUGEPAGE));
  return memory;
}

Result<FileBytes> bytes_of_file(const std::string& path) {
  const bool standard = path == "-";
  // Not blocking: opening a pipe must answer "not a regular file" instead of waiting for a writer.
  Descriptor file(standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                           : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error("cannot be opened");
  return bytes_of_descriptor(std::move(file), standard);
}

Result<OutputFile> OutputFile::create(const std::string& path, std::size_t bytes, const Replacing& how) {
  if (path == "-") {
    auto memory = memory_of(bytes);
    if (!memory) return memory.error();
    return OutputFile(std::nullopt, std::move(*memory), bytes);
  }
  auto file = NewFile::create(path, how);
  if (!file) return file.error();
  if (auto error = reserve(file->descriptor(), bytes)) return *error;
  auto memory = map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor());
  if (!memory) return memory.error();
  return OutputFile(std::move(*file), std::move(*memory), bytes);
}

std::optional<Error> OutputFile::commit() {
  if (!file_) return write_all(STDOUT_FILENO, {reinterpret_cast<const char*>(memory_.get()), bytes_});
  memory_.reset();
  bytes_ = 0;
  auto error = file_->commit();
  file_.reset();
  return error;
}

}  // namespace vl::oracle
