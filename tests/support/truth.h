// The truth about relations of few points, by a look at each: layouts as lists of places, and the moves of loop nests.
// Whoever has a second meaning of a layout (the definitions of a map, of a cell, of a rule at some sizes, of a family)
// lists its places, and what a claim says of such a list stands here. It shares nothing with the IR, the engines or a
// family's reference; it is slow and literal.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "verifier/engines/engine.h"

namespace vl::test {

/// The truth about a layout. Points are (element, replica); the replicas are the device dims of stride 0 and size
/// > 1.
struct Truth {
  std::vector<Index> domain;                        // extents of (element, replica)
  std::vector<Index> physical;                      // extents of the device box
  std::vector<Index> slots;                         // for every point, in row-major order, the number of its slot or -1
  std::vector<unsigned> hits;                       // for every slot, how many points live there
  std::optional<Point> escapes;                     // the smallest point without a slot
  std::optional<Point> lands;                       // the smallest point with a slot
  std::optional<std::pair<Point, Point>> collides;  // the smallest points that share a slot
  std::optional<Point> unhit;                       // the smallest slot without a point
  Index occupied = 0;

  [[nodiscard]] bool bijective() const { return !escapes && !collides; }
};

[[nodiscard]] inline Index product(const std::vector<Index>& extents) {
  Index out = 1;
  for (const Index extent : extents) out *= extent;
  return out;
}

[[nodiscard]] inline Point point_at(Index number, const std::vector<Index>& extents) {
  Point point(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; number /= extents[i]) point[i] = number % extents[i];
  return point;
}

[[nodiscard]] inline Index number_of(const Point& point, const std::vector<Index>& extents) {
  Index out = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) out = out * extents[i] + point[i];
  return out;
}

[[nodiscard]] inline bool inside(const Point& point, const std::vector<Index>& extents) {
  if (point.size() != extents.size()) return false;
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (point[i] < 0 || point[i] >= extents[i]) return false;
  return true;
}

/// The truth about a layout from its slots in the order of its points, by a look at each; -1: no slot.
[[nodiscard]] inline Truth truth_of(std::vector<Index> domain, std::vector<Index> physical, std::vector<Index> slots) {
  Truth truth{std::move(domain), std::move(physical), std::move(slots), {}, {}, {}, {}, {}, 0};
  truth.hits.assign(static_cast<std::size_t>(product(truth.physical)), 0);
  for (std::size_t n = 0; n < truth.slots.size(); ++n) {
    const Index slot = truth.slots[n];
    auto& first = slot < 0 ? truth.escapes : truth.lands;
    if (!first) first = point_at(static_cast<Index>(n), truth.domain);
    if (slot >= 0 && truth.hits[static_cast<std::size_t>(slot)]++ == 0) ++truth.occupied;
  }
  for (std::size_t s = 0; s < truth.hits.size() && !truth.unhit; ++s)
    if (truth.hits[s] == 0) truth.unhit = point_at(static_cast<Index>(s), truth.physical);
  for (std::size_t p = 0; p < truth.slots.size() && !truth.collides; ++p)
    for (std::size_t q = p + 1; q < truth.slots.size() && !truth.collides; ++q)
      if (truth.slots[p] >= 0 && truth.hits[static_cast<std::size_t>(truth.slots[p])] > 1 &&
          truth.slots[p] == truth.slots[q])
        truth.collides = {point_at(static_cast<Index>(p), truth.domain), point_at(static_cast<Index>(q), truth.domain)};
  return truth;
}

enum class Said { Right, Abstained, Wrong };

/// Compares an engine's answer with the truth. A witness must be genuine, and the smallest one if it says so.
[[nodiscard]] inline Said judge(const Truth& truth, question::Kind kind, const engines::Answer& answer) {
  using question::Kind;
  if (std::holds_alternative<engines::Abstained>(answer)) return Said::Abstained;
  const auto is = [](bool right) { return right ? Said::Right : Said::Wrong; };
  if (kind == Kind::Count) {
    const auto* counted = std::get_if<engines::Counted>(&answer);
    return is(counted != nullptr && counted->count == truth.occupied);
  }
  const bool exists = kind == Kind::Escapes    ? truth.escapes.has_value()
                      : kind == Kind::Lands    ? truth.lands.has_value()
                      : kind == Kind::Collides ? truth.collides.has_value()
                      : kind == Kind::Misses   ? truth.unhit.has_value()
                                               : false;  // Misdecodes: a slot that is hit is valid
  if (std::holds_alternative<engines::None>(answer)) return is(!exists);
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr || !exists) return Said::Wrong;
  const question::Witness& w = found->witness;
  const auto slot = [&](const Point& p) { return truth.slots[static_cast<std::size_t>(number_of(p, truth.domain))]; };
  switch (kind) {
    case Kind::Escapes:
    case Kind::Lands: {
      if (!inside(w.p, truth.domain) || (slot(w.p) < 0) != (kind == Kind::Escapes)) return Said::Wrong;
      return is(!found->minimal || w.p == *(kind == Kind::Escapes ? truth.escapes : truth.lands));
    }
    case Kind::Collides:
      if (!inside(w.p, truth.domain) || !inside(w.q, truth.domain) || !(w.p < w.q)) return Said::Wrong;
      if (slot(w.p) < 0 || slot(w.p) != slot(w.q)) return Said::Wrong;
      return is(!found->minimal || std::pair(w.p, w.q) == *truth.collides);
    case Kind::Misses:
      if (!inside(w.slot, truth.physical)) return Said::Wrong;
      if (truth.hits[static_cast<std::size_t>(number_of(w.slot, truth.physical))] != 0) return Said::Wrong;
      return is(!found->minimal || w.slot == *truth.unhit);
    case Kind::Misdecodes:
    case Kind::Breaks:
    case Kind::Differs:
    case Kind::Count:
    case Kind::Crowds: break;
  }
  return Said::Wrong;
}

inline std::string describe(const engines::Answer& answer) {
  return std::visit(overloaded{[](const engines::Found& f) {
                                 return fmt::format("found p [{}] q [{}] slot [{}]{}", fmt::join(f.witness.p, ","),
                                                    fmt::join(f.witness.q, ","), fmt::join(f.witness.slot, ","),
                                                    f.minimal ? " (minimal)" : "");
                               },
                               [](const engines::None&) -> std::string { return "none"; },
                               [](const engines::Counted& c) { return fmt::format("counted {}", c.count); },
                               [](const engines::Abstained& a) { return "abstains: " + a.why; }},
                    answer);
}

}  // namespace vl::test
