#include "oracle/fuzz/range_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace vl::oracle {
namespace {

// The owner that a lock's file names. It may not have written its number yet.
std::string owner_of(const Descriptor& lock) {
  std::array<char, 20> text{};
  const ssize_t got = ::pread(lock.get(), text.data(), text.size(), 0);
  std::string number(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  number.resize(std::min(number.size(), number.find('\n')));
  if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) return "another process";
  return "process " + number;
}

// Its last owner removes a lock's file while it has the lock. So a file that was opened before and locked after that is
// not the lock any more.
bool is_still(const Descriptor& lock, const std::string& name) {
  struct stat opened {
  }, there{};
  return ::fstat(lock.get(), &opened) == 0 && ::lstat(name.c_str(), &there) == 0 && opened.st_dev == there.st_dev &&
         opened.st_ino == there.st_ino;
}

Error lock_error(const std::string& path, std::string_view message) {
  return {ErrorCode::Io, fmt::format("{}: {}", path, message)};
}

}  // namespace

Result<RangeLock> RangeLock::take(const std::string& path) {
  constexpr int kAttempts = 1000;  // each fails because another process gave the lock back meanwhile
  const std::string name = path + ".lock";
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    if (file.get() < 0) return lock_error(name, system_error("cannot be opened").message);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return lock_error(name, system_error("cannot be locked").message);
      return lock_error(path, owner_of(file) + " works on this range; wait for its end, or take another folder");
    }
    if (!is_still(file, name)) continue;
    RangeLock lock(std::move(file), name);
    if (::ftruncate(lock.file_.get(), 0) != 0) return lock_error(name, system_error("cannot be written").message);
    if (auto error = write_all(lock.file_.get(), fmt::format("{}\n", ::getpid())))
      return lock_error(name, error->message);
    return lock;
  }
  return lock_error(name, "is locked by one process after the other");
}

RangeLock::~RangeLock() {
  if (file_.get() >= 0) ::unlink(name_.c_str());
}

}  // namespace vl::oracle
