// Effort: how long it may take to look for a certificate. A proof that took microseconds is not worth seconds of
// evidence.
#pragma once

#include <chrono>

namespace vl::claims {

class Effort {
 public:
  using Clock = std::chrono::steady_clock;

  /// A quarter of a second, or eight times the decision if that is more, and never more than `most`. Example: of a
  /// decision of 3 µs 0.25 s, of one of 1 s 8 s.
  Effort(std::chrono::nanoseconds decision, std::chrono::nanoseconds most)
      : end_(Clock::now() + std::min(most, std::max<std::chrono::nanoseconds>(kLeast, 8 * decision))),
        is_long_(decision > kLeast / 8) {}

  /// For whoever has a certificate made alone: ten seconds.
  [[nodiscard]] static Effort generous() { return {std::chrono::seconds(10), std::chrono::seconds(10)}; }

  [[nodiscard]] bool is_spent() const { return Clock::now() >= end_; }
  [[nodiscard]] std::chrono::milliseconds left() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
  }
  /// How many conflicts of a solver are worth it.
  [[nodiscard]] int conflicts() const { return is_long_ ? 20'000 : 2'000; }

 private:
  static constexpr std::chrono::milliseconds kLeast{250};
  Clock::time_point end_;
  bool is_long_;
};

}  // namespace vl::claims
