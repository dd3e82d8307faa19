// The host's memory of a layout, and the numbers that nests may have.
#include "encodings/use/memory.h"

#include <gtest/gtest.h>

#include "encodings/use/family.h"
#include "encodings/use/transfer.h"
#include "tests/support/spyre_random.h"

namespace vl::use {
namespace use_memory_test {

Memory host_of(map::Tensor tensor) {
  auto reading =
      family_of({}, "spyre")
          ->read("SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=DataFormats.SEN169_FP16)", tensor);
  VL_CHECK(reading.has_value(), "a test's layout");
  auto memory = host_memory(*reading->layout());
  VL_CHECK(memory.has_value(), "a test's host");
  return std::move(*memory);
}

Point at(const Memory& memory, const Point& x) { return *evaluate(memory.layout.map(), x); }

TEST(HostMemory, OfAPaddedRowStartsAtTheStorageOffset) {
  const Memory memory = host_of({map::ElementType::F16, {4, 6}, std::vector<Index>{8, 1}, 100, 0});
  EXPECT_EQ(memory.base, 100);
  EXPECT_EQ(memory.layout.physical().extent(0), 30);
  EXPECT_EQ(at(memory, {1, 2}), Point{10});
  EXPECT_TRUE(use_of(memory.layout, Point{10}).valid);
  EXPECT_FALSE(use_of(memory.layout, Point{6}).valid);  // between two rows
}

TEST(HostMemory, OfARankZeroTensorIsOneElement) {
  const Memory memory = host_of({map::ElementType::F16, {}, {}, 7, 0});
  EXPECT_EQ(memory.base, 7);
  EXPECT_EQ(memory.layout.physical().extent(0), 1);
}

TEST(HostMemory, OfAnEmptyTensorIsEmpty) {
  const Memory memory = host_of({map::ElementType::F16, {3, 0}, {}, 0, 0});
  EXPECT_EQ(memory.layout.physical().extent(0), 0);
}

TEST(HostMemory, OfOverlappingOffsetsHasNoWayBack) {
  const Memory memory = host_of({map::ElementType::F16, {2, 3}, std::vector<Index>{3, 2}, 0, 0});
  EXPECT_FALSE(memory.layout.decode().has_value());
}

TEST(HostMemory, GivesEveryElementItsHostOffsetAndDecodesItBack) {
  test::RandomSpyre random(5);
  int decoded = 0;
  int turned = 0;
  for (int made = 0; made < 3000; ++made) {
    const test::RandomCase c = random.next(60);
    const auto layout = spyre::lower(c.layout, c.tensor);
    if (!layout || layout->logical().volume() == 0) continue;
    const auto memory = host_memory(*layout);
    ASSERT_TRUE(memory);
    Index lowest = *value(layout->host_offset(), layout->logical().point(0));
    Index highest = lowest;
    for (Index number = 0; number < layout->logical().volume(); ++number) {
      const Point x = layout->logical().point(number);
      const Index offset = *value(layout->host_offset(), x);
      lowest = std::min(lowest, offset);
      highest = std::max(highest, offset);
      ASSERT_EQ(at(*memory, x), Point{offset - memory->base}) << c.show();
      if (!memory->layout.decode()) continue;
      const map::SlotUse use = use_of(memory->layout, Point{offset - memory->base});
      ASSERT_TRUE(use.valid) << c.show();
      ASSERT_EQ(*value(layout->host_offset(), use.point), offset) << c.show();
    }
    ASSERT_EQ(memory->base, lowest) << c.show();
    ASSERT_EQ(memory->layout.physical().volume(), highest - lowest + 1) << c.show();
    decoded += memory->layout.decode() ? 1 : 0;
    turned += std::ranges::any_of(c.strides, [](Index stride) { return stride < 0; }) ? 1 : 0;
  }
  EXPECT_GE(decoded, 2000);
  EXPECT_GE(turned, 100);
}

Nest nest(std::vector<Index> extents, std::vector<Index> strides, Index offset) {
  return {std::move(extents), {strides, offset}, {strides, offset}};
}

TEST(Nests, ProblemsAreThoseOfLengthsSignsAndSixtyTwoBits) {
  constexpr Index kFar = Index{1} << 62;
  EXPECT_FALSE(problem_of(nest({}, {}, 0)));
  EXPECT_FALSE(problem_of(nest({0, 5}, {-3, 0}, -7)));
  EXPECT_FALSE(problem_of(nest({2}, {kFar}, 0)));
  EXPECT_EQ(problem_of(nest({2}, {kFar}, 1))->code, ErrorCode::Overflow);
  EXPECT_EQ(problem_of(nest({2}, {-kFar}, -1))->code, ErrorCode::Overflow);
  EXPECT_EQ(problem_of(nest({kFar, 2}, {0, 0}, 0))->code, ErrorCode::Overflow);
  EXPECT_EQ(problem_of(nest({3, 3}, {kFar, -kFar}, 0))->code, ErrorCode::Overflow);
  EXPECT_EQ(problem_of(nest({-1}, {1}, 0))->code, ErrorCode::Value);
  EXPECT_EQ(problem_of(Nest{{2}, {{1}, 0}, {{}, 0}})->code, ErrorCode::Shape);
}

TEST(Nests, BackwardsTwiceAreTheSame) {
  const Transfer transfer{Direction::HostToDevice, {Nest{{2}, {{1}, 3}, {{4}, 5}}}};
  EXPECT_EQ(reversed(transfer).direction, Direction::DeviceToHost);
  EXPECT_EQ(host_of(reversed(transfer).nests[0], Direction::DeviceToHost), transfer.nests[0].source);
  EXPECT_EQ(reversed(reversed(transfer)), transfer);
  for (const Direction direction : {Direction::HostToDevice, Direction::DeviceToHost, Direction::DeviceToDevice})
    EXPECT_EQ(direction_of(name(direction)), direction);
  EXPECT_FALSE(direction_of("up"));
}

}  // namespace use_memory_test
}  // namespace vl::use
