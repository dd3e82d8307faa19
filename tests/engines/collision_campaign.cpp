// The smallest collision against all pairs of points.
#include "verifier/engines/forms/collision.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/map/layout.h"
#include "encodings/map/text.h"
#include "tests/support/maps.h"

namespace vl::engines {
namespace engines_collision_campaign {

using Pair = std::optional<std::pair<Point, Point>>;

std::vector<Index> values_at(const std::vector<Row>& rows, const Point& p) {
  std::vector<Index> values;
  for (const Row& row : rows) values.push_back(*map::value(row, p));
  return values;
}

Pair by_pairs(const std::vector<Row>& rows, const map::Space& space) {
  const std::vector<Point> points = test::all_points(space);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      if (values_at(rows, points[i]) == values_at(rows, points[j])) return std::pair(points[i], points[j]);
  return std::nullopt;
}

struct Tally {
  Index asked = 0, decided = 0, found = 0, wrong = 0;
};

void compare(const std::vector<Row>& rows, const std::vector<Index>& extents, Tally& tally) {
  const auto space = map::Space::create(map::Space::dims("x", extents));
  Box box;
  for (const Index extent : extents) box.push_back({0, extent - 1});
  const Collision collision = smallest_collision(rows, box);
  ++tally.asked;
  if (!collision.decided) return;
  ++tally.decided;
  tally.found += collision.pair ? 1 : 0;
  if (collision.pair != by_pairs(rows, *space) && ++tally.wrong <= 5)
    ADD_FAILURE() << fmt::format("extents {}, first row {}", fmt::join(extents, " "),
                                 map::print(rows.empty() ? Row{} : rows[0]));
}

TEST(SmallestCollision, OfOneRowIsThatOfAllPairsOnEveryListOfThreeSmallModes) {
  Tally tally;
  for (Index code = 0; code < 64; ++code) {
    const std::vector<Index> extents{code % 4 + 1, code / 4 % 4 + 1, code / 16 + 1};
    for (Index strides = 0; strides < 11 * 11 * 11; ++strides) {
      const Row row = map::dot(std::vector<Index>{strides % 11 - 3, strides / 11 % 11 - 3, strides / 121 - 3}, 5);
      compare({row}, extents, tally);
    }
  }
  EXPECT_EQ(tally.asked, 64 * 1331);
  EXPECT_EQ(tally.decided, tally.asked);
  EXPECT_GE(tally.found, 20'000);
  EXPECT_LE(tally.found, tally.asked - 20'000);
}

TEST(SmallestCollision, OfRowsThatShareNoInputIsThatOfAllPairs) {
  test::Engine engine(11);
  Tally tally;
  for (int n = 0; n < 4000; ++n) {
    std::vector<Index> extents;
    std::vector<Row> rows(2, Row{});
    for (std::size_t i = 0; i < 4; ++i) {
      extents.push_back(test::roll(engine, 1, 4));
      const Index which = test::roll(engine, 0, 4);  // 4: in no row
      const Index stride = test::roll(engine, 1, 9) * (test::roll(engine, 0, 4) == 0 ? -1 : 1);
      if (which < 4) rows[static_cast<std::size_t>(which % 2)].terms.push_back({i, stride});
    }
    compare(rows, extents, tally);
  }
  EXPECT_GE(tally.decided, 4000);
  EXPECT_GE(tally.found, 1000);
  EXPECT_LE(tally.found, 3500);
}

TEST(SmallestCollision, OfOverlappingRowsIsFoundAtAnySize) {
  const Index n = Index{1} << 40;
  const Row row = map::dot(std::vector<Index>{63, 1});
  const Collision collision = smallest_collision(std::vector{row}, Box{{0, n - 1}, {0, 63}});
  EXPECT_EQ(collision.pair, (std::pair{Point{0, 63}, Point{1, 0}}));
}

}  // namespace engines_collision_campaign
}  // namespace vl::engines
