// Budget: what one question may take of a solver, and how its asker can end it. It is data: who asks passes it down,
// and whoever gives up because of it says so.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace vl {

/// What one obligation may take, and where it is solved. In a child process every limit holds whatever the solver does.
/// In process (no `worker`) memory has no limit, and the others hold as far as Z3 heeds its interrupt: for tests.
struct Budget {
  /// Of processor time in a child, which may take four times as long and a second by the clock; in process of wall
  /// time.
  std::chrono::milliseconds wall{10'000};
  std::uint64_t rlimit = 20'000'000;        // Z3's resource units: deterministic, about 5 seconds
  std::uint64_t memory_mib = 4096;          // of a child
  std::string worker;                       // a program that calls run_worker() when its first argument is kWorker
  std::string cvc5 = "cvc5";                // a path, or a name along PATH
  const std::atomic<bool>* stop = nullptr;  // true: give up at once
  std::atomic<bool>* spent = nullptr;  // becomes true when an answer was not found for want of time, units or memory

  [[nodiscard]] bool stopped() const { return stop != nullptr && *stop; }
  /// Whoever gives up because of this budget says so here; with a larger one the answer may be another.
  void mark_spent() const {
    if (spent != nullptr) *spent = true;
  }
};

}  // namespace vl
