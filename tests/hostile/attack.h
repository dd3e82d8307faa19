// Runs the program in bad surroundings, and says how it ended: by itself, by a signal, or not at all within its time.
// Attack: a process under limits, with streams that are closed, full or not read, that gets a signal.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/process.h"

namespace vl::test::hostile {

using Words = std::vector<std::string>;

/// All that the program may end with by itself; 70, a bug, is not among them.
inline bool is_documented(int code) {
  return code == 0 || code == 2 || code == 5 || code == 10 || code == 11 || code == 64;
}

struct Surroundings {
  double seconds = 600;          // then it has hung, and is killed: a busy machine is slow
  rlim_t memory = 0;             // bytes of addresses (sanitized: of memory); 0 is no limit, here and below
  rlim_t stack = 0;              // bytes of the stack; a copy has what this process's own stack took so far, too
  rlim_t file = 0;               // bytes of the longest file that it may write
  rlim_t files = 0;              // descriptors
  std::string in = "/dev/null";  // a path; "" is closed
  std::string out = "kept";      // a path that is written to; "" is closed; "kept" is in Ended::out
  std::string err = "kept";      // likewise
  bool nobody_reads = false;     // standard output is a pipe without a reader
  bool no_rights = false;        // as the user nobody; needs that the test runs as root
  int signal = 0;                // sent after so many seconds
  double after = 0;
};

struct Ended : Ran {
  bool hung = false;
  std::size_t peak = 0;  // bytes of memory at the most

  /// By itself, with a code that the README lists.
  [[nodiscard]] bool well() const { return !hung && is_documented(code); }
};

/// The arguments, the way it ended, and what it said, for messages.
inline std::string told(const Words& arguments, const Ended& ended) {
  std::string out = ended.hung ? "it hung" : "code " + std::to_string(ended.code);
  for (const std::string& word : arguments) out += " '" + word.substr(0, 200) + (word.size() > 200 ? "…'" : "'");
  return out + "\n" + ended.out.substr(0, 1000) + ended.err.substr(0, 1000);
}

class Attack {
 public:
  /// Starts the program.
  Attack(const std::string& program, Words arguments, const Surroundings& where = {})
      : start_(Clock::now()), where_(where) {
    out_ = static_cast<int>(::memfd_create("out", MFD_CLOEXEC)), err_ = ::memfd_create("err", MFD_CLOEXEC);
    arguments.insert(arguments.begin(), program);
    const std::vector<char*> argv = pointers_to(arguments);
    const bool copy = program == test::program("verify-layout") && copies_itself();
    const bool capped = kSanitized && !copy && where.memory != 0;
    if (copy && where.memory != 0) data_ = bytes_of_data() + where.memory;
    std::vector<std::string> words =
        environment_of_child(capped ? "hard_rss_limit_mb=" + std::to_string(where.memory >> 20) : "");
    const std::vector<char*> environment = pointers_to(words);
    if (copy) std::fflush(nullptr);
    child_ = ::fork();
    if (child_ != 0) return;
    set_up();
    ::syscall(SYS_close_range, 3U, ~0U, 0U);  // they are this process's
    limit(RLIMIT_NOFILE, where.files);
    if (copy) become_verify_layout({arguments.begin() + 1, arguments.end()});
    ::execve(program.c_str(), argv.data(), environment.data());
    ::_exit(126);
  }
  Attack(const Attack&) = delete;
  Attack& operator=(const Attack&) = delete;
  ~Attack() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      reap();
    }
    ::close(out_);
    ::close(err_);
  }

  Ended wait() {
    if (where_.signal != 0 && !ends_before(start_ + span(where_.after))) ::kill(child_, where_.signal);
    Ended ended;
    ended.hung = !ends_before(start_ + span(where_.seconds));
    if (ended.hung) ::kill(child_, SIGKILL);
    const auto [status, usage] = reap();
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    ended.peak = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
    ended.out = content(out_), ended.err = content(err_);
    return ended;
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Addresses of this process for data, those that the sanitizer reserves included.
  static rlim_t bytes_of_data() {
    std::ifstream in("/proc/self/statm");
    rlim_t pages = 0;
    for (int field = 0; field < 6; ++field) in >> pages;
    return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  }

  static Clock::duration span(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  bool ends_before(Clock::time_point time) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
    const int file = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
    pollfd one{file, POLLIN, 0};
    const bool ended = ::poll(&one, 1, static_cast<int>(std::max<long>(left, 0))) == 1;
    ::close(file);
    return ended;
  }

  std::pair<int, rusage> reap() {
    int status = 0;
    rusage usage{};
    while (::wait4(child_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    child_ = 0;
    return {status, usage};
  }

  static std::string content(int file) {
    std::string out(static_cast<std::size_t>(std::clamp<off_t>(::lseek(file, 0, SEEK_END), 0, 1 << 26)), '\0');
    const ssize_t got = ::pread(file, out.data(), out.size(), 0);
    out.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return out;
  }

  template <class Which>
  static void limit(Which which, rlim_t most) {
    const rlimit both{most, most};
    if (most != 0 && ::setrlimit(which, &both) != 0) ::_exit(126);
  }

  // In the new process. Only calls of the system: another thread of the test may hold the heap's lock.
  void set_up() const {
    const auto stream = [](int file, const std::string& path, int kept, int flags) {
      ::close(file);
      if (path.empty()) return;
      const int opened = path == "kept" ? ::dup2(kept, file) : ::open(path.c_str(), flags);
      if (opened != file) ::_exit(126);
    };
    stream(0, where_.in, -1, O_RDONLY | O_NONBLOCK);
    if (!where_.in.empty()) ::fcntl(0, F_SETFL, O_RDONLY);
    stream(1, where_.out, out_, O_WRONLY);
    stream(2, where_.err, err_, O_WRONLY);
    int pipe[2];
    if (where_.nobody_reads) {
      if (::pipe(pipe) != 0 || ::dup2(pipe[1], 1) != 1) ::_exit(126);
      ::close(pipe[0]);
      ::close(pipe[1]);
    }
    if (!kSanitized) limit(RLIMIT_AS, where_.memory);
    limit(RLIMIT_DATA, data_);
    limit(RLIMIT_STACK, where_.stack);
    limit(RLIMIT_FSIZE, where_.file);
    const gid_t group = 65534;
    if (where_.no_rights && (::syscall(SYS_setgroups, 0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(group) != 0))
      ::_exit(126);
  }

  Clock::time_point start_;
  Surroundings where_;
  rlim_t data_ = 0;  // the limit of a copy's memory, which all addresses of a sanitized process exceed
  int out_ = -1, err_ = -1;
  pid_t child_ = 0;
};

/// Runs verify-layout in these surroundings.
inline Ended attacked(const Words& arguments, const Surroundings& where = {}) {
  return Attack(program("verify-layout"), arguments, where).wait();
}

}  // namespace vl::test::hostile
