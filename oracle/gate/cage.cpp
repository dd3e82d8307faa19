// The processes of a full cage: the gate starts `outer`, which leaves its user and namespaces and starts `init`, number
// 1 of the new pid namespace, which starts the command. When init ends, the kernel kills everything in the namespace,
// and outer's wait() returns only when all of it is gone. Between fork and exec only system calls are made.
#include "oracle/gate/cage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>

#include "oracle/gate/no_network.h"

extern char** environ;  // NOLINT: POSIX wants it so

namespace vl::gate {
namespace {

constexpr uid_t kNobody = 65534;
constexpr int kStatus = 4;  // a descriptor in the cage, behind that of the bulk region
constexpr rlim_t kProcesses = 256, kProcessesOfUser = 4096, kFiles = 1024;

// What the cage's own processes tell the gate, through the status pipe.
struct Message {
  char what = 0;  // 'i': the pid of init; 'f': this errno in building the cage; 'x': of exec; 's': a wait status
  int value = 0;
};

void tell(int status, char what, int value) {
  Message message;
  message.what = what;
  message.value = value;
  static_cast<void>(!::write(status, &message, sizeof message));
}

struct Plan {
  bool user_namespace = false;
  bool namespaces = false;
  bool becomes_nobody = false;
  bool filtered = false;  // no_network.h
  rlim_t memory = 0, largest_file = 0;
  char* const* argv = nullptr;  // null: only builds the cage
  char* const* envp = nullptr;
  std::array<int, 5> files{};   // that become descriptors 0 to 4
  std::array<int, 4> others{};  // the gate's ends of the same pipes
  const char* uid_map = "";
  const char* gid_map = "";
};

bool put(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const std::size_t size = std::strlen(text);
  const bool all = ::write(file, text, size) == static_cast<ssize_t>(size);
  ::close(file);
  return all;
}

bool become_nobody() {
  return ::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
         ::setresuid(kNobody, kNobody, kNobody) == 0 && ::prctl(PR_SET_DUMPABLE, 1) == 0;
}

void limit(int what, rlim_t value) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(what), &now) != 0) return;
  if (now.rlim_max < value) value = now.rlim_max;  // never above what it has
  const rlimit wanted{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(what), &wanted);
}

// Leaves the gate's user and namespaces. False, with errno, if the machine denies it.
bool leave(const Plan& plan) {
  constexpr int kSpaces = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
  if (plan.namespaces && !plan.user_namespace && ::unshare(kSpaces) != 0) return false;
  if (plan.becomes_nobody && !become_nobody()) return false;
  if (!plan.user_namespace) return true;
  return ::unshare(CLONE_NEWUSER | kSpaces) == 0 && put("/proc/self/setgroups", "deny") &&
         put("/proc/self/uid_map", plan.uid_map) && put("/proc/self/gid_map", plan.gid_map);
}

void dies_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (parent != 0 && ::getppid() != parent) ::_exit(0);
}

[[noreturn]] void be_command(const Plan& plan) {
  std::array<int, 5> away{};  // out of the way of the numbers that they get
  for (std::size_t k = 0; k < away.size(); ++k) away[k] = ::fcntl(plan.files[k], F_DUPFD, 16);
  for (int k = 0; k < kStatus; ++k) ::dup2(away[static_cast<std::size_t>(k)], k);
  ::dup3(away[kStatus], kStatus, O_CLOEXEC);
  ::syscall(SYS_close_range, static_cast<unsigned>(kStatus + 1), ~0U, 0U);
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, plan.largest_file);
  limit(RLIMIT_AS, plan.memory);
  limit(RLIMIT_NOFILE, kFiles);
  // A user's other processes count, too, where there is no namespace.
  limit(RLIMIT_NPROC, plan.namespaces || plan.becomes_nobody ? kProcesses : kProcessesOfUser);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (plan.filtered && !refuse_networks()) {
    tell(kStatus, 'x', errno);
    ::_exit(127);
  }
  ::execvpe(plan.argv[0], plan.argv, plan.envp);
  tell(kStatus, 'x', errno);
  ::_exit(127);
}

