// NoNetwork: the filter of a cage where namespaces are denied. A process that has it, and all that it starts, gets no
// socket but those of the machine's own files (AF_UNIX): socket() of another family fails with ENETUNREACH, as in a
// full cage a connection does, also to loopback; so do, with ENOSYS, other ways to a socket: io_uring, and the system
// calls of another instruction set. Plain BPF, for x86-64 and AArch64.
//
// What it does not do: a descriptor that the process already has, or gets from another one over AF_UNIX, stays usable.
#pragma once

namespace vl::gate {

/// Whether this kernel takes such a filter from us.
[[nodiscard]] bool can_refuse_networks();
/// From now on. Only system calls are made; false with errno. Requires: PR_SET_NO_NEW_PRIVS.
[[nodiscard]] bool refuse_networks();

}  // namespace vl::gate
