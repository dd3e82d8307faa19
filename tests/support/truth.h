// The truth about relations of few points, by a look at each: layouts as lists of places, and the moves of loop nests.
// Whoever has a second meaning of a layout (the definitions of a map, of a cell, of a rule at some sizes, of a family)
// lists its places, and what a claim says of such a list stands here. It shares nothing with the IR, the engines or a
// family's reference; it is slow and literal.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "verifier/question/question.h"

namespace vl::test {

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

/// Every point of a box, in row-major order: {2, 1} has [0, 0] and [1, 0].
[[nodiscard]] inline std::vector<Point> points_of(const std::vector<Index>& extents) {
  std::vector<Point> out{{}};
  for (const Index extent : extents) {
    std::vector<Point> longer;
    for (const Point& p : out)
      for (Index x = 0; x < extent; ++x) longer.push_back(p), longer.back().push_back(x);
    out = std::move(longer);
  }
  return out;
}

/// A swizzle's bits: numbers in units of 2^base; `bits` of them from `shift` places above, or to there.
struct Bits {
  int base = 0;
  int bits = 0;
  int shift = 1;
  bool down = true;
};

/// XOR of bits [shift, shift+bits) of a / 2^base into its low bits, or of those into the others; as TIRx states it.
/// {0, 1, 1, down} makes 3 of 2. Requires: a >= 0.
[[nodiscard]] inline Index swizzled(const Bits& s, Index address) {
  const Index field = (Index{1} << s.bits) - 1;
  Index x = address >> s.base;
  if (s.down) x = x ^ ((x & (field << s.shift)) >> s.shift);
  else x = x ^ ((x & field) << s.shift);
  return (x << s.base) | (address & ((Index{1} << s.base) - 1));
}

/// The places of an element: coordinates by the axis' name, without 0; or the number of the slot.
using PlacesOfElement = std::set<std::map<std::string, Index>>;

/// A layout as a list: the place of each point (element, replica), in row-major order. A place has a coordinate for
/// each dimension of the box, and then guards: numbers that are 0 where the point has a slot.
struct Listed {
  std::vector<Index> logical, replicas, box;
  std::vector<std::string> axes;  // of the box, where places are told by their names
  std::vector<Point> places;

  [[nodiscard]] bool has_slot(const Point& place) const {
    for (std::size_t j = 0; j < place.size(); ++j)
      if (place[j] < 0 || place[j] >= (j < box.size() ? box[j] : 1)) return false;
    return true;
  }
  [[nodiscard]] Point slot_of(Point place) const { return place.resize(box.size()), place; }
  [[nodiscard]] Point element_of(std::size_t number) const {
    return point_at(static_cast<Index>(number) / std::max<Index>(product(replicas), 1), logical);
  }
  [[nodiscard]] std::map<std::string, Index> told(const Point& place) const {
    std::map<std::string, Index> out;
    if (axes.empty()) out[""] = number_of(slot_of(place), box);
    for (std::size_t j = 0; j < axes.size(); ++j)
      if (place[j] != 0) out[axes[j]] += place[j];
    return out;
  }

