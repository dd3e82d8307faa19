// bounds() of parts of a domain, against every point in them.
#include "encodings/map/bounds.h"

#include <gtest/gtest.h>

#include "tests/support/maps.h"

namespace vl::map {
namespace map_bounds_test {

bool within(const Point& values, const std::vector<Range>& ranges) {
  if (values.size() != ranges.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < ranges[i].low || values[i] > ranges[i].high) return false;
  return true;
}

/// A part of the domain: an interval of each dimension.
auto parts_of(const Space& domain) {
  return test::drawn([domain](test::Engine& engine) {
    std::vector<Range> part;
    for (const Dim& dim : domain.dims()) {
      const Index low = test::roll(engine, 0, dim.extent - 1);
      part.push_back({low, test::roll(engine, low, dim.extent - 1)});
    }
    return part;
  });
}

TEST(Bounds, ContainWhatEveryPointOfAPartGivesAndNothingElseForASinglePoint) {
  Index narrower = 0, points = 0;
  test::for_all(3000, [&] {
    const Map map = *test::maps({.least_extent = 1});
    const std::vector<Range> part = *parts_of(map.domain());
    const std::vector<Range> found = bounds(map, part);
    const std::vector<Range>& whole = map.ranges(map.stages().size());
    RC_ASSERT(found.size() == whole.size());
    for (std::size_t j = 0; j < found.size(); ++j) {
      RC_ASSERT(whole[j].low <= found[j].low && found[j].high <= whole[j].high);
      narrower += found[j] != whole[j] ? 1 : 0;
    }
    for (const Point& p : test::all_points(map.domain())) {
      if (!within(p, part)) continue;
      const Point outputs = test::naive(map, p);
      RC_ASSERT(within(outputs, found));
      std::vector<Range> single, exact;
      for (const Index x : p) single.push_back({x, x});
      for (const Index y : outputs) exact.push_back({y, y});
      RC_ASSERT(bounds(map, single) == exact);
      ++points;
    }
  });
  EXPECT_GE(narrower, 250);
  EXPECT_GE(points, 7'500);
}

// Every swizzle of a small scope on every interval: the fields overlap, touch the interval's common prefix, or lie in
// it.
TEST(Bounds, OfASwizzleContainItsValuesOnEveryInterval) {
  constexpr Index kMost = 64;
  const auto space = Space::create(Space::dims("x", std::vector<Index>{kMost}));
  Index intervals = 0;
  Index exact = 0;
  for (const auto direction : {Swizzle::Direction::Down, Swizzle::Direction::Up})
    for (int base = 0; base <= 3; ++base)
      for (int bits = 0; bits <= 3; ++bits)
        for (int shift = 1; shift <= 3; ++shift) {
          const Swizzle swizzle{0, base, bits, shift, direction};
          const auto map = Map::create(*space, {swizzle});
          ASSERT_TRUE(map.has_value());
          for (Index low = 0; low < kMost; ++low) {
            Range values{apply(swizzle, low), apply(swizzle, low)};
            for (Index high = low; high < kMost; ++high) {
              values = {std::min(values.low, apply(swizzle, high)), std::max(values.high, apply(swizzle, high))};
              const Range found = bounds(*map, {{low, high}})[0];
              ASSERT_TRUE(found.low <= values.low && values.high <= found.high);
              exact += found == values ? 1 : 0;
              ++intervals;
            }
          }
        }
  EXPECT_EQ(intervals, 96 * 64 * 65 / 2);
  EXPECT_GE(exact, intervals / 4);
}

}  // namespace map_bounds_test
}  // namespace vl::map
