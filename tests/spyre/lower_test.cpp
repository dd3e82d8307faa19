// Layouts as maps: the slots that torch-spyre's own coordinate tests and documents state, by evaluation of the IR.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"

namespace vl::spyre {
namespace spyre_lower_test {

using List = std::vector<Index>;

map::Tensor tensor(List size) {
  map::Tensor made;
  made.size = std::move(size);
  return made;
}

map::Layout lowered(const std::string& text, const map::Tensor& of) {
  const auto parsed = parse(text);
  VL_CHECK(parsed.has_value(), text + (parsed ? "" : ": " + parsed.error().message));
  auto layout = lower(*parsed, of);
  VL_CHECK(layout.has_value(), text + (layout ? "" : ": " + layout.error().message));
  return *std::move(layout);
}

std::string raw(const List& size, const List& strides, std::string_view dtype = "SEN169_FP16") {
  return fmt::format("SpyreTensorLayout(device_size=[{}], stride_map =[{}], device_dtype=DataFormats.{})",
                     fmt::join(size, ", "), fmt::join(strides, ", "), dtype);
}

/// The slot of an element's first replica; empty if it has none.
List slot(const map::Layout& layout, const List& element) {
  const Point outputs = map::outputs_at(layout, element, Point(layout.replicas().rank(), 0));
  if (!layout.is_slot(outputs)) return {};
  return List(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
}

TEST(Lower, PlacesTheWorkedExampleOfTheDocument) {
  const map::Layout layout = lowered(raw({100, 3, 5, 64}, {150, 64, 15000, 1}), tensor({5, 100, 150}));
  EXPECT_EQ(slot(layout, {2, 7, 40}), (List{7, 0, 2, 40}));
  EXPECT_EQ(layout.physical().linear(List{7, 0, 2, 40}), 6888);
  EXPECT_EQ(map::value(layout.host_offset(), List{2, 7, 40}), 31090);
  EXPECT_EQ(slot(layout, {4, 99, 149}), (List{99, 2, 4, 21}));
  EXPECT_EQ(slot(layout, {0, 1, 0}), (List{1, 0, 0, 0}));
}

// test_coordinates.py: 4096*p0 + p1, p0 < 512, p1 < 4096 on [256,64,2,64] is (p0%256, p1//64, p0//256, p1%64).
TEST(Lower, TakesTheCoordinatesOfTheUpstreamTest) {
  const std::string text = raw({256, 64, 2, 64}, {4096, 64, 1048576, 1});
  const map::Layout layout = lowered(text, tensor({512, 4096}));
  std::size_t compared = 0;
  for (Index p0 = 0; p0 < 512; p0 += 37)
    for (Index p1 = 0; p1 < 4096; p1 += 61, ++compared)
      ASSERT_EQ(slot(layout, {p0, p1}), (List{p0 % 256, p1 / 64, p0 / 256, p1 % 64})) << p0 << ", " << p1;
  EXPECT_GT(compared, 900U);
}

TEST(Lower, AddsTheViewOffsetBeforeItTakesDigits) {
  // +200 is 3 sticks and 8 lanes.
  map::Tensor view = tensor({512, 3600});
  view.strides = List{4096, 1};
  view.view_offset = 200;
  const map::Layout moved = lowered(raw({256, 64, 2, 64}, {4096, 64, 1048576, 1}), view);
  EXPECT_EQ(slot(moved, {0, 0}), (List{0, 3, 0, 8}));
  EXPECT_EQ(slot(moved, {300, 63}), (List{44, 4, 1, 7}));
  // Device [15,6,9,64], [384,64,5760,1]: 17280 is p0 + 3, 1920 is p1 + 5, 128 is two sticks.
  const std::string text = raw({15, 6, 9, 64}, {384, 64, 5760, 1});
  struct Row {
    Index offset;
    List first;
  };
  for (const Row& row : {Row{0, {0, 0, 0, 0}}, Row{17280, {0, 0, 3, 0}}, Row{1920, {5, 0, 0, 0}},
                         Row{128, {0, 2, 0, 0}}, Row{17280 + 1920 + 128 + 7, {5, 2, 3, 7}}}) {
    map::Tensor part = tensor({3, 10, 250});
    part.strides = List{5760, 384, 1};
    part.view_offset = row.offset;
    const map::Layout layout = lowered(text, part);
    EXPECT_EQ(slot(layout, {0, 0, 0}), row.first) << row.offset;
    const List last = slot(layout, {2, 9, 63});
    EXPECT_EQ(last, (List{row.first[0] + 9, row.first[1] + (row.first[3] + 63) / 64, row.first[2] + 2,
                          (row.first[3] + 63) % 64}))
        << row.offset;
  }
}

TEST(Lower, DoesNotLetTheStorageOffsetIntoTheSlot) {
  map::Tensor view = tensor({10, 20, 30});
  view.offset = 1855;
  const map::Layout layout = lowered("SpyreTensorLayout((10, 20, 30), torch.float16)", view);
  const map::Layout plain = lowered("SpyreTensorLayout((10, 20, 30), torch.float16)", tensor({10, 20, 30}));
  EXPECT_EQ(map::value(layout.host_offset(), List{0, 0, 0}), 1855);
  EXPECT_EQ(map::value(plain.host_offset(), List{3, 1, 25}), 1855);
  EXPECT_EQ(slot(layout, {3, 1, 25}), slot(plain, {3, 1, 25}));
}

// Rows of raw layouts whose upstream tests accept them: every element has a slot and no two share one.
TEST(Lower, GivesEveryElementOfTheAcceptedVectorsASlotOfItsOwn) {
  struct Row {
    const char* name;
    List size, device_size, stride_map;
    std::optional<List> strides;
  };
  const std::vector<Row> table = {
      {"32", {40, 60}, {1, 60, 64}, {3840, 1, 60}, {}},
      {"34", {40, 240}, {4, 512, 64}, {64, 240, 1}, {}},
      {"37", {60}, {1, 60, 64}, {64, 1, 1}, {}},
      {"38", {60}, {2, 1, 2, 64}, {15, 64, 30, 1}, {}},
      {"40", {4800}, {3, 2, 14, 64}, {120, 64, 360, 1}, {}},
      {"41", {40, 60}, {24, 1, 2, 64}, {60, 64, 1440, 1}, {}},
      {"43", {40, 60}, {3, 4, 3, 1, 2, 64}, {600, 180, 60, 64, 1800, 1}, {}},
      {"44a", {40, 60}, {1, 40, 64}, {2560, 1, 40}, List{1, 40}},
      {"44b", {40, 60}, {1, 60, 64}, {64, 40, 1}, List{1, 40}},
      {"46", {1, 8, 130}, {8, 3, 1, 64}, {130, 64, -1, 1}, {}},
      {"47", {2, 8, 128}, {2, 8, 2, 1, 64}, {1024, 128, 64, -1, 1}, {}},
      {"49", {1, 8, 4096}, {8, 2, 32, 64}, {4096, 64, 128, 1}, {}},
      {"issue", {40, 60}, {2, 12, 1, 2, 64}, {720, 60, 64, 1200, 1}, {}},
  };
  std::size_t elements = 0;
  for (const Row& row : table) {
    map::Tensor of = tensor(row.size);
    of.strides = row.strides;
    const map::Layout layout = lowered(raw(row.device_size, row.stride_map), of);
    std::vector<bool> taken(static_cast<std::size_t>(layout.physical().volume()));
    Point x(layout.logical().rank(), 0);
    do {
      const List at = slot(layout, x);
      ASSERT_FALSE(at.empty()) << row.name << " " << fmt::format("{}", fmt::join(x, ","));
      const auto number = static_cast<std::size_t>(layout.physical().linear(at));
      ASSERT_FALSE(taken[number]) << row.name;
      taken[number] = true;
      ++elements;
    } while (map::advance(layout.logical(), x));
  }
  EXPECT_GT(elements, 60000U);
}

TEST(Lower, ReplicatesOverAStrideOfZero) {
  const map::Layout layout = lowered(raw({1, 512, 64}, {64, 0, 1}), tensor({60}));
  EXPECT_EQ(layout.replicas().volume(), 512);
  EXPECT_EQ(map::outputs_at(layout, List{7}, List{300}), (Point{0, 300, 7}));
}

TEST(Lower, GivesTheTieToTheOuterDimension) {
  const map::Layout layout = lowered(raw({1, 60, 64}, {64, 1, 1}), tensor({60}));
  EXPECT_EQ(slot(layout, {59}), (List{0, 59, 0}));
}

// 000_4bef…: vector 14 at (0,0,0,1) is no element's slot, and a device too small leaves elements without one.
TEST(Lower, LeavesElementsWithoutASlot) {
  const map::Layout small = lowered(raw({1, 1, 64}, {64, 128, 1}), tensor({2, 128}));
  EXPECT_EQ(slot(small, {0, 63}), (List{0, 0, 63}));
  EXPECT_TRUE(slot(small, {0, 64}).empty());
  const map::Layout odd = lowered(raw({64}, {2}), tensor({4}));
  EXPECT_EQ(slot(odd, {2}), (List{1}));
  EXPECT_TRUE(slot(odd, {1}).empty());  // a remainder of 1
}

// dim_map era: repeated entries combine right to left. Document 001: [256,8,128,64], [1,2,0,2].
TEST(Lower, TakesADimMapApartRightToLeft) {
  const std::string text =
      "SpyreTensorLayout(device_size=[256, 8, 128, 64], dim_map =[1, 2, 0, 2], device_dtype=DataFormats.SEN169_FP16)";
  for (const List& size : {List{128, 256, 512}, List{100, 200, 500}})
    EXPECT_EQ(slot(lowered(text, tensor(size)), {99, 198, 3 * 64 + 17}), (List{198, 3, 99, 17}));
  // Vector 53, 55, 56: the old default of [128], [512,8,256] and of [512,256] in order [1,0].
  const auto old = [](const List& size, const List& dims) {
    return fmt::format("SpyreTensorLayout(device_size=[{}], dim_map =[{}], device_dtype=DataFormats.SEN169_FP16)",
                       fmt::join(size, ", "), fmt::join(dims, ", "));
  };
  EXPECT_EQ(slot(lowered(old({2, 64}, {0, 0}), tensor({128})), {100}), (List{1, 36}));
  EXPECT_EQ(slot(lowered(old({8, 4, 512, 64}, {1, 2, 0, 2}), tensor({512, 8, 256})), {511, 5, 200}),
            (List{5, 3, 511, 8}));
  EXPECT_EQ(slot(lowered(old({8, 256, 64}, {0, 1, 0}), tensor({512, 256})), {130, 7}), (List{2, 7, 2}));
  // Vector 59: a (3,5,128) tensor viewed as (15,1,128). The dim_map puts device (1,0,0,0) to row 3, the storage holds
  // row 1 there: only the stride_map [128,64,640,1] is right.
  EXPECT_EQ(slot(lowered(old({5, 2, 3, 64}, {1, 3, 0, 3}), tensor({3, 5, 1, 128})), {2, 4, 0, 127}),
            (List{4, 1, 2, 63}));
  EXPECT_EQ(slot(lowered(old({5, 2, 3, 64}, {0, 2, 0, 2}), tensor({15, 1, 128})), {3, 0, 0}), (List{1, 0, 0, 0}));
  EXPECT_EQ(slot(lowered(raw({5, 2, 3, 64}, {128, 64, 640, 1}), tensor({15, 1, 128})), {1, 0, 0}), (List{1, 0, 0, 0}));
  EXPECT_EQ(slot(lowered(raw({5, 2, 3, 64}, {128, 64, 640, 1}), tensor({15, 1, 128})), {14, 0, 127}),
            (List{4, 1, 2, 63}));
}

TEST(Lower, RefusesWhatADimMapCannotSay) {
  const auto layout = parse("SpyreTensorLayout(device_size=[2, 64], dim_map =[0, 1], device_dtype=SEN169_FP16)");
  ASSERT_TRUE(layout.has_value());
  const auto beyond = lower(*layout, tensor({128}));
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().code, ErrorCode::Shape);
  map::Tensor view = tensor({2, 64});
  view.view_offset = 64;
  const auto shifted = lower(*layout, view);
  ASSERT_FALSE(shifted.has_value());
  EXPECT_EQ(shifted.error().code, ErrorCode::Value);
  map::Tensor strides = tensor({2, 64});
  strides.strides = List{64};
  EXPECT_EQ(lower(*layout, strides).error().code, ErrorCode::Shape);
}

// 128 bytes times the sticks; size-0 boxes have none (T: [3,eps] 384, [0,eps] 0, for every format with geometry).
TEST(Family, KnowsTheBytesOfADeviceImage) {
  const auto bytes = [](const std::string& text, const map::Tensor& of) {
    const auto reading = family().read(text, of);
    VL_CHECK(reading.has_value(), text);
    return ceil_div(reading->layout()->physical().volume() * reading->device_bits, 8);
  };
  for (const std::string_view format :
       {"SEN169_FP16", "IEEE_FP32", "SEN143_FP8", "SENINT8", "SENINT4", "SENINT2", "SENUINT2", "IEEE_INT32",
        "SENUINT32", "IEEE_INT64", "BOOL", "BFLOAT16", "SENINT16", "SEN152_FP8"}) {
    const Index eps = device_format(format)->elements_per_stick;
    EXPECT_EQ(bytes(raw({3, eps}, {eps, 1}, format), tensor({eps})), 384) << format;
    EXPECT_EQ(bytes(raw({0, eps}, {eps, 1}, format), tensor({0})), 0) << format;
  }
  EXPECT_EQ(bytes("SpyreTensorLayout((5, 100, 150), torch.float16)", tensor({5, 100, 150})), 192000);
  EXPECT_EQ(bytes("SpyreTensorLayout((512,), torch.float16)", tensor({512})), 1024);
  EXPECT_EQ(bytes("SpyreTensorLayout((512, 1), torch.float16)", tensor({512, 1})), 65536);
  // More than 2 GiB (PR #459): 8192*272*32 sticks of 128 bytes.
  EXPECT_EQ(bytes("SpyreTensorLayout((32, 8192, 17408), torch.float16)", tensor({32, 8192, 17408})),
            Index{8192} * 272 * 32 * 128);
}

std::vector<std::string> warnings(const std::string& text, const map::Tensor& of) {
  const auto reading = family().read(text, of);
  VL_CHECK(reading.has_value(), text);
  return reading->warnings;
}

TEST(Family, WarnsOfWhatAReaderShouldKnow) {
  EXPECT_EQ(warnings("SpyreTensorLayout((2, 3), torch.float16)", tensor({2, 3})).size(), 0U);
  EXPECT_EQ(warnings("SpyreTensorLayout((2, 3), (3, 1), torch.float16, [0, 1])", tensor({2, 3})).size(), 0U);
  EXPECT_EQ(warnings("SpyreTensorLayout((2, 3), (1, 2), torch.float16, [0, 1])", tensor({2, 3})).size(), 1U);
  EXPECT_EQ(warnings("SpyreTensorLayout((2, 3), torch.float32)", tensor({2, 3})).size(), 1U);  // for an f16 tensor
  EXPECT_EQ(
      warnings("SpyreTensorLayout(device_size=[2, 64], dim_map=[0, 0], stride_map=[64, 1], device_dtype=SEN169_FP16)",
               tensor({128}))
          .size(),
      1U);
}

TEST(Family, WarnsOfStridesThatAreNotTheTensors) {
  map::Tensor strided = tensor({2, 3});
  strided.strides = {4, 1};
  EXPECT_EQ(warnings("SpyreTensorLayout((2, 3), (4, 1), torch.float16, [0, 1])", strided).size(), 0U);
  EXPECT_EQ(warnings("SpyreTensorLayout((2, 3), (3, 1), torch.float16, [0, 1])", strided),
            (std::vector<std::string>{"the text gives the host strides [3, 1], the tensor has [4, 1]"}));
}

TEST(Family, WarnsOfOneElementInManySticks) {
  EXPECT_EQ(
      warnings(raw({100, 3, 5, 64}, {150, 64, 15000, 1}), tensor({})),
      (std::vector<std::string>{"the tensor f16[] has one element, and the layout has 96000 slots in 1500 sticks"}));
  EXPECT_EQ(warnings(raw({1, 64}, {-1, -1}), tensor({})).size(), 0U);
  EXPECT_EQ(warnings(raw({2, 64}, {64, 1}), tensor({1})).size(), 0U);  // a size says what it is
}

// The rules of a text that do not hold, as "statement have want".
std::vector<std::string> broken_rules(const std::string& text, const map::Tensor& of) {
  const auto reading = family().read(text, of);
  VL_CHECK(reading.has_value(), text);
  std::vector<std::string> out;
  for (const use::Rule& rule : reading->rules)
    if (rule.have != rule.want) out.push_back(fmt::format("{} {} {}", rule.statement, rule.have, rule.want));
  return out;
}

TEST(Family, HasARuleForEachDimensionOfAConstructorsOwnSize) {
  using Words = std::vector<std::string>;
  const std::string text = "SpyreTensorLayout((2, 3), torch.float16)";
  EXPECT_EQ(broken_rules(text, tensor({2, 3})), Words{});
  EXPECT_EQ(broken_rules(text, tensor({2, 4})),
            (Words{"the constructor's size [2, 3] and the tensor's size [2, 4] agree in dimension 1 3 4"}));
  EXPECT_EQ(broken_rules(text, tensor({3, 2})),
            (Words{"the constructor's size [2, 3] and the tensor's size [3, 2] agree in dimension 0 2 3",
                   "the constructor's size [2, 3] and the tensor's size [3, 2] agree in dimension 1 3 2"}));
  EXPECT_EQ(broken_rules(text, tensor({6})),
            (Words{"the constructor's size [2, 3] and the tensor's size [6] have the same number of dimensions 2 1"}));
  EXPECT_EQ(broken_rules("SpyreTensorLayout((), torch.float16)", tensor({1})),
            (Words{"the constructor's size [] and the tensor's size [1] have the same number of dimensions 0 1"}));
  // A view says itself that it is one; a size alone does not.
  map::Tensor transposed = tensor({3, 2});
  transposed.strides = {1, 3};
  EXPECT_EQ(broken_rules(text, transposed), Words{});
  EXPECT_EQ(warnings(text, transposed), (Words{"the text gives the size [2, 3], the tensor has [3, 2]"}));
  transposed.strides = {1, 4};
  EXPECT_EQ(broken_rules(text, transposed).size(), 2U);
  map::Tensor part = tensor({2});
  EXPECT_EQ(broken_rules("SpyreTensorLayout((4,), torch.float16)", part).size(), 1U);
  part.view_offset = 2;
  EXPECT_EQ(broken_rules("SpyreTensorLayout((4,), torch.float16)", part), Words{});
  // A tuple of lists is a record of a buffer, and the tensor may be a part of it.
  EXPECT_EQ(broken_rules("([4], [1], [1, 64], [64, 1])", tensor({2})), Words{});
  EXPECT_EQ(warnings("([4], [1], [1, 64], [64, 1])", tensor({2})).front(),
            "the text names no device dtype: taken is what torch-spyre gives the tensor's type");
  EXPECT_EQ(warnings("([4], [1], [1, 64], [64, 1])", tensor({2})).back(),
            "the text gives the size [4], the tensor has [2]");
  // The size behind a resize is the new one.
  EXPECT_EQ(broken_rules("SpyreTensorLayout((4, 3), torch.float16).resize((2, 3))", tensor({2, 3})), Words{});
}

TEST(Family, DoesNotClaimToDecideAnotherElementArrangement) {
  const auto reading = family().read(
      "SpyreTensorLayout(device_size=[2, 64], stride_map=[64, 1], device_dtype=SEN169_FP16, element_arrangement=EXX2)",
      tensor({128}));
  ASSERT_TRUE(reading.has_value());
  ASSERT_NE(reading->undecidable(), nullptr);
  EXPECT_NE(reading->undecidable()->reason.find("EXX2"), std::string::npos);
  EXPECT_EQ(reading->layout(), nullptr);
}

TEST(Family, SaysWhichOfItsRulesAreBroken) {
  const auto broken = [](const std::string& text, const map::Tensor& of) {
    std::size_t count = 0;
    const auto reading = family().read(text, of);
    for (const use::Rule& rule : reading->rules) count += rule.have == rule.want ? 0 : 1;
    return count;
  };
  EXPECT_EQ(broken("SpyreTensorLayout((5, 100, 150), torch.float16)", tensor({5, 100, 150})), 0U);
  EXPECT_EQ(broken(raw({2, 63}, {63, 1}), tensor({126})), 1U);
  EXPECT_EQ(broken(raw({4, 512, 64}, {64, 256, 1}, "IEEE_FP32"), tensor({512, 256})), 1U);
  EXPECT_EQ(
      broken("SpyreTensorLayout(device_size=[2, 64], dim_map=[0, 0], device_dtype=SEN169_FP16)", tensor({128, 3})), 1U);
}

}  // namespace spyre_lower_test
}  // namespace vl::spyre