  [[nodiscard]] bool in_bounds() const {
    return std::ranges::all_of(places, [&](const Point& place) { return has_slot(place); });
  }
  [[nodiscard]] std::set<Point> slots() const {
    std::set<Point> out;
    for (const Point& place : places)
      if (has_slot(place)) out.insert(slot_of(place));
    return out;
  }
  /// No two points, or no two of one element, are in one slot.
  [[nodiscard]] bool apart(bool of_one_element = false) const {
    std::set<std::pair<Point, Point>> seen;
    for (std::size_t n = 0; n < places.size(); ++n)
      if (has_slot(places[n]) && !seen.insert({places[n], of_one_element ? element_of(n) : Point{}}).second)
        return false;
    return true;
  }
  /// By element. Without names a point that has no slot has no place.
  [[nodiscard]] std::map<Point, PlacesOfElement> by_element() const {
    std::map<Point, PlacesOfElement> out;
    for (std::size_t n = 0; n < places.size(); ++n) {
      PlacesOfElement& all = out[element_of(n)];
      if (!axes.empty() || has_slot(places[n])) all.insert(told(places[n]));
    }
    return out;
  }
};

/// Some slot of `a` is one of `b`, whose memory (the axis m) begins at `at`. Requires: names in both or in none.
[[nodiscard]] inline bool meet(const Listed& a, const Listed& b, Index at) {
  const std::string memory = a.axes.empty() ? "" : "m";
  const auto has_memory = [&](const Listed& of) { return of.axes.empty() || std::ranges::count(of.axes, memory) > 0; };
  PlacesOfElement of_a;
  for (const Point& place : a.places)
    if (a.has_slot(place)) of_a.insert(a.told(place));
  return std::ranges::any_of(b.places, [&](const Point& place) {
    if (!b.has_slot(place)) return false;
    auto told = b.told(place);
    if (has_memory(a) || has_memory(b)) told[memory] += at;
    if (!a.axes.empty() && told[memory] == 0) told.erase(memory);
    return of_a.contains(told);
  });
}

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

/// One move of loop nests: where it is (the nest, then the iteration), and the offsets that it reads and writes.
struct BruteMove {
  Point where;
  Index source = 0;
  Index destination = 0;
};

/// One point (x, r) of a layout: its element, and the offset of its slot if it has one.
struct BrutePlace {
  Point point;
  Index element = 0;
  std::optional<Index> place;
};

/// A memory that moves read or write: offsets first to end - 1, and all points of its layout.
struct BruteMemory {
  Index first = 0, end = 0;
  std::vector<BrutePlace> points;
};

/// What is asked of the moves from a memory to another one, and the smallest witness; nothing if there is none.
///   Escapes   a move that reads or writes outside of a memory
///   Collides  two moves that write one offset
///   Misses    a point of the destination whose slot is not written once
///   Breaks    a move that is none of the layouts', or a point of the destination that is not served once
[[nodiscard]] inline std::optional<question::Witness> brute(question::Kind kind, const std::vector<BruteMove>& moves,
                                                            const BruteMemory& source, const BruteMemory& destination) {
  using question::Kind;
  using question::Witness;
  const auto outside = [](const BruteMemory& memory, Index offset) {
    return offset < memory.first || offset >= memory.end;
  };
  std::map<Index, std::vector<const BruteMove*>> writers;
  for (const BruteMove& move : moves) writers[move.destination].push_back(&move);

  if (kind == Kind::Escapes) {
    for (const BruteMove& move : moves)
      if (outside(source, move.source) || outside(destination, move.destination)) return Witness{move.where, {}, {}};
    return std::nullopt;
  }
  if (kind == Kind::Collides) {
    for (const BruteMove& move : moves)
      if (const auto& all = writers[move.destination]; all.size() > 1) return Witness{all[0]->where, all[1]->where, {}};
    return std::nullopt;
  }
  if (kind == Kind::Misses) {
    for (const BrutePlace& at : destination.points)
      if (!at.place || writers[*at.place].size() != 1) return Witness{{}, at.point, {}};
    return std::nullopt;
  }
  std::map<Index, std::set<Index>> sources;  // element -> its offsets
  for (const BrutePlace& at : source.points)
    if (at.place) sources[at.element].insert(*at.place);
  std::set<std::pair<Index, Index>> pairs;
  for (const BrutePlace& at : destination.points)
    if (at.place)
      for (const Index s : sources[at.element]) pairs.insert({s, *at.place});
  for (const BruteMove& move : moves)
    if (!pairs.contains({move.source, move.destination})) return Witness{move.where, {}, {}};
  for (const BrutePlace& at : destination.points) {
    if (!at.place) return Witness{{}, at.point, {}};
    const auto reads_it = [&](const BruteMove* move) { return sources[at.element].contains(move->source); };
    if (std::ranges::count_if(writers[*at.place], reads_it) != 1) return Witness{{}, at.point, {}};
  }
  return std::nullopt;
}

}  // namespace vl::test
