// Child: a solver as a program of its own, talked to through one socket, which ends when its limits say so whatever it
// does. In process no such promise can be kept: a thread cannot be ended, and a solver can ignore its own timeout.
//
// The child leads a process group, so that a Ctrl-C of the terminal reaches us first and what it starts dies with it.
// Its processor time and memory are looked at every few milliseconds, and a child beyond a limit is killed; so it is
// known which limit ended it, without reading its texts. Behind that stand the kernel's own limits, for the case that
// we are killed.
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
    Crashed,     // by a signal that we did not send; `status` is its number
    Time,        // killed: processor or wall time
    Memory,      // killed: resident memory
    Stopped,     // killed: *stop
    Flooded,     // killed: it wrote more than 16 MiB
    NotStarted,  // there is no such program, or it cannot be run; `status` is the errno
  };
  End end = End::NotStarted;
  int status = 0;
  std::string text;  // its standard output and its standard error, as they came
};

/// Called with the child's first line; gives what is sent after it.
using Reply = std::function<std::string(std::string_view line)>;

/// Runs `program` (found along PATH when it has no slash), sends `script`; then, with a reply, waits for a line, and
/// sends the reply to it; then closes the child's standard input and listens until it ends. On return there is no child
/// any more, nor a process that it started in its group. Example: speak("cat", {}, "a\n", [](auto line) { return
/// std::string(line) + "b\n"; }, {}).text == "a\nab\n".
[[nodiscard]] Spoken speak(const std::string& program, std::vector<std::string> arguments, std::string_view script,
                           const Reply& reply, const ChildLimits& limits);

}  // namespace vl
