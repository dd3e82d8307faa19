// Texts of tt-mlir to layouts: every spelling of its history in its present one, and the places of errors.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "encodings/ttmlir/ttmlir.h"

namespace vl::ttmlir {
namespace ttmlir_parse_test {

struct Accepted {
  const char* text;
  const char* printed;  // null: as it stands
  char rule;
};

const std::vector<Accepted> kAccepted = {
    {"#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, #tt.memory_space<l1>>>", nullptr, 'A'},
    {"#tt.metal_layout<\n (d0, d1, d2)\n -> (d0 * 64 + d1, d2),\n undef,\n <3x2>,\n memref<2x2x!tt.tile<32 x 32, "
     "bfp_bf8>, #tt.memory_space<l1>>\n>",
     "#tt.metal_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), undef, <3x2>, memref<2x2x!tt.tile<32x32, bfp_bf8>, "
     "#tt.memory_space<l1>>>",
     'A'},
    {"#ttcore.metal_layout<(d0) -> (0, d0), zero, <1x4>, memref<1x32xf32, #l1_>, interleaved>",
     "#ttcore.metal_layout<(d0) -> (0, d0), zero, <1x4>, memref<1x32xf32, #ttcore.memory_space<l1>>, interleaved>",
     'A'},
    {"#tt.layout<(d0, d1) -> (d0, d1), undef, <8x8>, memref<8x16xf32, #dram>, interleaved>",
     "#tt.layout<(d0, d1) -> (d0, d1), undef, <8x8>, memref<8x16xf32, #tt.memory_space<dram>>, interleaved>", 'A'},
    {"#tt.metal_layout<(a, b) -> (2 * (a + 3 * b) - b + 1, b * -1), undef, <1x1>, memref<9x9xf32>>",
     "#tt.metal_layout<(d0, d1) -> (d0 * 2 + d1 * 5 + 1, d1 * -1), undef, <1x1>, memref<9x9xf32>>", 'A'},
    {"tensor<8x300xf32, #tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, #mine>>>", nullptr, 'A'},
    {"tensor<2x4x1x1x!ttcore.tile<32x32,f32>, #ttcore.metal_layout<logical_shape = 33x128, dim_alignments = 32x32, "
     "collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, undef, l1, sharded, index_map = map(0)>>",
     "tensor<2x4x1x1x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 33x128, dim_alignments = 32x32, "
     "collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, undef, l1, sharded, index_map = map(0)>>",
     'B'},
    {"#ttcore.metal_layout<logical_shape = 64x128, dim_alignments = 32x32, collapse_dims = dense<[[0, -1]]> : "
     "tensor<1x2xi64>, undef, l1>",
     "#ttcore.metal_layout<logical_shape = 64x128, dim_alignments = 32x32, collapsed_intervals = dense<[[0, -1]]> : "
     "tensor<1x2xi64>, undef, l1>",
     'B'},
    {"#ttcore.metal_layout<logical_shape = 50x50, dim_alignments = 32x32, collapsed_intervals = dense<> : "
     "tensor<0x2xi64>, dram, interleaved>",
     nullptr, 'B'},
    {"#ttcore.metal_layout<logical_shape = 5x5, dim_alignments = 1x1, collapsed_intervals = dense<1> : "
     "tensor<1x2xi64>, l1, sharded, index_map = (d0, d1, d2, d3) -> (d1, d0, d2 floordiv 8, d3)>",
     "#ttcore.metal_layout<logical_shape = 5x5, dim_alignments = 1x1, collapsed_intervals = dense<[[1, 1]]> : "
     "tensor<1x2xi64>, l1, sharded, index_map = (d0, d1, d2, d3) -> (d1, d0, d2 floordiv 8, d3)>",
     'B'},
    {"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!tt.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, "
     "interleaved>",
     "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, "
     "<interleaved>>",
     'C'},
    {"#ttnn.ttnn_layout<() -> (0, 0), <1x1>, memref<1x1xf32, #system_memory>>",
     "#ttnn.ttnn_layout<() -> (0, 0), <1x1>, memref<1x1xf32, #ttnn.buffer_type<system_memory>>>", 'C'},
    {"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), #ttcore.grid<1x8, virt_to_physical_map = (d0, d1) -> (0, d1 floordiv 8, "
     "d1 mod 8), physical_to_virt_map = (d0, d1) -> (d0, d1)>, memref<1x1xf32, #l1>, <width_sharded>, core_ranges = "
     "#ttnn.core_range_set<[#ttnn.core_range<(0, 0), (7, 0)>]>, exactGrid = true>",
     "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x8, virt_to_physical_map = (d0, d1) -> (0, d1 floordiv 8, d1 mod 8), "
     "physical_to_virt_map = (d0, d1) -> (d0, d1)>, memref<1x1xf32, #ttnn.buffer_type<l1>>, <width_sharded>, exactGrid "
     "= true, core_ranges = <[#ttnn.core_range<(0,0), (7,0)>]>>",
     'C'},
    // A map that is not linear stays as it is written.
    {"#tt.metal_layout<(d0, d1) -> (d0 floordiv 2, d1), undef, <1x1>, memref<4x4xf32>>", nullptr, 'A'},
    // Asked for in front of the text.
    {"rule C: #ttcore.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>>",
     "rule C: #ttcore.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>>", 'C'},
    {" rule A : #ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32>, <interleaved>>",
     "rule A: #ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32>, <interleaved>>", 'A'},
    {"rule A: #ttcore.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>>",
     "#ttcore.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>>", 'A'},
};

TEST(TtmlirParse, ReadsEverySpellingAndPrintsThePresentOne) {
  for (const Accepted& row : kAccepted) {
    const auto parsed = parse(row.text);
    ASSERT_TRUE(parsed.has_value()) << row.text << ": " << parsed.error().message << " at " << parsed.error().offset;
    EXPECT_EQ(rule_of(*parsed), row.rule) << row.text;
    const std::string printed = row.printed != nullptr ? row.printed : row.text;
    EXPECT_EQ(print(*parsed), printed);
    EXPECT_TRUE(recognises_metal(row.text) || recognises_ttnn(row.text)) << row.text;
    const auto again = parse(printed);
    ASSERT_TRUE(again.has_value()) << printed << ": " << again.error().message;
    EXPECT_EQ(*again, *parsed) << printed;
  }
}

struct Rejected {
  const char* text;
  ErrorCode code;
  std::size_t offset;
};

const std::vector<Rejected> kRejected = {
    {"", ErrorCode::Syntax, 0},
    {"#tt.other<1>", ErrorCode::Syntax, 1},
    {"tensor<4x4xf32>", ErrorCode::Syntax, 14},
    {"tensor<4x4xf32, #tt.other<1>>", ErrorCode::Syntax, 17},
    {"#tt.metal_layout<8192x128x1, undef, <1x1>, memref<64x128xf32, #l1>>", ErrorCode::Syntax, 17},
    {"#ttnn.ttnn_layout<linear, grid>", ErrorCode::Syntax, 18},
    {"#tt.metal_layout<(d0) -> (d1), undef, <1>, memref<4xf32>>", ErrorCode::Syntax, 26},
    {"#tt.metal_layout<(d0) -> (d0), unset, <1>, memref<4xf32>>", ErrorCode::Value, 31},
    {"#tt.metal_layout<(d0) -> (d0), undef, <0>, memref<4xf32>>", ErrorCode::Value, 39},
    {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<?xf32>>", ErrorCode::Value, 50},
    {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4f32>>", ErrorCode::Syntax, 51},
    {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4x!tt.tile<32, f32>>>", ErrorCode::Value, 61},
    {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4x!tt.tile<0x2, f32>>>", ErrorCode::Value, 61},
    {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4x!ttype, #l1>>", ErrorCode::Syntax, 53},
    {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>", ErrorCode::Syntax, 56},
    {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>> x", ErrorCode::Syntax, 58},
    {"#tt.metal_layout<(d0) -> (d0 * 9223372036854775807 * 2), undef, <1>, memref<4xf32>>", ErrorCode::Overflow, 54},
    {"#tt.metal_layout<(d0) -> (d0), undef, <99999999999999999999>, memref<4xf32>>", ErrorCode::Overflow, 39},
    {"#ttcore.metal_layout<logical_shape = 4x4, dim_alignments = 1x1, collapsed_intervals = dense<[[0, 1, 2]]> : "
     "tensor<1x3xi64>, l1, sharded>",
     ErrorCode::Shape, 92},
    {"#ttcore.metal_layout<logical_shape = 4x4, dim_alignments = 1x1, collapsed_intervals = dense<[[0, 1]]> : "
     "tensor<2x2xi64>, l1, sharded>",
     ErrorCode::Shape, 92},
    {"#ttcore.metal_layout<logical_shape = 4x4, dim_alignments = 1x1, collapsed_intervals = dense<> : "
     "tensor<0x2xi64>, l3, sharded>",
     ErrorCode::Value, 113},
    {"#ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32>, <striped>>", ErrorCode::Value, 53},
    {"rule B: #ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32>>", ErrorCode::Value, 0},
    {"rule D: #ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32>>", ErrorCode::Syntax, 5},
    {"rule C #ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32>>", ErrorCode::Syntax, 7},
    {"rule C: tensor<1x1x1x1xf32, #ttcore.metal_layout<logical_shape = 1x1, dim_alignments = 1x1, "
     "collapsed_intervals = dense<> : tensor<0x2xi64>, l1, sharded>>",
     ErrorCode::Value, 0},
    {"#ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32>, colour = red>", ErrorCode::Syntax, 52},
    {"#ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32>, core_ranges = <[#ttnn.core_range<(3,0), (2,0)>]>>",
     ErrorCode::Value, 68},
};

TEST(TtmlirParse, RejectsOtherTextsAtTheirPlace) {
  for (const Rejected& row : kRejected) {
    const auto parsed = parse(row.text);
    ASSERT_FALSE(parsed.has_value()) << row.text;
    EXPECT_EQ(parsed.error().code, row.code) << row.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed.error().offset, row.offset) << row.text << ": " << parsed.error().message;
  }
}

// A name with a letter exchanged is no alias and no other type: the error names the nearest one.
TEST(TtmlirParse, SuggestsTheNameThatIsMeant) {
  const std::vector<std::array<const char*, 3>> rows = {
      {"#ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32, #ttnn.buffer_type<drma>>, <interleaved>>", "drma", "dram"},
      {"#ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xbf17, #ttnn.buffer_type<dram>>, <interleaved>>", "bf17", "bf16"},
      {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32, #tt.memory_spce<l1>>>", "#tt.memory_spce",
       "tt.memory_space"},
      {"#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32, #tt.memory_space<l2>>>", "l2", "l1"},
      {"#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x1x!tt.tile<32x32, bfp_bf9>, #l1>>", "bfp_bf9",
       "bfp_bf8"},
      {"#tt.metal_layout<(d0) -> (d0), zeor, <1>, memref<4xf32, #l1>>", "zeor", "zero"},
      {"tensor<4x4x1x1xf23, #ttcore.metal_layout<logical_shape = 4x4, dim_alignments = 1x1, collapsed_intervals = "
       "dense<> : tensor<0x2xi64>, l1, sharded>>",
       "f23", "f32"},
      {"#ttcore.metal_layout<logical_shape = 4x4, dim_alignments = 1x1, collapsed_intervals = dense<> : "
       "tensor<0x2xi64>, l1, shraded>",
       "shraded", "sharded"},
      {"#ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32, #l1>, <interleaved>, core_rangs = <[]>>", "core_rangs",
       "core_ranges"},
      {"memref<1x1x4x4xf32, #ttcore.shard<16x4, 1>, #ttcore.memory_space<l11>>", "l11", "l1"},
  };
  for (const auto& [text, wrong, meant] : rows) {
    const auto parsed = parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_NE(parsed.error().message.find(std::string("'") + wrong), std::string::npos) << parsed.error().message;
    EXPECT_NE(parsed.error().message.find(std::string("did you mean '") + meant + "'"), std::string::npos)
        << text << ": " << parsed.error().message;
  }
  for (const char* type : {"i4", "si32", "ui8", "u16", "f8E4M3FN", "index", "bfp_f4"})
    EXPECT_TRUE(
        parse(std::string("#tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4x") + type + ", #mine>>").has_value())
        << type;
}

TEST(TtmlirParse, RecognisesItsOwnTextsAlone) {
  for (const char* text : {"", "#", "tensor", "tensor<4xf32>", "tensor<4xf32, #sparse>", "#ttnn.layout<tile>",
                           "#ttcore.shard<4096x4096, 1>", "S[8:1]", "SpyreTensorLayout((4,), torch.float16)"})
    EXPECT_FALSE(recognises_metal(text) || recognises_ttnn(text)) << text;
}

TEST(TtmlirParse, ReadsDeepNestingAsAnError) {
  const std::string deep(100'000, '(');
  EXPECT_FALSE(parse("#tt.metal_layout<(d0) -> (" + deep).has_value());
  EXPECT_FALSE(parse("#tt.metal_layout<(d0) -> (" + std::string(100'000, '-')).has_value());
}

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.type = map::ElementType::F32;
  tensor.size = std::move(size);
  return tensor;
}

TEST(TtmlirFamily, DecidesNothingWhereTheTextLeavesThePlacesOpen) {
  struct Open {
    const char* text;
    std::vector<Index> size;
    const char* why;
  };
  const std::vector<Open> rows = {
      {"#tt.metal_layout<(d0, d1) -> (d0 floordiv 2, d1), undef, <1x1>, memref<2x4xf32>>", {4, 4}, "floordiv"},
      {"#tt.metal_layout<(d0, d1) -> (d0 * d1, d1), undef, <1x1>, memref<2x4xf32>>", {4, 4}, "product"},
      {"#ttcore.metal_layout<logical_shape = 4x4, dim_alignments = 1x1, collapsed_intervals = dense<> : "
       "tensor<0x2xi64>, l1, sharded>",
       {4, 4},
       "device shape"},
      {"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x8>, memref<1x2xf32, #l1>, <interleaved>>", {1, 16}, "no place"},
  };
  for (const Open& row : rows) {
    const auto reading = read(row.text, tensor_of(row.size));
    ASSERT_TRUE(reading.has_value()) << row.text << ": " << reading.error().message;
    ASSERT_NE(reading->undecidable(), nullptr) << row.text;
    EXPECT_NE(reading->undecidable()->reason.find(row.why), std::string::npos) << reading->undecidable()->reason;
  }
}

TEST(TtmlirFamily, WarnsOfBlockFormatsAndOfShardsBeyondL1) {
  const auto big =
      read("#tt.metal_layout<(d0, d1, d2) -> (d0 * 96 + d1, d1, d2), undef, <2x1x2>, memref<384x96x16xf32, #l1>>",
           tensor_of({8, 96, 32}));
  ASSERT_TRUE(big.has_value());
  ASSERT_EQ(big->warnings.size(), 1U);
  EXPECT_EQ(big->warnings[0], "a shard takes 2359296 bytes; the L1 of one core of Wormhole has 1499136");
  const auto block =
      read("#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x1x!tt.tile<32x32, bfp_bf8>, #l1>>",
           tensor_of({32, 32}));
  ASSERT_TRUE(block.has_value());
  ASSERT_EQ(block->warnings.size(), 1U);
  EXPECT_EQ(block->device_bits, 0) << "8.5 bits an element, which is no whole number";
}

TEST(TtmlirFamily, PutsTheElementsOfATileIntoItsFaces) {
  const auto reading =
      read("#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x1x!tt.tile<32x32, f32>, #l1>>",
           tensor_of({32, 32}));
  ASSERT_TRUE(reading.has_value());
  // tt-metal's tech_reports/tensor_layouts and tilize_golden of test_tilize.py.
  const std::vector<std::pair<Point, Index>> anchors = {{{0, 0}, 0},   {{0, 16}, 256}, {{16, 0}, 512},
                                                        {{6, 4}, 100}, {{17, 3}, 531}, {{31, 31}, 1023}};
  for (const auto& [x, at] : anchors)
    EXPECT_EQ(map::outputs_at(*reading->layout(), x, {}), (Point{0, 0, at})) << x[0] << ", " << x[1];
}

}  // namespace ttmlir_parse_test
}  // namespace vl::ttmlir
