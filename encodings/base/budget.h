// Budget: the limits of a solver for one question, and the flag that ends the solver. It is data: the caller passes it
// down, and an engine that gives up because of it marks it as spent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace vl {

/// The limits of one obligation, and the place where it is solved. In a child process the solver cannot exceed a limit.
/// In process (no `worker`) memory has no limit, and the other limits hold only if Z3 obeys its interrupt: for tests.
struct Budget {
  /// In a child: processor time; its wall time may be four times as long, plus one second. In process: wall time.
  std::chrono::milliseconds wall{10'000};
  std::uint64_t rlimit = 20'000'000;        // Z3's resource units: deterministic, about 5 seconds
  std::uint64_t memory_mib = 4096;          // of a child
  std::string worker;                       // a program that calls run_worker() when its first argument is kWorker
  std::string cvc5 = "cvc5";                // a path, or a name along PATH
  const std::atomic<bool>* stop = nullptr;  // true: give up at once
  std::atomic<bool>* spent = nullptr;       // becomes true when time, units or memory did not suffice for an answer

  [[nodiscard]] bool stopped() const { return stop != nullptr && *stop; }
  /// An engine that gives up because of this budget calls this; with a larger budget its answer may differ.
  void mark_spent() const {
    if (spent != nullptr) *spent = true;
  }
};

}  // namespace vl
