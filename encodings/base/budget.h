// Budget: the limits of a solver for one question, and the flag that ends the solver. It is data: the caller passes it
// down, and an engine that gives up because of it marks it as spent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace vl {

/// The limits of one question, and the place where it is solved. Work is counted: `rlimit` bounds a solver's own units,
/// and every other loop has a number of steps that is in proportion to it (work()). So an answer depends on no clock,
/// no load and no number of threads.
///
/// Time only ends: when the wall clock of an answer has run out, everything gives up, and the answer is `timeout`. No
/// engine is asked in the place of one that ran out of time. In a child process the solver cannot exceed a limit. In
/// process (no `worker`) memory has no limit, and time ends Z3 only if it obeys its interrupt: for tests.
struct Budget {
  using Clock = std::chrono::steady_clock;

  static constexpr std::uint64_t kUnits = 20'000'000;  // Z3's: about 5 seconds

  std::chrono::milliseconds wall{600'000};           // of one answer, from begun() on
  Clock::time_point end = Clock::time_point::max();  // not begun: never
  std::uint64_t rlimit = kUnits;                     // Z3's resource units
  std::uint64_t memory_mib = 4096;                   // of a child
  std::string worker;                       // a program that calls run_worker() when its first argument is kWorker
  std::string cvc5 = "cvc5";                // a path, or a name along PATH
  const std::atomic<bool>* stop = nullptr;  // true: give up at once
  std::atomic<bool>* spent = nullptr;       // becomes true when time, units or memory did not suffice for an answer

  /// The same, with the clock of one answer started, unless it runs already.
  [[nodiscard]] Budget begun() const {
    Budget out = *this;
    if (end == Clock::time_point::max() && wall < std::chrono::hours(24 * 365)) out.end = Clock::now() + wall;
    return out;
  }
  [[nodiscard]] bool interrupted() const { return stop != nullptr && *stop; }
  /// The answer's time is over. Once it is, it stays so.
  [[nodiscard]] bool is_late() const { return end != Clock::time_point::max() && Clock::now() > end; }
  /// Told to end, or late: whoever sees it gives up.
  [[nodiscard]] bool stopped() const { return interrupted() || is_late(); }

  /// The steps of a loop that takes `most` of them within the default units; fewer with fewer units, and never more.
  /// Example: of 2^20 steps 52,428 with a twentieth of the units.
  [[nodiscard]] std::int64_t work(std::int64_t most) const {
    if (rlimit >= kUnits) return most;
    return static_cast<std::int64_t>(static_cast<double>(most) * (static_cast<double>(rlimit) / kUnits));
  }
  /// An engine that gives up because of this budget calls this; with a larger budget its answer may differ.
  void mark_spent() const {
    if (spent != nullptr) *spent = true;
  }
};

}  // namespace vl
