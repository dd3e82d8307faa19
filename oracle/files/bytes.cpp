#include "oracle/files/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "oracle/files/io_error.h"

namespace vl::oracle {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor& operator=(Descriptor&&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

namespace {

Error system_error(std::string_view doing, int code = errno) {
  return io(fmt::format("{}: {}", doing, std::generic_category().message(code)));
}

Result<std::shared_ptr<std::byte>> map(std::size_t bytes, int protection, int flags, int file) {
  if (bytes == 0) return std::shared_ptr<std::byte>();
  void* const at = ::mmap(nullptr, bytes, protection, flags, file, 0);
  if (at == MAP_FAILED) return system_error(fmt::format("{} bytes cannot be mapped", bytes));
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(at), [bytes](std::byte* p) { ::munmap(p, bytes); });
}

Result<FileBytes> mapped(int file, std::size_t bytes) {
  auto memory = map(bytes, PROT_READ, MAP_PRIVATE, file);
  if (!memory) return memory.error();
  return FileBytes{{memory->get(), bytes}, *memory};
}

Error too_much(std::size_t bytes) {
  return io(fmt::format("{} bytes are more than the memory of this machine, {} bytes", bytes, machine_bytes()));
}

// Bytes from a pipe have no length before its end.
Result<FileBytes> read_to_the_end(int file) try {
  const auto read = std::make_shared<std::vector<std::byte>>();
  std::size_t used = 0;
  for (;;) {
    if (used == read->size()) {
      if (used > machine_bytes() / 2) return too_much(2 * used);
      read->resize(std::max<std::size_t>(std::size_t{1} << 16, 2 * used));
    }
    const ssize_t got = ::read(file, read->data() + used, read->size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot be read");
    if (got == 0) return FileBytes{{read->data(), used}, read};
    used += static_cast<std::size_t>(got);
  }
} catch (const std::bad_alloc&) {
  return io("there is no memory for what is read");
}

Result<FileBytes> bytes_of_descriptor(int file, bool may_be_a_pipe) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return system_error("cannot be looked at");
  const bool regular = S_ISREG(status.st_mode);
  // Of a file that was read in part, the rest is read.
  if (regular && (!may_be_a_pipe || ::lseek(file, 0, SEEK_CUR) == 0))
    return mapped(file, static_cast<std::size_t>(status.st_size));
  if (!may_be_a_pipe) return io("not a regular file");
  return read_to_the_end(file);
}

std::optional<Error> write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_error("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return std::nullopt;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Calls make(name) with unusual names in the folder of `path`, until one is free.
template <class Make>
bool make_beside(const std::string& path, std::string& name, Make make) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = fmt::format("{}/.verify-layout-{}-{}.tmp", folder_of(path), ::getpid(), attempt);
    if (make(name)) return true;
    if (errno != EEXIST) break;
  }
  name.clear();
  return false;
}

std::optional<Error> reserve(int file, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<off_t>::max()))
    return io(fmt::format("a file of {} bytes is longer than any can be", bytes));
  int code = EINTR;
  while (bytes > 0 && code == EINTR) code = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (bytes > 0 && code != 0) return system_error(fmt::format("there is no room for {} bytes", bytes), code);
  return std::nullopt;
}

}  // namespace

std::size_t machine_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  std::size_t most = pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                                           : std::numeric_limits<std::size_t>::max();
  std::ifstream group("/sys/fs/cgroup/memory.max");  // "max", or a number
  std::size_t limit = 0;
  if (group >> limit) most = std::min(most, limit);
  return most;
}

Result<std::shared_ptr<std::byte>> memory_of(std::size_t bytes) {
  if (bytes > machine_bytes()) return too_much(bytes);
  auto memory = map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (memory && bytes > 0) static_cast<void>(::madvise(memory->get(), bytes, MADV_HUGEPAGE));
  return memory;
}

Result<FileBytes> bytes_of_file(const std::string& path) {
  if (path == "-") return bytes_of_descriptor(STDIN_FILENO, true);
  // Not blocking: opening a pipe must answer "not a regular file" instead of waiting for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error("cannot be opened");
  return bytes_of_descriptor(file.get(), false);
}

struct OutputFile::State {
  std::string path;
  Descriptor file;   // none for standard output
  std::string name;  // of the file for now; empty if it has none
  std::shared_ptr<std::byte> memory;
  std::size_t bytes = 0;

  ~State() {
    if (!name.empty()) ::unlink(name.c_str());
  }
  std::optional<Error> put_in_place();
};

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

Result<OutputFile> OutputFile::create(const std::string& path, std::size_t bytes) {
  if (path == "-") {
    auto memory = memory_of(bytes);
    if (!memory) return memory.error();
    return OutputFile(std::unique_ptr<State>(new State{path, Descriptor(-1), {}, *memory, bytes}));
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return io("is there and not a regular file");
  if (path.empty() || path.ends_with('/')) return io("cannot be created: a file's name is expected");
  // A file without a name disappears with the process, however that ends. If the system has no such files, it gets a
  // name.
  const bool nameless = ::access("/proc/self/fd", X_OK) == 0;
  int descriptor = nameless ? ::open(folder_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
  std::string name;
  if (descriptor < 0)
    make_beside(path, name, [&](const std::string& free) {
      descriptor = ::open(free.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
      return descriptor >= 0;
    });
  if (descriptor < 0) return system_error("cannot be created");
  std::unique_ptr<State> state(new State{path, Descriptor(descriptor), std::move(name), {}, bytes});
  if (auto error = reserve(descriptor, bytes)) return *error;
  auto memory = map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor);
  if (!memory) return memory.error();
  state->memory = std::move(*memory);
  return OutputFile(std::move(state));
}

std::span<std::byte> OutputFile::bytes() const { return {state_->memory.get(), state_->bytes}; }

std::optional<Error> OutputFile::State::put_in_place() {
  if (name.empty()) {
    const std::string self = fmt::format("/proc/self/fd/{}", file.get());
    const auto link = [&](const std::string& to) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(path)) return std::nullopt;
    if (errno != EEXIST || !make_beside(path, name, link)) return system_error("cannot be put in its place");
  }
  if (::rename(name.c_str(), path.c_str()) != 0) return system_error("cannot be put in its place");
  name.clear();
  return std::nullopt;
}

std::optional<Error> OutputFile::commit() {
  if (state_->file.get() < 0) return write_all(STDOUT_FILENO, bytes());
  state_->memory.reset();
  if (::fsync(state_->file.get()) != 0) return system_error("cannot be written");
  if (auto error = state_->put_in_place()) return error;
  return std::nullopt;
}

}  // namespace vl::oracle
