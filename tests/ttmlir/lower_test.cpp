// What the rules make of numbers at their limits: coordinates below 0, products beyond 64 bits, elements without a
// size.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "encodings/ttmlir/ttmlir.h"
#include "tests/support/process.h"

namespace vl::ttmlir {
namespace ttmlir_lower_test {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

// p = x - 8 is -8 … 7 in shards of 8: core -1 has rows 0 … 7, which are outside of the grid, core 0 the others.
TEST(TtmlirLower, OfCoordinatesBelowZeroKeepsEveryRest) {
  const auto reading =
      read("#tt.metal_layout<(d0, d1) -> (d0 - 8, d1), undef, <2x1>, memref<8x1xf32, #tt.memory_space<l1>>>",
           tensor_of({16, 1}));
  ASSERT_TRUE(reading.has_value());
  for (Index x = 0; x < 16; ++x)
    EXPECT_EQ(map::outputs_at(*reading->layout(), Point{x, 0}, Point{}), (Point{x < 8 ? -1 : 0, 0, x % 8})) << x;
}

TEST(TtmlirLower, IsAnErrorWhereANumberLeaves64Bits) {
  const struct {
    const char* text;
    std::vector<Index> size;
  } rows[] = {
      {"#tt.metal_layout<(d0, d1) -> (d0 * 9223372036854775807, d1), undef, <1x1>, memref<8x1xf32>>", {3, 1}},
      {"tensor<1x32xf32, #ttcore.metal_layout<logical_shape = 9223372036854775807x1, dim_alignments = 32x1, "
       "collapsed_intervals = dense<[[0, 2]]> : tensor<1x2xi64>, l1, sharded>>",
       {9223372036854775807, 1}},
      {"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, "
       "<interleaved>>",
       {9223372036854775807, 1}},
      {"#ttnn.ttnn_layout<(d0, d1) -> (d0 * 9223372036854775807, d1), <1x1>, memref<1x1xbf16, "
       "#ttnn.buffer_type<dram>>, <interleaved>>",
       {3, 1}},
  };
  for (const auto& [text, size] : rows) {
    const auto reading = read(text, tensor_of(size));
    ASSERT_FALSE(reading.has_value()) << text;
    EXPECT_EQ(reading.error().code, ErrorCode::Overflow) << text;
  }
}

TEST(TtmlirLower, OfTilesThatGoRoundTheCoresTakesNoNegativeConstant) {
  const auto by_row = [](const char* row) {
    return read(std::string("#ttnn.ttnn_layout<(d0, d1) -> (") + row +
                    ", d1), <1x2>, memref<1x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, "
                    "<interleaved>>",
                tensor_of({64, 64}));
  };
  const auto right = by_row("d0"), below = by_row("d0 - 32");
  ASSERT_TRUE(right.has_value() && below.has_value());
  EXPECT_NE(right->layout(), nullptr);
  EXPECT_NE(below->undecidable(), nullptr);
}

// 53x63 on 3x2 cores, worked by hand: by A a core has ceil(53 / 3) = 18 rows, so row 20 is the third of core row 1. By
// C the 53 rows are 64 first, a core has 22, and row 20 lies on core row 0: the fifth row of the face below.
// Where ranks do not agree the rule is broken, and nothing is said of places: neither the first element nor any other
// one is outside of anything.
TEST(TtmlirLower, OfRanksThatDoNotAgreeHasNoPlaces) {
  const struct {
    const char* text;
    std::vector<Index> size;
    const char* rule;
  } rows[] = {
      {"#ttnn.ttnn_layout<(d0, d1, d2) -> (d0, d1, d2), <1x1>, memref<1x1x8x!ttcore.tile<32x32, bf16>, "
       "#ttnn.buffer_type<l1>>, <block_sharded>>",
       {1, 32, 256},
       "the map has as many results as the grid has dimensions"},
      {"#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<8x8xf32>>",
       {2, 4, 8},
       "the map reads as many dimensions as the tensor has"},
      {"#tt.metal_layout<(d0, d1) -> (-d0 + 7, d1), undef, <1x1>, memref<8x8xf32>>",
       {8, 8},
       "no factor of the map is negative"},
      {"tensor<1x1x2x8xf32, #ttcore.metal_layout<logical_shape = 2x4x8, dim_alignments = 1x1x1, collapsed_intervals = "
       "dense<> : tensor<0x2xi64>, l1, sharded>>",
       {2, 4, 8},
       "the device shape has a grid and a shard of 3 dimensions each"},
      {"memref<1x1x2x4x!ttcore.tile<32x32, f32>, #ttcore.shard<2048x2048, 1>, #ttcore.memory_space<l1>>",
       {1, 1, 64, 128},
       "stride 0 modulo the 4096 bytes of a tile is 0"},
  };
  for (const auto& [text, size, rule] : rows) {
    const auto reading = read(text, tensor_of(size));
    ASSERT_TRUE(reading.has_value()) << text << reading.error().message;
    ASSERT_NE(reading->undecidable(), nullptr) << text;
    EXPECT_TRUE(reading->undecidable()->reason.ends_with(rule)) << reading->undecidable()->reason;
  }
}

TEST(TtmlirLower, OfRanksThatDoNotAgreeIsRefutedByItsRuleAlone) {
  const char* text =
      "#ttnn.ttnn_layout<(d0, d1, d2) -> (d0, d1, d2), <1x1>, memref<1x1x8x!ttcore.tile<32x32, bf16>, "
      "#ttnn.buffer_type<l1>>, <block_sharded>>";
  const auto run = [&](const char* command) {
    return test::verify_layout({command, "--format", std::string(command) == "check" ? "jsonl" : "text", "--tensor",
                                "bf16[1,32,256]", "--layout", text});
  };
  const test::Ran checked = run("check");
  EXPECT_EQ(checked.code, 10);
  std::string verdicts;
  for (std::size_t at = 0; at < checked.out.size();) {
    const std::size_t end = checked.out.find('\n', at);
    const auto record = nlohmann::json::parse(checked.out.substr(at, end - at));
    if (record["kind"] == "verdict")
      verdicts += record["claim"].get<std::string>() + " " + record["verdict"].get<std::string>() + "; ";
    at = end + 1;
  }
  EXPECT_EQ(verdicts,
            "well-formed refuted; in-bounds unsupported; injective unsupported; bijective unsupported; padding "
            "unsupported; ");
  const test::Ran explained = run("explain");
  EXPECT_EQ(explained.code, 5);
  EXPECT_EQ(explained.out,
            "WRONG     well-formed: the map has as many results as the grid has dimensions; here it is 3 and should "
            "be 2\n");
}

TEST(TtmlirLower, ReadsATextByTheRuleThatIsAskedFor) {
  const std::string text =
      "#ttcore.metal_layout<(d0, d1) -> (d0, d1), undef, <3x2>, memref<1x1x!ttcore.tile<32x32, f32>, "
      "#ttcore.memory_space<l1>>>";
  const auto own = read(text, tensor_of({53, 63})), asked = read("rule C: " + text, tensor_of({53, 63}));
  ASSERT_TRUE(own.has_value() && asked.has_value());
  EXPECT_TRUE(own->rule.starts_with("A: ")) << own->rule;
  EXPECT_TRUE(asked->rule.starts_with("C: ")) << asked->rule;
  EXPECT_EQ(map::outputs_at(*own->layout(), Point{20, 3}, {}), (Point{1, 0, 2 * 16 + 3}));
  EXPECT_EQ(map::outputs_at(*asked->layout(), Point{20, 3}, {}), (Point{0, 0, 512 + 4 * 16 + 3}));
  const std::vector<std::string> words{"explain", "--rule", "C",    "--tensor", "f32[53,63]", "--layout",
                                       text,      "--at",   "20,3", "--format", "json"};
  EXPECT_NE(test::verify_layout(words).out.find("\"physical\":[[0,0,579]]"), std::string::npos);
}

TEST(TtmlirLower, MovesByTheRuleThatIsAskedFor) {
  const std::string text =
      "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <3x2>, memref<1x1x!tt.tile<32x32, f32>, #l1>>";
  const auto plan = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"exec", "move", "--to", text, "--tensor", "f32[53,63]", "--show-plan", "--from"};
    words.insert(words.end(), more.begin(), more.end());
    const auto run = test::verify_layout(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  };
  EXPECT_EQ(plan({text, "--rule", "C"}), plan({"rule C: " + text}));
  EXPECT_NE(plan({text, "--rule", "C"}), plan({text}));
}

// One answer of `check` about f32[64,64] on one core.
nlohmann::json answer(const std::string& type, const std::vector<std::string>& asked) {
  std::vector<std::string> words{
      "check",
      "--tensor",
      "f32[64,64]",
      "--layout",
      "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<" + type + ", #tt.memory_space<l1>>>",
      "--format",
      "jsonl"};
  words.insert(words.end(), asked.begin(), asked.end());
  const std::string out = test::verify_layout(words).out;
  const std::size_t at = out.find('\n') + 1;
  return nlohmann::json::parse(out.substr(at, out.find('\n', at) - at));
}

TEST(TtmlirLower, CountsBytesOfTheDevicesElements) {
  const std::vector<std::string> bytes{"--claim", "bytes"};
  EXPECT_EQ(answer("64x64xf32", bytes).at("value"), 16384);
  EXPECT_EQ(answer("64x64xbf16", bytes).at("value"), 8192);
  // 16 numbers share an exponent of a byte: 64 + 1024 bytes a tile; of 4 bits 64 + 512, of 2 bits 64 + 256.
  EXPECT_EQ(answer("2x2x!tt.tile<32x32, bfp_bf8>", bytes).at("value"), 4 * 1088);
  EXPECT_EQ(answer("2x2x!tt.tile<32x32, bfp_f4>", bytes).at("value"), 4 * 576);
  EXPECT_EQ(answer("2x2x!tt.tile<32x32, bfp_bf2>", bytes).at("value"), 4 * 320);
  // Every second element of a row: 4 bytes apart as bf16, one word a bank; 8 bytes apart as f32, two words a bank.
  const std::vector<std::string> access{"--claim", "wavefronts", "--access", "lanes=32 width=2 at=[0, 2*lane]"};
  EXPECT_EQ(answer("64x64xbf16", access).at("value"), 1);
  EXPECT_EQ(answer("64x64xf32", {"--claim", "wavefronts", "--access", "lanes=32 width=4 at=[0, 2*lane]"}).at("value"),
            2);
}

}  // namespace ttmlir_lower_test
}  // namespace vl::ttmlir
