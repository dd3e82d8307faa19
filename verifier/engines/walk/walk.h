// Walks: the points of a box in row-major order, under one clock. Whatever the enumerate engine is asked of layouts,
// nests or accesses is a few such walks: over the points of a domain, the iterations of a nest, the instances of an
// access. The first point that a walk finds is the smallest.
//
// Example: over 2 by 3, "the sum is 2" holds at [0, 2] first.
#pragma once

#include <chrono>
#include <limits>

#include "verifier/engines/engine.h"

namespace vl::engines {

/// When a walk ends that has found nothing: after the time that an engine may take, when it is told to end, or after so
/// much work. A point is one unit of work, or as many as the walk says.
class Limit {
 public:
  explicit Limit(const Budget& budget, Index most = std::numeric_limits<Index>::max())
      : budget_(budget), end_(std::chrono::steady_clock::now() + budget.wall), most_(most) {}

  [[nodiscard]] bool reached(Index work) {
    most_ -= work;
    if ((unseen_ += work) < kBetweenClockReads) return most_ <= 0;
    unseen_ = 0;
    return most_ <= 0 || budget_.stopped() || std::chrono::steady_clock::now() > end_;
  }
  /// Marks the budget as spent, unless the walk was told to end.
  [[nodiscard]] Abstained why() const {
    if (budget_.stopped()) return {Reason::Interrupted, "interrupted"};
    budget_.mark_spent();
    return {Reason::Timeout, "the wall time of the budget is used up"};
  }

 private:
  static constexpr Index kBetweenClockReads = Index{1} << 10;  // units of work; one may be a long expression

  const Budget& budget_;
  std::chrono::steady_clock::time_point end_;
  Index most_;
  Index unseen_ = 0;
};

/// The first point p of the space for which holds(p); None when there is none. Each point is so much work.
template <class Holds>
[[nodiscard]] Answer first_point(const map::Space& space, Limit& limit, Holds&& holds, Index work = 1) {
  if (space.volume() == 0) return None{};
  Point p(space.rank(), 0);
  do {
    if (holds(p)) return Found{{p, {}, {}}, true};
    if (limit.reached(work)) return limit.why();
  } while (map::advance(space, p));
  return None{};
}

// The parts of the engine.
[[nodiscard]] Answer walk_layouts(const Question& question, Limit& limit);
[[nodiscard]] Answer walk_moves(const TransferQuestion& question, Limit& limit);
[[nodiscard]] Answer walk_lanes(const BankQuestion& question, Limit& limit);

/// Of a question about single points, or single instances, the smallest; abstains on others.
[[nodiscard]] Answer walk_points(const Question& question, Limit& limit);
[[nodiscard]] Answer walk_instances(const BankQuestion& question, Limit& limit);

}  // namespace vl::engines
