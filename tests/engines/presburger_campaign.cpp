// Questions over the integers: numbers that are too large to walk over.
#include <gtest/gtest.h>

#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/presburger.h"

namespace vl::engines {
namespace engines_presburger_campaign {

using question::Kind;

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

}  // namespace engines_presburger_campaign
}  // namespace vl::engines
