// Whether a slot is hit, against a walk over the domain.
#include "verifier/question/preimage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "encodings/map/layout.h"
#include "tests/support/maps.h"

namespace vl::question {
namespace engines_preimage_test {

// The layout whose slots are the map's outputs, as far as they lie in boxes of `extents`.
std::optional<map::Layout> layout_over(const map::Map& map, const std::vector<Index>& extents) {
  map::LayoutParts parts;
  parts.logical = map.domain();
  parts.physical = *map::Space::create(map::Space::dims("d", extents));
  parts.map = map.stages();
  auto layout = map::Layout::create(std::move(parts));
  return layout ? std::optional(std::move(*layout)) : std::nullopt;
}

TEST(Preimage, SaysOfEverySlotWhatAWalkOverTheDomainSays) {
  Index layouts = 0, slots = 0, hits = 0;
  test::for_all(1500, [&] {
    const map::Map map = *test::maps({.volume = 200});
    if (map.outputs() == 0 || map.outputs() > 3) return;
    const auto layout = layout_over(map, *rc::gen::container<std::vector<Index>>(map.outputs(), test::numbers(1, 7)));
    if (!layout) return;
    std::set<Point> reached;
    for (const Point& p : test::all_points(map.domain())) reached.insert(test::naive(map, p));
    for (const Point& slot : test::all_points(layout->physical())) {
      const auto hit = is_hit(*layout, slot, 100'000);
      RC_ASSERT(hit.has_value());
      RC_ASSERT(*hit == reached.contains(slot));
      hits += *hit ? 1 : 0;
    }
    ++layouts, slots += layout->physical().volume();
  });
  EXPECT_GE(layouts, 500);
  EXPECT_GE(hits, 1500);
  EXPECT_GE(slots - hits, 1500);
}

TEST(Preimage, OfAStridedLayoutTakesFewBoxesAtAnySize) {
  const Index rows = Index{1} << 40;
  const auto space = map::Space::create(map::Space::dims("x", std::vector<Index>{rows, 6}));
  const auto map = map::Map::create(*space, {map::Affine{{map::dot(std::vector<Index>{8, 1})}}});
  const auto layout = layout_over(*map, {8 * rows});
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(is_hit(*layout, {8 * 123'456'789 + 5}, 200), true);
  EXPECT_EQ(is_hit(*layout, {8 * 123'456'789 + 6}, 200), false);
  EXPECT_EQ(is_hit(*layout, {8 * 123'456'789 + 5}, 10), std::nullopt);
}

}  // namespace engines_preimage_test
}  // namespace vl::question
