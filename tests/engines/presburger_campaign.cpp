// Questions over the integers: layouts of one size, with numbers that are too large to walk over; and layouts of all
// sizes, compared with every size up to a bound.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/maps.h"
#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/presburger.h"

namespace vl::engines {
namespace engines_presburger_campaign {

using question::Kind;
using test::roll;

map::Row row(std::vector<Index> coefficients, Index constant = 0) { return map::dot(coefficients, constant); }

TEST(IntegerSets, FindTheSmallestPointOfAUnion) {
  // 0 <= x <= 9, x = 4·q + 2, and x >= 3 or x >= 7.
  IntegerSets sets{2, 1, {{row({1, -4}, -2)}, {row({1}), row({-1}, 9)}}, {{{}, {row({1}, -7)}}, {{}, {row({1}, -3)}}}};
  EXPECT_EQ(std::get<Sample>(point_of(sets, 1000)).values, (std::vector<Index>{6}));
  EXPECT_TRUE(std::get<Sample>(point_of(sets, 1000)).smallest);
  for (Constraints& one : sets.alternatives) one.zero.push_back(row({2}, -5));
  EXPECT_TRUE(std::holds_alternative<smt::Unsatisfiable>(point_of(sets, 1000)));
  sets.alternatives.clear();
  EXPECT_TRUE(std::holds_alternative<smt::Unsatisfiable>(point_of(sets, 1000)));
}

TEST(IntegerSets, TakeNumbersOf64BitsAsTheyAre) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  const IntegerSets one{1, 1, {{row({1}, -kMost)}, {}}, {{}}};
  EXPECT_EQ(std::get<Sample>(point_of(one, 1000)).values, (std::vector<Index>{kMost}));
  const IntegerSets beyond{2, 2, {{row({1, 0}, -kMost), row({2, -1})}, {}}, {{}}};
  EXPECT_TRUE(std::holds_alternative<smt::Undecided>(point_of(beyond, 1000)));
}

TEST(IntegerSets, StopWhenTheOperationsAreUsedUp) {
  IntegerSets sets{6, 6, {{row({3001, 4007, 5003, 6007, 7013, 8009}, -1)}, {}}, {{}}};
  for (std::size_t i = 0; i < 6; ++i) {
    sets.common.non_negative.push_back(map::Row{1000, {{i, 1}}});
    sets.common.non_negative.push_back(map::Row{1000, {{i, -1}}});
  }
  const Emptiness answer = point_of(sets, 3);
  ASSERT_TRUE(std::holds_alternative<smt::Undecided>(answer));
  EXPECT_EQ(std::get<smt::Undecided>(answer).why, smt::Undecided::Why::ResourceLimit);
}

// 2^35 points: x in [0, 2^20), y in [0, 2^15), rows of 2^15 or one less.
TEST(Presburger, DecidesLayoutsThatNobodyCouldWalkOver) {
  Index decided = 0;
  for (const Index pitch : {Index{1} << 15, (Index{1} << 15) - 1}) {
    map::LayoutParts parts;
    parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{Index{1} << 20, Index{1} << 15}));
    parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{Index{1} << 35}));
    parts.map = {map::Affine{{row({pitch, 1})}}};
    const map::Layout layout = *map::Layout::create(std::move(parts));
    const Answer answer = decide_presburger({Kind::Collides, &layout, nullptr}, {});
    if (pitch % 2 == 0) {
      EXPECT_TRUE(std::holds_alternative<None>(answer)) << describe(answer);
    } else {
      EXPECT_EQ(std::get<Found>(answer).witness.p, (Point{0, pitch}));
      EXPECT_EQ(std::get<Found>(answer).witness.q, (Point{1, 0}));
    }
    ++decided;
  }
  EXPECT_EQ(decided, 2);
}

TEST(AllSizes, OfASplitAreInjective) {
  const std::vector<map::Stage> stages{map::Split{0, {64, 1}}};
  EXPECT_TRUE(std::holds_alternative<None>(injective_for_all(stages, {1, {}, {map::pick(0)}}, {})));
}

