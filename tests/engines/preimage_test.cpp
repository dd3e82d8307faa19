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
  test::Engine engine(3);
  Index layouts = 0;
  Index slots = 0;
  Index hits = 0;
  for (int n = 0; n < 3000; ++n) {
    const map::Map map = test::random_map(engine, {.volume = 200});
    if (map.outputs() == 0 || map.outputs() > 3) continue;
    std::vector<Index> extents;
    for (std::size_t j = 0; j < map.outputs(); ++j) extents.push_back(test::roll(engine, 1, 7));
    const auto layout = layout_over(map, extents);
    if (!layout) continue;
    std::set<Point> reached;
    for (const Point& p : test::all_points(map.domain())) reached.insert(test::naive(map, p));
    ++layouts;
    for (const Point& slot : test::all_points(layout->physical())) {
      const auto hit = is_hit(*layout, slot, 100'000);
      ASSERT_TRUE(hit.has_value());
      ASSERT_EQ(*hit, reached.contains(slot)) << fmt::format("layout {}, slot {}", n, fmt::join(slot, " "));
      hits += *hit ? 1 : 0;
      ++slots;
    }
  }
  EXPECT_GE(layouts, 1000);
  EXPECT_GE(hits, 3000);
  EXPECT_GE(slots - hits, 3000);
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
