// Pieces of maps: on every part the lines equal the map, and every point lies in exactly one part.
#include "encodings/map/pieces.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/maps.h"
#include "tests/support/sanitized.h"

namespace vl::map {
namespace map_pieces_test {

Piece identity(const Space& space, std::size_t copies) {
  Piece piece;
  for (const Dim& dim : space.dims()) piece.extents.push_back(dim.extent);
  for (std::size_t copy = 0; copy < copies; ++copy)
    for (std::size_t k = 0; k < space.rank(); ++k) {
      Line line{0, Point(space.rank(), 0)};
      line.coefficients[k] = 1;
      piece.lines.push_back(std::move(line));
    }
  return piece;
}

Index at(const Line& line, const Point& v) {
  Index sum = line.constant;
  for (std::size_t k = 0; k < v.size(); ++k) sum += line.coefficients[k] * v[k];
  return sum;
}

TEST(Pieces, OfOneAndAHalfDozenSticks) {
  // 150 lanes in sticks of 64: two whole ones and 22 lanes of a third.
  const Piece line{{150}, {{0, {1}}}};
  const Stage stages[] = {Split{0, {64, 1}}};
  const auto parts = run(line, 0, stages);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ((*parts)[0], (Piece{{2, 64}, {{0, {1, 0}}, {0, {0, 1}}}}));
  EXPECT_EQ((*parts)[1], (Piece{{22}, {{2, {0}}, {0, {1}}}}));
}

TEST(Pieces, AreAsFewForALargeTensorAsForASmallOne) {
  const Piece line{{Index{150} << 40}, {{0, {1}}}};
  const Stage stages[] = {Split{0, {Index{3} << 38, 150, 64, 1}}};
  const auto parts = run(line, 0, stages);
  ASSERT_TRUE(parts);
  EXPECT_LE(parts->size(), 4U);
}

TEST(Pieces, OfAContiguousPairOfDimensionsAreThoseOfOne) {
  // 60-element rows folded into sticks of 64: 40 rows are 37 sticks and 32 lanes, not a pattern of 16 rows.
  const Piece rows{{40, 60}, {{0, {60, 1}}}};
  const Stage stages[] = {Affine{{pick(0)}}, Split{0, {64, 1}}};
  const auto parts = run(rows, 0, stages);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->size(), 2U);
}

TEST(Pieces, CoverEveryPointOfRandomMapsExactlyOnceAndSayWhatTheMapSays) {
  int decided = 0;
  std::size_t most = 0;
  test::for_all(test::fact_or_campaign(375, 1500), [&] {
    const Map map = *test::maps({.swizzles = false, .least_extent = 1});
    const std::size_t rank = map.domain().rank();
    const auto parts = run(identity(map.domain(), 2), rank, map.stages());
    if (!parts) return;
    std::set<Point> seen;
    for (const Piece& part : *parts) {
      RC_ASSERT(part.lines.size() == rank + map.outputs());
      const auto variables = Space::create(Space::dims("v", part.extents));
      RC_ASSERT((variables && variables->volume() > 0));
      for (const Point& v : test::all_points(*variables)) {
        Point x, values;
        for (std::size_t j = 0; j < part.lines.size(); ++j) (j < rank ? x : values).push_back(at(part.lines[j], v));
        RC_ASSERT(map.domain().contains(x));
        RC_ASSERT(seen.insert(x).second);
        RC_ASSERT(values == test::naive(map, x));
      }
    }
    RC_ASSERT(static_cast<Index>(seen.size()) == map.domain().volume());
    ++decided, most = std::max(most, parts->size());
  });
  EXPECT_GE(decided, test::fact_or_campaign(337, 1350));
  EXPECT_GE(most, 30U);
}

TEST(Pieces, SwizzlesAreOutsideTheFragment) {
  const Stage stages[] = {Swizzle{0, 0, 2, 3, Swizzle::Direction::Down}};
  EXPECT_FALSE(run(Piece{{64}, {{0, {1}}}}, 0, stages));
}

TEST(Pieces, TooManyOfThemAreRefusedAndNotCounted) {
  // A stride of 65 against sticks of 64 carries at another place in every row.
  const Piece rows{{5000, 64}, {{0, {65, 1}}, {0, {1, 0}}}};
  const Stage stages[] = {Split{0, {4093, 64, 1}}};
  EXPECT_FALSE(run(rows, 0, stages));
}

TEST(Pieces, OverflowIsRefused) {
  const Piece line{{Index{1} << 40}, {{0, {1}}}};
  const Stage stages[] = {Affine{{Row{0, {{0, Index{1} << 40}}}}}, Split{0, {3, 1}}};
  EXPECT_FALSE(run(line, 0, stages));
}

TEST(Pieces, UnreadInputsAreThoseOfNoRow) {
  const auto map =
      Map::create(*Space::create(Space::dims("x", std::vector<Index>{2, 3, 4})), {Affine{{pick(2), pick(0)}}});
  ASSERT_TRUE(map);
  EXPECT_EQ(unread(*map), (std::vector<bool>{false, true, false}));
}

}  // namespace map_pieces_test
}  // namespace vl::map
