// The enumerating engine on accesses: every instance in turn. Exact for any access; the twin of the other engines.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/engines/walk/walk.h"
#include "verifier/question/access.h"

namespace vl::engines {
namespace {

constexpr Index kMostLanes = Index{1} << 24;

}  // namespace

Answer walk_instances(const BankQuestion& question, Limit& limit) {
  const question::Reach& reach = *question.reach;
  if (question.kind != Kind::Crowds && question.kind != Kind::Count) return abstain("not asked of instances");
  question::Counter counter(reach);
  Index worst = 0;
  const auto exceeds = [&](const Point& instance) {
    const auto sum = counter.count(instance);
    const Index excess = sum.wavefronts - sum.ideal;
    worst = std::max(worst, question.measure == question::Measure::Wavefronts ? sum.wavefronts : excess);
    return question.kind == Kind::Crowds && excess > question.limit;
  };
  Answer walked =
      first_point(question::instances_of(reach), limit, exceeds, reach.bytes.domain().extent(0) * work_of(reach.bytes));
  return question.kind == Kind::Count && decided(walked) ? Answer(Counted{worst}) : walked;
}

Answer walk_lanes(const BankQuestion& question, Limit& limit) {
  const question::Reach& reach = *question.reach;
  if (reach.bytes.domain().volume() > kMostLanes)
    return abstain(fmt::format("more than {} lanes of instances", kMostLanes));
  if (question.kind != Kind::Escapes && question.kind != Kind::Lands) return walk_instances(question, limit);
  question::LaneWalk walk(reach);
  return first_point(reach.bytes.domain(), limit, [&](const Point& p) {
    return walk.is_active(p) && (question.kind == Kind::Lands || walk.is_outside(p));
  });
}

}  // namespace vl::engines
