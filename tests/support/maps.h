// Random maps of all three kinds of stages, from an engine: the same seed gives the same maps with every compiler, so a
// test can count them. Also a second meaning of a map, written only from the definitions in map.h.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "encodings/map/map.h"
#include "encodings/map/text.h"
#include "tests/support/property.h"
#include "tests/support/truth.h"

namespace vl::map {

inline void showValue(const Map& map, std::ostream& out) { out << print(map); }
inline void showValue(const Space& space, std::ostream& out) { out << print(space); }

}  // namespace vl::map

namespace vl::test {

struct MapKind {
  bool swizzles = true;
  std::size_t rank = 4;  // at most
  Index volume = 600;    // at most
  Index least_extent = 0;
  std::size_t stages = 4;  // at most
};

inline map::Space random_space(Engine& engine, const MapKind& kind) {
  constexpr Index kExtents[] = {0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9};
  std::vector<Index> extents(static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(kind.rank))));
  Index volume = 1;
  for (Index& extent : extents) {
    extent = std::max(kExtents[roll(engine, 0, 11)], kind.least_extent);
    if (volume * extent > kind.volume) extent = 1;
    volume *= std::max<Index>(extent, 1);
  }
  return *map::Space::create(map::Space::dims("x", extents));
}

inline map::Affine random_affine(Engine& engine, const std::vector<map::Range>& in) {
  map::Affine affine;
  const bool positive = roll(engine, 0, 1) == 0;  // half of them stay non-negative over a box, for swizzles
  for (Index rows = roll(engine, roll(engine, 0, 9) == 0 ? 0 : 1, 3); rows > 0; --rows) {
    map::Row row{positive ? roll(engine, 0, 5) : roll(engine, -20, 20), {}};
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Index coefficient = positive ? roll(engine, 0, 30) : roll(engine, -12, 12);
      if (coefficient != 0 && roll(engine, 0, 3) != 0) row.terms.push_back(map::Term{i, coefficient});
    }
    affine.rows.push_back(std::move(row));
  }
  return affine;
}

/// Weights that need not divide each other; ties occur.
inline map::Split random_split(Engine& engine, std::size_t input) {
  std::vector<Index> weights{1};
  for (Index more = roll(engine, 0, 3); more > 0; --more) weights.push_back(weights.back() + roll(engine, 0, 9));
  std::reverse(weights.begin(), weights.end());
  return map::Split{input, std::move(weights)};
}

/// shift < bits and shift >= bits both occur.
inline map::Swizzle random_swizzle(Engine& engine, std::size_t input) {
  return map::Swizzle{input, static_cast<int>(roll(engine, 0, 3)), static_cast<int>(roll(engine, 0, 4)),
                      static_cast<int>(roll(engine, 1, 4)),
                      roll(engine, 0, 1) == 0 ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up};
}

inline map::Stage random_stage(Engine& engine, const std::vector<map::Range>& in, const MapKind& kind) {
  const Index pick = in.empty() ? 0 : roll(engine, 0, kind.swizzles ? 3 : 1);
  const std::size_t input =
      in.empty() ? 0 : static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(in.size()) - 1));
  if (pick >= 2 && in[input].low >= 0) return random_swizzle(engine, input);
  if (pick == 1 && in.size() < 7) return random_split(engine, input);
  return random_affine(engine, in);
}

/// A map over `domain` with up to kind.stages stages.
inline map::Map random_map(Engine& engine, const map::Space& domain, const MapKind& kind) {
  std::vector<map::Stage> stages;
  auto made = map::Map::create(domain, stages);
  for (Index count = roll(engine, 0, static_cast<Index>(kind.stages)); count > 0; --count) {
    stages.push_back(random_stage(engine, made->ranges(stages.size()), kind));
    made = map::Map::create(domain, stages);
  }
  return *std::move(made);
}

inline map::Map random_map(Engine& engine, const MapKind& kind) {
  const map::Space domain = random_space(engine, kind);
  return random_map(engine, domain, kind);
}

inline rc::Gen<map::Map> maps(const MapKind& kind = {}) {
  return drawn([kind](Engine& engine) { return random_map(engine, kind); });
}

inline rc::Gen<map::Map> maps_over(const map::Space& domain, const MapKind& kind = {}) {
  return drawn([=](Engine& engine) { return random_map(engine, domain, kind); });
}

/// All points in row-major order; not by advance().
inline std::vector<Point> all_points(const map::Space& space) { return points_of(map::extents_of(space)); }

/// The definition of each stage, in 128 bits and digit by digit.
inline Point naive(const map::Affine& affine, const Point& in) {
  Point out;
  for (const map::Row& row : affine.rows) {
    __int128 sum = 0;
    for (std::size_t i = row.terms.size(); i-- > 0;)
      sum += static_cast<__int128>(row.terms[i].coefficient) * in.at(row.terms[i].input);
    out.push_back(static_cast<Index>(sum + row.constant));
  }
  return out;
}

inline Point naive(const map::Split& split, const Point& in) {
  Point out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i != split.input) {
      out.push_back(in[i]);
      continue;
    }
    Index rest = in[i];
    for (const Index weight : split.weights) {
      Index digit = rest / weight;
      while (digit * weight > rest) --digit;  // towards minus infinity
      out.push_back(digit);
      rest -= digit * weight;
    }
  }
  return out;
}

inline Point naive(const map::Swizzle& by, const Point& in) {
  Point out = in;
  out[by.input] =
      swizzled({by.base, by.bits, by.shift, by.direction == map::Swizzle::Direction::Down}, in.at(by.input));
  return out;
}

/// The values after 0, 1, … all stages.
inline std::vector<Point> naive_trace(const map::Map& map, const Point& point) {
  std::vector<Point> values{point};
  for (const map::Stage& stage : map.stages())
    values.push_back(std::visit([&](const auto& s) { return naive(s, values.back()); }, stage));
  return values;
}

inline Point naive(const map::Map& map, const Point& point) { return naive_trace(map, point).back(); }

/// How many values a map has.
inline Index distinct_values(const map::Map& map) {
  std::set<Point> seen;
  for (const Point& x : all_points(map.domain())) seen.insert(naive(map, x));
  return static_cast<Index>(seen.size());
}

}  // namespace vl::test
