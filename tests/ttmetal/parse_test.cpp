// The texts of tt-metal's specs: what ttnn 0.81.1 prints, what Python and C++ construct, older spellings, and rejects.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/ttmetal/ttmetal.h"

namespace vl::ttmetal {
namespace ttmetal_parse_test {

Parsed parsed_of(std::string_view text) {
  auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : Parsed{};
}

// The spec that most rows below mean: 64x64 on the cores (x=0..7, y=0..3) and (x=0..2, y=4).
Spec two_ranges() {
  Spec spec;
  spec.memory = Memory::Height;
  spec.buffer = "L1";
  spec.shard = Shard{{{0, 0, 7, 3}, {0, 4, 2, 4}}, {64, 64}};
  return spec;
}

TEST(TtmetalParse, ReadsOneConfigurationInEverySpelling) {
  const std::vector<std::string> texts = {
      // As ttnn 0.81.1 prints it, with braces of core ranges that it does not close.
      R"(MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,buffer_type=BufferType::L1,shard_spec=ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":7,"y":3}, {"start":{"x":0,"y":4},"end":{"x":2,"y":4}], shape=[64, 64], orientation=ShardOrientation::ROW_MAJOR},nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0,per_core_allocation=0,range_lockstep_allocation=0))",
      R"(MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,buffer_type=BufferType::L1,shard_spec=ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":7,"y":3}}, {"start":{"x":0,"y":4},"end":{"x":2,"y":4}}], shape=[64, 64], orientation=ShardOrientation::ROW_MAJOR},nd_shard_spec={"shard_shape":[64, 64],"grid":[{"start":{"x":0,"y":0},"end":{"x":7,"y":3}}, {"start":{"x":0,"y":4},"end":{"x":2,"y":4}}],"orientation":"ShardOrientation::ROW_MAJOR","shard_distribution_strategy":"ShardDistributionStrategy::ROUND_ROBIN_1D"},created_with_nd_shard_spec=0))",
      // Older versions.
      "MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,buffer_type=BufferType::L1,shard_spec=ShardSpec("
      "grid={[(x=0,y=0) - (x=7,y=3)], [(x=0,y=4) - (x=2,y=4)]},shape={64, 64},orientation=ShardOrientation::ROW_MAJOR,"
      "mode=ShardMode::PHYSICAL,physical_shard_shape=std::nullopt))",
      // Python. A set is ordered by x, then y, whatever its text.
      "ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(ttnn.CoreRangeSet({"
      "ttnn.CoreRange(ttnn.CoreCoord(0, 4), ttnn.CoreCoord(2, 4)), ttnn.CoreRange((0, 0), (7, 3))}), (64, 64), "
      "ttnn.ShardOrientation.ROW_MAJOR))",
      "ttl.tensor.MemoryConfig(\n  ttl.tensor.TensorMemoryLayout.HEIGHT_SHARDED,\n  ttl.tensor.BufferType.L1,  # in "
      "L1\n"
      "  ttl.tensor.ShardSpec(ttl.tensor.CoreRangeSet([ttl.tensor.CoreRange(ttl.tensor.CoreCoord(0, 0), "
      "ttl.tensor.CoreCoord(7, 3)), ttl.tensor.CoreRange((0, 4), (2, 4))]), [2 * 32, 128 // 2], "
      "ttl.tensor.ShardOrientation.ROW_MAJOR, False,),\n)",
      "ttnn.MemoryConfig(memory_layout=ttnn.TensorMemoryLayout.HEIGHT_SHARDED, buffer_type=ttnn.BufferType.L1, "
      "shard_spec=ttnn.ShardSpec(shard_shape=(64, 64), grid=ttnn.CoreRangeSet([ttnn.CoreRange(start=(0, 0), end=(7, "
      "3)), "
      "ttnn.CoreRange((0, 4), (2, 4))]), shard_orientation=ttnn.ShardOrientation.ROW_MAJOR))",
      "ttnn.create_sharded_memory_config(shape=(1, 1, 64, 64), core_grid=ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (7, "
      "3)), ttnn.CoreRange((0, 4), (2, 4))]), strategy=ttnn.ShardStrategy.HEIGHT, orientation=None, "
      "use_height_and_width_as_shard_shape=True)",
      "ttnn.create_sharded_memory_config([64, 64], (ttnn.CoreGrid(y=4, x=8), ttnn.CoreGrid(y=1, x=3)), "
      "ttnn.ShardStrategy.HEIGHT, ttnn.ShardOrientation.ROW_MAJOR, True)",
      // C++.
      "MemoryConfig{TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1, ShardSpec{CoreRangeSet{std::vector<CoreRange>{"
      "CoreRange({0, 0}, {7, 3}), CoreRange({0, 4}, {2, 4})}}, {64, 64}, ShardOrientation::ROW_MAJOR}}",
  };
  for (const std::string& text : texts) {
    EXPECT_EQ(parsed_of(text).spec, two_ranges()) << text;
    EXPECT_TRUE(parsed_of(text).unknown.empty()) << text << ": " << parsed_of(text).unknown;
    EXPECT_TRUE(recognises(text)) << text;
    EXPECT_EQ(parsed_of(print(parsed_of(text).spec)).spec, two_ranges()) << text;
  }
}

