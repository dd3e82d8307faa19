// The pairs of a relation and of a plan, unit by unit: the relation by evaluating maps at each point, the plan by
// walking through its steps as plan.h describes them. Neither uses the planner, the checker or a kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "encodings/map/map.h"
#include "oracle/plan/plan.h"
#include "oracle/plan/relation.h"

namespace vl::test {

using Pair = std::pair<Index, Index>;  // units of the source and of the destination

/// The unit's number of (element, replica) on a side; nothing if the element has no slot.
inline std::optional<Index> unit_at(const oracle::Side& side, Point element, const Point& replica) {
  for (std::size_t k = 0; k < element.size(); ++k)
    if (k < 64 && (side.pinned >> k & 1) != 0) element[k] = 0;
  switch (side.kind) {
    case oracle::Side::Kind::Dense: return side.layout->logical().linear(element);
    case oracle::Side::Kind::View: return map::value(side.layout->host_offset(), element);
    case oracle::Side::Kind::Image: break;
  }
  const Point outputs = map::outputs_at(*side.layout, element, replica);
  if (!side.layout->is_slot(outputs)) return std::nullopt;
  return side.layout->physical().linear(std::span(outputs).first(side.layout->physical().rank()));
}

/// The replicas of a side: its own, or the first alone.
inline std::vector<Point> replicas_of(const oracle::Side& side) {
  const map::Space& space = side.layout->replicas();
  std::vector<Point> out;
  for (Index r = 0; r < space.volume(); ++r) {
    if (r > 0 && !side.replicas) break;
    out.push_back(space.point(r));
  }
  if (!side.replicas) out = {Point(space.rank(), 0)};
  return out;
}

/// Every pair of a relation, sorted; nothing if an element has no slot.
inline std::optional<std::vector<Pair>> pairs_of(const oracle::Relation& relation) {
  std::vector<Pair> out;
  if (relation.nests != nullptr) {
    for (const use::Nest& nest : relation.nests->nests) {
      const map::Space space = *map::Space::create(map::Space::dims("i", nest.extents));
      for (Index i = 0; i < space.volume(); ++i) {
        const Point at = space.point(i);
        Pair pair{nest.source.offset, nest.destination.offset};
        for (std::size_t k = 0; k < at.size(); ++k) {
          pair.first += at[k] * nest.source.strides[k];
          pair.second += at[k] * nest.destination.strides[k];
        }
        out.push_back(pair);
      }
    }
    std::ranges::sort(out);
    return out;
  }
  const map::Space& logical = relation.source.layout->logical();
  for (Index x = 0; x < logical.volume(); ++x) {
    const Point element = logical.point(x);
    bool skipped = false;
    for (std::size_t k = 0; k < element.size() && k < 64; ++k)
      skipped = skipped || (element[k] > 0 && (relation.source.pinned & relation.destination.pinned) >> k & 1);
    if (skipped) continue;
    for (const Point& r : replicas_of(relation.source))
      for (const Point& s : replicas_of(relation.destination)) {
        const auto from = unit_at(relation.source, element, r);
        const auto to = unit_at(relation.destination, element, s);
        if (!from || !to) return std::nullopt;
        out.emplace_back(*from, *to);
      }
  }
  std::ranges::sort(out);
  return out;
}

/// The work of a plan: pairs that are copied, pairs that are compared, units that are filled; each as often as it
/// happens.
struct Trace {
  std::vector<Pair> copied;
  std::vector<Pair> compared;
  std::vector<Index> filled;
};

inline Trace trace_of(const oracle::Plan& plan, Index unit) {
  Trace out;
  const auto run = [&](const oracle::Step& step, Index source, Index destination) {
    for (Index b = 0; b < step.run + step.fill; b += unit) {
      const Index to = oracle::apply(step.destination_swizzle, destination + b) / unit;
      const Index from = oracle::apply(step.source_swizzle, source + b) / unit;
      if (b >= step.run || step.kernel == oracle::Kernel::Fill) out.filled.push_back(to);
      else if (step.kernel == oracle::Kernel::Compare) out.compared.emplace_back(from, to);
      else out.copied.emplace_back(from, to);
    }
  };
  const auto walk = [&](const auto& self, const oracle::Step& step, std::size_t k, Index source,
                        Index destination) -> void {
    if (k == step.rank) return run(step, source, destination);
    for (Index i = 0; i < step.loops[k].extent; ++i)
      self(self, step, k + 1, source + i * step.loops[k].source, destination + i * step.loops[k].destination);
  };
  for (const oracle::Step& step : plan.steps) walk(walk, step, 0, step.source, step.destination);
  std::ranges::sort(out.copied);
  std::ranges::sort(out.compared);
  std::ranges::sort(out.filled);
  return out;
}

/// Units of a memory that no pair writes.
inline std::vector<Index> gaps_of(const std::vector<Pair>& pairs, Index units) {
  std::vector<bool> written(static_cast<std::size_t>(units), false);
  for (const Pair& pair : pairs) written[static_cast<std::size_t>(pair.second)] = true;
  std::vector<Index> out;
  for (Index u = 0; u < units; ++u)
    if (!written[static_cast<std::size_t>(u)]) out.push_back(u);
  return out;
}

/// Whether no unit of the destination is written twice.
inline bool writes_once(const std::vector<Pair>& pairs) {
  std::vector<Index> to;
  for (const Pair& pair : pairs) to.push_back(pair.second);
  std::ranges::sort(to);
  return std::ranges::adjacent_find(to) == to.end();
}

}  // namespace vl::test
