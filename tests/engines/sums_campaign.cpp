// The engines sums and linear against a walk over every point; and layouts that only they decide.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/tiles.h"
#include "verifier/engines/engine.h"

namespace vl::engines {
namespace engines_sums_campaign {

using question::Kind;
using test::roll;
using test::Tile;

// One row of modes on one axis, in the box that holds them.
Tile strided(const std::vector<std::pair<Index, Index>>& modes) {
  Tile tile{{1}, {}, {}, {0}, std::nullopt, {1}};
  for (const auto& [extent, stride] : modes) {
    tile.shape[0] *= extent;
    tile.shard.push_back({extent, stride, 0});
    if (stride < 0) tile.offset[0] -= stride * (extent - 1);
    tile.box[0] += std::abs(stride) * (extent - 1);
  }
  return tile;
}

TEST(Sums, OfRandomStridesCollideAndCountAsWalkingSays) {
  test::Engine random(9);
  Index collisions = 0;
  Index apart = 0;
  for (Index n = 0; n < 3000; ++n) {
    std::vector<std::pair<Index, Index>> modes;
    const Index most = roll(random, 0, 1) == 0 ? 12 : 300;
    for (Index rank = roll(random, 1, 5); rank > 0; --rank)
      modes.emplace_back(roll(random, 1, 5), roll(random, -most, most));
    const Tile tile = strided(modes);
    const map::Layout layout = test::layout_of(tile);
    const Question collides{Kind::Collides, &layout, nullptr};
    const Question occupied{Kind::Count, &layout, nullptr};
    const bool found = std::holds_alternative<Found>(decide_enumerate(collides, {}));
    for (const auto& decide : {decide_sums, decide_linear}) {
      const Answer answer = decide(collides, {});
      ASSERT_EQ(std::holds_alternative<Found>(answer), found) << tile.show() << describe(answer);
      ASSERT_EQ(std::holds_alternative<None>(answer), !found) << tile.show() << describe(answer);
      if (const auto* shown = std::get_if<Found>(&answer)) {
        EXPECT_TRUE(question::replay(collides, shown->witness)) << tile.show();
      }
    }
    EXPECT_EQ(std::get<Counted>(decide_sums(occupied, {})).count,
              std::get<Counted>(decide_enumerate(occupied, {})).count)
        << tile.show();
    (found ? collisions : apart) += 1;
  }
  EXPECT_GT(collisions, 300);
  EXPECT_GT(apart, 300);
}

TEST(Sums, CountTheImageOfMorePointsThanAnybodyCanWalkOver) {
  // Of 3, 5, 7, 11, 13, 17 below 64 each: every number of [0, 3528] but 1, 2, 4 and, mirrored, 3527, 3526, 3524.
  const map::Layout layout = test::layout_of(strided({{64, 3}, {64, 5}, {64, 7}, {64, 11}, {64, 13}, {64, 17}}));
  ASSERT_GT(layout.domain().volume(), Index{1} << 35);
  const Decision decision = decide({Kind::Count, &layout, nullptr}, {});
  ASSERT_TRUE(std::holds_alternative<Counted>(decision.answer));
  EXPECT_EQ(std::get<Counted>(decision.answer).count, 3529 - 6);
}

TEST(Sums, AndEquationsProveStridesThatNestTooLittle) {
  // Drawn at random among those that do not peel; counted elsewhere.
  for (const auto& [modes, injective] : std::vector<std::pair<std::vector<std::pair<Index, Index>>, bool>>{
           {{{3, 38}, {6, 9}, {4, 59}}, true},
           {{{5, 17}, {6, 15}, {3, 46}}, false},
           {{{3, 1498}, {2, 147}, {3, 2028}, {3, 1057}, {7, 1787}}, true},
           {{{7, 1234}, {5, 2078}, {5, 2352}, {4, 2188}, {6, 1670}}, false},
           {{{2, 13451}, {3, 660}, {4, 13997}, {5, 3897}, {2, 19825}, {6, 1473}}, true},
           {{{4, 4533}, {5, 12346}, {5, 17042}, {5, 19519}, {7, 18326}, {2, 16615}}, false}}) {
    const map::Layout layout = test::layout_of(strided(modes));
    const Question question{Kind::Collides, &layout, nullptr};
    for (const auto& decide : {decide_strided, decide_sums, decide_linear}) {
      const Answer answer = decide(question, {});
      EXPECT_EQ(std::holds_alternative<None>(answer), injective) << describe(answer);
      EXPECT_EQ(std::holds_alternative<Found>(answer), !injective) << describe(answer);
    }
  }
}

TEST(Sums, AbstainWhereAnElementMayHaveNoSlotOrThereAreTooMany) {
  Tile tile = strided({{4, 3}, {3, 5}});
  tile.box[0] -= 1;
  const map::Layout outside = test::layout_of(tile);
  EXPECT_FALSE(decided(decide_sums({Kind::Collides, &outside, nullptr}, {})));
  const map::Layout wide = test::layout_of(strided({{4, (Index{1} << 40) + 1}, {3, 7}}));
  EXPECT_FALSE(decided(decide_sums({Kind::Collides, &wide, nullptr}, {})));
  EXPECT_TRUE(std::holds_alternative<None>(decide_linear({Kind::Collides, &wide, nullptr}, {})));
}

}  // namespace engines_sums_campaign
}  // namespace vl::engines
