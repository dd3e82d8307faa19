// Cage: another person's program as a process that can do no harm and leaves nothing behind.
//
//   full     its own user, pid, net and ipc namespaces: no network, also no loopback; whatever it starts dies with it.
//            A gate that runs as root becomes uid 65534 first, because the kernel binds root to no number of processes
//   limits   where namespaces are denied: its own session and process group. What it starts is found by its parents
//            and killed. A seccomp filter refuses networks (no_network.h); where the kernel has none, the network is
//            open, and why() says so
//            What `limits` does not do: it does not hide the gate and the user's other processes, which the program may
//            signal, nor the user's files, which it may write (a file of at most 16 MiB). It kills what was started
//            only while the gate lives: if the gate itself is killed, the kernel ends the program, and not what that
//            started. It finds nothing where /proc is not mounted or does not list children, and gives up after 1000
//            rounds, so a fork bomb that is faster than that stays, up to RLIMIT_NPROC, which does not bind root
//   none     the limits without the search: for debuggers
//
// In every cage: no core files, files of at most 16 MiB, so much address space, so many processes and open files; it
// dies when the gate dies (PR_SET_PDEATHSIG); its streams are pipes, and no other descriptor is open in it but 3, a
// shared memory whose first word is the cursor (protocol.h). The environment is the gate's without HOME, and with
// PYTHONHASHSEED=0 OMP_NUM_THREADS=1 TZ=UTC LC_ALL=C LAYOUT_GATE_BULK=/dev/fd/3.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/files.h"

namespace vl::gate {

enum class CageKind : std::uint8_t { Full, Limits, None };
enum class CageWish : std::uint8_t { Auto, Full, Limits, None };

/// "full", "limits", "none".
[[nodiscard]] std::string_view name(CageKind kind);

struct CageOptions {
  std::uint64_t memory = std::uint64_t{4} << 30;  // bytes of address space
  std::uint64_t largest_file = std::uint64_t{16} << 20;
};

/// How cages are built on this machine, found out once by building one.
class Cage {
 public:
  /// Errors: Value where the wish is Full and the machine denies namespaces; the message says what was denied.
  static Result<Cage> choose(CageWish wish, const CageOptions& options);

  [[nodiscard]] CageKind kind() const { return kind_; }
  /// Why it is no full one; empty if it is.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  friend class Caged;
  enum class Way : std::uint8_t { UserNamespace, RootNamespaces, Group };

  Way way_ = Way::Group;
  CageKind kind_ = CageKind::None;
  bool filtered_ = false;  // no_network.h
  std::string why_;
  CageOptions options_;
};

/// How a process ended.
struct Ended {
  bool known = false;
  int code = 0;         // its exit code, if signal is 0
  int signal = 0;       // that ended it
  int not_started = 0;  // the errno of exec, if the program could not be run
};

/// One process in a cage. Its destruction ends it and all that it started, and so does the end of the thread that
/// started it. Several may live at once and be started side by side; they share the limit on processes. Without
/// namespaces only one at a time: what is left behind has the gate as its parent then, and nobody knows whose it was.
class Caged {
 public:
  /// Starts a command. `bulk` becomes its descriptor 3. Errors, of code Io: the system's; there is no such program.
  static Result<Caged> start(const Cage& cage, const std::vector<std::string>& command, int bulk);
  Caged(Caged&& other) noexcept;
  Caged& operator=(Caged&&) = delete;
  ~Caged();

  [[nodiscard]] int in() const { return in_.get(); }
  [[nodiscard]] int out() const { return out_.get(); }
  [[nodiscard]] int err() const { return err_.get(); }
  /// No more requests will come.
  void close_input() { in_ = Descriptor(); }
  /// Kills it and all that it started, waits until they are gone, and says how it had ended if it did so by itself
  /// within so many milliseconds from now.
  Ended end(int patience = 0);

 private:
  Caged() = default;

  CageKind kind_ = CageKind::None;
  pid_t outer_ = 0;  // our child, 0 when it is gone
  pid_t inner_ = 0;  // init of its namespace; 0 without
  Descriptor in_, out_, err_, status_;
};

}  // namespace vl::gate
