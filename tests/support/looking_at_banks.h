// Looking at banks: the truth of a claim about an access, by every instance, lane and word, from the naive meaning of
// its maps (maps.h). Words and banks are defined as in engines/banks.h; no code of the engines is used.
#pragma once

#include <map>

#include "tests/support/access_brute.h"
#include "tests/support/looking.h"

namespace vl::test {

namespace looking {

inline bool is_active(const engines::Reach& reach, const Point& at) {
  if (!reach.when) return true;
  const Point values = naive(*reach.when, at);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto comparison = reach.conditions[i];
    if (comparison == use::Comparison::AtMostZero && values[i] > 0) return false;
    if (comparison == use::Comparison::IsZero && values[i] != 0) return false;
    if (comparison == use::Comparison::IsNotZero && values[i] == 0) return false;
  }
  return true;
}

struct Instance {
  BruteCost cost;
  bool outside = false;
};

inline Instance look_at(const engines::Reach& reach, const Point& variables) {
  Instance out;
  std::map<Index, Index> bytes;  // of active lanes
  for (Index lane = 0; lane < reach.bytes.domain().extent(0); ++lane) {
    Point at{lane};
    at.insert(at.end(), variables.begin(), variables.end());
    if (!is_active(reach, at)) continue;
    bytes[lane] = naive(reach.bytes, at).front();
    out.outside = out.outside || !inside_space(naive(reach.coordinates, at), reach.logical);
  }
  const auto distances = reach.pairs ? reach.pairs->distances : std::vector<Index>{};
  out.cost = brute_cost(reach, brute_load_phases(distances, reach.phases, bytes), reach.width, bytes);
  return out;
}

}  // namespace looking

/// The truth of conflict-free, conflicts and wavefronts; nothing beyond 2^13 lanes of instances.
[[nodiscard]] inline std::optional<Looked> look_at_banks(std::string_view claim, const claims::Accessed& subject) {
  const engines::Reach& reach = subject.reach;
  if (reach.bytes.domain().volume() > 8 * kMostLooked) return std::nullopt;
  Index most = 0, most_excess = 0;
  bool active = false;
  std::vector<map::Dim> variables(reach.bytes.domain().dims().begin() + 1, reach.bytes.domain().dims().end());
  for (const Point& instance : all_points(*map::Space::create(std::move(variables)))) {
    const auto [cost, outside] = looking::look_at(reach, instance);
    if (outside) return Looked{"unsupported", {}};
    most = std::max(most, cost.wavefronts);
    most_excess = std::max(most_excess, cost.wavefronts - cost.ideal);
    active = active || cost.ideal > 0;
  }
  if (!active && reach.when) return Looked{"vacuous", {}};
  if (claim == "wavefronts") return Looked{"proved", most};
  if (claim == "conflicts" && !subject.at_most) return Looked{"proved", most_excess};
  return Looked{most_excess > subject.at_most.value_or(0) ? "refuted" : "proved", {}};
}

}  // namespace vl::test
