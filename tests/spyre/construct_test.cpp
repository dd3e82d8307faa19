// The constructor's rule against the device sizes and strides that torch-spyre's own tests, logs and documents state.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"

namespace vl::spyre {
namespace spyre_construct_test {

using List = std::vector<Index>;

List identity(std::size_t rank) {
  List order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Result<SpyreTensorLayout> made(const List& size, const List& order, std::string_view dtype = "float16") {
  return construct(size, *map::dense_strides(size), *device_format_of_torch(dtype), order);
}

struct Row {
  const char* name;
  List size;
  const char* dtype;
  List order;
  List device_size;
  List stride_map;
};

// Numbers are those of the vectors: T are asserted by the upstream tests, D stated by the documents.
const std::vector<Row> kVectors = {
    {"1 rank 0", {}, "float16", {}, {1, 64}, {-1, -1}},
    {"2", {120}, "float16", {0}, {2, 64}, {64, 1}},
    {"4", {512, 240}, "float16", {0, 1}, {4, 512, 64}, {64, 240, 1}},
    {"5", {512, 256}, "float16", {0, 1}, {4, 512, 64}, {64, 256, 1}},
    {"7", {512, 8, 256}, "float16", {0, 1, 2}, {8, 4, 512, 64}, {256, 64, 2048, 1}},
    {"8", {512, 256}, "float16", {1, 0}, {8, 256, 64}, {16384, 1, 256}},
    {"9", {512, 8, 256}, "float16", {0, 2, 1}, {256, 1, 512, 64}, {1, 16384, 2048, 256}},
    {"10", {512, 8, 256}, "float16", {1, 0, 2}, {512, 4, 8, 64}, {2048, 64, 256, 1}},
    {"11", {512, 8, 256}, "float16", {1, 2, 0}, {256, 8, 8, 64}, {1, 131072, 256, 2048}},
    {"13", {512, 8, 256}, "float16", {2, 1, 0}, {8, 8, 256, 64}, {256, 131072, 1, 2048}},
    {"14 sparse", {512, 256}, "float16", {0, 1, -1}, {256, 1, 512, 64}, {1, -1, 256, -1}},
    {"15", {5, 100, 150}, "float16", {0, 1, 2}, {100, 3, 5, 64}, {150, 64, 15000, 1}},
    {"16", {5, 100, 150}, "float16", {1, 0, 2}, {5, 3, 100, 64}, {15000, 64, 150, 1}},
    {"17", {50, 10, 200}, "float16", {0, 1, 2}, {10, 4, 50, 64}, {200, 64, 2000, 1}},
    {"19", {128, 256, 200}, "float16", {0, 1, 2}, {256, 4, 128, 64}, {200, 64, 51200, 1}},
    {"20", {1000, 200}, "float16", {0, 1}, {4, 1000, 64}, {64, 200, 1}},
    {"22", {4, 64}, "float32", {0, 1}, {2, 4, 32}, {32, 64, 1}},
    {"23", {4, 1}, "float32", {0, 1}, {1, 4, 32}, {-1, 1, -1}},
    {"25", {1, 4, 32}, "float32", {1, 2, 0}, {32, 1, 4, 32}, {1, -1, 32, -1}},
    {"26", {2, 3, 32}, "float32", {2, 1, 0}, {3, 1, 32, 32}, {32, 3072, 1, 96}},
    {"31", {32, 8192, 17408}, "float16", {0, 1, 2}, {8192, 272, 32, 64}, {17408, 64, 142606336, 1}},
    {"62 rescaled", {4, 32}, "float16", {0, 1}, {1, 4, 64}, {64, 32, 1}},
    {"64", {4, 64}, "float32", {0, 1}, {2, 4, 32}, {32, 64, 1}},
    {"[60], the unclamped S2 value", {60}, "float16", {0}, {1, 64}, {64, 1}},
    {"[512]", {512}, "float16", {0}, {8, 64}, {64, 1}},
    {"[512,1]", {512, 1}, "float16", {0, 1}, {1, 512, 64}, {-1, 1, -1}},
    {"[512,1,256]", {512, 1, 256}, "float16", {0, 1, 2}, {1, 4, 512, 64}, {-1, 64, 256, 1}},
};

TEST(Construct, GivesWhatTheVectorsState) {
  for (const Row& row : kVectors) {
    const auto layout = made(row.size, row.order, row.dtype);
    ASSERT_TRUE(layout.has_value()) << row.name << ": " << layout.error().message;
    EXPECT_EQ(layout->device_size, row.device_size) << row.name;
    EXPECT_EQ(layout->stride_map, row.stride_map) << row.name;
    EXPECT_TRUE(layout->dim_map.empty()) << row.name;
    EXPECT_EQ(layout->element_arrangement, "STANDARD") << row.name;
    EXPECT_EQ(layout->host_strides, std::nullopt) << row.name;
  }
}

// The general table of ranks 0 to 6, with a..f = 2, 3, 5, 7, 11 and 130 from the left.
TEST(Construct, FollowsTheTableOfRanks) {
  const List primes{2, 3, 5, 7, 11, 130};
  const std::vector<std::pair<List, List>> table = {
      {{1, 64}, {-1, -1}},
      {{1, 64}, {64, 1}},
      {{1, 2, 64}, {64, 3, 1}},
      {{3, 1, 2, 64}, {5, 64, 15, 1}},
      {{3, 5, 1, 2, 64}, {35, 7, 64, 105, 1}},
      {{3, 5, 7, 1, 2, 64}, {385, 77, 11, 64, 1155, 1}},
      {{3, 5, 7, 11, 3, 2, 64}, {50050, 10010, 1430, 130, 64, 150150, 1}},
  };
  for (std::size_t rank = 0; rank < table.size(); ++rank) {
    const auto layout = made(List(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(rank)), identity(rank));
    ASSERT_TRUE(layout.has_value()) << rank;
    EXPECT_EQ(layout->device_size, table[rank].first) << rank;
    EXPECT_EQ(layout->stride_map, table[rank].second) << rank;
  }
}

TEST(Construct, TilesByTheElementsPerStickOfTheDtype) {
  const std::vector<std::pair<std::string, Index>> table = {
      {"float16", 64}, {"bfloat16", 64}, {"bool", 64},  {"float32", 32},        {"int32", 32},    {"int64", 32},
      {"int8", 128},   {"uint8", 32},    {"int16", 64}, {"float8_e4m3fn", 128}, {"quint4x2", 512}};
  for (const auto& [dtype, eps] : table) {
    const auto layout = made({3, 1000}, {0, 1}, dtype);
    ASSERT_TRUE(layout.has_value()) << dtype;
    EXPECT_EQ(layout->device_size, (List{ceil_div(1000, eps), 3, eps})) << dtype;
    EXPECT_EQ(layout->stride_map, (List{eps, 1000, 1})) << dtype;
  }
}

TEST(Construct, TakesTheHostStridesThatItIsGiven) {
  const DeviceFormat f16 = *device_format("SEN169_FP16");
  const DeviceFormat f32 = *device_format("IEEE_FP32");
  const auto narrow = construct(List{4, 63}, List{1, 4}, f16, List{1, 0});
  ASSERT_TRUE(narrow.has_value());
  EXPECT_EQ(narrow->device_size, (List{1, 63, 64}));
  EXPECT_EQ(narrow->stride_map, (List{64, 4, 1}));
  const auto single = construct(List{4, 63}, List{1, 4}, f32, List{1, 0});
  ASSERT_TRUE(single.has_value());
  EXPECT_EQ(single->device_size, (List{1, 63, 32}));
  EXPECT_EQ(single->stride_map, (List{32, 4, 1}));
  EXPECT_EQ(construct(List{63, 1}, List{1, 1}, f16, List{1, 0})->device_size, (List{1, 1, 64}));
  EXPECT_EQ(construct(List{63, 1}, List{1, 1}, f32, List{1, 0})->device_size, (List{2, 1, 32}));
}

TEST(Construct, KeepsSizeOneAndSizeZeroDimensions) {
  const auto ones = made({1, 1, 1}, {0, 1, 2});
  ASSERT_TRUE(ones.has_value());
  EXPECT_EQ(ones->device_size, (List{1, 1, 1, 64}));
  EXPECT_EQ(ones->stride_map, (List{-1, -1, -1, -1}));
  const auto no_rows = made({0, 64}, {0, 1});
  ASSERT_TRUE(no_rows.has_value());
  EXPECT_EQ(no_rows->device_size, (List{1, 0, 64}));
  EXPECT_EQ(no_rows->stride_map, (List{64, 64, 1}));
  const auto no_lanes = made({4, 0}, {0, 1});
  ASSERT_TRUE(no_lanes.has_value());
  EXPECT_EQ(no_lanes->device_size, (List{0, 4, 64}));
}

TEST(Construct, GivesASparseLayoutOneElementAStick) {
  const auto vector = made({7}, {0, -1});
  ASSERT_TRUE(vector.has_value());
  EXPECT_EQ(vector->device_size, (List{1, 7, 64}));
  EXPECT_EQ(vector->stride_map, (List{-1, 1, -1}));
  const auto cube = made({2, 3, 5}, {2, 0, 1, -1}, "float32");
  ASSERT_TRUE(cube.has_value());
  EXPECT_EQ(cube->device_size, (List{2, 3, 1, 5, 32}));
  EXPECT_EQ(cube->stride_map, (List{15, 5, -1, 1, -1}));
  const auto scalar = made({}, {-1});
  ASSERT_TRUE(scalar.has_value());
  EXPECT_EQ(scalar->stride_map, (List{-1, -1}));
}

TEST(Construct, RefusesWhatIsNoDimOrderAndNoSize) {
  struct Bad {
    const char* name;
    List size, strides, order;
    ErrorCode code;
  };
  constexpr Index kMax = std::numeric_limits<Index>::max();
  const std::vector<Bad> table = {
      {"order too short", {2, 3}, {3, 1}, {0}, ErrorCode::Shape},
      {"order too long", {2, 3}, {3, 1}, {0, 1, 2}, ErrorCode::Shape},
      {"no order", {2, 3}, {3, 1}, {}, ErrorCode::Shape},
      {"sparse order too short", {2, 3}, {3, 1}, {0, -1}, ErrorCode::Shape},
      {"twice the same", {2, 3}, {3, 1}, {1, 1}, ErrorCode::Value},
      {"beyond the rank", {2, 3}, {3, 1}, {0, 2}, ErrorCode::Value},
      {"-1 in the middle", {2, 3}, {3, 1}, {-1, 0}, ErrorCode::Value},
      {"two -1", {2, 3}, {3, 1}, {0, -1, -1}, ErrorCode::Value},
      {"-2 at the end", {2, 3}, {3, 1}, {0, -2}, ErrorCode::Value},
      {"strides too short", {2, 3}, {1}, {0, 1}, ErrorCode::Shape},
      {"negative size", {2, -3}, {3, 1}, {0, 1}, ErrorCode::Value},
      {"negative stride", {2, 3}, {-3, 1}, {0, 1}, ErrorCode::Value},
      {"the device stride leaves 64 bits", {2, 65}, {1, kMax / 64 + 1}, {0, 1}, ErrorCode::Overflow},
  };
  for (const Bad& bad : table) {
    const auto layout = construct(bad.size, bad.strides, *device_format("SEN169_FP16"), bad.order);
    ASSERT_FALSE(layout.has_value()) << bad.name;
    EXPECT_EQ(layout.error().code, bad.code) << bad.name << ": " << layout.error().message;
  }
}

// The law of the rule: the box holds the tensor, stick by stick, and every dense host element is placed.
RC_GTEST_PROP(Construct, HoldsEveryDimensionAndEndsInOneStick, ()) {
  const auto rank = *rc::gen::inRange<std::size_t>(1, 6);
  const auto size = *rc::gen::container<List>(rank, rc::gen::inRange<Index>(1, 300));
  List order = identity(rank);
  for (std::size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  const bool sparse = *rc::gen::arbitrary<bool>();
  List with = order;
  if (sparse) with.push_back(-1);
  const auto layout = made(size, with);
  RC_ASSERT(layout.has_value());
  RC_ASSERT(layout->device_size.size() == rank + (sparse ? 2 : 1));
  RC_ASSERT(layout->device_size.back() == 64);
  Index sticks = 1;
  for (std::size_t i = 0; i + 1 < layout->device_size.size(); ++i) sticks *= layout->device_size[i];
  Index expected = 1;
  for (std::size_t i = 0; i < rank; ++i)
    expected *= !sparse && static_cast<Index>(i) == order.back() ? (size[i] + 63) / 64 : size[i];
  RC_ASSERT(sticks == expected);
  Index synthetic = 0;
  for (const Index stride : layout->stride_map) synthetic += stride == -1 ? 1 : 0;
  Index ones = sparse ? 2 : 0;
  for (std::size_t i = 0; i < rank; ++i)
    if (size[i] == 1) ones += !sparse && static_cast<Index>(i) == order.back() ? 2 : 1;
  RC_ASSERT(synthetic == ones);
}

}  // namespace spyre_construct_test
}  // namespace vl::spyre
