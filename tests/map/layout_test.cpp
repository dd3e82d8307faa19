// Layout on the worked example of layout.h: f16[5,100,150] on sticks of 64, physical [100,3,5,64].
#include "encodings/map/layout.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/maps.h"

namespace vl::map {
namespace map_layout_test {

Space space(std::string_view prefix, std::vector<Index> extents) {
  return *Space::create(Space::dims(prefix, extents));
}

Row row(std::vector<Index> coefficients) { return dot(coefficients); }

LayoutParts example() {
  LayoutParts parts;
  parts.logical = space("x", {5, 100, 150});
  parts.physical = space("d", {100, 3, 5, 64});
  parts.map = {Affine{{row({15000, 150, 1})}}, Split{0, {15000, 150, 64, 1}},
               Affine{{pick(1), pick(2), pick(0), pick(3)}}};
  parts.decode = std::vector<Stage>{Affine{{row({150, 64, 15000, 1})}}, Split{0, {15000, 150, 1}}};
  parts.identity = OffsetIdentity{row({150, 64, 15000, 1}), row({15000, 150, 1})};
  parts.host_offset = row({15000, 150, 1});
  return parts;
}

Layout layout(LayoutParts parts) { return *Layout::create(std::move(parts)); }

TEST(Layout, SendsTheElementOfTheExampleToItsSlot) {
  const Layout l = layout(example());
  EXPECT_EQ(outputs_at(l, Point{2, 7, 40}, Point{}), (Point{7, 0, 2, 40}));
  EXPECT_EQ(outputs_at(l, Point{4, 99, 149}, Point{}), (Point{99, 2, 4, 21}));
  EXPECT_EQ(l.guards(), 0U);
}

TEST(Layout, FindsTheElementOfASlot) {
  const SlotUse use = use_of(layout(example()), Point{7, 0, 2, 40});
  EXPECT_TRUE(use.in_range);
  EXPECT_TRUE(use.valid);
  EXPECT_EQ(use.point, (Point{2, 7, 40}));
  EXPECT_EQ(use.lives_at, (Point{7, 0, 2, 40}));
}

TEST(Layout, HasASlotThatPassesEveryRangeCheckAndIsPadding) {
  const SlotUse use = use_of(layout(example()), Point{0, 2, 0, 22});
  EXPECT_TRUE(use.in_range);
  EXPECT_FALSE(use.valid);
  EXPECT_EQ(use.point, (Point{0, 1, 0}));
  EXPECT_EQ(use.lives_at, (Point{1, 0, 0, 0}));
}

TEST(Layout, HasASlotThatFailsTheRangeCheck) {
  const SlotUse use = use_of(layout(example()), Point{99, 2, 4, 63});
  EXPECT_FALSE(use.in_range);
  EXPECT_FALSE(use.valid);
  EXPECT_TRUE(use.point.empty());
  EXPECT_TRUE(use.lives_at.empty());
}

TEST(Layout, CountsTheSlotsOfTheExample) {
  const Layout l = layout(example());
  std::size_t valid = 0;
  std::size_t in_range_but_invalid = 0;
  std::size_t invalid = 0;
  Point slot(4, 0);
  do {
    const SlotUse use = use_of(l, slot);
    const bool holds_data = slot[1] * 64 + slot[3] < 150;  // a row of 150 fills two sticks and 22 of the third
    ASSERT_EQ(use.valid, holds_data);
    valid += use.valid ? 1U : 0U;
    in_range_but_invalid += use.in_range && !use.valid ? 1U : 0U;
    invalid += use.valid ? 0U : 1U;
  } while (map::advance(l.physical(), slot));
  EXPECT_EQ(valid, 75000U);
  EXPECT_EQ(in_range_but_invalid, 20958U);
  EXPECT_EQ(invalid, 21000U);
}

TEST(Layout, GivesEveryElementASlotThatDecodesToIt) {
  const Layout l = layout(example());
  Evaluator encode(l.map());
  Evaluator decode(*l.decode());
  Point x(3, 0);
  std::size_t elements = 0;
  do {
    const auto outputs = encode(x);
    ASSERT_TRUE(l.is_slot(outputs));
    const Point slot(outputs.begin(), outputs.end());
    const auto back = decode(slot);
    ASSERT_EQ(Point(back.begin(), back.end()), x);
    ASSERT_EQ(value(l.identity()->slot, slot), value(l.identity()->element, x));
    ++elements;
  } while (map::advance(l.logical(), x));
  EXPECT_EQ(elements, 75000U);
}

/// Elements 0..5 in pairs; the pair number is free to be replicated, the last element of each pair is guarded
/// away.
LayoutParts guarded() {
  LayoutParts parts;
  parts.logical = space("x", {6});
  parts.replicas = space("r", {2});
  parts.physical = space("d", {2, 3});
  parts.map = {Split{0, {2, 1}}, Affine{{pick(2), pick(0), pick(1)}}};
  parts.guards = 1;
  parts.decode = std::vector<Stage>{Affine{{row({0, 2}), pick(0)}}};
  parts.host_offset = pick(0);
  return parts;
}

TEST(Layout, KeepsElementsWhoseGuardIsNotZeroWithoutASlot) {
  const Layout l = layout(guarded());
  EXPECT_EQ(l.guards(), 1U);
  for (Index x = 0; x < 6; ++x)
    for (Index r = 0; r < 2; ++r) {
      const Point outputs = outputs_at(l, Point{x}, Point{r});
      EXPECT_EQ(outputs, (Point{r, x / 2, x % 2}));
      EXPECT_EQ(l.is_slot(outputs), x % 2 == 0);
    }
}

TEST(Layout, DecodesAReplicatedSlotToItsElementAndReplica) {
  const SlotUse use = use_of(layout(guarded()), Point{1, 2});
  EXPECT_TRUE(use.valid);
  EXPECT_EQ(use.point, (Point{4, 1}));
  EXPECT_EQ(use.lives_at, (Point{1, 2, 0}));
}

TEST(Layout, WithADecodeGuardKeepsSlotsOutOfRange) {
  LayoutParts parts;
  parts.logical = space("x", {2});
  parts.physical = space("d", {4});
  parts.map = {Affine{{row({2})}}};
  parts.decode = std::vector<Stage>{Split{0, {2, 1}}};
  parts.decode_guards = 1;
  const Layout l = layout(parts);
  for (Index d = 0; d < 4; ++d) EXPECT_EQ(use_of(l, Point{d}).in_range, d % 2 == 0) << d;
}

TEST(Layout, WithoutADecodeMapCannotBeAskedForTheUseOfASlot) {
  LayoutParts parts = example();
  parts.decode.reset();
  EXPECT_THROW(static_cast<void>(use_of(layout(parts), Point{0, 0, 0, 0})), InternalError);
}

TEST(Layout, IsNotASlotOutsideThePhysicalBox) {
  const Layout l = layout(example());
  EXPECT_TRUE(l.is_slot(Point{99, 2, 4, 63}));
  EXPECT_FALSE(l.is_slot(Point{100, 0, 0, 0}));
  EXPECT_FALSE(l.is_slot(Point{0, 0, -1, 0}));
}

TEST(Layout, RefusesPartsThatDoNotFit) {
  const auto code = [](LayoutParts parts) {
    const auto made = Layout::create(std::move(parts));
    return made ? ErrorCode::Io : made.error().code;  // Io is not one of Layout's
  };
  LayoutParts parts = example();
  parts.guards = 1;
  EXPECT_EQ(code(parts), ErrorCode::Shape);
  parts = example();
  parts.decode_guards = 1;
  EXPECT_EQ(code(parts), ErrorCode::Shape);
  parts = example();
  parts.host_offset = pick(3);
  EXPECT_EQ(code(parts), ErrorCode::Shape);
  parts = example();
  parts.identity->slot = pick(4);
  EXPECT_EQ(code(parts), ErrorCode::Shape);
  parts = example();
  parts.identity->element = pick(3);
  EXPECT_EQ(code(parts), ErrorCode::Shape);
  parts = example();
  parts.replicas = space("x", {2});  // x0 twice
  EXPECT_EQ(code(parts), ErrorCode::Value);
  parts = example();
  parts.map.push_back(Stage{Split{0, {2}}});
  EXPECT_EQ(code(parts), ErrorCode::Value);
  parts = example();
  parts.decode->push_back(Stage{Affine{{pick(3)}}});
  EXPECT_EQ(code(parts), ErrorCode::Shape);
}

TEST(RowValue, IsTheSumOrNothingWhenItLeaves64Bits) {
  EXPECT_EQ(value(Row{5, {{0, 2}, {2, -1}}}, Point{10, 99, 3}), 22);
  EXPECT_EQ(value(Row{1, {{0, 1}}}, Point{std::numeric_limits<Index>::max()}), std::nullopt);
}

}  // namespace map_layout_test
}  // namespace vl::map
