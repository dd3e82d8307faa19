// Interrupt: Ctrl-C and SIGTERM as a value that long work looks at regularly. The second one ends the program at once,
// like a signal that is not caught.
#pragma once

#include <signal.h>

#include <atomic>

namespace vl {

/// During its lifetime, SIGINT and SIGTERM set told(); without one, told() is false. There may be only one at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] static const std::atomic<bool>& told();

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

}  // namespace vl
