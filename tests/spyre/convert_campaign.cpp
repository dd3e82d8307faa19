// Between dim_map and stride_map: a converted layout puts every element in the same slot, by a brute-force walk and by
// the claim `equal`; where there is none, a walk under every other map of that notation finds none either.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "encodings/spyre/convert.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"
#include "verifier/claims/claim.h"

namespace vl::spyre {
namespace spyre_convert_campaign {

using List = std::vector<Index>;

constexpr Index kNone = -1;

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

// The element that no dim_map places as the layout does.
TEST(Convert, RefusesADimMapWithTheElement) {
  const std::vector<Refusal> table = {
      {"copies", tensor({60}), {1, 512, 64}, {64, 0, 1}, "512 copies"},
      {"a view", viewed(), {2, 64}, {64, 1}, "starts 64 elements"},
      {"an expanded host", tensor({3, 60}, List{0, 1}), {1, 64}, {64, 1}, "element [1, 0] has slot [0, 0]"},
      {"digits to the right", tensor({6}), {2, 3}, {1, 2}, "element [2] has slot [0, 1]"},
      {"a step along two", tensor({4800}), {3, 2, 14, 64}, {120, 64, 360, 1}, "element [128] has slot [1, 0, 0, 8]"},
      {"two host dimensions of one digit",
       tensor({2, 2}, List{1, 1}),
       {2, 2},
       {2, 1},
       "device dimension 1 has digits of host dimension 0"},
  };
  for (const Refusal& row : table) {
    const auto out = to_dim_map(test::raw_layout(row.device_size, row.stride_map), row.of);
    ASSERT_FALSE(out.has_value()) << row.name;
    EXPECT_EQ(out.error().code, ErrorCode::Value) << row.name;
    EXPECT_NE(out.error().message.find(row.part), std::string::npos) << row.name << ": " << out.error().message;
  }
}

// Layouts that no dim_map says, of which the only candidate differs.
TEST(Convert, ProposesNothingEqualForWhatADimMapCannotSay) {
  struct Row {
    const char* name;
    map::Tensor of;
    List device_size, stride_map;
  };
  for (const Row& row : std::vector<Row>{
           {"digits in another order (#996)", tensor({60}), {2, 1, 2, 64}, {15, 64, 30, 1}},
           {"fused dimensions", tensor({40, 60}), {38, 64}, {64, 1}},
           {"a gap between digits", tensor({4800}), {3, 2, 14, 64}, {120, 64, 360, 1}},
           {"tiles in tiles", tensor({40, 60}), {2, 12, 1, 2, 64}, {720, 60, 64, 1200, 1}},
           {"no multiple of a stride", tensor({4, 60}), {1, 4, 64}, {64, 70, 1}},
           {"a host dimension left out", tensor({4, 60}), {1, 64}, {64, 1}},
       }) {
    const SpyreTensorLayout layout = test::raw_layout(row.device_size, row.stride_map);
    const auto out = to_dim_map(layout, row.of);
    if (out) {
      EXPECT_EQ(equal(layout, *out, row.of), "refuted") << row.name;
    } else {
      EXPECT_EQ(out.error().code, ErrorCode::Value) << row.name;
    }
  }
}

TEST(Convert, FindsDimMapsThatTheLawOfStridesDoesNotGive) {
  const std::vector<std::tuple<map::Tensor, List, List, List>> table = {
      {tensor({3, 64}), {4, 3, 64}, {192, 64, 1}, {0, 0, 1}},
      {tensor({}), {1, 64}, {64, 1}, {-1, -1}},
      {tensor({2, 4, 4}), {2, 2, 2, 4, 3}, {8, 4, 16, 1, 32}, {1, 1, 0, 2, -1}},
  };
  for (const auto& [of, size, strides, dims] : table) {
    const auto out = to_dim_map(test::raw_layout(size, strides), of);
    ASSERT_TRUE(out.has_value()) << out.error().message;
    EXPECT_EQ(out->dim_map, dims);
    EXPECT_EQ(equal(test::raw_layout(size, strides), *out, of), "proved");
  }
}

// A sparse stick keeps its one element under every arrangement; the candidate has none.
TEST(Convert, DropsAnArrangementThatNeverHadADimMap) {
  const map::Tensor of = tensor({512, 256});
  SpyreTensorLayout sparse = test::raw_layout({256, 1, 512, 32}, {1, -1, 256, -1});
  sparse.device_dtype = {"IEEE_FP32", 32};
  sparse.element_arrangement = "DL16_TO_FP32";
  const auto out = to_dim_map(sparse, of);
  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->element_arrangement, "STANDARD");
  EXPECT_EQ(equal(sparse, *out, of), "proved");
  SpyreTensorLayout wide = test::raw_layout({2, 64}, {64, 1});  // its groups of four are not in order
  wide.element_arrangement = "FP32_TO_DL16";
  const auto candidate = to_dim_map(wide, tensor({128}));
  ASSERT_TRUE(!candidate || equal(wide, *candidate, tensor({128})) == "refuted");
}

TEST(Convert, RefusesAStrideMapWithTheDimensionAndTheReason) {
  const std::vector<std::tuple<List, List, map::Tensor, ErrorCode, std::string>> table = {
      {{1, 64}, {0, 0}, tensor({2, 60}, List{0, 1}), ErrorCode::Value, "host dimension 0 is expanded"},
      {{60}, {0}, tensor({60}, List{-1}), ErrorCode::Value, "host dimension 0 runs backwards"},
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

TEST(Convert, KnowsWhetherItsStrideMapIsTheOnlyOne) {
  EXPECT_TRUE(is_only_stride_map(by_dims({100, 3, 5, 64}, {1, 2, 0, 2}), tensor({5, 100, 150})));
  EXPECT_TRUE(is_only_stride_map(by_dims({1, 64}, {1, 1}), tensor({2, 60})));
  // 64 + 2·i leaves a remainder under [63,2], and a slot under [-1,2].
  const map::Tensor of = tensor({2, 20}, List{64, 2});
  EXPECT_FALSE(is_only_stride_map(by_dims({2, 64}, {-1, 1}), of));
  EXPECT_EQ(equal(by_dims({2, 64}, {-1, 1}), *to_stride_map(by_dims({2, 64}, {-1, 1}), of), of), "refuted");
  EXPECT_EQ(equal(by_dims({2, 64}, {-1, 1}), test::raw_layout({2, 64}, {63, 2}), of), "proved");
}

using Slots = std::vector<Index>;

// The next list of numbers in [low, high); false behind the last one.
bool next_list(List& list, Index low, Index high) {
  for (Index& entry : list) {
    if (++entry < high) return true;
    entry = low;
  }
  return false;
}

// Whether some dim_map says the same, by a walk over every element under each of them.
bool some_dim_map(const test::RandomCase& made, const Slots& slots) {
  List dims(made.layout.device_size.size(), kNone);
  do {
    if (test::truth_of(by_dims(made.layout.device_size, dims), made.tensor, made.strides).slots == slots) return true;
  } while (next_list(dims, kNone, static_cast<Index>(made.tensor.size.size())));
  return false;
}

// Random layouts of tiny tensors, constructed, tiled and broken.
TEST(Convert, FindsADimMapIffOneOfAllSaysTheSame) {
  std::size_t found = 0, refused = 0, moved = 0;
  test::RandomSpyre random(11);
  for (int i = 0; i < 4000; ++i) {
    const test::RandomCase made = random.next(40);
    const std::size_t rank = made.layout.device_size.size();
    if (made.layout.stride_map.empty() || made.replicated || test::product(made.tensor.size) == 0) continue;
    if (made.tensor.view_offset != 0 || rank > 5 || made.tensor.size.size() > 3) continue;
    const Slots slots = test::truth_of(made.layout, made.tensor, made.strides).slots;
    const auto out = to_dim_map(made.layout, made.tensor);
    const bool same = out && test::truth_of(*out, made.tensor, made.strides).slots == slots;
    if (out) {
      ASSERT_EQ(equal(made.layout, *out, made.tensor), same ? "proved" : "refuted") << made.show();
    }
    ASSERT_EQ(same, some_dim_map(made, slots)) << made.show();
    ++(same ? found : out ? moved : refused);
  }
  fmt::print("{} found, {} refused, {} candidates that differ\n", found, refused, moved);
  EXPECT_GE(found, 500U);
  EXPECT_GE(refused, 50U);
  EXPECT_GE(moved, 50U);
}

// Every stride_map with strides up to beyond the tensor's reach.
TEST(Convert, FindsAStrideMapOrSaysThatOthersAreLeft) {
  std::size_t found = 0, none = 0, open = 0;
  test::RandomSpyre random(12);
  for (int i = 0; i < 20000 && found + none + open < 1500; ++i) {
    const test::RandomCase made = random.next(12);
    const auto big = std::ranges::count_if(made.layout.device_size, [](Index size) { return size > 1; });
    if (!made.layout.stride_map.empty() || big > 3 || test::product(made.tensor.size) == 0) continue;
    const Slots slots = test::truth_of(made.layout, made.tensor, made.strides).slots;
    const auto out = to_stride_map(made.layout, made.tensor);
    const auto says = [&](const List& strides) {
      return test::truth_of(test::raw_layout(made.layout.device_size, strides), made.tensor, made.strides).slots ==
             slots;
    };
    const bool same = out && says(out->stride_map);
    const bool only = !out || is_only_stride_map(made.layout, made.tensor);
    ++(same ? found : only ? none : open);
    if (same || !only) continue;
    List some(static_cast<std::size_t>(big), kNone);
    do {
      List strides;
      std::size_t k = 0;
      for (const Index size : made.layout.device_size) strides.push_back(size > 1 ? some[k++] : kNone);
      ASSERT_FALSE(says(strides)) << made.show() << fmt::format(" [{}]", fmt::join(strides, ","));
    } while (next_list(some, kNone, 15));
  }
  fmt::print("{} found, {} none, {} not known\n", found, none, open);
  EXPECT_GE(found, 50U);
  EXPECT_GE(none, 20U);
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

}  // namespace spyre_convert_campaign
}  // namespace vl::spyre
