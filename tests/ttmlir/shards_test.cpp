// The kinds of padding, in numbers that a model apart from the program counted slot by slot from their definitions; an
// element's bytes; masks.
#include <gtest/gtest.h>

#include "encodings/map/text.h"
#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/shards.h"
#include "tests/support/process.h"
#include "verifier/report/shards.h"

namespace vl::ttmlir {
namespace ttmlir_shards_test {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

std::string by_map(const std::string& map, const std::string& grid, const std::string& shard) {
  return "#tt.metal_layout<" + map + ", undef, <" + grid + ">, memref<" + shard + ", #tt.memory_space<l1>>>";
}
const std::string kTiles = "x!tt.tile<32x32, f32>";

TEST(TtmlirShards, CountsEachKindOfPadding) {
  struct Row {
    std::string text;
    std::vector<Index> size;
    use::Shards::Padding want;
  };
  const std::string ttnn =
      "#ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <3x1>, memref<1x2x!ttcore.tile<32x32, "
      "f32>, #ttnn.buffer_type<l1>>, <block_sharded>>";
  const Row rows[] = {
      {by_map("(d0, d1) -> (d0, d1)", "3x2", "1x1" + kTiles), {53, 63}, {2688, 117, 0, 0}},
      {by_map("(d0, d1, d2) -> (d0 * 8 + d1, d2)", "2x2", "6x3xf32"), {2, 3, 5}, {0, 17, 25, 0}},
      {by_map("(d0, d1, d2) -> (d0 * 40 + d1, d2)", "3x1", "1x2" + kTiles), {2, 3, 50}, {3894, 100, 1850, 0}},
      {by_map("(d0, d1, d2) -> (d0 * 6 + d1, d1, d2)", "2x1x2", "6x6x2xf32"), {2, 6, 4}, {0, 0, 0, 240}},
      {ttnn, {2, 30, 50}, {3016, 128, 0, 0}},
  };
  for (const Row& row : rows) {
    const auto made = shards(row.text, tensor_of(row.size));
    ASSERT_TRUE(made.has_value()) << made.error().message;
    EXPECT_EQ(made->padding, row.want) << row.text;
  }
}

TEST(TtmlirShards, SaysWhyThereAreNone) {
  const std::string text = by_map("(d0, d1) -> (d0, d1)", "3x2", "1x1" + kTiles);
  EXPECT_EQ(shards(text, tensor_of({53, 65})).error().message,
            "a rule of the layout does not hold: memref dimension 1 is ceil(65 / 2) = 33, in tiles of 32");
  EXPECT_EQ(shards(text, tensor_of({0, 63})).error().message, "the tensor has no element");
  EXPECT_FALSE(shards("#tt.metal_layout<", tensor_of({4})).has_value());
}

// By hand: rule B of 2x3x64x128 on 2x4 needs grid · tile, 64 and 128; 384 rows are a multiple of 64. Rule C pads to
// tiles before it joins; it names no cores, which tt-mlir's verifier takes with ignorePhysicalLayout alone.
TEST(TtmlirShards, SaysALayoutByAnotherRule) {
  struct Row {
    std::string text;
    std::vector<Index> size;
    std::string rule, want;
  };
  const std::string a4 = by_map("(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3)", "2x4", "6x1" + kTiles);
  const std::string c3 = by_map("(d0, d1, d2) -> (d0 * 30 + d1, d2)", "2x1", "1x2" + kTiles);
  const Row rows[] = {
      {a4,
       {2, 3, 64, 128},
       "B",
       "tensor<2x4x6x1x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 2x3x64x128, dim_alignments = "
       "64x1x32x128, collapsed_intervals = dense<[[0, 3], [3, 4]]> : tensor<2x2xi64>, l1, sharded>>"},
      {c3,
       {2, 30, 50},
       "C",
       "#ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <2x1>, memref<1x2x!ttcore.tile<32x32, f32>, "
       "#ttnn.buffer_type<l1>>, <block_sharded>, ignorePhysicalLayout = true>"},
  };
  for (const Row& row : rows) {
    const auto made = by_rule(row.text, tensor_of(row.size), row.rule);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    EXPECT_EQ(*made, row.want);
    const auto back = by_rule(*made, tensor_of(row.size), "A");
    ASSERT_TRUE(back.has_value()) << back.error().message;
    const auto own = read(row.text, tensor_of(row.size)), again = read(*back, tensor_of(row.size));
    EXPECT_EQ(map::print(own->layout()->map()), map::print(again->layout()->map()));
  }
}

// (17, 3) of a tile is element 531 of it (tt-metal's tech_reports/tensor_layouts). bfp8: 64 exponents, then 1024 bytes.
TEST(TtmlirShards, FindsTheBytesOfAnElement) {
  auto made = shards(by_map("(d0, d1) -> (d0, d1)", "1x1", "1x2x!tt.tile<32x32, bfp_bf8>"), tensor_of({32, 64}));
  ASSERT_TRUE(made.has_value());
  const auto bytes = report::bytes_in_core(*made, 1024 + 531, 0);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes->byte, 1088 + 64 + 531);
  EXPECT_EQ(bytes->exponent, 1088 + 531 / 16);
  made->block_bits = 4;  // tiles of 576 bytes
  EXPECT_EQ(report::bytes_in_core(*made, 1024 + 531, 0)->byte, 576 + 64 + 265);
  EXPECT_EQ(report::bytes_in_core(*made, 1024 + 531, 0)->bit, 4);
  made->block_bits = 0;
  EXPECT_EQ(report::bytes_in_core(*made, 531, 32)->byte, 2124);
  EXPECT_FALSE(report::bytes_in_core(*made, 531, 0).has_value());
}

std::string answer(const std::string& text, const std::string& tensor, const std::string& mask) {
  return test::verify_layout(
             {"check", "--layout", text, "--tensor", tensor, "--claim", "mask-exact=" + mask, "--format", "jsonl"})
      .out;
}

// By hand: 53 rows on 3 cores of 18 rows in tiles of 32. Row 36 is the first of core 2 and lies at row 64 of the array.
TEST(TtmlirShards, HoldsMasksAgainstThePadding) {
  const std::string a = by_map("(d0, d1) -> (d0, d1)", "3x2", "1x1" + kTiles);
  const std::string b =
      "tensor<3x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 53x63, dim_alignments = 96x64, "
      "collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>";
  struct Row {
    std::string text, mask, want;
  };
  const Row rows[] = {
      {b, "53x63", R"("verdict":"proved")"},
      {b, "53x63", R"("certificate":"checked")"},
      {b, "7x53x63", R"("verdict":"proved")"},
      {b, "53:96, 0:64; 0:53, 63:64", R"("verdict":"proved")"},
      {b, "53:96, 0:64; 0:53, 62:64", R"("a":[0,62],"physical":[0,62])"},
      {b, "52x63", R"("a":[52,0],"physical":[52,0])"},
      {b, "54:96, 0:64; 0:54, 63:64", R"("counterexample":{"physical":[53,0]})"},
      {a, "53x63", R"("a":[36,0],"physical":[64,0])"},
      // Rows 18..31 and 50..63 of the array end the tiles of cores 0 and 1, 81..95 those of core 2; columns 32 + 31.
      {a, "18:32, 0:64; 50:64, 0:64; 81:96, 0:64; 0:96, 63:64", R"("verdict":"proved")"},
      {a, "18:32, 0:64; 50:64, 0:64; 82:96, 0:64; 0:96, 63:64", R"("counterexample":{"physical":[81,0]})"},
      {a, "18:32, 0:64; 49:64, 0:64; 81:96, 0:64; 0:96, 63:64", R"("a":[35,0],"physical":[49,0])"},
      {a, "", R"("counterexample":{"physical":[0,63]})"},
  };
  for (const Row& row : rows)
    EXPECT_NE(answer(row.text, "f32[53,63]", row.mask).find(row.want), std::string::npos)
        << row.mask << ": " << answer(row.text, "f32[53,63]", row.mask);
  for (const std::string bad : {"53", "53x-1", "0:97, 0:64", "3:2, 0:64", "0:1", "0:1, 0:1, 0:1", "0:1, 0:1;;", "axb"})
    EXPECT_NE(answer(a, "f32[53,63]", bad).find(R"("kind":"error")"), std::string::npos) << bad;
}

}  // namespace ttmlir_shards_test
}  // namespace vl::ttmlir
