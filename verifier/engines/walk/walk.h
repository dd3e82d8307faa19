// Walks: the points of a box in row-major order, under one count of work. Whatever the enumerate engine is asked of
// layouts, nests or accesses is a few such walks: over the points of a domain, the iterations of a nest, the instances
// of an access. The first point that a walk finds is the smallest.
//
// Example: over 2 by 3, "the sum is 2" holds at [0, 2] first.
#pragma once

#include <limits>

#include <fmt/format.h>

#include "verifier/engines/engine.h"

namespace vl::engines {

/// When a walk ends that has found nothing: after so much work, or when it is told to end. A point is one unit of work,
/// or as many as the walk says; a unit is a point of a map of few terms, some ten nanoseconds.
class Limit {
 public:
  static constexpr Index kMost = Index{1} << 30;  // four passes over all that is walked over: some ten seconds

  explicit Limit(const Budget& budget) : Limit(budget, budget.work(kMost)) {}
  Limit(const Budget& budget, Index most) : budget_(budget), most_(most), given_(most) {}

  [[nodiscard]] bool reached(Index work) {
    most_ -= work;
    if ((unseen_ += work) < kBetweenLooks) return most_ <= 0;
    unseen_ = 0;
    return most_ <= 0 || budget_.stopped();
  }
  /// Marks the budget as spent, unless the walk was told to end.
  [[nodiscard]] Abstained why() const {
    if (most_ > 0) return ended(budget_);
    budget_.mark_spent();
    return {Reason::ResourceLimit, fmt::format("the walk took its {} steps", given_)};
  }

 private:
  static constexpr Index kBetweenLooks = Index{1} << 10;  // units of work; one may be a long expression

  const Budget& budget_;
  Index most_;
  Index given_;
  Index unseen_ = 0;
};

/// What one point of a map costs, in units of work. Example: of one stage of two terms 1, of ten stages of 30 terms 8.
[[nodiscard]] Index work_of(const map::Map& map);

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

/// The places of points, with the points' numbers, sorted.
using Listed = std::vector<std::pair<Index, Index>>;
/// The smallest two points at one place, by number.
[[nodiscard]] std::optional<std::pair<Index, Index>> first_shared(const Listed& taken);

// The parts of the engine.
[[nodiscard]] Answer walk_layouts(const Question& question, Limit& limit);
[[nodiscard]] Answer walk_moves(const TransferQuestion& question, Limit& limit);
[[nodiscard]] Answer walk_lanes(const BankQuestion& question, Limit& limit);

/// Of a question about single points, or single instances, the smallest; abstains on others.
[[nodiscard]] Answer walk_points(const Question& question, Limit& limit);
[[nodiscard]] Answer walk_instances(const BankQuestion& question, Limit& limit);

}  // namespace vl::engines