// Number 1 of a pid namespace: waits for the command, and takes everything with it.
[[noreturn]] void be_init(const Plan& plan) {
  dies_with(0);
  const pid_t command = plan.argv == nullptr ? 0 : ::fork();
  if (command < 0) tell(plan.files[kStatus], 'x', errno);
  if (command == 0 && plan.argv != nullptr) be_command(plan);
  for (int file = 0; command > 0 && file < kStatus; ++file) ::close(plan.files[static_cast<std::size_t>(file)]);
  while (command > 0) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended == command) {
      tell(plan.files[kStatus], 's', status);
      break;
    }
    if (ended < 0 && errno != EINTR) break;
  }
  ::_exit(0);
}

[[noreturn]] void be_outer(const Plan& plan, pid_t gate) {
  ::setsid();
  dies_with(gate);
  for (const int file : plan.others) ::close(file);
  if (!leave(plan)) {
    tell(plan.files[kStatus], 'f', errno);
    ::_exit(1);
  }
  dies_with(0);  // the change of user has cleared it
  if (::getppid() != gate) ::_exit(0);
  if (!plan.namespaces) {
    tell(plan.files[kStatus], 'i', 0);
    if (plan.argv == nullptr) ::_exit(0);
    be_command(plan);
  }
  const pid_t init = ::fork();
  if (init < 0) {
    tell(plan.files[kStatus], 'f', errno);
    ::_exit(1);
  }
  if (init == 0) be_init(plan);
  tell(plan.files[kStatus], 'i', init);
  for (const int file : plan.files) ::close(file);
  int status = 0;
  while (::waitpid(init, &status, 0) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

std::vector<std::string> environment() {
  std::vector<std::string> out;
  constexpr std::array<std::string_view, 6> kFixed = {
      "PYTHONHASHSEED=0", "OMP_NUM_THREADS=1", "TZ=UTC", "LC_ALL=C", "HOME=", "LAYOUT_GATE_BULK=/dev/fd/3"};
  const auto is_fixed = [&](std::string_view entry) {
    for (const std::string_view fixed : kFixed)
      if (entry.starts_with(fixed.substr(0, fixed.find('=') + 1))) return true;
    return false;
  };
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!is_fixed(*entry)) out.emplace_back(*entry);
  for (const std::string_view fixed : kFixed)
    if (fixed != "HOME=") out.emplace_back(fixed);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size());
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

struct Pipe {
  Descriptor read, write;
};

std::optional<Pipe> open_pipe(bool large) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  if (large) ::fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);  // an answer waits in it while the gate judges another one
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool receive(int status, Message& message) {
  for (;;) {
    const ssize_t got = ::read(status, &message, sizeof message);
    if (got == static_cast<ssize_t>(sizeof message)) return true;
    if (got >= 0 || errno != EINTR) return false;
  }
}

// The children of a process, as the kernel lists them.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  std::ifstream in(fmt::format("/proc/{}/task/{}/children", parent, parent));
  for (pid_t pid = 0; in >> pid;) out.push_back(pid);
  return out;
}

void wait_for(pid_t pid, int& status) {
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

// Kills all that a process of a cage without namespaces left behind: as a subreaper the gate is their parent now.
void sweep() {
  for (int round = 0; round < 1000; ++round) {
    const std::vector<pid_t> left = children_of(::getpid());
    for (const pid_t pid : left) {
      ::kill(pid, SIGKILL);
      int status = 0;
      wait_for(pid, status);
    }
    if (left.empty()) return;
  }
}

}  // namespace

std::string_view name(CageKind kind) {
  switch (kind) {
    case CageKind::Full: return "full";
    case CageKind::Limits: return "limits";
    case CageKind::None: return "none";
  }
  VL_CHECK(false, "a cage that there is not");
}

Result<Cage> Cage::choose(CageWish wish, const CageOptions& options) {
  Cage out;
  out.options_ = options;
  out.kind_ = wish == CageWish::None ? CageKind::None : CageKind::Limits;
  const auto limited = [&](std::string why) {
    out.filtered_ = out.kind_ == CageKind::Limits && can_refuse_networks();
    out.why_ = std::move(why);
    if (out.kind_ == CageKind::Limits)
      out.why_ += out.filtered_ ? "; seccomp refuses networks" : "; the network is open: there is no seccomp filter";
    return out;
  };
  if (wish == CageWish::Limits || wish == CageWish::None)
    return limited(fmt::format("--cage {} was asked for", name(out.kind_)));
  for (const Way way : {Way::UserNamespace, Way::RootNamespaces}) {
    if (way == Way::RootNamespaces && ::geteuid() != 0) break;
    out.way_ = way;
    out.kind_ = CageKind::Full;
    const auto built = Caged::start(out, {}, -1);
    if (built) return out;
    if (!out.why_.empty()) out.why_ += "; ";
    out.why_ += built.error().message;
  }
  out.way_ = Way::Group;
  out.kind_ = CageKind::Limits;
  if (wish == CageWish::Full) return Error{ErrorCode::Value, "a full cage cannot be built here: " + out.why_};
  return limited(out.why_);
}

