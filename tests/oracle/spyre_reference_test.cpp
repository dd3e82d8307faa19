// The second meaning of Spyre layouts against statements of the project itself: its worked examples, its constructors'
// results, and the identity between the two offsets.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "encodings/use/reference.h"

namespace vl::spyre {

const use::Reference& reference();

namespace oracle_spyre_reference_test {

using map::Tensor;
using Indices = std::vector<Index>;

Tensor tensor(std::vector<Index> size) {
  Tensor made;
  made.size = std::move(size);
  return made;
}

use::Slots read(std::string_view text, const Tensor& of) {
  const auto slots = reference().slots(text, of);
  EXPECT_TRUE(slots.has_value()) << text << ": " << (slots ? "" : slots.error().message);
  return slots ? *slots : use::Slots([](std::span<const Index>) { return std::vector<Point>{{-1}}; });
}

std::string raw(const Indices& size, const Indices& stride_map, std::string_view dtype = "SEN169_FP16") {
  return fmt::format("SpyreTensorLayout(device_size=[{}], stride_map =[{}], device_dtype=DataFormats.{})",
                     fmt::join(size, ", "), fmt::join(stride_map, ", "), dtype);
}

std::string with_dims(const Indices& size, const Indices& dim_map) {
  return fmt::format("SpyreTensorLayout(device_size=[{}], dim_map =[{}], device_dtype=DataFormats.SEN169_FP16)",
                     fmt::join(size, ", "), fmt::join(dim_map, ", "));
}

/// All points of a small box, in order.
std::vector<Point> points(const Indices& size) {
  std::vector<Point> all{{}};
  for (const Index extent : size) {
    std::vector<Point> longer;
    for (const Point& point : all)
      for (Index x = 0; x < extent; ++x) {
        longer.push_back(point);
        longer.back().push_back(x);
      }
    all = std::move(longer);
  }
  return all;
}

// ---- worked examples

TEST(SpyreReference, PlacesTheElementsOfTheDefaultLayoutExample) {
  const auto slots = read(raw({100, 3, 5, 64}, {150, 64, 15000, 1}), tensor({5, 100, 150}));
  EXPECT_EQ(slots(Point{2, 7, 40}), (std::vector<Point>{{7, 0, 2, 40}}));
  EXPECT_EQ(slots(Point{4, 99, 149}), (std::vector<Point>{{99, 2, 4, 21}}));
  EXPECT_TRUE(slots(Point{5, 0, 0}).empty());
  EXPECT_TRUE(slots(Point{0, 0}).empty());
}

TEST(SpyreReference, CombinesRepeatedDimsRightToLeft) {
  // Document 001: (a, b, c, d) of device_size [256, 8, 128, 64], dim_map [1, 2, 0, 2] is element (c, a, b*64
  // + d), also for the smaller tensor [100, 200, 500] in the same device box.
  for (const Indices& size : {Indices{128, 256, 512}, Indices{100, 200, 500}}) {
    const auto slots = read(with_dims({256, 8, 128, 64}, {1, 2, 0, 2}), tensor(size));
    EXPECT_EQ(slots(Point{99, 198, 3 * 64 + 17}), (std::vector<Point>{{198, 3, 99, 17}}));
  }
}

TEST(SpyreReference, StartsAViewWhereItsOffsetSays) {
  // tests/tensor/test_coordinates.py: device [15,6,9,64], [384,64,5760,1]; 17280 is three of dim 2, 1920 five
  // of dim 0, 128 two sticks.
  Tensor view = tensor({1});
  const std::pair<Index, Point> rows[] = {
      {17280, {0, 0, 3, 0}}, {1920, {5, 0, 0, 0}}, {128, {0, 2, 0, 0}}, {17280 + 1920 + 128 + 9, {5, 2, 3, 9}}};
  for (const auto& [offset, point] : rows) {
    view.view_offset = offset;
    EXPECT_EQ(read(raw({15, 6, 9, 64}, {384, 64, 5760, 1}), view)(Point{0}), std::vector<Point>{point});
  }
  view.view_offset = -1;
  EXPECT_TRUE(read(raw({15, 6, 9, 64}, {384, 64, 5760, 1}), view)(Point{0}).empty());
}

TEST(SpyreReference, IgnoresTheStorageOffsetOfTheHost) {
  Tensor moved = tensor({5, 100, 150});
  moved.offset = 256;
  EXPECT_EQ(read(raw({100, 3, 5, 64}, {150, 64, 15000, 1}), moved)(Point{2, 7, 40}),
            (std::vector<Point>{{7, 0, 2, 40}}));
}

TEST(SpyreReference, CopiesAnElementAlongDimsOfStride0) {
  const auto slots = read(raw({1, 512, 64}, {64, 0, 1}), tensor({60}))(Point{59});
  ASSERT_EQ(slots.size(), 512U);
  for (Index copy = 0; copy < 512; ++copy) EXPECT_EQ(slots[static_cast<std::size_t>(copy)], (Point{0, copy, 59}));
}

TEST(SpyreReference, GivesCopiesInAscendingOrder) {
  const auto slots = read(raw({2, 3, 2, 4}, {0, 4, 0, 1}), tensor({12}))(Point{6});
  EXPECT_EQ(slots, (std::vector<Point>{{0, 1, 0, 2}, {0, 1, 1, 2}, {1, 1, 0, 2}, {1, 1, 1, 2}}));
}

TEST(SpyreReference, GivesTheOuterOfTwoEqualStridesTheDigit) {
  const auto slots = read(raw({1, 60, 64}, {64, 1, 1}), tensor({60}));
  EXPECT_EQ(slots(Point{59}), (std::vector<Point>{{0, 59, 0}}));
}

TEST(SpyreReference, TellsTheTwoSlotsOfARowInA24RowTileApart) {
  // [40,60] in tiles of 24 rows of which 20 hold data: row 20 starts the next tile (d3), not rows 12 and 8 of
  // the first.
  const auto slots = read(raw({2, 12, 1, 2, 64}, {720, 60, 64, 1200, 1}), tensor({40, 60}));
  EXPECT_EQ(slots(Point{20, 0}), (std::vector<Point>{{0, 0, 0, 1, 0}}));
  EXPECT_EQ(slots(Point{19, 5}), (std::vector<Point>{{1, 7, 0, 0, 5}}));
}

TEST(SpyreReference, HasNoSlotForWhatDoesNotFit) {
  EXPECT_TRUE(read(raw({1, 64}, {64, 1}), tensor({65}))(Point{64}).empty());  // digit 64 of 64
  EXPECT_FALSE(read(raw({1, 64}, {64, 1}), tensor({65}))(Point{63}).empty());
  EXPECT_TRUE(read(raw({2, 64}, {64, 2}), tensor({3}))(Point{1}).empty());  // 1 is not a multiple of 2
  EXPECT_TRUE(read(raw({0, 64}, {64, 1}), tensor({3}))(Point{1}).empty());  // an empty box
  EXPECT_TRUE(read(raw({8, 64}, {1, -1}), tensor({9}))(Point{8}).empty());
  EXPECT_EQ(read(raw({8, 64}, {1, -1}), tensor({9}))(Point{7}), (std::vector<Point>{{7, 0}}));  // -1: digit 0
  EXPECT_TRUE(read(with_dims({2, 64}, {0, 0}), tensor({129}))(Point{128}).empty());
  EXPECT_TRUE(read(with_dims({2, 64}, {0, 0}), tensor({3, 3}))(Point{1, 1}).empty());  // dim 1 has no device dim
  EXPECT_EQ(read(with_dims({2, 64}, {0, 0}), tensor({3, 3}))(Point{1, 0}), (std::vector<Point>{{0, 1}}));
  EXPECT_TRUE(read(with_dims({2, 0}, {-1, 0}), tensor({3}))(Point{0}).empty());
}

TEST(SpyreReference, DimMapDoesNotLookAtHostStrides) {
  Tensor turned = tensor({100, 200});
  turned.strides = Indices{1, 100};
  EXPECT_EQ(read(with_dims({4, 100, 64}, {1, 0, 1}), turned)(Point{30, 70}), (std::vector<Point>{{1, 30, 6}}));
}

TEST(SpyreReference, AnExpandedHostPutsAllItsCopiesInOneSlot) {
  Tensor expanded = tensor({512, 60});
  expanded.strides = Indices{0, 1};
  const auto slots = read(raw({1, 1, 64}, {64, -1, 1}), expanded);
  EXPECT_EQ(slots(Point{0, 7}), slots(Point{511, 7}));
}

// ---- constructors: the device_size and stride_map that the project's tests and documents state

struct Constructed {
  Indices size;
  std::string arguments;
  Indices device_size, stride_map;
};

const Constructed kConstructed[] = {
    {{}, "[], torch.float16", {1, 64}, {-1, -1}},
    {{}, "[], torch.float16, [-1]", {1, 64}, {-1, -1}},
    {{120}, "[120], torch.float16", {2, 64}, {64, 1}},
    {{1}, "[1], torch.float16", {1, 64}, {-1, -1}},
    {{512}, "(512,), torch.float16", {8, 64}, {64, 1}},
    {{512, 1}, "[512, 1], torch.float16", {1, 512, 64}, {-1, 1, -1}},
    {{512, 1, 256}, "[512, 1, 256], torch.float16", {1, 4, 512, 64}, {-1, 64, 256, 1}},
    {{512, 240}, "[512, 240], torch.float16", {4, 512, 64}, {64, 240, 1}},
    {{512, 256}, "[512, 256], torch.float16", {4, 512, 64}, {64, 256, 1}},
    {{512, 8, 256}, "[512, 8, 256], torch.float16", {8, 4, 512, 64}, {256, 64, 2048, 1}},
    {{512, 256}, "[512, 256], torch.float16, [1, 0]", {8, 256, 64}, {16384, 1, 256}},
    {{512, 8, 256}, "[512, 8, 256], torch.float16, [1, 0, 2]", {512, 4, 8, 64}, {2048, 64, 256, 1}},
    {{512, 8, 256}, "[512, 8, 256], torch.float16, [1, 2, 0]", {256, 8, 8, 64}, {1, 131072, 256, 2048}},
    {{512, 8, 256}, "[512, 8, 256], torch.float16, [2, 1, 0]", {8, 8, 256, 64}, {256, 131072, 1, 2048}},
    {{512, 256}, "[512, 256], torch.float16, [0, 1, -1]", {256, 1, 512, 64}, {1, -1, 256, -1}},
    {{512, 256}, "[512, 256], [256, 1], torch.float16, [0, 1, -1]", {256, 1, 512, 64}, {1, -1, 256, -1}},
    {{5, 100, 150}, "(5, 100, 150), torch.float16", {100, 3, 5, 64}, {150, 64, 15000, 1}},
    {{5, 100, 150}, "(5, 100, 150), torch.float16, [1,0,2]", {5, 3, 100, 64}, {15000, 64, 150, 1}},
    {{5, 100, 150}, "(5, 100, 150), (15000, 150, 1), torch.float16, [1, 0, 2]", {5, 3, 100, 64}, {15000, 64, 150, 1}},
    {{50, 10, 200}, "[50, 10, 200], torch.float16", {10, 4, 50, 64}, {200, 64, 2000, 1}},
    {{4, 64}, "[4, 64], torch.float32", {2, 4, 32}, {32, 64, 1}},
    {{4, 1}, "[4, 1], torch.float32", {1, 4, 32}, {-1, 1, -1}},
    {{1, 4, 32}, "[1, 4, 32], torch.float32, [1, 2, 0]", {32, 1, 4, 32}, {1, -1, 32, -1}},
    {{2, 3, 32}, "[2, 3, 32], torch.float32, [2, 1, 0]", {3, 1, 32, 32}, {32, 3072, 1, 96}},
    {{4, 63}, "[4, 63], [1, 4], torch.float16, [1, 0]", {1, 63, 64}, {64, 4, 1}},
    {{4, 63}, "[4, 63], [1, 4], torch.float32, [1, 0]", {1, 63, 32}, {32, 4, 1}},
    {{2, 3, 4, 70}, "[2, 3, 4, 70], torch.int8", {3, 4, 1, 2, 128}, {280, 70, 128, 840, 1}},
    {{2, 2, 2, 2, 70}, "[2, 2, 2, 2, 70], torch.uint8", {2, 2, 2, 3, 2, 32}, {280, 140, 70, 32, 560, 1}},
};

TEST(SpyreReference, ConstructsWhatTheProjectStates) {
  Index compared = 0;
  for (const Constructed& row : kConstructed) {
    Tensor host = tensor(row.size);
    if (row.arguments.find("[1, 4], torch") != std::string::npos) host.strides = Indices{1, 4};
    const auto built = read("SpyreTensorLayout(" + row.arguments + ")", host);
    const auto stated = read(raw(row.device_size, row.stride_map), host);
    // All elements of the small ones, and along each edge of the large ones.
    for (const Point& x : points(Indices(row.size.size(), 2))) {
      Point corner = x, near = x;
      for (std::size_t i = 0; i < x.size(); ++i) corner[i] = x[i] * (row.size[i] - 1);
      for (std::size_t i = 0; i < x.size(); ++i) near[i] = std::min(row.size[i] - 1, 65 * x[i]);
      EXPECT_EQ(built(corner), stated(corner)) << row.arguments;
      EXPECT_EQ(built(near), stated(near)) << row.arguments;
      EXPECT_EQ(built(corner).size(), 1U) << row.arguments;
      compared += 2;
    }
  }
  EXPECT_GT(compared, 200);
}

TEST(SpyreReference, ConstructedLayoutsAreInjectiveOnAllSmallTensors) {
  Index elements = 0;
  for (Index a = 1; a <= 3; ++a)
    for (Index b = 1; b <= 3; ++b)
      for (const Index c : {1, 2, 31, 32, 33, 65})
        for (const std::string order : {"", ", [0,1,2]", ", [2,1,0]", ", [1,2,0]", ", [0,2,1]", ", [1,0,2,-1]"}) {
          const auto slots =
              read(fmt::format("SpyreTensorLayout([{}, {}, {}], torch.float32{})", a, b, c, order), tensor({a, b, c}));
          std::map<Point, Point> owner;
          for (const Point& x : points({a, b, c})) {
            const auto found = slots(x);
            ASSERT_EQ(found.size(), 1U);
            EXPECT_TRUE(owner.emplace(found[0], x).second) << order;
            ++elements;
          }
        }
  EXPECT_GT(elements, 10000);
}

struct Raw {
  Indices size, strides, device_size, stride_map;
};

// Raw layouts of the project's tests, which copy a tensor there and back.
const Raw kRaw[] = {
    {{40, 60}, {60, 1}, {1, 60, 64}, {3840, 1, 60}},
    {{40, 240}, {240, 1}, {4, 512, 64}, {64, 240, 1}},
    {{60}, {1}, {1, 60, 64}, {64, 1, 1}},
    {{60}, {1}, {2, 1, 2, 64}, {15, 64, 30, 1}},
    {{4800}, {1}, {3, 2, 14, 64}, {120, 64, 360, 1}},
    {{40, 60}, {60, 1}, {24, 1, 2, 64}, {60, 64, 1440, 1}},
    {{40, 60}, {60, 1}, {3, 4, 3, 1, 2, 64}, {600, 180, 60, 64, 1800, 1}},
    {{40, 60}, {1, 40}, {1, 40, 64}, {2560, 1, 40}},
    {{40, 60}, {1, 40}, {1, 60, 64}, {64, 40, 1}},
    {{1, 8, 130}, {1040, 130, 1}, {8, 3, 1, 64}, {130, 64, -1, 1}},
    {{2, 8, 128}, {1024, 128, 1}, {2, 8, 2, 1, 64}, {1024, 128, 64, -1, 1}},
    {{1, 8, 4096}, {32768, 4096, 1}, {8, 2, 32, 64}, {4096, 64, 128, 1}},
    {{40, 60}, {60, 1}, {38, 64}, {64, 1}},
};

TEST(SpyreReference, PlacesEachElementOfTheProjectsRawLayoutsOnce) {
  for (const Raw& row : kRaw) {
    Tensor host = tensor(row.size);
    host.strides = row.strides;
    const auto slots = read(raw(row.device_size, row.stride_map), host);
    std::map<Point, Point> owner;
    for (const Point& x : points(row.size)) {
      const auto found = slots(x);
      ASSERT_EQ(found.size(), 1U) << fmt::format("[{}]", fmt::join(x, ","));
      ASSERT_TRUE(owner.emplace(found[0], x).second) << fmt::format("[{}]", fmt::join(x, ","));
    }
  }
}

TEST(SpyreReference, GivesNoStrideToTheStickOfAHostDimOfSize1) {
  // [4, 1] with strides (2, 1): [1, 4, 64], [-1, 2, -1]. What lies between two rows is not in the lanes of a
  // stick.
  const auto slots = read("SpyreTensorLayout([4, 1], [2, 1], torch.float16, [0, 1])", tensor({8}));
  EXPECT_EQ(slots(Point{6}), (std::vector<Point>{{0, 3, 0}}));
  EXPECT_TRUE(slots(Point{7}).empty());
}

// ---- the identity: dot(device coordinates, stride_map) = dot(coordinates, strides), negative entries
// counted as 0

RC_GTEST_PROP(SpyreReference, KeepsTheHostOffset, ()) {
  const auto digit = rc::gen::inRange<Index>(1, 5);
  const auto sizes = *rc::gen::container<Indices>(4, digit);
  const auto strides = *rc::gen::container<Indices>(4, rc::gen::inRange<Index>(-1, 20));
  const auto host = *rc::gen::container<Indices>(3, digit);
  const auto slots = read(raw(sizes, strides), tensor(host));
  Index placed = 0;
  for (const Point& x : points(host)) {
    const Index offset = (x[0] * host[1] + x[1]) * host[2] + x[2];
    for (const Point& slot : slots(x)) {
      Index sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        RC_ASSERT(slot[k] >= 0 && slot[k] < sizes[k]);
        sum += slot[k] * std::max<Index>(strides[k], 0);
      }
      RC_ASSERT(sum == offset);
      ++placed;
    }
  }
  RC_CLASSIFY(placed > 1, "more than element 0 is placed");
  RC_ASSERT(placed > 0);
}

// ---- the text

TEST(SpyreReference, ReadsEverySpellingAlike) {
  const Tensor host = tensor({5, 100, 150});
  for (const std::string text : {
           "SpyreTensorLayout([100, 3, 5, 64], [150, 64, 15000, 1], DataFormats.SEN169_FP16)",
           "SpyreTensorLayout((100,3,5,64,),(150,64,15000,1),DataFormats.SEN169_FP16,ElementArrangement."
           "STANDARD)",
           " SpyreTensorLayout ( device_size = (100, 3, 5, 64) , stride_map=[150, 64, 15000, 1],\n"
           "   device_dtype=SEN169_FP16, element_arrangement=ElementArrangement.STANDARD ) ",
           "SpyreTensorLayout(device_size=[100, 3, 5, 64], dim_map =[1, 2, 0, 2], stride_map =[150, 64, "
           "15000, 1], "
           "device_dtype=DataFormats.SEN169_FP16)",
           "SpyreTensorLayout(size=(5, 100, 150), dtype=torch.float16)",
           "SpyreTensorLayout((5, 100, 150), (15000, 150, 1), torch.float16, [0, 1, 2])",
           "SpyreTensorLayout((5, 100, 150), strides=(15000, 150, 1), dtype=torch.bool, dim_order=[0, 1, 2])",
       })
    EXPECT_EQ(read(text, host)(Point{2, 7, 140}), (std::vector<Point>{{7, 2, 2, 12}})) << text;
}

TEST(SpyreReference, RefusesWhatIsNoLayout) {
  const std::string texts[] = {
      "",
      "(",
      "SpyreTensorLayout",
      "SpyreTensorLayout(",
      "SpyreTensorLayout()",
      "SpyreTensorLayout(1)",
      "SpyreTensorLayout([1, 64], [64, 1])",
      "SpyreTensorLayout([1, 64], [64, 1], nothing)",
      "SpyreTensorLayout([1, 64], DataFormats.SEN169_FP16)",
      "SpyreTensorLayout(DataFormats.SEN169_FP16)",
      "SpyreTensorLayout([1, 64], [64, 1], [1], DataFormats.SEN169_FP16)",
      "SpyreTensorLayout([1, 64], [64, 1], DataFormats.SEN169_FP16) x",
      "SpyreTensorLayout([1, 64], [64, 1], DataFormats.SEN169_FP16, DataFormats.SEN169_FP16)",
      "SpyreTensorLayout([1, 64], [64, 1], DataFormats.INVALID)",
      "SpyreTensorLayout([1, 64], [64, 1], DataFormats.SENINT24)",
      "SpyreTensorLayout(device_size=[1, 64], device_size=[1, 64], stride_map=[64, 1], device_dtype=SENINT8)",
      "SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1], colour=[1], device_dtype=SENINT8)",
      "SpyreTensorLayout(device_size=1, stride_map=[64, 1], device_dtype=SENINT8)",
      "SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1], device_dtype=[1])",
      "SpyreTensorLayout([1, 64], device_size=[1, 64], stride_map=[64, 1], device_dtype=SENINT8)",
      raw({1, 64}, {64}),
      raw({1, -64}, {64, 1}),
      raw({1, 64}, {64, -2}),
      with_dims({1, 64}, {0, 1}),
      "SpyreTensorLayout([5], torch.float64)",
      "SpyreTensorLayout([5], torch.complex64)",
      "SpyreTensorLayout([-5], torch.float16)",
      "SpyreTensorLayout([5], [1, 1], torch.float16)",
      "SpyreTensorLayout([5], [-1], torch.float16)",
      "SpyreTensorLayout([5], torch.float16, [1])",
      "SpyreTensorLayout([5], torch.float16, [])",
      "SpyreTensorLayout([5, 5], torch.float16, [0, 0])",
      "SpyreTensorLayout([5, 5], torch.float16, [-1, 0])",
      "SpyreTensorLayout([5, 5], torch.float16, [0, 1, 1])",
      "SpyreTensorLayout([5, 5], torch.float16, [0, 1], [0, 1])",
      "SpyreTensorLayout([9223372036854775807, 9223372036854775807, 2], torch.float16)",
      raw({1 << 20, 1 << 20, 64}, {0, 0, 1}),
  };
  for (const std::string& text : texts) EXPECT_FALSE(reference().slots(text, tensor({5})).has_value()) << text;
}

TEST(SpyreReference, RefusesTensorsThatItCannotAddress) {
  Tensor host = tensor({5, 5});
  host.strides = Indices{5};
  EXPECT_FALSE(reference().slots(raw({1, 5, 64}, {64, 5, 1}), host).has_value());
  host.strides = Indices{std::numeric_limits<Index>::max(), 1};
  EXPECT_FALSE(reference().slots(raw({1, 5, 64}, {64, 5, 1}), host).has_value());
  host = tensor({5, 5});
  host.view_offset = 64;
  EXPECT_FALSE(reference().slots(with_dims({1, 5, 64}, {1, 0, 1}), host).has_value());
}

TEST(SpyreReference, NoPrefixOfATextIsReadAndNoneCrashes) {
  const std::string text = raw({100, 3, 5, 64}, {150, 64, 15000, 1});
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(reference().slots(text.substr(0, size), tensor({5, 100, 150})).has_value()) << size;
}

}  // namespace oracle_spyre_reference_test
}  // namespace vl::spyre