TEST(AllSizes, OfRowsAreInjectiveUpToThePitch) {
  const std::vector<map::Stage> stages{map::Affine{{row({192, 1})}}};
  const AllSizes bounded{2, {row({0, -1}, 192)}, {map::pick(0), map::pick(1)}};
  EXPECT_TRUE(std::holds_alternative<None>(injective_for_all(stages, bounded, {})));
  const AllSizes unbounded{2, {}, {map::pick(0), map::pick(1)}};
  const auto answer = injective_for_all(stages, unbounded, {});
  EXPECT_EQ(std::get<SizedCollision>(answer), (SizedCollision{{2, 193}, {0, 192}, {1, 0}}));
}

// Sticks of 64 in ceil(C / 64) tiles: (t, lane) of x < C, where the tiles are counted by T with C <= 64·T < C + 64.
TEST(AllSizes, MayBeTiedByConditions) {
  const AllSizes tied{2, {row({-1, 64}), row({1, -64}, 63)}, {map::pick(1), row({}, 64)}};
  EXPECT_TRUE(
      std::holds_alternative<None>(injective_for_all(std::vector<map::Stage>{map::Affine{{row({64, 1})}}}, tied, {})));
  const auto overlap = injective_for_all(std::vector<map::Stage>{map::Affine{{row({63, 1})}}}, tied, {});
  const auto& found = std::get<SizedCollision>(overlap);
  EXPECT_EQ(found.p, (Point{0, 63}));
  EXPECT_EQ(found.q, (Point{1, 0}));
  EXPECT_EQ(found.sizes, (std::vector<Index>{65, 2}));
}

TEST(AllSizes, WithASwizzleAreNotDecided) {
  const auto answer = injective_for_all(std::vector<map::Stage>{map::Swizzle{0, 0, 1, 1}}, {1, {}, {map::pick(0)}}, {});
  EXPECT_TRUE(std::holds_alternative<Abstained>(answer));
}

std::optional<std::vector<Index>> smallest_colliding_size(const std::vector<map::Stage>& stages, Index most) {
  for (Index a = 0; a <= most; ++a)
    for (Index b = 0; b <= most; ++b) {
      const auto map = map::Map::create(*map::Space::create(map::Space::dims("x", std::vector<Index>{a, b})), stages);
      std::set<Point> seen;
      for (const Point& p : test::all_points(map->domain()))
        if (!seen.insert(test::naive(*map, p)).second) return std::vector<Index>{a, b};
    }
  return std::nullopt;
}

// Random affine maps and splits over boxes of all sizes up to 6 by 6: the smallest sizes that collide are those that
// do.
TEST(AllSizes, AgreeWithEverySizeUpToABound) {
  test::Engine random(20261122);
  constexpr Index kMost = 6;
  Index decided = 0;
  Index found = 0;
  const Index maps = 120;
  for (Index n = 0; n < maps; ++n) {
    std::vector<map::Stage> stages{map::Affine{
        {row({roll(random, -9, 9), roll(random, -9, 9)}, roll(random, -9, 9)), row({roll(random, 0, 1), 0})}}};
    stages.emplace_back(test::random_split(random, 0));
    if (roll(random, 0, 1) == 0)
      stages.emplace_back(map::Affine{{map::pick(0), map::pick(1)}});  // the other digits are lost
    const AllSizes box{
        2, {row({-1, 0}, kMost), row({0, -1}, kMost), row({1, 0}), row({0, 1})}, {map::pick(0), map::pick(1)}};
    const auto answer = injective_for_all(stages, box, {});
    if (std::holds_alternative<Abstained>(answer)) continue;
    ++decided;
    const auto right = smallest_colliding_size(stages, kMost);
    const auto* collision = std::get_if<SizedCollision>(&answer);
    ASSERT_EQ(collision != nullptr, right.has_value()) << n;
    if (collision == nullptr) continue;
    ++found;
    EXPECT_EQ(collision->sizes, *right) << n;
    const auto map = map::Map::create(*map::Space::create(map::Space::dims("x", collision->sizes)), stages);
    EXPECT_LT(collision->p, collision->q);
    EXPECT_EQ(*map::evaluate(*map, collision->p), *map::evaluate(*map, collision->q));
  }
  EXPECT_EQ(decided, maps);
  EXPECT_GT(found, maps / 5);
  EXPECT_LT(found, maps * 4 / 5);
}

}  // namespace engines_presburger_campaign
}  // namespace vl::engines
