// Elements to places: the vectors of the document and of upstream's own tests, as literals.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace tirx_evaluate_test {

using List = std::vector<Index>;
using Place = std::map<std::string, Index>;  // by axis; one that is not named is 0
using Places = std::set<Place>;

map::Tensor tensor_of(List size, std::string_view box = {}) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  if (!box.empty()) tensor.box = *map::parse_box(box);
  return tensor;
}

// Every place of an element; axes at 0 are left out.
Places places_of(const map::Layout& layout, const List& element) {
  Places out;
  Point replica(layout.replicas().rank(), 0);
  do {
    const Point at = map::outputs_at(layout, element, replica);
    Place place;
    for (std::size_t k = 0; k < at.size(); ++k)
      if (at[k] != 0) place[layout.physical().dims()[k].name] = at[k];
    out.insert(std::move(place));
  } while (map::advance(layout.replicas(), replica));
  return out;
}

map::Layout layout_of(const std::string& text, const map::Tensor& tensor) {
  const auto parsed = parse(text);
  VL_CHECK(parsed.has_value(), text + ": " + (parsed ? "" : parsed.error().message));
  auto layout = lower(parsed->layout, tensor);
  VL_CHECK(layout.has_value(), text + ": " + (layout ? "" : layout.error().message));
  return *layout;
}

struct Vector {
  const char* text;
  List size;
  List element;
  Places places;
};

const char* const kMma = "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid";
const char* const kTmem = "S[(2,128,112):(112@TCol,1@TLane,1@TCol)]";
const char* const kScales = "S[(4,32,2,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]";
const char* const kOffset = "ComposeLayout(3, 3, 3, TileLayout(S[(8, 8) : (64, 1)] + 72))";

const std::vector<Vector> kVectors = {
    // the document's tensor-core tile
    {kMma, {8, 16}, {0, 0}, {{{"warpid", 5}}, {{"warpid", 9}}}},
    {kMma, {8, 16}, {0, 1}, {{{"warpid", 5}, {"m", 1}}, {{"warpid", 9}, {"m", 1}}}},
    {kMma, {8, 16}, {0, 2}, {{{"laneid", 1}, {"warpid", 5}}, {{"laneid", 1}, {"warpid", 9}}}},
    {kMma, {8, 16}, {1, 0}, {{{"laneid", 4}, {"warpid", 5}}, {{"laneid", 4}, {"warpid", 9}}}},
    {kMma, {8, 16}, {0, 8}, {{{"warpid", 6}}, {{"warpid", 10}}}},
    {kMma, {8, 16}, {7, 15}, {{{"laneid", 31}, {"warpid", 6}, {"m", 1}}, {{"laneid", 31}, {"warpid", 10}, {"m", 1}}}},
    {kMma, {128}, {127}, {{{"laneid", 31}, {"warpid", 6}, {"m", 1}}, {{"laneid", 31}, {"warpid", 10}, {"m", 1}}}},
    // tensor memory
    {kTmem, {2, 128, 112}, {0, 0, 0}, {{}}},
    {kTmem, {2, 128, 112}, {0, 5, 3}, {{{"TLane", 5}, {"TCol", 3}}}},
    {kTmem, {2, 128, 112}, {1, 0, 0}, {{{"TCol", 112}}}},
    {kTmem, {2, 128, 112}, {1, 127, 111}, {{{"TLane", 127}, {"TCol", 223}}}},
    // upstream's tests of apply
    {"S[(8,8):(10,1)]", {64}, {8 * 5 + 3}, {{{"m", 53}}}},
    {"S[(8,1,4,2):(4@laneid,2,1@laneid,1)]", {8, 8}, {3, 5}, {{{"laneid", 14}, {"m", 1}}}},
    {"S[(8,1,4,2):(4@laneid,2,1@laneid,1)]", {8, 8}, {7, 6}, {{{"laneid", 31}}}},
    {"S[(2,6,4,2,2):(1@F,1@P,12@F,6@P,48@F)]", {12, 16}, {7, 11}, {{{"P", 7}, {"F", 73}}}},
    // swizzles
    {"SwizzleLayout(3, 3, 3)", {1024}, {64}, {{{"m", 72}}}},
    {"SwizzleLayout(3, 3, 3)", {1024}, {72}, {{{"m", 64}}}},
    {"SwizzleLayout(3, 3, 3)", {1024}, {520}, {{{"m", 520}}}},
    {"SwizzleLayout(3, 3, 3)", {1024}, {512 + 65}, {{{"m", 512 + 73}}}},
    {"SwizzleLayout(0, 3, 3, False)", {64}, {8 * 5 + 3}, {{{"m", 8 * 6 + 3}}}},
    {"SwizzleLayout(0, 3, 3, swizzle_inner=False)", {8, 8}, {1, 7}, {{{"m", 8 * 6 + 7}}}},
    {kOffset, {8, 8}, {3, 5}, {{{"m", 301}}}},
    {kOffset, {8, 8}, {0, 0}, {{{"m", 64}}}},
    {"ComposeLayout(3, 3, 3, TileLayout(S[(64, 4, 64) : (64, 4096, 1)]))", {64, 256}, {9, 130}, {{{"m", 8778}}}},
    {"ComposeLayout(0, 1, 1, S[3:1])", {3}, {2}, {{{"m", 3}}}},
    {"ComposeLayout(3, 3, 3, S[(5,60):(60,1)])", {5, 60}, {4, 47}, {{{"m", 319}}}},
    // tensor memory's datapaths and scale factors, as the sums that their builders give
    {"S[(128, 64):(1@TLane, 1@TCol)]", {128, 64}, {77, 5}, {{{"TLane", 77}, {"TCol", 5}}}},
    {"S[(4, 16, 8):(32@TLane, 1@TLane, 1@TCol)] + 16@TLane", {64, 8}, {37, 2}, {{{"TLane", 85}, {"TCol", 2}}}},
    {"S[(64, 2, 32):(1@TLane, 64@TLane, 1@TCol)]", {64, 64}, {9, 40}, {{{"TLane", 73}, {"TCol", 8}}}},
    {"S[(32, 4, 16):(1@TLane, 32@TLane, 1@TCol)]", {32, 64}, {5, 37}, {{{"TLane", 69}, {"TCol", 5}}}},
    {"S[(4,2,2,8,4,4,2):(1@wid_in_wg,16,2,4@laneid,4,1@laneid,1)]",
     {128, 32},
     {127, 31},
     {{{"wid_in_wg", 3}, {"laneid", 31}, {"m", 16 + 2 + 12 + 1}}}},
    {kScales,
     {128, 8},
     {37, 6},
     {{{"TLane", 5}, {"TCol", 22}},
      {{"TLane", 37}, {"TCol", 22}},
      {{"TLane", 69}, {"TCol", 22}},
      {{"TLane", 101}, {"TCol", 22}}}},
    // corners: no shard, unit extents, strides 0 and below, replicas that meet
    {"R[2:4@warpid] + 2@warpid", {}, {}, {{{"warpid", 2}}, {{"warpid", 6}}}},
    {"S[():()] + 7", {1, 1}, {0, 0}, {{{"m", 7}}}},
    {"S[(1,4,1):(9,2,7)]", {4}, {3}, {{{"m", 6}}}},
    {"S[1:5]", {}, {}, {{}}},
    {"TileLayout(S[(1, 8, 8) : (-1, 64, 1)] + 8)", {64}, {63}, {{{"m", 463}}}},
    {"S[(8, 8) : (-64, 1)] + 8", {8, 8}, {2, 3}, {{{"m", -117}}}},
    {"S[(2,4):(0,1)]", {2, 4}, {1, 3}, {{{"m", 3}}}},
    {"S[2:1] + R[(2,2):(1,1)]", {2}, {0}, {{}, {{"m", 1}}, {{"m", 2}}}},
};

