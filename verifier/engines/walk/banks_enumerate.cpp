// The enumerating engine on accesses: every instance in turn. Exact for any access; the twin of the other engines.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "verifier/engines/walk/walks.h"
#include "verifier/question/access.h"

namespace vl::engines {
namespace {

using question::Counter;
using question::LaneWalk;
using question::Reach;

constexpr Index kMostLanes = Index{1} << 24;

// Whether the walk has taken as long as one engine may, or has to end. Expressions may be long, so that the number of
// points is no bound on the time; the clock is looked at now and then.
class Limit {
 public:
  explicit Limit(const Options& options)
      : budget_(options.budget), end_(std::chrono::steady_clock::now() + budget_.wall) {}
  [[nodiscard]] bool reached() {
    return ++steps_ % 1024 == 0 && (budget_.stopped() || std::chrono::steady_clock::now() > end_);
  }
  [[nodiscard]] Abstained why() const {
    if (budget_.stopped()) return {Reason::Interrupted, "interrupted"};
    budget_.mark_spent();
    return {Reason::Timeout, "not every instance was seen in time"};
  }

 private:
  const Budget& budget_;
  std::chrono::steady_clock::time_point end_;
  Index steps_ = 0;
};

// The smallest (lane, instance…) that fits.
template <class Fits>
Answer first_point(const Reach& reach, const Options& options, const Fits& fits) {
  LaneWalk walk(reach);
  Limit limit(options);
  Point p(reach.bytes.domain().rank(), 0);
  do {
    if (fits(walk, p)) return Found{{p, {}, {}}, true};
    if (limit.reached()) return limit.why();
  } while (map::advance(reach.bytes.domain(), p));
  return None{};
}

}  // namespace

std::optional<Witness> first_instance_early(const BankQuestion& question, Index most) {
  const Reach& reach = *question.reach;
  if (question.kind != Kind::Crowds) return std::nullopt;
  const map::Space instances = question::instances_of(reach);
  Counter counter(reach);
  Point instance(instances.rank(), 0);
  do {
    const auto sum = counter.count(instance);
    if (sum.wavefronts - sum.ideal > question.limit) return Witness{instance, {}, {}};
    most -= reach.bytes.domain().extent(0);
  } while (most > 0 && map::advance(instances, instance));
  return std::nullopt;
}

Answer walk_lanes(const BankQuestion& question, const Options& options) {
  const Reach& reach = *question.reach;
  if (reach.bytes.domain().volume() > kMostLanes)
    return Abstained{Reason::OutOfReach, fmt::format("more than {} lanes of instances", kMostLanes)};
  if (question.kind == Kind::Escapes)
    return first_point(reach, options,
                       [](LaneWalk& walk, const Point& p) { return walk.is_active(p) && walk.is_outside(p); });
  if (question.kind == Kind::Lands)
    return first_point(reach, options, [](LaneWalk& walk, const Point& p) { return walk.is_active(p); });
  if (question.kind != Kind::Crowds && question.kind != Kind::Count) return abstain("not asked of accesses");
  const map::Space instances = question::instances_of(reach);
  Counter counter(reach);
  Limit limit(options);
  Point instance(instances.rank(), 0);
  Index worst = 0;
  do {
    if (limit.reached()) return limit.why();
    const auto sum = counter.count(instance);
    const Index excess = sum.wavefronts - sum.ideal;
    if (question.kind == Kind::Crowds && excess > question.limit) return Found{{instance, {}, {}}, true};
    worst = std::max(worst, question.measure == question::Measure::Wavefronts ? sum.wavefronts : excess);
  } while (map::advance(instances, instance));
  if (question.kind == Kind::Crowds) return None{};
  return Counted{worst};
}

}  // namespace vl::engines
