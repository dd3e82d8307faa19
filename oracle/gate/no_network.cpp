#include "oracle/gate/no_network.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace vl::gate {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif
constexpr std::uint32_t kOtherCalls = 0x40000000;  // x32, on x86-64

constexpr sock_filter load(std::uint32_t at) { return {BPF_LD | BPF_W | BPF_ABS, 0, 0, at}; }
// Skips so many lines if the value is, or is not, this one.
constexpr sock_filter equal(std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return {BPF_JMP | BPF_JEQ | BPF_K, yes, no, value};
}
constexpr sock_filter result(std::uint32_t what) { return {BPF_RET | BPF_K, 0, 0, what}; }

}  // namespace

bool can_refuse_networks() {
  // Without a filter to look at, a kernel that takes filters cannot read it; another one does not know the mode.
  return kMachine != 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) != 0 && errno == EFAULT;
}

bool refuse_networks() {
  sock_filter lines[] = {
      load(offsetof(seccomp_data, arch)),
      equal(kMachine, 0, 8),  // to ENOSYS
      load(offsetof(seccomp_data, nr)),
      {BPF_JMP | BPF_JGE | BPF_K, 6, 0, kOtherCalls},
      equal(SYS_io_uring_setup, 5, 0),
      equal(SYS_socket, 0, 3),
      load(offsetof(seccomp_data, args)),  // its low half
      equal(AF_UNIX, 1, 0),
      result(SECCOMP_RET_ERRNO | ENETUNREACH),
      result(SECCOMP_RET_ALLOW),
      result(SECCOMP_RET_ERRNO | ENOSYS),
  };
  const sock_fprog program{sizeof lines / sizeof *lines, lines};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace vl::gate
