#include "encodings/base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

extern char** environ;  // NOLINT: POSIX wants it so

namespace vl {
namespace {

using Clock = std::chrono::steady_clock;
using End = Spoken::End;

constexpr std::size_t kMostText = std::size_t{16} << 20;
constexpr int kLookEvery = 10;  // milliseconds

// A program, started with the socket as its standard input, output and error; 0 and an errno if it did not start.
struct Started {
  pid_t pid = 0;
  int error = 0;
};

Started start(const std::string& program, std::vector<std::string>& arguments, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int fd = 0; fd <= 2; ++fd) posix_spawn_file_actions_adddup2(&actions, socket, fd);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  Started out;
  out.error = ::posix_spawnp(&out.pid, program.c_str(), &actions, &attributes, argv.data(), environ);
  if (out.error != 0) out.pid = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return out;
}

// The kernel's limits, for the case that the parent is killed. The kernel counts whole seconds, and address space,
// which is larger than resident memory.
void limit_by_kernel(pid_t pid, const ChildLimits& limits) {
  const auto seconds = static_cast<rlim_t>(limits.cpu.count() / 1000 + 2);
  const rlimit cpu{seconds, seconds + 1};
  ::prlimit(pid, RLIMIT_CPU, &cpu, nullptr);
// The shadow memory of the address sanitizer takes terabytes of addresses; there only look() limits memory.
#if !defined(__SANITIZE_ADDRESS__)
  const rlim_t bytes = (static_cast<rlim_t>(limits.memory_mib) * 2 + 1024) << 20;
  const rlimit memory{bytes, bytes};
  ::prlimit(pid, RLIMIT_AS, &memory, nullptr);
#endif
  const rlimit no_core{0, 0};
  ::prlimit(pid, RLIMIT_CORE, &no_core, nullptr);
}

class Talk {
 public:
  Talk(pid_t pid, int socket, std::string_view script, const Reply& reply, const ChildLimits& limits)
      : pid_(pid), socket_(socket), unsent_(script), reply_(reply), limits_(limits) {}

  Spoken listen() {
    limit_by_kernel(pid_, limits_);
    close_input();
    while (!over_ && !closed_) {
      exchange();
      if (!over_) look();
    }
    while (!over_ && !exited()) {  // it closed its output, and should end soon
      ::poll(nullptr, 0, 1);
      look();
    }
    ::kill(-pid_, SIGKILL);  // also what it started; its number is not free before it is waited for
    reap();
    return std::move(spoken_);
  }

 private:
  void kill_for(End end) {
    over_ = true;
    spoken_.end = end;
    spoken_.status = 0;
  }

  // Sends and receives what is possible now; waits at most a moment.
  void exchange() {
    pollfd ready{socket_, static_cast<short>(POLLIN | (unsent_.empty() ? 0 : POLLOUT)), 0};
    if (::poll(&ready, 1, kLookEvery) <= 0) return;
    if ((ready.revents & POLLOUT) != 0) send();
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive();
  }

  void send() {
    const ssize_t sent = ::send(socket_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) unsent_.erase(0, static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {  // it does not listen any more
      unsent_.clear();
      replied_ = true;
    }
    close_input();
  }

  void receive() {
    std::array<char, 1 << 16> buffer{};
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0) {
      closed_ = errno != EAGAIN && errno != EINTR;
      return;
    }
    closed_ = got == 0;
    spoken_.text.append(buffer.data(), static_cast<std::size_t>(got));
    if (spoken_.text.size() > kMostText) return kill_for(End::Flooded);
    const auto line = spoken_.text.find('\n');
    if (!reply_ || replied_ || line == std::string::npos) return;
    replied_ = true;
    unsent_ += reply_(std::string_view(spoken_.text).substr(0, line));
    close_input();
  }

  void close_input() {
    if (unsent_.empty() && (replied_ || !reply_)) ::shutdown(socket_, SHUT_WR);
  }

  // Looks at the limits, and sets over_ beyond one.
  void look() {
    if (limits_.stop != nullptr && *limits_.stop) return kill_for(End::Stopped);
    if (Clock::now() - begin_ > limits_.wall) return kill_for(End::Time);
    clockid_t clock = 0;
    timespec used{};
    if (::clock_getcpuclockid(pid_, &clock) == 0 && ::clock_gettime(clock, &used) == 0 &&
        std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec) > limits_.cpu)
      return kill_for(End::Time);
    std::ifstream memory("/proc/" + std::to_string(pid_) + "/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    if (memory >> total >> resident &&
        (resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))) >> 20 > limits_.memory_mib)
      kill_for(End::Memory);
  }

  [[nodiscard]] bool exited() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
  }

  void reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (over_) return;
    // The kernel sends SIGXCPU at our limit of processor time.
    spoken_.end = WIFEXITED(status) ? End::Exited : WTERMSIG(status) == SIGXCPU ? End::Time : End::Crashed;
    spoken_.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  }

  pid_t pid_;
  int socket_;
  std::string unsent_;
  const Reply& reply_;
  const ChildLimits& limits_;
  Clock::time_point begin_ = Clock::now();
  Spoken spoken_;
  bool replied_ = false;
  bool closed_ = false;
  bool over_ = false;  // it has to be killed
};

}  // namespace

Spoken speak(const std::string& program, std::vector<std::string> arguments, std::string_view script,
             const Reply& reply, const ChildLimits& limits) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) return {End::NotStarted, errno, {}};
  const Started child = start(program, arguments, sockets[1]);
  ::close(sockets[1]);
  Spoken out{End::NotStarted, child.error, {}};
  if (child.pid != 0) out = Talk(child.pid, sockets[0], script, reply, limits).listen();
  ::close(sockets[0]);
  return out;
}

}  // namespace vl
