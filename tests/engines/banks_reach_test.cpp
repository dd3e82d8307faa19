// The conditions on an access before its banks are counted: it is inside the tensor, on one memory axis, and of a width
// that the chip serves.
#include <gtest/gtest.h>

#include "tests/support/access_brute.h"
#include "tests/support/tiles.h"
#include "verifier/engines/banks.h"

namespace vl::engines {
namespace engines_banks_reach_test {

const map::Layout kTile = layout_of(test::tile_on_m({8, 64}, {{8, 64}, {64, 1}}, 0, {3, 3, 3}));

Result<Reach> reach(const map::Layout& layout, const std::string& text, int bits = 16, const map::Layout* tv = nullptr,
                    const use::Hardware& chip = test::nvidia()) {
  const auto access = use::parse_access(text);
  EXPECT_TRUE(access.has_value()) << text;
  return reach_of(*access, layout, tv, bits, chip);
}

void expect_refused(const Result<Reach>& reach, ErrorCode code, const std::string& part) {
  ASSERT_FALSE(reach.has_value()) << part;
  EXPECT_EQ(reach.error().code, code) << reach.error().message;
  EXPECT_NE(reach.error().message.find(part), std::string::npos) << reach.error().message;
}

TEST(Reach, RefusesLanesOutsideTheTensorAndSaysWhere) {
  expect_refused(reach(kTile, "lanes=9 width=2 at=[lane, 0]"), ErrorCode::Value,
                 "lane 8 is at [8, 0], outside the tensor's [8, 64]");
  expect_refused(reach(kTile, "lanes=8 width=2 at=[lane, j - 1] for j=0:3"), ErrorCode::Value,
                 "lane 0 is at [0, -1] for j=0");
  EXPECT_TRUE(reach(kTile, "lanes=9 width=2 at=[lane, 0] when lane < 8").has_value());
  EXPECT_TRUE(reach(kTile, "lanes=8 width=2 at=[lane - 4, 0] when lane >= 4").has_value());
}

TEST(Reach, RefusesAnotherNumberOfCoordinatesThanTheTensorHas) {
  expect_refused(reach(kTile, "lanes=8 width=2 at=[lane]"), ErrorCode::Shape, "1 coordinates for a tensor of rank 2");
}

TEST(Reach, RefusesWhatTheChipDoesNotServe) {
  use::Hardware chip = test::nvidia();
  chip.matrices = false;
  chip.phases.erase(16);
  chip.lanes = 16;
  expect_refused(reach(kTile, "ldmatrix.x1 at=[lane, 0]", 16, nullptr, chip), ErrorCode::Value, "has no ldmatrix.x1");
  expect_refused(reach(kTile, "lanes=8 width=16 at=[lane, 0]", 16, nullptr, chip), ErrorCode::Value,
                 "16 bytes per lane");
  expect_refused(reach(kTile, "lanes=32 width=2 at=[0, lane]", 16, nullptr, chip), ErrorCode::Value, "32 lanes");
}

TEST(Reach, RefusesElementsThatDoNotFillBytes) {
  expect_refused(reach(kTile, "lanes=8 width=2 at=[lane, 0]", 4), ErrorCode::Value, "4 bits");
  expect_refused(reach(kTile, "lanes=8 width=2 at=[lane, 0] base=3 absolute"), ErrorCode::Value,
                 "not a multiple of an element");
}

map::Layout on_axes(const std::string& first, const std::string& second) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{8, 64}));
  parts.physical = *map::Space::create({{first, 8}, {second, 64}});
  parts.map = {map::Affine{{map::pick(0), map::pick(1)}}};
  parts.named_axes = true;
  return *map::Layout::create(std::move(parts));
}

TEST(Reach, RefusesThreadAxesAndReplicas) {
  expect_refused(reach(on_axes("laneid", "m"), "lanes=8 width=2 at=[lane, 0]"), ErrorCode::Value, "along laneid");
  expect_refused(reach(on_axes("P", "F"), "lanes=8 width=2 at=[lane, 0]"), ErrorCode::Value, "along P");
  map::LayoutParts parts = map::parts_in(kTile, kTile.physical());
  parts.replicas = *map::Space::create({{"r", 2}});
  const auto replicated = map::Layout::create(std::move(parts));
  ASSERT_TRUE(replicated.has_value());
  expect_refused(reach(*replicated, "lanes=8 width=2 at=[lane, 0]"), ErrorCode::Value, "replicas");
}

