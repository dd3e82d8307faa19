// Interrupt: Ctrl-C and SIGTERM as a value that long work looks at now and then. The second one ends the program at
// once, as if nobody had caught the first.
#pragma once

#include <signal.h>

#include <atomic>

namespace vl::cli {

/// While it lives, SIGINT and SIGTERM set told(). One at a time.
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

}  // namespace vl::cli
