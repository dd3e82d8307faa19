// The named facts about flat strided layouts, asked through a layout of one axis.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "verifier/engines/engine.h"

namespace vl::engines {
namespace engines_facts_test {

using question::Kind;

// x -> Σ x_i·d_i in [0, size); size 0: the cosize.
map::Layout flat(std::vector<Index> extents, std::vector<Index> strides, Index size = 0) {
  if (size == 0) {
    size = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) size += (extents[i] - 1) * strides[i];
  }
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", extents));
  parts.physical = *map::Space::create({{"m", size}});
  parts.map = {map::Affine{{map::dot(strides)}}};
  parts.host_offset = map::dot(strides);
  auto layout = map::Layout::create(std::move(parts));
  VL_CHECK(layout.has_value(), "a flat layout");
  return std::move(*layout);
}

Answer strided(Kind kind, const map::Layout& layout) { return decide_strided({kind, &layout, nullptr}, {}); }
bool none(const Answer& answer) { return std::holds_alternative<None>(answer); }
std::optional<Index> counted(const Answer& answer) {
  const auto* c = std::get_if<Counted>(&answer);
  return c ? std::optional(c->count) : std::nullopt;
}
bool found(Kind kind, const map::Layout& layout, const Answer& answer) {
  const auto* f = std::get_if<Found>(&answer);
  return f != nullptr && question::replay({kind, &layout, nullptr}, f->witness);
}

TEST(Facts, E1ACollisionIsADifferenceInsideTheBox) {
  const auto layout = flat({3, 2}, {2, 4});  // 2·2 = 1·4
  const Answer answer = strided(Kind::Collides, layout);
  ASSERT_TRUE(found(Kind::Collides, layout, answer));
  EXPECT_EQ(std::get<Found>(answer).witness.p, (Point{0, 1}));
  EXPECT_EQ(std::get<Found>(answer).witness.q, (Point{2, 0}));
}

TEST(Facts, E2BrownsCompletenessIsOnto) {
  for (const auto& layout : {flat({2, 3}, {1, 2}), flat({3, 3}, {2, 1}), flat({5, 100, 150}, {15000, 150, 1})})
    EXPECT_TRUE(none(strided(Kind::Misses, layout)));
  const auto gap = flat({2, 3}, {1, 3});  // 0 1 3 4 6 7
  const Answer answer = strided(Kind::Misses, gap);
  ASSERT_TRUE(found(Kind::Misses, gap, answer));
  EXPECT_EQ(std::get<Found>(answer).witness.slot, (Point{2}));  // 3 exceeds what 0 and 1 reach by more than 1
  EXPECT_TRUE(found(Kind::Misses, gap, decide_enumerate({Kind::Misses, &gap, nullptr}, {})));
}

TEST(Facts, E3CompactIsBothOntoAndInjective) {
  const auto compact = flat({4, 2, 3}, {6, 3, 1});
  EXPECT_TRUE(none(strided(Kind::Collides, compact)));
  EXPECT_TRUE(none(strided(Kind::Misses, compact)));
  EXPECT_EQ(counted(strided(Kind::Count, compact)), 24);
}

TEST(Facts, E4SuperincreasingIsInjectiveWithoutNesting) {
  EXPECT_TRUE(none(strided(Kind::Collides, flat({3, 4, 5}, {1, 5, 23}))));
}

TEST(Facts, E5InjectiveDoesNotMeanNested) {
  for (const auto& [extents, strides] : std::vector<std::pair<std::vector<Index>, std::vector<Index>>>{
           {{2, 3}, {3, 2}}, {{2, 2}, {2, 3}}, {{4, 3}, {3, 4}}, {{3, 2}, {2, 3}}}) {
    const auto layout = flat(extents, strides);
    EXPECT_TRUE(none(strided(Kind::Collides, layout)));
    EXPECT_EQ(counted(strided(Kind::Count, layout)), extents[0] * extents[1]);
    EXPECT_EQ(counted(decide_enumerate({Kind::Count, &layout, nullptr}, {})), extents[0] * extents[1]);
  }
}

TEST(Facts, E6Rank2IsDecidedByTheGcd) {
  const auto colliding = flat({4, 3}, {4, 6});  // 3·4 = 2·6
  EXPECT_TRUE(found(Kind::Collides, colliding, strided(Kind::Collides, colliding)));
  EXPECT_TRUE(none(strided(Kind::Collides, flat({3, 3}, {4, 6}))));
}

TEST(Facts, E7DivisorChainsAreDecidedBySteps) {
  EXPECT_TRUE(none(strided(Kind::Collides, flat({8, 4, 2, 16}, {1, 8, 32, 64}))));
  const auto layout = flat({8, 4, 2, 16}, {1, 8, 16, 64});
  EXPECT_TRUE(found(Kind::Collides, layout, strided(Kind::Collides, layout)));
}

TEST(Facts, E8MorePointsThanSlotsCollide) {
  const auto layout = flat({4, 4}, {3, 2});  // 16 points, 16 slots: offsets 0 … 15
  EXPECT_TRUE(found(Kind::Collides, layout, strided(Kind::Collides, layout)));
  const auto crowded = flat({4, 4}, {2, 1});
  EXPECT_TRUE(found(Kind::Collides, crowded, strided(Kind::Collides, crowded)));
  EXPECT_EQ(counted(strided(Kind::Count, crowded)), 10);
  const auto sparse = flat({4, 4}, {Index{2} << 30, Index{1} << 30});  // too many slots for a bitmap of them
  EXPECT_EQ(counted(decide_enumerate({Kind::Count, &sparse, nullptr}, {})), 10);
}

TEST(Facts, E9PeelsByReachAndByGcd) {
  // 100 exceeds what 6 and 10 reach together; 6 and 10 are then a pair. 15 is free of gcd(6, 10) = 2 for two steps.
  EXPECT_TRUE(none(strided(Kind::Collides, flat({3, 3, 5}, {6, 10, 100}))));
  EXPECT_TRUE(none(strided(Kind::Collides, flat({3, 3, 2}, {6, 10, 15}))));
}

// Where all larger strides are multiples of what exceeds the reach of the smaller ones, a value tells its parts.
TEST(Facts, ValuesOfPartsThatAreApartAreCountedApart) {
  EXPECT_EQ(counted(strided(Kind::Count, flat({4, 128, 8}, {1024, 1, 1}))), 4 * 135);  // 127 and 7 reach 134
  EXPECT_EQ(counted(strided(Kind::Count, flat({4, 3, 3, 8}, {30, 30, 1, 1}))), 6 * 10);
  EXPECT_EQ(counted(strided(Kind::Count, flat({3, 2, 3}, {100, 3, 2}))), 3 * 6);
  EXPECT_EQ(counted(strided(Kind::Count, flat({2, 2, 3, 40}, {1500, 75, 30, 1}))), 2 * 175);
}

TEST(Facts, WhatNeitherPeelsNorCollidesInPairsIsFoundInMoreThanTwoModes) {
  const auto layout = flat({6, 5, 6, 5, 6}, {317, 211, 389, 401, 353});
  EXPECT_TRUE(found(Kind::Collides, layout, strided(Kind::Collides, layout)));
  EXPECT_TRUE(found(Kind::Collides, layout, decide({Kind::Collides, &layout, nullptr}, {}).answer));
}

TEST(Facts, AFarCornerLeavesABoxThatIsTooSmall) {
  const auto layout = flat({4, 3}, {3, 4}, 17);  // the corner's offset is 17
  const Answer answer = strided(Kind::Escapes, layout);
  ASSERT_TRUE(found(Kind::Escapes, layout, answer));
  EXPECT_EQ(std::get<Found>(answer).witness.p, (Point{3, 2}));
}

}  // namespace engines_facts_test
}  // namespace vl::engines
