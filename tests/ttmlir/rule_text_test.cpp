// Texts of tt-mlir's layouts with names for sizes: what is read, what it is at some sizes, and what is rejected where.
#include <gtest/gtest.h>

#include <string>

#include "encodings/map/text.h"
#include "encodings/ttmlir/rule_text.h"

namespace vl::ttmlir {
namespace ttmlir_rule_text_test {

std::string aligned(const std::string& device, const std::string& logical, const std::string& alignments,
                    const std::string& intervals = "[[0, 1], [1, 2]]> : tensor<2x2xi64>") {
  return "tensor<" + device + ", #ttcore.metal_layout<logical_shape = " + logical + ", dim_alignments = " + alignments +
         ", collapsed_intervals = dense<" + intervals + ", l1, sharded>>";
}
std::string mapped(const std::string& map, const std::string& grid, const std::string& memref) {
  return "#tt.metal_layout<" + map + ", undef, <" + grid + ">, memref<" + memref + ", #l1>>";
}

Result<use::Reading> read_of(const std::string& text, const char* tensor) {
  return read_rule(text, *map::parse_rule_tensor(tensor));
}

TEST(TtmlirRuleText, HasExpressionsBetweenTheXs) {
  const struct {
    std::string text, at;
  } rows[] = {
      {aligned("8x4xceil(M/256)xceil(N/128)x!ttcore.tile<32x32, f32>", "MxN", "256x128"),
       aligned("8x4x2x3x!ttcore.tile<32x32, f32>", "257x300", "256x128")},
      {aligned("1x1xMxNxf32", " M x N ", "1x1"), aligned("1x1x257x300xf32", " 257 x 300 ", "1x1")},
      {aligned("1x1xMx(N + max(M, 1))xf32", "Mx(N)", "1x(2*M)"), aligned("1x1x257x557xf32", "257x300", "1x514")},
      {mapped("(d0, d1) -> (d0 * align(M, 32) + d1, 0)", "2xG", "ceil(N*M/2) x 1 x bf16"),
       mapped("(d0, d1) -> (d0 * 288 + d1, 0)", "2x5", "38550 x 1 x bf16")},
      {mapped("(row, col) -> (row, col * 1)", "3x2", "18x32xf32"),
       mapped("(row, col) -> (row, col * 1)", "3x2", "18x32xf32")},
  };
  for (const auto& [text, at] : rows) {
    const auto found = text_at(text, {{"M", 257}, {"N", 300}, {"G", 5}});
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_EQ(*found, at);
  }
}

TEST(TtmlirRuleText, IsARuleOfItsNames) {
  const auto names = [](const std::string& text, const char* tensor) {
    const auto reading = read_of(text, tensor);
    std::string out;
    if (!reading || reading->rule_for_all_sizes() == nullptr) return std::string("none");
    for (const map::Symbol& symbol : reading->rule_for_all_sizes()->symbols) out += symbol.name + " ";
    return out;
  };
  EXPECT_EQ(names(aligned("GxHxSxTxf32", "MxN", "AxB"), "f32[M,N]"), "M N G S H T A B ");
  EXPECT_EQ(names(aligned("1x1x1x1xf32", "1x1", "1x1"), "f32[1,1]"), "");
  EXPECT_EQ(names(aligned("1x1x64x64xf32", "64x64", "1x1"), "f32[M,N]"), "M N ");  // of the tensor alone
  EXPECT_EQ(names(aligned("1x1x64x64xf32", "64x64", "1x1"), "f32[64,64]"), "");
  EXPECT_EQ(names("memref<1x1x8x8xf32, #ttcore.shard<32x4, 1>, #l1>", "f32[M,N]"), "");
  EXPECT_EQ(names(mapped("(d0, d1) -> (d0 * P, d1)", "1x1", "SxTxf32"), "f32[M,N]"), "M N P S T ");
}

// The greedy number of core, tile, face and rest of each physical dimension, and what they add to the place.
TEST(TtmlirRuleText, StatesItsNumbersAndLaws) {
  const auto reading =
      read_of(aligned("8x1xSx1x!ttcore.tile<32x32, f32>", "NxMxK", "256x32x32", "[[0, 2], [2, 3]]> : tensor<2x2xi64>"),
              "f32[N,M,K]");
  ASSERT_TRUE(reading.has_value() && reading->rule_for_all_sizes() != nullptr);
  const map::Rule& rule = *reading->rule_for_all_sizes();
  ASSERT_EQ(rule.numbers.size(), 2U);
  EXPECT_EQ(rule.numbers[0].dims, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(rule.numbers[1].dims, (std::vector<std::size_t>{2}));
  EXPECT_EQ(map::print(rule.strides[0]), "32*ceil(M/32)");
  std::string levels;
  for (const map::RuleLevel& level : rule.levels)
    levels += map::print(level.weight) + ":" + map::print(level.extent) + " ";
  EXPECT_EQ(levels, "32*S:8 32:S 16:2 1:16 32:1 32:1 16:2 1:16 ");
  ASSERT_EQ(rule.places.size(), 3U);
  std::string memory;
  for (const map::RuleTerm& term : rule.places[2].terms) memory += map::print(term.coefficient) + " ";
  EXPECT_EQ(memory, "1024 512 16 1024 256 1 ");
  EXPECT_EQ(map::print(rule.places[2].extent), "1024*S");
  EXPECT_EQ(rule.laws.size(), 4U);  // each dimension is whole tiles, and grid times shard
  EXPECT_EQ(reading->device_bits, 32);
}

// Tiles that go round the cores: number tile row * columns + tile column, divided by the cores.
TEST(TtmlirRuleText, JoinsTilesThatGoRoundTheCores) {
  const auto reading = read_of(
      "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <Gx8>, memref<1xSx!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, "
      "<interleaved>>",
      "bf16[M,N]");
  ASSERT_TRUE(reading.has_value() && reading->rule_for_all_sizes() != nullptr);
  const map::Rule& rule = *reading->rule_for_all_sizes();
  ASSERT_EQ(rule.numbers.size(), 3U);
  ASSERT_EQ(rule.numbers[2].of.size(), 2U);
  EXPECT_TRUE(rule.numbers[2].dims.empty());
  EXPECT_EQ(*map::evaluate(rule.numbers[2].of[0].coefficient, {{"M", 1}, {"N", 65}}), 3);
  EXPECT_EQ(rule.numbers[2].of[0].input, 0U);
  EXPECT_EQ(map::print(rule.numbers[2].of[1].coefficient), "1");
  EXPECT_EQ(map::print(rule.levels[rule.levels.size() - 3].weight), "8*G");
  EXPECT_EQ(map::print(rule.places[2].extent), "1024*S");
  const auto layout = map::instance(rule, {{"M", 33}, {"N", 65}, {"G", 1}, {"S", 1}});  // 6 tiles on 8 cores
  ASSERT_TRUE(layout.has_value()) << layout.error().message;
  Point at = map::outputs_at(*layout, std::vector<Index>{32, 40}, {});  // tile 4, row 0, column 8 of it
  at.resize(3);
  EXPECT_EQ(at, (Point{0, 4, 8}));
}

// Stage by stage: of blocks and of tiles that go round the cores.
TEST(TtmlirRuleText, AnInstanceIsTheLayoutWithNumbers) {
  const std::string dealt =
      "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1xG>, memref<1xSx!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, "
      "<interleaved>>";
  const struct {
    std::string text;
    map::Sizes sizes;
  } rows[] = {
      {aligned("2x1xSxTx!ttcore.tile<32x32, f32>", "MxN", "64x32"), {{"M", 100}, {"N", 70}, {"S", 2}, {"T", 3}}},
      {aligned("2x1xSxTx!ttcore.tile<32x32, f32>", "MxN", "64x32"), {{"M", 5}, {"N", 17}, {"S", 1}, {"T", 1}}},
      {mapped("(d0, d1) -> (d0, d1)", "3x2", "SxTxf32"), {{"M", 7}, {"N", 4}, {"S", 3}, {"T", 2}}},
      {dealt, {{"M", 33}, {"N", 65}, {"G", 4}, {"S", 2}}},
      {dealt, {{"M", 64}, {"N", 65}, {"G", 1}, {"S", 6}}},
  };
  for (const auto& [text, sizes] : rows) {
    const auto reading = read_of(text, "f32[M,N]");
    ASSERT_TRUE(reading.has_value() && reading->rule_for_all_sizes() != nullptr) << text;
    const auto instance = map::instance(*reading->rule_for_all_sizes(), sizes);
    map::Tensor tensor;
    tensor.size = {sizes.at("M"), sizes.at("N")};
    const auto numbers = read(*text_at(text, sizes), tensor);
    ASSERT_TRUE(instance.has_value() && numbers.has_value() && numbers->layout() != nullptr) << text;
    EXPECT_EQ(map::print(instance->map()), map::print(numbers->layout()->map())) << text;
    EXPECT_EQ(instance->physical(), numbers->layout()->physical());
  }
}

TEST(TtmlirRuleText, RejectsWhatIsWrongWhereItStands) {
  const struct {
    std::string text;
    const char* at;  // the error stands where this begins
    ErrorCode code;
  } rows[] = {
      {aligned("8x4xM+xNxf32", "MxN", "1x1"), "xNxf32", ErrorCode::Syntax},
      {aligned("8x4xMxNxf32", "Mx", "1x1"), ", dim_alignments", ErrorCode::Syntax},
      {aligned("8x4xMxNxf32", "M x x N", "1x1"), "x N, dim", ErrorCode::Syntax},
      {aligned("8x4xMxNx!ttcore.cube<32x32, f32>", "MxN", "1x1"), "ttcore.cube", ErrorCode::Syntax},
      {aligned("8x4xMxNxf32", "MxN", "1x1", "[[0, 1]]> : tensor<2x2xi64>"), "[[0, 1]]", ErrorCode::Shape},
      {mapped("(d0, d1) -> (d0 * (M, d1)", "1x1", "MxNxf32"), ", d1), undef", ErrorCode::Syntax},
      {mapped("(d0, d1) -> (d2 * M, d1)", "1x1", "MxNxf32"), "d2", ErrorCode::Syntax},
      {mapped("(d0, d1) -> (d0, d1)", "1x1", "9223372036854775808xNxf32"), "9223372036854775808", ErrorCode::Overflow},
  };
  for (const auto& [text, at, code] : rows) {
    const auto reading = read_of(text, "f32[M,N]");
    ASSERT_FALSE(reading.has_value()) << text;
    EXPECT_EQ(reading.error().code, code) << text << ": " << reading.error().message;
    EXPECT_EQ(reading.error().offset, text.find(at)) << text << ": " << reading.error().message;
  }
}

TEST(TtmlirRuleText, SaysWhyThereIsNoRule) {
  const struct {
    std::string text;
    const char* why;
  } rows[] = {
      {aligned("8x4xMxNxf32", "MxNxK", "1x1x1"), "the logical shape has as many dimensions"},
      {aligned("8x4xMxNxf32", "MxN", "1"), "there is one alignment for each"},
      {aligned("8x4xMxNxf32", "MxN", "0x1"), "each alignment is at least 1"},
      {aligned("8xMxNxf32", "MxN", "1x1"), "the device shape has a grid and a shard of 2"},
      {aligned("8x4xMxNxf32", "MxN", "1x1", "[[0, 3]]> : tensor<1x2xi64>"), "the interval [0, 3) lies in 2"},
      {aligned("8x4xMxNxf32", "MxN", "1x1", "[[0, 2], [0, 1]]> : tensor<2x2xi64>"), "comes twice"},
      {mapped("(d0, d1) -> (d0 * M + d1 * 2 + d0, 0)", "1x1", "MxNxf32"), "comes twice"},
      {mapped("(d0, d1) -> (d0 + 1, d1)", "1x1", "MxNxf32"), "a constant in a map"},
      {mapped("(d0, d1) -> (d0 floordiv 2, d1)", "1x1", "MxNxf32"), "floordiv or mod beside names"},
      {mapped("(d0, d1) -> (d0 * 3 - 1, d1)", "1x1", "MxNxf32"), "no sum of dimensions, each with a product"},
      {mapped("(d0, d1) -> (d0 * 2, d1)", "1x1", "d1xNxf32"), "a size with the name of a dimension"},
      {mapped("(d0, d1) -> (d0, 0)", "1x1", "MxNxf32"), "does not read"},
      {mapped("(d0, d1) -> (d0, d1)", "1", "MxNxf32"), "as many results as the grid"},
      {"rule C: " + mapped("(d0, d1) -> (d0, d1)", "1x1", "MxNxf32"), "another rule"},
      {"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x8>, memref<1xSxbf16, #ttnn.buffer_type<l1>>, <interleaved>>",
       "rows of elements that go round the cores"},
  };
  for (const auto& [text, why] : rows) {
    const auto reading = read_of(text, "f32[M,N]");
    ASSERT_TRUE(reading.has_value()) << text << ": " << reading.error().message;
    ASSERT_NE(reading->undecidable(), nullptr) << text;
    EXPECT_NE(reading->undecidable()->reason.find(why), std::string::npos) << text << reading->undecidable()->reason;
  }
}

// d0 * M - 1 is a difference, and d1 a dimension: neither is a factor. What is not read stays as it is.
TEST(TtmlirRuleText, ReadsNoOtherMapAsASumOfMultiples) {
  std::size_t left_alone = 0;
  for (const std::string result : {"d0 * M - 1", "d0 * M - d1", "d0 * d1", "d0 * M * d1", "d0 * (d1 + 1)",
                                   "d0 * M mod 3", "d0 * 2 floordiv 3", "d0 * M d1", "d0 * * M", "d0 *", "d0 * -M"}) {
    for (const char* memref : {"MxNxf32", "5x2xf32"}) {
      const std::string text = mapped("(d0, d1) -> (" + result + ", d1)", "1x1", memref);
      const auto reading = read_of(text, "f32[M,N]");
      if (reading && reading->rule_for_all_sizes() != nullptr) {
        EXPECT_TRUE(reading->rule_for_all_sizes()->symbols.empty()) << text;
      }
      const auto at = text_at(text, {{"M", 5}, {"N", 2}, {"d1", 7}});
      if (!at) continue;
      EXPECT_NE(at->find("(" + result + ", d1)"), std::string::npos) << *at;
      ++left_alone;
    }
  }
  EXPECT_EQ(left_alone, 22U);
  for (const std::string result :
       {"d0 * M", "d0 * M * 2", "d0 * (M - 1)", "d0 * (M + 1) * N", "d0 * align(M, 4) * ceil (N/2)"}) {
    const auto reading = read_of(mapped("(d0, d1) -> (" + result + ", d1)", "1x1", "MxNxf32"), "f32[M,N]");
    ASSERT_TRUE(reading.has_value() && reading->rule_for_all_sizes() != nullptr) << result;
    EXPECT_FALSE(reading->rule_for_all_sizes()->symbols.empty()) << result;
  }
  // A size may not have the name of a dimension.
  const auto other = read_of(mapped("(d0, d1) -> (d0 * M, d1)", "1x1", "d1xNxf32"), "f32[M,N]");
  EXPECT_TRUE(!other || other->rule_for_all_sizes() == nullptr);
}

TEST(TtmlirRuleText, WarnsAsTheTextWithNumbersDoes) {
  const std::string text = aligned("1x1xMxNx!ttcore.tile<32x32, bfp_bf8>", "MxN", "1x1");
  const auto reading = read_of(text, "f32[M,N]");
  ASSERT_TRUE(reading.has_value());
  ASSERT_EQ(reading->warnings.size(), 1U);
  EXPECT_NE(reading->warnings[0].find("block format"), std::string::npos);
}

TEST(TtmlirRuleText, HasNoLayoutWithoutNumbers) {
  const std::string text = aligned("1x1xSxNxf32", "MxN", "1x1");
  EXPECT_EQ(first_name(text), "S");
  map::Tensor tensor;
  tensor.size = {4, 4};
  const auto reading = read(text, tensor);
  ASSERT_TRUE(reading.has_value());
  ASSERT_NE(reading->undecidable(), nullptr);
  EXPECT_NE(reading->undecidable()->reason.find("'S' is a name"), std::string::npos);
  // N has no value, and stays.
  EXPECT_EQ(*text_at(text, {{"S", 7}, {"M", 5}}), aligned("1x1x7xNxf32", "5xN", "1x1"));
  EXPECT_EQ(*text_at(aligned("1x1xceil(M/2)x(M*N)xf32", "MxN", "Sx1"), {{"S", 7}, {"M", 5}}),
            aligned("1x1x3x(5*N)xf32", "5xN", "7x1"));
  EXPECT_FALSE(text_at(aligned("1x1x(M-3)x1xf32", "Mx1", "1x1"), {{"M", 1}}).has_value());  // below 0
}

}  // namespace ttmlir_rule_text_test
}  // namespace vl::ttmlir