// (thread, value) -> element number: thread t holds elements 2t and 2t+1 of each row of 64.
TEST(Reach, ReadsThreadsAndValuesFromALayout) {
  const map::Layout tile = layout_of(test::tile_on_m({8, 64}, {{8, 64}, {64, 1}}));
  const map::Layout layout = layout_of(test::tile_on_m({32, 16}, {{32, 2}, {8, 64}, {2, 1}}));
  const auto pairs = reach(tile, "lanes=32 width=4 tv=S[x]", 16, &layout);
  ASSERT_TRUE(pairs.has_value()) << pairs.error().message;
  EXPECT_EQ(instances_of(*pairs).volume(), 8);
  for (Index row = 0; row < 8; ++row) {
    EXPECT_EQ(*map::evaluate(pairs->coordinates, Point{5, row}), (Point{row, 10}));
    EXPECT_EQ(*map::evaluate(pairs->bytes, Point{5, row}), (Point{row * 128 + 20}));
    EXPECT_EQ(cost_of(*pairs, Point{row}).wavefronts, 1);
    EXPECT_EQ(named(*pairs, Point{row}), (Point{2 * row}));
  }
  expect_refused(reach(tile, "lanes=32 width=8 tv=S[x]", 16, &layout), ErrorCode::Value,
                 "value 2 is not behind value 0");
  const auto single = reach(tile, "lanes=32 width=2 tv=S[x]", 16, &layout);
  ASSERT_TRUE(single.has_value());
  EXPECT_EQ(instances_of(*single).volume(), 16);
  const auto half_warps = reach(tile, "lanes=16 width=4 tv=S[x]", 16, &layout);
  ASSERT_TRUE(half_warps.has_value());
  EXPECT_EQ(*map::evaluate(half_warps->coordinates, Point{3, 1, 2}), (Point{2, 38}));  // thread 19, values 4 and 5
}

TEST(Reach, RefusesLayoutsOfThreadsThatDoNotFitTheAccess) {
  const map::Layout tile = layout_of(test::tile_on_m({8, 64}, {{8, 64}, {64, 1}}));
  const map::Layout odd = layout_of(test::tile_on_m({24, 16}, {{24, 16}, {16, 1}}));
  expect_refused(reach(tile, "lanes=32 width=2 tv=S[x]", 16, &odd), ErrorCode::Value, "24 threads");
  const map::Layout flat = layout_of(test::tile_on_m({512}, {{512, 1}}));
  expect_refused(reach(tile, "lanes=32 width=2 tv=S[x]", 16, &flat), ErrorCode::Shape, "threads, values");
  const map::Layout large = layout_of(test::tile_on_m({32, 32}, {{32, 32}, {32, 1}}));
  expect_refused(reach(tile, "lanes=32 width=2 tv=S[x]", 16, &large), ErrorCode::Value, "outside the tensor");
}

TEST(Reach, KeepsTheBaseToOnePeriod) {
  const auto extent = [&](const std::string& base) {
    const auto made = reach(kTile, "lanes=8 width=2 at=[lane, 0] base=" + base);
    return made ? instances_of(*made).volume() : -1;
  };
  EXPECT_EQ(extent("128"), 1);
  EXPECT_EQ(extent("1024"), 1);
  EXPECT_EQ(extent("16"), 8);
  EXPECT_EQ(extent("48"), 8);
  EXPECT_EQ(extent("1"), 128);
  EXPECT_EQ(extent("128 absolute"), 8);  // the swizzle's block is 512 elements
  EXPECT_EQ(extent("1024 absolute"), 1);
  EXPECT_EQ(extent("768 absolute"), 4);
}

TEST(Reach, RefusesNumbersBeyond60Bits) {
  const Index much = Index{1} << 58;
  const map::Layout layout = layout_of(test::tile_on_m({4}, {{4, much}}));
  expect_refused(reach(layout, "lanes=4 width=4 at=[lane]", 32), ErrorCode::Overflow, "60 bits");
}

}  // namespace engines_banks_reach_test
}  // namespace vl::engines