TEST(TirxEvaluate, PutsTheElementsOfTheDocumentAndOfUpstreamsTestsWhereTheySay) {
  for (const Vector& row : kVectors)
    EXPECT_EQ(places_of(layout_of(row.text, tensor_of(row.size)), row.element), row.places)
        << row.text << fmt::format(" [{}]", fmt::join(row.element, ","));
}

TEST(TirxEvaluate, RepeatsASwizzleEvery512ElementsAndNoSooner) {
  const map::Layout layout = layout_of("SwizzleLayout(3, 3, 3)", tensor_of({2048}));
  std::vector<Index> places;
  for (Index m = 0; m < 2048; ++m) places.push_back(map::outputs_at(layout, Point{m}, {})[0]);
  const auto at = [&](Index m) { return places[static_cast<std::size_t>(m)]; };
  for (Index m = 0; m + 512 < 2048; ++m) ASSERT_EQ(at(m + 512), at(m) + 512) << m;
  for (Index period = 1; period < 512; ++period) {
    Index moved = 0;
    for (Index m = 0; m + period < 2048; ++m) moved += at(m + period) != at(m) + period;
    ASSERT_GT(moved, 0) << period;
  }
}

struct Box {
  const char* text;
  List size;
  const char* box;
  std::vector<std::pair<std::string, Index>> physical;
  std::vector<std::pair<std::string, Index>> filled;
};