TEST(TtmetalParse, ReadsWholeSpecs) {
  Spec spec;
  spec.shape = std::vector<Index>{53, 63};
  spec.dtype = "bfloat16";
  spec.tiled = true;
  EXPECT_EQ(parsed_of("ttnn.TensorSpec(ttnn.Shape([53, 63]), ttnn.bfloat16, ttnn.TILE_LAYOUT)").spec, spec);
  EXPECT_EQ(parsed_of("ttnn.TensorSpec((53, 63), ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.DRAM)").spec, spec);
  EXPECT_EQ(
      parsed_of("ttnn.TensorSpec((53, 63), ttnn.bfloat16, ttnn.TILE_LAYOUT, memory_config=ttnn.DRAM_MEMORY_CONFIG)")
          .spec,
      spec);
  EXPECT_EQ(
      parsed_of("TensorSpec(Shape{53, 63}, TensorLayout(DataType::BFLOAT16, PageConfig(Layout::TILE), MemoryConfig{}))")
          .spec,
      spec);
  spec.alignment = {32, 64};
  spec.tile = {16, 32, 16, 16, true, true};
  spec.banks = 12;
  const std::string printed =
      "banks=12: TensorSpec(logical_shape=Shape([53, 63]),tensor_layout=TensorLayout(dtype=DataType::BFLOAT16,"
      "page_config=PageConfig(config=TilePageConfig(tile=Tile(tile_shape={16, 32},face_shape={16, 16},num_faces=2,"
      "transpose_within_face=1,transpose_of_faces=1))),memory_config=MemoryConfig(memory_layout=TensorMemoryLayout::"
      "INTERLEAVED,buffer_type=BufferType::DRAM,shard_spec=std::nullopt,nd_shard_spec=std::nullopt,"
      "created_with_nd_shard_spec=0),alignment=Alignment([32, 64])))";
  EXPECT_EQ(parsed_of(printed).spec, spec);
  EXPECT_EQ(print(spec), printed);
}

TEST(TtmetalParse, ComputesTheShardShapeAsPythonDoes) {
  const auto shape_of = [](std::string_view arguments) {
    const Parsed parsed = parsed_of("ttnn.create_sharded_memory_config(" + std::string(arguments) + ")");
    return parsed.spec.shard ? parsed.spec.shard->shape : std::vector<Index>{};
  };
  using Shape = std::vector<Index>;
  // ttnn 0.81.1 answers these.
  EXPECT_EQ(shape_of("(1, 1, 256, 256), ttnn.CoreGrid(x=2, y=4), ttnn.ShardStrategy.BLOCK"), (Shape{64, 128}));
  EXPECT_EQ(
      shape_of("(1, 1, 256, 256), ttnn.CoreGrid(x=2, y=4), ttnn.ShardStrategy.BLOCK, ttnn.ShardOrientation.COL_MAJOR"),
      (Shape{128, 64}));
  EXPECT_EQ(shape_of("(2, 3, 32, 64), ttnn.CoreGrid(x=2, y=3), ttnn.ShardStrategy.HEIGHT"), (Shape{32, 64}));
  EXPECT_EQ(shape_of("(2, 3, 32, 64), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.WIDTH"), (Shape{192, 32}));
  EXPECT_EQ(
      shape_of("(32, 64), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.WIDTH, ttnn.ShardOrientation.COL_MAJOR, True"),
      (Shape{64, 32}));
}

