// Element arrangements: the place of each element by the groups of four, compared with a table in this file, the second
// meaning, and every engine. Unknown arrangements stay unsupported.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "encodings/spyre/arrangement.h"
#include "encodings/use/reference.h"
#include "verifier/claims/claim.h"

namespace vl::spyre {
namespace spyre_arrangement_test {

using List = std::vector<Index>;

map::Tensor tensor(map::ElementType type, List size) {
  map::Tensor out;
  out.type = type;
  out.size = std::move(size);
  return out;
}
map::Tensor f32(List size) { return tensor(map::ElementType::F32, std::move(size)); }
map::Tensor f16(List size) { return tensor(map::ElementType::F16, std::move(size)); }

use::Reading read(const std::string& text, const map::Tensor& of) {
  auto reading = family().read(text, of);
  VL_CHECK(reading.has_value(), text + ": " + (reading ? "" : reading.error().message));
  return *std::move(reading);
}

Point slot_of(const map::Layout& layout, const Point& x) {
  Point outputs = map::outputs_at(layout, x, Point(layout.replicas().rank(), 0));
  if (!layout.is_slot(outputs)) return {};
  outputs.resize(layout.physical().rank());
  return outputs;
}

// The picture of RFC 2971: stick A holds groups 0 2 4 … 14, stick B groups 1 3 5 … 15.
TEST(Arrangement, WideningDealsGroupsOfFourToTwoSticksInTurn) {
  const use::Reading reading =
      read("SpyreTensorLayout([2, 4, 32], [32, 64, 1], IEEE_FP32, ElementArrangement.DL16_TO_FP32)", f32({4, 64}));
  ASSERT_NE(reading.layout(), nullptr) << reading.undecidable()->reason;
  const List sticks[] = {{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}};
  Index moved = 0;
  for (Index row = 0; row < 4; ++row)
    for (Index stick = 0; stick < 2; ++stick)
      for (Index place = 0; place < 8; ++place)
        for (Index e = 0; e < 4; ++e) {
          const Index element = 4 * sticks[stick][static_cast<std::size_t>(place)] + e;
          EXPECT_EQ(slot_of(*reading.layout(), {row, element}), (Point{stick, row, 4 * place + e})) << element;
          moved += element == 32 * stick + 4 * place + e ? 0 : 1;
        }
  EXPECT_EQ(moved, 224);  // #4393 saw 207 of 256 with values that repeat: at most these can
}

// The result of narrowing two sticks in order: it inverts the picture above, so the sticks alternate.
TEST(Arrangement, NarrowingTakesGroupsFromTwoSticksInTurn) {
  const use::Reading reading = read(
      "SpyreTensorLayout((2, 128), (128, 1), torch.float16, [0, 1], ElementArrangement.FP32_TO_DL16)", f16({2, 128}));
  ASSERT_NE(reading.layout(), nullptr) << reading.undecidable()->reason;
  const List groups{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
  for (Index stick = 0; stick < 2; ++stick)
    for (Index place = 0; place < 16; ++place)
      for (Index e = 0; e < 4; ++e)
        EXPECT_EQ(slot_of(*reading.layout(), {1, 64 * stick + 4 * groups[static_cast<std::size_t>(place)] + e}),
                  (Point{stick, 1, 4 * place + e}));
}

TEST(Arrangement, OfFp8WeightsFollowsTheNestOfTheRuntime) {
  const Index rows = 6, columns = 192;
  const use::Reading reading =
      read("SpyreTensorLayout((6, 192), (192, 1), torch.float8_e4m3fn, [0, 1], ElementArrangement.QFP8WT)",
           tensor(map::ElementType::F8E4M3, {rows, columns}));
  ASSERT_NE(reading.layout(), nullptr) << reading.undecidable()->reason;
  // sizes [2, 64, K/2, N/64], host strides [N, 1, 2N, 64], device strides [1, 2, 128, 64K], innermost first
  Index checked = 0;
  for (Index d = 0; d < columns / 64; ++d)
    for (Index c = 0; c < rows / 2; ++c)
      for (Index b = 0; b < 64; ++b)
        for (Index a = 0; a < 2; ++a) {
          const Index host = a * columns + b + c * 2 * columns + d * 64;
          const Point slot = slot_of(*reading.layout(), {host / columns, host % columns});
          ASSERT_FALSE(slot.empty());
          ASSERT_EQ(reading.layout()->physical().linear(slot), a + 2 * b + 128 * c + 64 * rows * d);
          ++checked;
        }
  EXPECT_EQ(checked, rows * columns);
}

struct Known {
  const char* text;
  map::Tensor of;
};

const std::vector<Known> kKnown = {
    {"SpyreTensorLayout([2, 4, 32], [32, 64, 1], IEEE_FP32, DL16_TO_FP32)", f32({4, 64})},
    {"SpyreTensorLayout((3, 50), (50, 1), torch.float32, [0, 1], DL16_TO_FP32)", f32({3, 50})},
    {"SpyreTensorLayout((3, 2, 120), (240, 120, 1), torch.float32, [1, 0, 2], DL16_TO_FP32)", f32({3, 2, 120})},
    {"SpyreTensorLayout((50, 3), (3, 1), torch.float32, [1, 0], DL16_TO_FP32)", f32({50, 3})},
    {"SpyreTensorLayout((5, 1), (1, 1), torch.float32, [0, 1], DL16_TO_FP32)", f32({5, 1})},
    {"SpyreTensorLayout([4, 2, 32], [32, 40, 1], IEEE_FP32, DL16_TO_FP32)",
     f32({2, 40})},  // breaks: a second stick never begins
    {"SpyreTensorLayout([2, 2, 32], [32, 70, 1], IEEE_FP32, DL16_TO_FP32)", f32({2, 70})},  // too small
    {"SpyreTensorLayout([2, 3, 2, 32], [32, 0, 64, 1], IEEE_FP32, DL16_TO_FP32)", f32({2, 64})},
    {"SpyreTensorLayout((2, 150), (150, 1), torch.float16, [0, 1], FP32_TO_DL16)", f16({2, 150})},
    {"SpyreTensorLayout((7,), (1,), torch.float16, [0], FP32_TO_DL16)", f16({7})},
    {"SpyreTensorLayout((9, 4), (4, 1), torch.bfloat16, [0, 1, -1], FP32_TO_DL16)", f16({9, 4})},
    {"SpyreTensorLayout([2, 38, 64], [0, 64, 1], SEN169_FP16, FP32_TO_DL16)", f16({40, 60})},
    {"SpyreTensorLayout((4, 64), (64, 1), torch.float8_e4m3fn, [0, 1], QFP8WT)",
     tensor(map::ElementType::F8E4M3, {4, 64})},
    {"SpyreTensorLayout((2, 256), (256, 1), torch.float8_e4m3fn, [0, 1], QFP8WT)",
     tensor(map::ElementType::F8E4M3, {2, 256})},
};

std::string in_order(std::string text) {
  for (const std::string name : {"DL16_TO_FP32", "FP32_TO_DL16", "QFP8WT"})
    if (const auto at = text.find(name); at != std::string::npos) text.replace(at, name.size(), "STANDARD");
  return text;
}

TEST(Arrangement, IsWhatTheSecondMeaningSaysAndKeepsEveryVerdict) {
  const use::Reference* reference = nullptr;
  for (const use::Reference* known : use::references())
    if (known->family == "spyre") reference = known;
  ASSERT_NE(reference, nullptr);
  std::size_t placed = 0, without = 0, decided = 0, by_strides = 0;
  engines::Options walk;
  walk.only = "enumerate";
  for (const Known& known : kKnown) {
    const use::Reading reading = read(known.text, known.of);
    ASSERT_NE(reading.layout(), nullptr) << known.text << ": " << reading.undecidable()->reason;
    const auto slots = reference->slots(known.text, known.of);
    ASSERT_TRUE(slots.has_value()) << known.text << ": " << slots.error().message;
    for (Index n = 0; n < reading.layout()->logical().volume(); ++n) {
      const Point x = reading.layout()->logical().point(n);
      const auto expected = (*slots)(x);
      const Point slot = slot_of(*reading.layout(), x);
      ASSERT_EQ(slot.empty(), expected.empty()) << known.text << " at " << n;
      ASSERT_EQ(slot, expected.empty() ? Point{} : expected.front()) << known.text << " at " << n;
      ++(slot.empty() ? without : placed);
    }
    // A permutation of the slots changes no verdict and no count.
    const use::Reading standard = read(in_order(known.text), known.of);
    for (const std::string claim : {"in-bounds", "injective", "bijective", "padding"}) {
      const auto* which = claims::find_claim(claim);
      const claims::Judged a = claims::decide(*which, claims::OneLayout{*reading.layout()}, {});
      const claims::Judged b = claims::decide(*which, claims::OneLayout{*standard.layout()}, walk);
      const auto* p = std::get_if<question::Proved>(&a.verdict);
      const auto* q = std::get_if<question::Proved>(&b.verdict);
      ASSERT_EQ(question::word(a.verdict), question::word(b.verdict)) << known.text << " " << claim;
      ASSERT_NE(question::word(a.verdict), "unknown") << known.text << " " << claim;
      EXPECT_EQ(p != nullptr ? p->value : std::nullopt, q != nullptr ? q->value : std::nullopt) << known.text;
      for (const engines::Attempt& attempt : a.attempts)
        by_strides += attempt.engine == "strided" && attempt.said.find("abstains") == std::string::npos ? 1U : 0U;
      ++decided;
    }
  }
  fmt::print("{} elements with a slot, {} without; {} claims decided, {} questions by strides alone\n", placed, without,
             decided, by_strides);
  EXPECT_GE(placed, 3000U);
  EXPECT_GE(without, 10U);
  EXPECT_EQ(decided, 4 * kKnown.size());
  EXPECT_GE(by_strides, 50U);
}

TEST(Arrangement, IsNotTheStandardOrder) {
  const use::Reading a = read("SpyreTensorLayout([2, 4, 32], [32, 64, 1], IEEE_FP32, DL16_TO_FP32)", f32({4, 64}));
  const use::Reading b = read("SpyreTensorLayout([2, 4, 32], [32, 64, 1], IEEE_FP32)", f32({4, 64}));
  const claims::Judged answer =
      claims::decide(*claims::find_claim("equal"), claims::Pair{*a.layout(), *b.layout()}, {});
  EXPECT_EQ(question::word(answer.verdict), "refuted");
  EXPECT_FALSE(a.layout()->identity().has_value());
}

TEST(Arrangement, StaysUnsupportedWhereNoSourceSaysIt) {
  const std::vector<std::pair<std::string, map::Tensor>> table = {
      {"SpyreTensorLayout([1, 4, 32], [32, 32, 1], IEEE_FP32, DL16_TO_FP32)", f32({4, 32})},  // half a pair
      {"SpyreTensorLayout([3, 4, 32], [32, 96, 1], IEEE_FP32, DL16_TO_FP32)", f32({4, 96})},
      {"SpyreTensorLayout([2, 4, 64], [64, 128, 1], SEN169_FP16, DL16_TO_FP32)", f16({4, 128})},
      {"SpyreTensorLayout([2, 4, 32], [32, 64, 1], IEEE_FP32, FP32_TO_DL16)", f32({4, 64})},
      {"SpyreTensorLayout(device_size=[2, 4, 32], dim_map=[1, 0, 1], device_dtype=IEEE_FP32, "
       "element_arrangement=DL16_TO_FP32)",
       f32({4, 64})},
      {"SpyreTensorLayout([2, 64], [64, 0], SEN169_FP16, FP32_TO_DL16)", f16({1})},
      {"SpyreTensorLayout((4, 64), (64, 1), torch.float16, [0, 1], EXX2)", f16({4, 64})},
      {"SpyreTensorLayout((4, 64), (64, 1), torch.float16, [0, 1], QFP8CH)", f16({4, 64})},
      {"SpyreTensorLayout((4, 64), (64, 1), torch.float16, [0, 1], SOMETHING)", f16({4, 64})},
      {"SpyreTensorLayout((3, 64), (64, 1), torch.float8_e4m3fn, [0, 1], QFP8WT)",
       tensor(map::ElementType::F8E4M3, {3, 64})},
      {"SpyreTensorLayout((4, 32), (32, 1), torch.float8_e4m3fn, [0, 1], QFP8WT)",
       tensor(map::ElementType::F8E4M3, {4, 32})},
      {"SpyreTensorLayout((4, 64), (64, 1), torch.float8_e4m3fn, [1, 0], QFP8WT)",
       tensor(map::ElementType::F8E4M3, {4, 64})},
  };
  for (const auto& [text, of] : table) EXPECT_NE(read(text, of).undecidable(), nullptr) << text;
}

// Both directions undo each other on every place of a pair of sticks, so they are permutations.
TEST(Arrangement, RestoresWhatItRearranges) {
  for (const auto kind : {Arranged::Kind::Widened, Arranged::Kind::Narrowed})
    for (const bool forth : {true, false}) {
      const auto apply = [&](const Rearrangement& r, Index count, Index lane) {
        List parts;
        for (const Index factor : r.count_factors) {
          parts.push_back(count / factor);
          count %= factor;
        }
        for (const Index factor : r.lane_factors) {
          parts.push_back(lane / factor);
          lane %= factor;
        }
        return std::pair(r.count_factors.empty() ? count : *map::value(r.count, parts), *map::value(r.lane, parts));
      };
      std::set<std::pair<Index, Index>> images;
      for (Index count = 0; count < 4; ++count)
        for (Index lane = 0; lane < 128; ++lane) {
          const auto there = apply(forth ? rearrange(kind) : restore(kind), count, lane);
          images.insert(there);
          EXPECT_EQ(apply(forth ? restore(kind) : rearrange(kind), there.first, there.second), std::pair(count, lane));
        }
      EXPECT_EQ(images.size(), 512U);
    }
}

}  // namespace spyre_arrangement_test
}  // namespace vl::spyre