// Declared extents, else capacities, else spans; valid are the spans, or what is declared.
const std::vector<Box> kBoxes = {
    {"S[8:4@laneid]", {8}, "", {{"laneid", 32}}, {{"laneid", 29}}},
    {"S[8:4@laneid]", {8}, "laneid=30", {{"laneid", 30}}, {{"laneid", 30}}},
    {"S[8:4@laneid]",
     {8},
     "m=2, warpid=4",
     {{"laneid", 32}, {"warpid", 4}, {"m", 2}},
     {{"laneid", 29}, {"warpid", 4}, {"m", 2}}},
    {kMma, {8, 16}, "", {{"laneid", 32}, {"warpid", 11}, {"m", 2}}, {{"laneid", 32}, {"warpid", 11}, {"m", 2}}},
    {kTmem, {2, 128, 112}, "", {{"TCol", 1024}, {"TLane", 128}}, {{"TCol", 224}, {"TLane", 128}}},
    {"S[(2,3):(1@F,1@P)]", {6}, "", {{"F", 2}, {"P", 128}}, {{"F", 2}, {"P", 3}}},
    {"S[(2,3):(1@F,1@Bank)]", {6}, "", {{"F", 512}, {"Bank", 8}}, {{"F", 2}, {"Bank", 3}}},
    {"S[(4,40):(1@wid_in_wg,1@laneid)]",
     {160},
     "",
     {{"wid_in_wg", 4}, {"laneid", 32}},
     {{"wid_in_wg", 4}, {"laneid", 32}}},
    {"S[4:-1]", {4}, "", {{"m", 1}}, {{"m", 1}}},
    {"S[4:-1] + -5", {4}, "", {{"m", 1}}, {{"m", 1}}},
    {"ComposeLayout(3,3,3,S[(5,60):(60,1)])", {300}, "", {{"m", 300}}, {{"m", 300}}},
    {"SwizzleLayout(3,3,3)", {5, 60}, "m=512", {{"m", 512}}, {{"m", 512}}},
};

std::vector<std::pair<std::string, Index>> named(const map::Space& space) {
  std::vector<std::pair<std::string, Index>> out;
  for (const map::Dim& dim : space.dims()) out.emplace_back(dim.name, dim.extent);
  return out;
}

TEST(TirxEvaluate, GivesEachAxisItsDeclaredExtentOrItsCapacityOrItsSpan) {
  for (const Box& row : kBoxes) {
    const map::Layout layout = layout_of(row.text, tensor_of(row.size, row.box));
    EXPECT_EQ(named(layout.physical()), row.physical) << row.text << " box " << row.box;
    ASSERT_TRUE(layout.filled().has_value());
    EXPECT_EQ(named(*layout.filled()), row.filled) << row.text << " box " << row.box;
    EXPECT_TRUE(layout.named_axes());
    EXPECT_FALSE(layout.decode().has_value());
  }
}

TEST(TirxEvaluate, CountsTensorMemoryColumnsInElementsOfTheTensor) {
  const std::vector<std::pair<map::ElementType, Index>> rows = {{map::ElementType::F32, 512},
                                                                {map::ElementType::F16, 1024},
                                                                {map::ElementType::F8E4M3, 2048},
                                                                {map::ElementType::I4, 4096}};
  for (const auto& [type, columns] : rows) {
    map::Tensor tensor = tensor_of({4});
    tensor.type = type;
    EXPECT_EQ(layout_of("S[4:1@TCol]", tensor).physical().extent(0), columns) << map::name(type);
  }
}

struct Refused {
  const char* text;
  List size;
  const char* box;
  ErrorCode code;
  const char* says;
};

const std::vector<Refused> kRefused = {
    {"S[(8,16):(16,1)]", {96}, "", ErrorCode::Shape, "the tensor has 96 elements, the shard 128"},
    {"S[(8,16):(16,1)]", {0, 128}, "", ErrorCode::Shape, "the tensor has 0 elements, the shard 128"},
    {"SwizzleLayout(3,3,3)", {0}, "", ErrorCode::Shape, "the tensor has 0 elements"},
    {"S[8:1@laneid]", {8}, "laneid=33", ErrorCode::Box, "the box declares laneid=33; the axis has 32 places"},
    {"S[8:1@laneid]", {8}, "lane=8", ErrorCode::Box, "the box declares 'lane', which is not an axis of TIRx"},
    {"S[8:1]", {8}, "TCol=1025", ErrorCode::Box, "the axis has 1024 places"},
    {"ComposeLayout(3,3,3,S[(8,8):(-64,1)] + 8)", {64}, "", ErrorCode::Value, "addresses from -440"},
    {"S[2:-9223372036854775807 - 1]", {2}, "", ErrorCode::Overflow, "64 bits"},
    {"S[2:9223372036854775807]", {2}, "", ErrorCode::Overflow, "the span of m does not fit"},
    {"S[(2,2):(4611686018427387904,4611686018427387904@F)]", {4}, "", ErrorCode::Overflow, "64 bits"},
};

TEST(TirxEvaluate, RefusesTensorsAndBoxesThatDoNotFitTheLayout) {
  for (const Refused& row : kRefused) {
    const auto parsed = parse(row.text);
    ASSERT_TRUE(parsed.has_value()) << row.text;
    const auto layout = lower(parsed->layout, tensor_of(row.size, row.box));
    ASSERT_FALSE(layout.has_value()) << row.text;
    EXPECT_EQ(name(layout.error().code), name(row.code)) << row.text << ": " << layout.error().message;
    EXPECT_NE(layout.error().message.find(row.says), std::string::npos) << row.text << ": " << layout.error().message;
  }
}

}  // namespace tirx_evaluate_test
}  // namespace vl::tirx
