#include "encodings/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "encodings/base/interrupt.h"

namespace vl {
namespace {

namespace fs = std::filesystem;

constexpr int kTick = 100;         // milliseconds
constexpr int kMostWaited = 2000;  // where nobody writes
constexpr std::string_view kStem = ".verify-layout-", kEnding = ".tmp";

Error io_error(std::string message) { return Error{ErrorCode::Io, std::move(message)}; }

bool same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Where a path's symbolic links lead, also if nothing is there yet.
std::string followed(std::string path) {
  constexpr int kMostLinks = 40;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code code;
    const fs::path target = fs::read_symlink(path, code);
    if (code) break;
    path = target.is_absolute() ? target.string() : folder_of(path) + "/" + target.string();
  }
  return path;
}

// Removes what killed processes left in a folder: the files of that name that nobody holds a lock on. Once per process.
void remove_leftovers(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> cleaned;
  const std::lock_guard lock(mutex);
  if (!cleaned.insert(folder).second) return;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kStem) || !name.ends_with(kEnding)) continue;
    const Descriptor file(::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
  }
}

// Locks a new file that has a name. True if another process locked it before, and so removes it.
bool taken_for_a_leftover(int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return true;
  struct stat status {};
  return ::fstat(file, &status) == 0 && status.st_nlink == 0;
}

// Calls make(name) with unusual names in a folder, until one is free.
template <class Make>
bool make_in(const std::string& folder, std::string& name, Make make) {
  static std::atomic<unsigned> next{0};
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = fmt::format("{}/{}{}-{}{}", folder, kStem, ::getpid(), next++, kEnding);
    if (make(name)) return true;
    if (errno != EEXIST) break;
  }
  name.clear();
  return false;
}

}  // namespace

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Error system_error(std::string_view doing, int code) {
  return io_error(fmt::format("{}: {}", doing, std::generic_category().message(code)));
}

bool FileStamp::operator==(const FileStamp& other) const {
  return device == other.device && node == other.node && size == other.size && same(changed, other.changed) &&
         same(modified, other.modified);
}

FileStamp stamp_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size, status.st_ctim, status.st_mtim};
}

Result<Input> Input::open(const std::string& path) {
  Input out;
  if (path != "-") {
    // Not blocking: a pipe that nobody writes to is told by its first read.
    out.own_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (out.own_.get() < 0) return system_error("cannot be opened");
  }
  out.file_ = path == "-" ? STDIN_FILENO : out.own_.get();
  if (::fstat(out.file_, &out.status_) != 0) return system_error("cannot be looked at");
  if (S_ISDIR(out.status_.st_mode)) return io_error("is a folder");
  if (path != "-" && !S_ISREG(out.status_.st_mode) && !S_ISFIFO(out.status_.st_mode))
    return io_error("is neither a file nor a pipe");
  return out;
}

Result<std::size_t> Input::read(std::span<char> into) {
  const bool standard = file_ == STDIN_FILENO, regular = S_ISREG(status_.st_mode);
  for (;;) {
    if (Interrupt::told()) return io_error("interrupted while it was read");
    pollfd one{file_, POLLIN, 0};
    const int ready = ::poll(&one, 1, kTick);
    if (ready < 0 && errno != EINTR) return system_error("cannot be read");
    if (ready <= 0 && standard) continue;  // reading it would block
    if (ready == 0) waited_ += kTick;
    const ssize_t got = ::read(file_, into.data(), into.size());
    const bool unopened = got == 0 && ready == 0 && !started_ && S_ISFIFO(status_.st_mode);
    if (got > 0 || (got == 0 && !unopened)) {
      started_ = true, waited_ = 0;
      return static_cast<std::size_t>(got);
    }
    if (unopened && waited_ >= kMostWaited) return io_error("nobody writes to this pipe");
    if (got < 0 && errno == EAGAIN && regular && waited_ >= kMostWaited) return io_error("nothing comes from it");
    if (got < 0 && errno != EAGAIN && errno != EINTR) return system_error("cannot be read");
  }
}

std::optional<std::size_t> Input::size() const {
  if (!S_ISREG(status_.st_mode) || status_.st_size == 0) return std::nullopt;
  return static_cast<std::size_t>(status_.st_size);
}

bool Input::changed() const {
  struct stat now {};
  if (!size()) return false;
  if (::fstat(file_, &now) != 0) return true;
  if (now.st_nlink == 0) now.st_ctim = status_.st_ctim;  // its name went to another file, and it is what it was
  return stamp_of(now) != stamp_of(status_);
}

