// Plans for the tests of the checker: the pairs of a relation and of a plan, element by element, and plans written by
// hand.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle/plan/check.h"

namespace vl::test {

using oracle::Kernel;
using oracle::Loop;
using oracle::Plan;
using oracle::Relation;
using oracle::Rewrite;
using oracle::Rule;
using oracle::Side;
using oracle::Step;
using Pairs = std::set<std::pair<Index, Index>>;

/// The units of a side's memory, by walking over its tensor.
inline Index memory_of(const Side& side) {
  if (side.kind == Side::Kind::Dense) return side.layout->logical().volume();
  if (side.kind == Side::Kind::Image) return side.layout->physical().volume();
  Index units = 0;
  Point x(side.layout->logical().rank(), 0);
  if (side.layout->logical().volume() == 0) return 0;
  do units = std::max(units, *map::value(side.layout->host_offset(), x) + 1);
  while (map::advance(side.layout->logical(), x));
  return units;
}

/// The place of element x, replica r on a side; -1 without a slot.
inline Index place_of(const Side& side, Point x, const Point& r) {
  for (std::size_t k = 0; k < x.size() && k < 64; ++k)
    if ((side.pinned >> k & 1) != 0) x[k] = 0;
  if (side.kind == Side::Kind::Dense) return side.layout->logical().linear(x);
  if (side.kind == Side::Kind::View) return *map::value(side.layout->host_offset(), x);
  const Point outputs = map::outputs_at(*side.layout, x, r);
  if (!side.layout->is_slot(outputs)) return -1;
  return side.layout->physical().linear(std::span(outputs).first(side.layout->physical().rank()));
}

/// The relation as its definition says it. A destination of -1 stands for an element without a slot.
inline Pairs pairs_by_definition(const Relation& relation) {
  Pairs pairs;
  const map::Space& logical = relation.source.layout->logical();
  const auto replicas = [](const Side& side) { return side.replicas ? side.layout->replicas() : map::Space(); };
  const map::Space from = replicas(relation.source);
  const map::Space to = replicas(relation.destination);
  if (logical.volume() == 0 || from.volume() == 0 || to.volume() == 0) return pairs;
  const auto at = [](const Side& side, const Point& x, const Point& r) {
    return place_of(side, x, side.replicas ? r : Point(side.layout->replicas().rank(), 0));
  };
  Point x(logical.rank(), 0);
  do {
    Point r(from.rank(), 0);
    do {
      Point s(to.rank(), 0);
      do pairs.emplace(at(relation.source, x, r), at(relation.destination, x, s));
      while (map::advance(to, s));
    } while (map::advance(from, r));
  } while (map::advance(logical, x));
  return pairs;
}

/// The effect of a plan on each byte of its destination, and the bytes that it compares.
struct Deeds {
  static constexpr Index kUntouched = -1;
  static constexpr Index kFill = -2;  // and below: byte k of the fill value is kFill - k
  std::vector<Index> destination;     // the number of the source's byte that came there
  Pairs compared;
  std::string wrong;  // an address outside, a byte written twice
};

/// Runs a plan byte by byte, groups in lockstep. `unit` is the size of the fill value.
class Interpreter {
 public:
  Interpreter(const Plan& plan, Index unit) : plan_(plan), unit_(unit) {}

  Deeds run() {
    deeds_.destination.assign(static_cast<std::size_t>(plan_.destination_bytes), Deeds::kUntouched);
    for (const oracle::Group& group : plan_.groups) {
      std::vector<std::pair<Index, Index>> at;
      for (std::size_t k = 0; k < group.count; ++k)
        at.emplace_back(plan_.steps[group.first + k].source, plan_.steps[group.first + k].destination);
      share(group, 0, at);
    }
    return std::move(deeds_);
  }

 private:
  void share(const oracle::Group& group, std::size_t loop, std::vector<std::pair<Index, Index>> at) {
    if (loop == group.shared) {
      for (std::size_t k = 0; k < group.count; ++k) walk(plan_.steps[group.first + k], loop, at[k].first, at[k].second);
      return;
    }
    for (Index i = 0; i < plan_.steps[group.first].loops[loop].extent; ++i) {
      share(group, loop + 1, at);
      for (std::size_t k = 0; k < group.count; ++k) {
        at[k].first += plan_.steps[group.first + k].loops[loop].source;
        at[k].second += plan_.steps[group.first + k].loops[loop].destination;
      }
    }
  }

  void walk(const Step& step, std::size_t loop, Index source, Index destination) {
    if (loop < step.rank) {
      const Loop& l = step.loops[loop];
      for (Index i = 0; i < l.extent; ++i) walk(step, loop + 1, source + i * l.source, destination + i * l.destination);
      return;
    }
    const Index from = apply(step.source_swizzle, source);
    const Index to = apply(step.destination_swizzle, destination);
    for (Index k = 0; k < step.run; ++k)
      if (step.kernel == Kernel::Fill) put(to + k, Deeds::kFill - k % unit_);
      else if (from + k < 0 || from + k >= plan_.source_bytes) deeds_.wrong = "reads outside";
      else if (step.kernel == Kernel::Compare) deeds_.compared.emplace(from + k, to + k);
      else put(to + k, from + k);
    for (Index k = 0; k < step.fill; ++k) put(to + step.run + k, Deeds::kFill - k % unit_);
  }

  void put(Index at, Index value) {
    if (at < 0 || at >= plan_.destination_bytes) return void(deeds_.wrong = "writes outside");
    Index& byte = deeds_.destination[static_cast<std::size_t>(at)];
    if (byte != Deeds::kUntouched) deeds_.wrong = "writes twice";
    byte = value;
  }

  const Plan& plan_;
  Index unit_;
  Deeds deeds_;
};

/// Empty if the plan does what the relation says, else the first thing that it does not. Requires: a plan that can be
/// run in reasonable time, as accepted ones of small relations can.
inline std::string misdeed(const Relation& relation, const Pairs& pairs, const Plan& plan) {
  const Index unit = relation.unit;
  if (plan.source_bytes != memory_of(relation.source) * unit ||
      plan.destination_bytes != memory_of(relation.destination) * unit)
    return "other memories";
  const Deeds deeds = Interpreter(plan, unit).run();
  if (!deeds.wrong.empty()) return deeds.wrong;
  std::vector<Index> expected(static_cast<std::size_t>(plan.destination_bytes), Deeds::kUntouched);
  if (plan.fills)
    for (std::size_t at = 0; at < expected.size(); ++at) expected[at] = Deeds::kFill - static_cast<Index>(at) % unit;
  Pairs compared;
  for (const auto& [from, to] : pairs) {
    if (from < 0 || to < 0) return "an element without a slot";
    for (Index k = 0; k < unit; ++k)
      if (plan.compares) compared.emplace(from * unit + k, to * unit + k);
      else expected[static_cast<std::size_t>(to * unit + k)] = from * unit + k;
  }
  if (deeds.compared != compared) return "compares other pairs";
  if (plan.compares) std::ranges::fill(expected, Deeds::kUntouched);
  return deeds.destination == expected ? "" : "writes other bytes";
}

}  // namespace vl::test
