// Operations on device images: rows of sticks, what is read beyond a tensor's extents, and what is stored there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracle/ops/run.h"

namespace vl::test {
namespace ops_run_test {

using namespace oracle::ops;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *values::find_format(name); }

// A row-major layout over these extents whose dimension h has the stride strides[h], in `slots` slots.
map::Layout strided(const std::vector<Index>& extents, const std::vector<Index>& strides, Index slots) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", extents));
  parts.physical = *map::Space::create({{"s", slots}});
  parts.map = {map::Affine{{map::dot(strides)}}};
  return *map::Layout::create(std::move(parts));
}

Operand operand(const char* role, std::vector<Index> extents, const std::vector<Index>& padded,
                const std::vector<Index>& strides, Index slots, std::vector<Index> scales, const char* type = "f16") {
  return {role, strided(padded, strides, slots), std::move(extents), of(type), std::move(scales)};
}

Task sum_of_rows(Index rows, Index padded_rows, Index columns, Index padded) {
  Task task{Operation::Sum, {of("f16")}, {}, {{"d0", rows, padded_rows}, {"d1", columns, padded}}, {}};
  task.operands.push_back(
      operand("x", {rows, columns}, {padded_rows, padded}, {padded, 1}, padded_rows * padded, {0, 1}));
  task.operands.push_back(operand("result", {rows}, {padded_rows}, {1}, padded_rows, {0, -1}));
  return task;
}

TEST(Run, ReadsThePadsThatAnImageHolds) {
  const auto task = Prepared::create(sum_of_rows(2, 2, 3, 4));
  ASSERT_TRUE(task.has_value()) << task.error().message;
  // 1 2 3 -0, 4 5 6 9
  const std::vector<std::vector<Code>> images{{0x3c00, 0x4000, 0x4200, 0x8000, 0x4400, 0x4500, 0x4600, 0x4880}};
  std::vector<Code> image(2, 0x7e00);
  task->run(images, image);
  EXPECT_EQ(task->elements(image), (std::vector<Code>{0x4600, 0x4e00}));    // 6, 24
  EXPECT_EQ(task->valid_run(images), (std::vector<Code>{0x4600, 0x4b80}));  // 6, 15
}

TEST(Run, StoresAlsoTheElementsBeyondTheResult) {
  const auto task = Prepared::create(sum_of_rows(1, 2, 1, 2));
  ASSERT_TRUE(task.has_value());
  std::vector<Code> image(2, 0x7e00);
  task->run({{0x3c00, 0x0000, 0x4000, 0x4200}}, image);  // 1 0, and a row of pads 2 3
  EXPECT_EQ(image, (std::vector<Code>{0x3c00, 0x4500}));
  EXPECT_EQ(task->elements(image), (std::vector<Code>{0x3c00}));
  EXPECT_TRUE(task->holds(1, 0));
  EXPECT_FALSE(task->holds(1, 1));
}

TEST(Run, MultipliesMatricesOverThePaddedK) {
  // x[1,2] y[2,1], K padded to 3: 2*3 + 1*2 = 8, and a pad 0*inf.
  Task task{Operation::Dot, {of("f32"), values::Start::Zero}, {}, {{"M", 1, 1}, {"N", 1, 1}, {"K", 2, 3}}, {}};
  task.operands.push_back(operand("x", {1, 2}, {1, 3}, {3, 1}, 3, {0, -1, 1}));
  task.operands.push_back(operand("y", {2, 1}, {3, 1}, {1, 1}, 3, {-1, 1, 0}));
  task.operands.push_back(operand("out", {1, 1}, {1, 1}, {1, 1}, 1, {0, 1, -1}));
  const auto ready = Prepared::create(task);
  ASSERT_TRUE(ready.has_value()) << ready.error().message;
  std::vector<Code> image(1);
  const std::vector<Code> x{0x4000, 0x3c00, 0x0000}, y{0x4200, 0x4000, 0x7c00};
  ready->run({x, y}, image);
  EXPECT_EQ(image[0], Code{0x7e00});
  EXPECT_EQ(ready->valid_run({x, y}), (std::vector<Code>{0x4800}));
  ready->run({x, {0x4200, 0x4000, 0x7bff}}, image);
  EXPECT_EQ(image[0], Code{0x4800});
}

TEST(Run, BroadcastsOperandsThatLackADimension) {
  Task task{Operation::Add, {of("f16")}, {}, {{"d0", 2, 2}, {"d1", 2, 2}}, {}};
  task.operands.push_back(operand("a", {2, 2}, {2, 2}, {2, 1}, 4, {0, 1}));
  task.operands.push_back(operand("b", {2}, {2}, {1}, 2, {-1, 0}));
  task.operands.push_back(operand("result", {2, 2}, {2, 2}, {2, 1}, 4, {0, 1}));
  const auto ready = Prepared::create(task);
  ASSERT_TRUE(ready.has_value()) << ready.error().message;
  std::vector<Code> image(4);
  ready->run({{0x3c00, 0x4000, 0x4200, 0x4400}, {0x3c00, 0x0000}}, image);  // 1 2 3 4 + 1 0
  EXPECT_EQ(image, (std::vector<Code>{0x4000, 0x4000, 0x4400, 0x4400}));
}