TEST(TtmetalParse, LeavesOpenWhatTheProgramAroundATextSays) {
  const char* texts[] = {
      ("ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(grid, (64, 64), "
       "ttnn.ShardOrientation.ROW_MAJOR))"),
      "ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shard_spec)",
      "ttnn.MemoryConfig(memory_layout, ttnn.BufferType.L1)",
      "ttnn.create_sharded_memory_config(x.shape, ttnn.CoreGrid(y=1, x=2), ttnn.ShardStrategy.HEIGHT)",
      "ttnn.create_sharded_memory_config((heads * 2, 64), ttnn.CoreGrid(y=1, x=2), ttnn.ShardStrategy.HEIGHT)",
      "ttnn.create_sharded_memory_config((x.shape[0], 64), ttnn.CoreGrid(y=1, x=2), ttnn.ShardStrategy.HEIGHT)",
      "ttnn.ShardSpec(ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (7, 3))]), (64, 64), ttnn.ShardOrientation.ROW_MAJOR)",
      "ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG",
      "ttnn.TensorSpec((N, 64), ttnn.bfloat16, ttnn.TILE_LAYOUT)",
  };
  map::Tensor tensor;
  tensor.size = {64, 64};
  for (const char* text : texts) {
    EXPECT_FALSE(parsed_of(text).unknown.empty()) << text;
    EXPECT_TRUE(recognises(text)) << text;
    const auto reading = read(text, tensor);
    ASSERT_TRUE(reading.has_value()) << text << ": " << reading.error().message;
    EXPECT_NE(reading->undecidable(), nullptr) << text;
    const auto again = read(reading->normal, tensor);
    ASSERT_TRUE(again.has_value()) << reading->normal;
    EXPECT_EQ(again->normal, reading->normal);
  }
}

// By hand: a grid of 2 rows and 4 columns is x 0..3 and y 0..1; tiles of 32x32 make 1x2x1 of them 1x64x32 elements.
TEST(TtmetalParse, ReadsTheCompilersWordsForAnNdShardSpec) {
  Spec spec;
  spec.shape = {2, 128, 32};
  spec.dtype = "bfloat8_b", spec.tiled = true, spec.memory = Memory::Nd, spec.buffer = "L1";
  spec.shard = Shard{{{0, 0, 3, 1}}, {1, 64, 32}, true, Deal::Grid};
  const Parsed read = parsed_of(
      "tensor<2x128x32xbf16, #ttnn.ttnn_nd_layout<<2x4>, memref<1x2x1x!ttcore.tile<32x32, bfp_bf8>, #l1_>, "
      "<block_sharded>, <col_major>, <grid_2d>>>");
  EXPECT_EQ(read.spec, spec);
  EXPECT_EQ(parsed_of(print(spec)).spec, spec);
  // Rows of elements; orientation and distribution have the runtime's defaults.
  Spec rows;
  rows.dtype = "float32", rows.tiled = false, rows.memory = Memory::Nd, rows.buffer = "DRAM";
  rows.shard = Shard{{{0, 0, 0, 0}}, {3, 16}};
  EXPECT_EQ(parsed_of("#ttnn.ttnn_nd_layout<<1x1>, memref<3x16xf32, #ttnn.buffer_type<dram>>, <height_sharded>>").spec,
            rows);
  Spec alone;
  alone.tiled = true, alone.memory = Memory::Nd, alone.buffer = "L1";
  alone.shard = Shard{{{0, 0, 1, 0}, {4, 2, 4, 3}}, {1, 32, 32}};
  EXPECT_EQ(parsed_of("layout=TILE: #ttnn.nd_shard_spec<#ttnn.core_range_set<[#ttnn.core_range<(0,0), (1,0)>, "
                      "#ttnn.core_range<(4,2), (4,3)>]>, <1x32x32>, <row_major>, <round_robin_1d>>")
                .spec,
            alone);
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"#ttnn.ttnn_nd_layout<<1x1>, memref<1x1x!ttcore.tile<32x32, bf17>, #l1>, <block_sharded>>", "'bf16'"},
      {"#ttnn.ttnn_nd_layout<<1x1>, memref<1x1xf32, #ttnn.buffer_type<l2>>, <block_sharded>>", "'l1'"},
      {"#ttnn.ttnn_nd_layout<<1x1>, memref<1x1xf32, #mine>, <block_sharded>>", "alias"},
      {"#ttnn.ttnn_nd_layout<<1x1>, memref<1x1xf32, #l1>, <block_shraded>>", "'block_sharded'"},
      {"#ttnn.ttnn_nd_layout<<1x1>, memref<1x1xf32, #l1>, <block_sharded>, <grid_3d>>", "'grid_2d'"},
      {"#ttnn.ttnn_nd_layout<<1>, memref<1x1xf32, #l1>, <block_sharded>>", "two sizes"},
      {"#ttnn.nd_shard_spec<<[#ttnn.core_range<(3,0), (2,0)>]>, <1x32>, <row_major>, <grid_2d>>", "smaller corner"},
      {"#ttnn.nd_shard_spec<<[#ttnn.core_range<(0,0), (2,0)>]>, <0x32>, <row_major>, <grid_2d>>", "at least 1"}};
  for (const auto& [text, words] : wrong) {
    EXPECT_TRUE(recognises(text)) << text;
    const auto parsed = parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_NE(parsed.error().message.find(words), std::string::npos) << text << ": " << parsed.error().message;
  }
}