Result<Caged> Caged::start(const Cage& cage, const std::vector<std::string>& command, int bulk) {
  // A process that is forked meanwhile would keep the ends of these pipes open, and the gate would not see them close.
  static std::mutex one_at_a_time;
  const std::lock_guard hold(one_at_a_time);
  auto in = open_pipe(true), out = open_pipe(true), err = open_pipe(false), status = open_pipe(false);
  if (!in || !out || !err || !status) return system_error("a pipe cannot be made");
  std::vector<std::string> words = command, variables = environment();
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  const bool root = ::geteuid() == 0;
  const uid_t uid = root ? kNobody : ::geteuid();
  const gid_t gid = root ? kNobody : ::getegid();
  const std::string uid_map = fmt::format("{0} {0} 1\n", uid), gid_map = fmt::format("{0} {0} 1\n", gid);
  Plan plan;
  plan.user_namespace = cage.way_ == Cage::Way::UserNamespace;
  plan.namespaces = cage.way_ != Cage::Way::Group;
  plan.becomes_nobody = root && cage.kind_ != CageKind::None;
  plan.filtered = cage.filtered_;
  plan.memory = cage.options_.memory;
  plan.largest_file = cage.options_.largest_file;
  plan.argv = command.empty() ? nullptr : argv.data();
  plan.envp = envp.data();
  plan.files = {in->read.get(), out->write.get(), err->write.get(), bulk, status->write.get()};
  plan.others = {in->write.get(), out->read.get(), err->read.get(), status->read.get()};
  plan.uid_map = uid_map.c_str();
  plan.gid_map = gid_map.c_str();
  if (!plan.namespaces) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t gate = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return system_error("a process cannot be started");
  if (pid == 0) be_outer(plan, gate);
  Caged made;
  made.kind_ = cage.kind_;
  made.outer_ = pid;
  in->read = Descriptor(), out->write = Descriptor(), err->write = Descriptor(), status->write = Descriptor();
  made.in_ = std::move(in->write), made.out_ = std::move(out->read), made.err_ = std::move(err->read);
  made.status_ = std::move(status->read);
  Message message;
  const bool told = receive(made.status_.get(), message);
  if (told && message.what == 'f') return system_error("a cage is denied", message.value);
  if (!told || message.what != 'i') return Error{ErrorCode::Io, "the process ended before it began"};
  made.inner_ = message.value;
  for (const int file : {made.in_.get(), made.out_.get(), made.err_.get(), made.status_.get()})
    ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
  return made;
}

Caged::Caged(Caged&& other) noexcept
    : kind_(other.kind_),
      outer_(std::exchange(other.outer_, 0)),
      inner_(std::exchange(other.inner_, 0)),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      status_(std::move(other.status_)) {}

Caged::~Caged() { end(0); }

Ended Caged::end(int patience) {
  if (outer_ == 0) return {};
  Ended out;
  int status = 0;
  Message message;
  if (inner_ != 0) {
    for (;;) {
      pollfd ready{status_.get(), POLLIN, 0};
      if (::poll(&ready, 1, patience) <= 0 || !receive(status_.get(), message)) break;
      if (message.what == 'x') out.not_started = message.value;
      if (message.what != 's') continue;
      out.known = true;
      status = message.value;
      break;
    }
    ::kill(inner_, SIGKILL);
    int of_outer = 0;
    wait_for(outer_, of_outer);
  } else {
    siginfo_t info{};
    do {
      out.known =
          ::waitid(P_PID, static_cast<id_t>(outer_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == outer_;
    } while (!out.known && patience-- > 0 && ::poll(nullptr, 0, 1) == 0);
    ::kill(-outer_, SIGKILL);
    ::kill(outer_, SIGKILL);
    wait_for(outer_, status);
    if (receive(status_.get(), message) && message.what == 'x') out.not_started = message.value;
    if (kind_ == CageKind::Limits) sweep();
  }
  outer_ = inner_ = 0;
  if (!out.known) return out;
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return out;
}

}  // namespace vl::gate