TEST(Run, DividesByTheElementsOrByAllOverWhichItIterates) {
  for (const Count count : {Count::Valid, Count::Padded}) {
    Task task = sum_of_rows(1, 1, 3, 4);
    task.operation = Operation::Mean;
    task.arithmetic.count = count;
    const auto ready = Prepared::create(task);
    ASSERT_TRUE(ready.has_value());
    std::vector<Code> image(1);
    const std::vector<std::vector<Code>> images{{0x3c00, 0x3c00, 0x3c00, 0x0000}};
    ready->run(images, image);
    EXPECT_EQ(image[0], count == Count::Valid ? Code{0x3c00} : Code{0x3a00});  // 1, 0.75
    EXPECT_EQ(ready->valid_run(images), (std::vector<Code>{0x3c00}));
  }
}

TEST(Run, FindsThePlaceOfTheGreatest) {
  Task task = sum_of_rows(1, 1, 2, 3);
  task.operation = Operation::ArgMax;
  task.operands[1].format = of("i32");
  const auto ready = Prepared::create(task);
  ASSERT_TRUE(ready.has_value()) << ready.error().message;
  std::vector<Code> image(1);
  ready->run({{0xfc00, 0x3c00, 0x4000}}, image);
  EXPECT_EQ(image[0], Code{2});
  EXPECT_EQ(ready->valid_run({{0xfc00, 0x3c00, 0x4000}}), (std::vector<Code>{1}));
}

TEST(Run, ReadsTheElementWhereAnIndexIsAnAlias) {
  Task task = sum_of_rows(2, 2, 2, 3);
  task.operands[0] = operand("x", {2, 2}, {2, 3}, {2, 1}, 5, {0, 1});  // [0,2] is the slot of [1,0]
  const auto ready = Prepared::create(task);
  ASSERT_TRUE(ready.has_value()) << ready.error().message;
  EXPECT_EQ(ready->aliases(0), 1);
  std::vector<Code> image(2);
  ready->run({{0x3c00, 0x3c00, 0x4400, 0x3c00, 0x0000}}, image);
  EXPECT_EQ(image, (std::vector<Code>{0x4600, 0x4500}));  // 1 + 1 + 4, 4 + 1 + 0
}

TEST(Run, RefusesWhatHasNoMeaning) {
  const auto refuses = [](const Task& task, std::string_view word) {
    const auto ready = Prepared::create(task);
    ASSERT_FALSE(ready.has_value()) << word;
    EXPECT_NE(ready.error().message.find(word), std::string::npos) << ready.error().message;
  };
  Task task = sum_of_rows(2, 2, 2, 3);
  task.operands[0] = operand("x", {2, 2}, {2, 3}, {3, 1}, 5, {0, 1});
  refuses(task, "[1,2] has no slot");
  task = sum_of_rows(2, 3, 2, 2);
  task.operands[1] = operand("result", {2}, {3}, {0}, 1, {0, -1});
  refuses(task, "of another element");
  task = sum_of_rows(1, 3, 2, 2);
  task.operands[0] = operand("x", {1, 2}, {3, 2}, {2, 1}, 6, {0, 1});
  task.operands[1] = operand("result", {1}, {3}, {0}, 1, {0, -1});
  refuses(task, "stored over another");
  task = sum_of_rows(2, 2, 2, 3);
  task.operands.push_back(task.operands[1]);
  refuses(task, "has 2 operands");
  task = sum_of_rows(2, 2, 2, 3);
  task.dims[1].padded = 4;
  refuses(task, "expected 2 and 4");
  task = sum_of_rows(2, 2, 2, 3);
  task.dims[1].padded = 1;
  refuses(task, "padded to 1");
  task = sum_of_rows(2, 2, 2, 3);
  task.operation = Operation::Neg;
  refuses(task, "reduces no dimension");
  task = sum_of_rows(2, 2, 2, 3);
  task.operands[0].scales = {0, 0};
  refuses(task, "x has");
  task = sum_of_rows(2, 2, 2, 3);
  task.operation = Operation::ArgMax;
  refuses(task, "integer type");
}

TEST(Run, OfATensorWithoutElementsStoresNothing) {
  const auto ready = Prepared::create(sum_of_rows(0, 0, 3, 4));
  ASSERT_TRUE(ready.has_value()) << ready.error().message;
  std::vector<Code> image;
  ready->run({{}}, image);
  EXPECT_TRUE(ready->valid_run({{}}).empty());
}

}  // namespace ops_run_test
}  // namespace vl::test