TEST(TtmetalParse, RejectsWithThePlace) {
  const struct {
    const char* text;
    ErrorCode code;
    std::size_t offset;
  } rows[] = {
      {"", ErrorCode::Syntax, 0},
      {"ttnn.Tensor(1)", ErrorCode::Syntax, 0},
      {"MemoryConfig(", ErrorCode::Syntax, 13},
      {"MemoryConfig() x", ErrorCode::Syntax, 15},
      {"MemoryConfig(BufferType::L2)", ErrorCode::Value, 13},
      {"MemoryConfig(buffer_type=BufferType::L2)", ErrorCode::Value, 25},
      {"MemoryConfig(buffer_type=BufferType::L1,buffer_type=BufferType::L1)", ErrorCode::Syntax, 40},
      {"MemoryConfig(colour=1)", ErrorCode::Syntax, 13},
      {"MemoryConfig(TensorMemoryLayout::SINGLE_BANK)", ErrorCode::Value, 13},
      {"NdShardSpec([], CoreRange((0, 0), (1, 1)))", ErrorCode::Shape, 12},
      {"NdShardSpec([0, 2], CoreRange((0, 0), (1, 1)))", ErrorCode::Value, 12},
      {"NdShardSpec([2, 2], CoreRange((1, 0), (0, 1)))", ErrorCode::Value, 20},
      {"NdShardSpec([2, 2], CoreRange((0), (0, 1)))", ErrorCode::Syntax, 31},
      {"NdShardSpec([2, 2], 7)", ErrorCode::Syntax, 20},
      {"NdShardSpec([2, 2], CoreRange((0, 0), (1, 1)), shape=3)", ErrorCode::Syntax, 47},
      {"NdShardSpec([2, 9223372036854775808], CoreRange((0, 0), (1, 1)))", ErrorCode::Overflow, 16},
      {"NdShardSpec([2, 9223372036854775807 + 1], CoreRange((0, 0), (1, 1)))", ErrorCode::Overflow, 16},
      {"NdShardSpec([2, 1 // 0], CoreRange((0, 0), (1, 1)))", ErrorCode::Overflow, 16},
      {"MemoryConfig(ShardSpec(CoreRange((0, 0), (1, 1)), [2, 2, 2]))", ErrorCode::Shape, 50},
      {"banks=0: MemoryConfig()", ErrorCode::Value, 6},
      {"banks=1, banks=2: MemoryConfig()", ErrorCode::Syntax, 9},
      {"banks=1, colour=2: MemoryConfig()", ErrorCode::Syntax, 9},
      {"tile=Tile((0, 32)): MemoryConfig()", ErrorCode::Value, 5},
      {"tile=Tile(tile_shape=(4, 4), face_shape=(3, 4)): MemoryConfig()", ErrorCode::Value, 5},
      {"TensorSpec((-1, 4), DataType.BFLOAT16, Layout.TILE)", ErrorCode::Value, 11},
      {"TensorSpec((1, 4), DataType.HALF, Layout.TILE)", ErrorCode::Value, 19},
      {"TensorSpec((1, 4))", ErrorCode::Syntax, 0},
      {"create_sharded_memory_config((3, 64), CoreGrid(y=1, x=2), ShardStrategy.HEIGHT)", ErrorCode::Value, 0},
      {"create_sharded_memory_config((64), CoreGrid(y=1, x=2), ShardStrategy.HEIGHT)", ErrorCode::Syntax, 30},
      {"create_sharded_memory_config((4, 64), CoreGrid(y=0, x=2), ShardStrategy.HEIGHT)", ErrorCode::Value, 38},
      {"((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))", ErrorCode::Syntax, 33},
  };
  for (const auto& row : rows) {
    const auto parsed = parse(row.text);
    ASSERT_FALSE(parsed.has_value()) << row.text;
    EXPECT_EQ(parsed.error().code, row.code) << row.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed.error().offset, row.offset) << row.text << ": " << parsed.error().message;
  }
  map::Tensor tensor;
  tensor.size = {4, 4};
  const auto many = read("layout=TILE: NdShardSpec([32, 32], CoreRange((0, 0), (9999, 9999)))", tensor);
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().code, ErrorCode::Value);
}

}  // namespace ttmetal_parse_test
}  // namespace vl::ttmetal
