// Child: a solver as a separate program, connected by one socket. It always ends at its limits. A solver in
// process cannot guarantee this: a thread cannot be ended, and a solver can ignore its own timeout.
//
// The child leads a process group. So a Ctrl-C of the terminal reaches the parent first, and the processes that the
// child starts die with it. The parent looks at the child's processor time and memory every few milliseconds and kills
// a child beyond a limit. So the parent knows which limit ended the child, without reading its texts. The kernel's own
// limits stay in force if the parent is killed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vl {

struct ChildLimits {
  std::chrono::milliseconds cpu{10'000};
  std::chrono::milliseconds wall{40'000};
  std::uint64_t memory_mib = 4096;          // resident
  const std::atomic<bool>* stop = nullptr;  // killed when it becomes true
};

struct Spoken {
  enum class End {
    Exited,      // by itself; `status` is its exit status
    Crashed,     // by a signal that the parent did not send; `status` is its number
    Time,        // killed: processor or wall time
    Memory,      // killed: resident memory
    Stopped,     // killed: *stop
    Flooded,     // killed: it wrote more than 16 MiB
    NotStarted,  // there is no such program, or it cannot be run; `status` is the errno
  };
  End end = End::NotStarted;
  int status = 0;
  std::string text;  // its standard output and its standard error, in the order of arrival
};

/// Called with the child's first line; returns the text that is sent next.
using Reply = std::function<std::string(std::string_view line)>;

/// Runs `program` (found along PATH if it has no slash) and sends `script`. If there is a reply, waits for a line and
/// sends the reply to it. Then closes the child's standard input and reads until the child ends. On return the child
/// and all processes that it started in its group have ended.
/// Example: speak("cat", {}, "a\n", [](auto line) { return std::string(line) + "b\n"; }, {}).text == "a\nab\n".
[[nodiscard]] Spoken speak(const std::string& program, std::vector<std::string> arguments, std::string_view script,
                           const Reply& reply, const ChildLimits& limits);

}  // namespace vl