namespace {

// Nothing where the file changed meanwhile.
Result<std::optional<std::string>> read_once(const std::string& path, std::size_t most) {
  auto input = Input::open(path);
  if (!input) return input.error();
  std::string out;
  std::array<char, std::size_t{1} << 16> part{};
  for (;;) {
    if (std::max(out.size(), input->size().value_or(0)) > most)
      return io_error(fmt::format("has more than {} bytes", most));
    const auto got = input->read(part);
    if (!got) return got.error();
    if (*got == 0) break;
    out.append(part.data(), *got);
  }
  if (input->changed() || (input->size() && out.size() != *input->size())) return std::optional<std::string>();
  return std::optional(std::move(out));
}

}  // namespace

Result<std::string> read_whole(const std::string& path, std::size_t most) {
  // A file that gets another's name is touched by that, which a reader may meet; one that is written to stays changed.
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto out = read_once(path, most);
    if (!out) return out.error();
    if (*out) return std::move(**out);
  }
  return io_error("changed while it was read");
}

Result<NewFile> NewFile::create(const std::string& path, const Replacing& how) {
  if (path.empty() || path.ends_with('/')) return io_error("cannot be created: a file's name is expected");
  NewFile out;
  out.path_ = followed(path), out.folder_ = folder_of(out.path_), out.how_ = how;
  struct stat old {};
  const bool there = ::stat(out.path_.c_str(), &old) == 0;
  if (there && !S_ISREG(old.st_mode)) return io_error("is there and not a regular file");
  if (there && !how.force && (old.st_mode & 0222U) == 0) return io_error("is read-only");  // to root all are writable
  if (there && !how.force && ::access(out.path_.c_str(), W_OK) != 0) return system_error("cannot be written");
  remove_leftovers(out.folder_);
  if (auto error = out.open(there ? &old : nullptr)) return *error;
  return out;
}

// A file without a name disappears with the process, however that ends. Where the system has no such files, it has a
// name from the start.
std::optional<Error> NewFile::open(const struct stat* old) {
  int file = -1;
  if (::access("/proc/self/fd", X_OK) == 0) file = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0)
    make_in(folder_, name_.path, [&](const std::string& free) {
      file = ::open(free.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
      if (file < 0 || !taken_for_a_leftover(file)) return file >= 0;
      ::close(std::exchange(file, -1));
      errno = EEXIST;  // the next name
      return false;
    });
  if (file < 0) return system_error("cannot be created");
  file_ = Descriptor(file);
  static_cast<void>(::flock(file, LOCK_EX | LOCK_NB));  // before it gets a name: it is no leftover
  if (old == nullptr) return std::nullopt;
  const bool owned = ::fchown(file, old->st_uid, old->st_gid) == 0;
  if (::fchmod(file, old->st_mode & (owned ? 07777U : 0777U)) != 0) return system_error("cannot be given its mode");
  return std::nullopt;
}

NewFile::~NewFile() {
  if (!name_.path.empty()) ::unlink(name_.path.c_str());
}

std::optional<Error> NewFile::take_name() {
  if (name_.path.empty()) {
    const std::string self = fmt::format("/proc/self/fd/{}", file_.get());
    const auto link = [&](const std::string& to) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(path_)) return std::nullopt;
    if (errno != EEXIST || !make_in(folder_, name_.path, link)) return system_error("cannot be put in its place");
  }
  if (::rename(name_.path.c_str(), path_.c_str()) != 0) return system_error("cannot be put in its place");
  name_.path.clear();
  return std::nullopt;
}

std::optional<Error> NewFile::commit() {
  if (how_.sync && ::fsync(file_.get()) != 0) return system_error("cannot be written");
  if (auto error = take_name()) return error;
  if (!how_.sync) return std::nullopt;
  const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0 && ::fsync(folder.get()) != 0 && errno == EIO)
    return system_error("is written, and its name may be lost");
  return std::nullopt;
}

std::optional<Error> write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_error("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return std::nullopt;
}

std::optional<Error> write_whole(const std::string& path, std::string_view content, const Replacing& how) {
  auto file = NewFile::create(path, how);
  if (!file) return file.error();
  if (auto error = write_all(file->descriptor(), content)) return error;
  return file->commit();
}

}  // namespace vl
