// Between dim_map and stride_map: a converted layout puts every element in the same slot, by a brute-force walk and by
// the claim `equal`; a refusal names the dimension and the reason.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/spyre/convert.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"
#include "verifier/claims/claim.h"

namespace vl::spyre {
namespace spyre_convert_test {

using List = std::vector<Index>;

map::Tensor tensor(List size, std::optional<List> strides = {}) {
  map::Tensor out;
  out.size = std::move(size);
  out.strides = std::move(strides);
  return out;
}

SpyreTensorLayout by_dims(List device_size, List dim_map) {
  SpyreTensorLayout out = test::raw_layout(std::move(device_size), {});
  out.dim_map = std::move(dim_map);
  return out;
}

struct Pair {
  const char* name;
  map::Tensor of;
  List device_size, stride_map, dim_map;
};

// Vectors of the project's two documents and of its tests, where both maps are stated.
const std::vector<Pair> kPairs = {
    {"the default example", tensor({5, 100, 150}), {100, 3, 5, 64}, {150, 64, 15000, 1}, {1, 2, 0, 2}},
    {"rank 1", tensor({120}), {2, 64}, {64, 1}, {0, 0}},
    {"rows and sticks", tensor({512, 256}), {4, 512, 64}, {64, 256, 1}, {1, 0, 1}},
    {"stick on the first dimension", tensor({512, 256}), {8, 256, 64}, {16384, 1, 256}, {0, 1, 0}},
    {"rotated", tensor({512, 8, 256}), {512, 1, 256, 64}, {2048, 16384, 1, 256}, {0, 1, 2, 1}},
    {"reversed", tensor({512, 8, 256}), {8, 8, 256, 64}, {256, 131072, 1, 2048}, {1, 0, 2, 0}},
    {"sparse", tensor({512, 256}), {256, 1, 512, 64}, {1, -1, 256, -1}, {1, -1, 0, -1}},
    {"ragged", tensor({40, 60}), {1, 60, 64}, {3840, 1, 60}, {0, 1, 0}},
    {"more rows than there are", tensor({40, 240}), {4, 512, 64}, {64, 240, 1}, {1, 0, 1}},
    {"a size-1 host dimension", tensor({512, 1}), {1, 512, 64}, {-1, 1, -1}, {-1, 0, -1}},
    {"a transposed host", tensor({40, 60}, List{1, 40}), {1, 60, 64}, {64, 40, 1}, {0, 1, 0}},
    {"rank 0", tensor({}), {1, 64}, {-1, -1}, {-1, -1}},
};

std::string_view equal(const SpyreTensorLayout& a, const SpyreTensorLayout& b, const map::Tensor& of) {
  const auto first = lower(a, of);
  const auto second = lower(b, of);
  VL_CHECK(first && second, "a layout is not lowered");
  return question::word(claims::decide(*claims::find_claim("equal"), claims::Pair{*first, *second}, {}).verdict);
}

TEST(Convert, GoesBothWaysWhereBothAreStated) {
  for (const Pair& pair : kPairs) {
    const SpyreTensorLayout strided = test::raw_layout(pair.device_size, pair.stride_map);
    const SpyreTensorLayout dims = by_dims(pair.device_size, pair.dim_map);
    const auto to_dims = to_dim_map(strided, pair.of);
    ASSERT_TRUE(to_dims.has_value()) << pair.name << ": " << to_dims.error().message;
    EXPECT_EQ(to_dims->dim_map, pair.dim_map) << pair.name;
    EXPECT_TRUE(to_dims->stride_map.empty()) << pair.name;
    EXPECT_EQ(equal(strided, *to_dims, pair.of), "proved") << pair.name;
    const auto to_strides = to_stride_map(dims, pair.of);
    ASSERT_TRUE(to_strides.has_value()) << pair.name << ": " << to_strides.error().message;
    EXPECT_EQ(equal(dims, *to_strides, pair.of), "proved") << pair.name;
    EXPECT_EQ(equal(strided, *to_strides, pair.of), "proved") << pair.name;
  }
}

TEST(Convert, WritesNoStrideForADigitThatIsAlways0) {
  // Rows of 60 on sticks of 64: a second stick in a row never begins, and its stride would catch elements of the next
  // row.
  const auto strided = to_stride_map(by_dims({2, 2, 64}, {1, 0, 1}), tensor({2, 60}));
  ASSERT_TRUE(strided.has_value());
  EXPECT_EQ(strided->stride_map, (List{-1, 60, 1}));
  EXPECT_EQ(equal(by_dims({2, 2, 64}, {1, 0, 1}), test::raw_layout({2, 2, 64}, {64, 60, 1}), tensor({2, 60})),
            "refuted");
}

struct Refusal {
  const char* name;
  map::Tensor of;
  List device_size, stride_map;
  const char* part;
};

map::Tensor viewed() {
  map::Tensor out = tensor({60});
  out.view_offset = 64;
  return out;
}

TEST(Convert, RefusesADimMapWithTheDimensionAndTheReason) {
  const std::vector<Refusal> table = {
      {"digits in another order (#996)",
       tensor({60}),
       {2, 1, 2, 64},
       {15, 64, 30, 1},
       "device dimension 2 has stride 30"},
      {"fused dimensions", tensor({40, 60}), {38, 64}, {64, 1}, "device dimension 0 continues host dimension 1"},
      {"copies", tensor({60}), {1, 512, 64}, {64, 0, 1}, "device dimension 1 has stride 0"},
      {"a view", viewed(), {2, 64}, {64, 1}, "starts 64 elements"},
      {"an expanded host", tensor({3, 60}, List{0, 1}), {1, 64}, {64, 1}, "host dimension 0 is expanded"},
      {"a host that runs backwards", tensor({60}, List{-1}), {1, 64}, {64, 1}, "host dimension 0 runs backwards"},
      {"a gap between digits", tensor({4800}), {3, 2, 14, 64}, {120, 64, 360, 1}, "device dimension 2 has stride 360"},
      {"tiles in tiles",
       tensor({40, 60}),
       {2, 12, 1, 2, 64},
       {720, 60, 64, 1200, 1},
       "device dimension 3 has stride 1200"},
      {"no multiple of a stride", tensor({4, 60}), {1, 4, 64}, {64, 70, 1}, "device dimension 1 has stride 70"},
      {"a host dimension left out", tensor({4, 60}), {1, 64}, {64, 1}, "host dimension 0"},
  };
  for (const Refusal& row : table) {
    const auto out = to_dim_map(test::raw_layout(row.device_size, row.stride_map), row.of);
    ASSERT_FALSE(out.has_value()) << row.name;
    EXPECT_EQ(out.error().code, ErrorCode::Value) << row.name;
    EXPECT_NE(out.error().message.find(row.part), std::string::npos) << row.name << ": " << out.error().message;
  }
}

TEST(Convert, RefusesAStrideMapWithTheDimensionAndTheReason) {
  const std::vector<std::tuple<List, List, map::Tensor, ErrorCode, std::string>> table = {
      {{1, 64}, {0, 0}, tensor({2, 60}, List{0, 1}), ErrorCode::Value, "host dimension 0 is expanded"},
      {{1, 64}, {1, 1}, tensor({2, 60}), ErrorCode::Value, "does not name host dimension 0"},
      {{1, 64}, {2, 1}, tensor({2, 60}), ErrorCode::Shape, "names host dimension 2"},
      {{4, 4, 64}, {0, 1, 1}, tensor({4, 256}, List{1, Index{1} << 58}), ErrorCode::Overflow, "leaves 64 bits"},
  };
  for (const auto& [size, dims, of, code, part] : table) {
    const auto out = to_stride_map(by_dims(size, dims), of);
    ASSERT_FALSE(out.has_value()) << part;
    EXPECT_EQ(out.error().code, code) << out.error().message;
    EXPECT_NE(out.error().message.find(part), std::string::npos) << out.error().message;
  }
}

// Random layouts of tiny tensors, constructed, tiled and broken: `equal` agrees with the walk over every element on
// each proposal, and nothing that a dim_map can say by the law is refused.
TEST(Convert, ProposesWhatEqualDecidesOnRandomLayouts) {
  std::size_t same = 0, moved = 0, refused = 0, back = 0;
  test::RandomSpyre random(11);
  for (int i = 0; i < 3000; ++i) {
    const test::RandomCase made = random.next(60);
    const bool dims = made.layout.stride_map.empty();
    const auto out = dims ? to_stride_map(made.layout, made.tensor) : to_dim_map(made.layout, made.tensor);
    if (!out) {
      ++refused;
      continue;
    }
    const test::Truth before = test::truth_of(made.layout, made.tensor, made.strides);
    const test::Truth after = test::truth_of(*out, made.tensor, made.strides);
    const bool is_same = before.slots == after.slots;
    const std::string_view word = equal(made.layout, *out, made.tensor);
    ASSERT_EQ(word, made.tensor.size.empty() || test::product(made.tensor.size) > 0 ? (is_same ? "proved" : "refuted")
                                                                                    : "vacuous")
        << made.show();
    ++(is_same ? same : moved);
    back += dims ? 1U : 0U;
  }
  fmt::print("{} the same, {} not, {} refused; {} of the proposals are stride maps\n", same, moved, refused, back);
  EXPECT_GE(same, 900U);
  EXPECT_GE(moved, 20U);
  EXPECT_GE(refused, 300U);
  EXPECT_GE(back, 100U);
}

// Constructed layouts of dense hosts always convert, and come back as what they were.
TEST(Convert, RoundTripsEveryConstructedLayoutOfADenseHost) {
  std::size_t converted = 0;
  const DeviceFormat small{"SEN169_FP16", 4};
  for (const List& size : {List{}, List{7}, List{1}, List{3, 5}, List{4, 8}, List{1, 6}, List{6, 1}, List{2, 3, 5},
                           List{5, 1, 3}, List{2, 3, 2, 5}, List{2, 2, 2, 2, 3}, List{2, 1, 2, 2, 2, 3},
                           List{2, 2, 1, 2, 1, 2, 3}, List{2, 1, 2, 1, 2, 2, 1, 5}}) {
    List order;
    for (Index i = 0; i < static_cast<Index>(size.size()); ++i) order.push_back(i);
    do {
      for (const bool sparse : {false, true}) {
        List with = order;
        if (sparse || order.empty()) with.push_back(-1);
        const auto layout = construct(size, *map::dense_strides(size), small, with);
        ASSERT_TRUE(layout.has_value());
        const auto dims = to_dim_map(*layout, tensor(size));
        ASSERT_TRUE(dims.has_value()) << fmt::format("[{}]: {}", fmt::join(size, ","), dims.error().message);
        const auto again = to_stride_map(*dims, tensor(size));
        ASSERT_TRUE(again.has_value()) << again.error().message;
        const auto truth = test::truth_of(*layout, tensor(size), *map::dense_strides(size));
        ASSERT_EQ(truth.slots, test::truth_of(*dims, tensor(size), *map::dense_strides(size)).slots);
        ASSERT_EQ(truth.slots, test::truth_of(*again, tensor(size), *map::dense_strides(size)).slots);
        if (converted % 16 == 0) {
          EXPECT_EQ(equal(*layout, *dims, tensor(size)), "proved");
          EXPECT_EQ(equal(*dims, *again, tensor(size)), "proved");
        }
        ++converted;
      }
    } while (size.size() <= 4 && std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GE(converted, 80U);
}

}  // namespace spyre_convert_test
}  // namespace vl::spyre
