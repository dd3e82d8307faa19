// Device buffers: what is read, and places worked by hand.
#include <gtest/gtest.h>

#include "encodings/map/text.h"
#include "encodings/ttmlir/ttmlir.h"
#include "tests/support/scan.h"

namespace vl::ttmlir {
namespace ttmlir_buffer_test {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

const std::string kTiles = "memref<1x1x2x2x!ttcore.tile<32x32, f32>, ";

// 2x2 tiles of 4096 bytes. Row 40, column 3: tile (1, 0), 8192 bytes = 2048 elements from the start; in it row 8,
// column 3 of the first face: 8 * 16 + 3.
TEST(TtmlirBuffer, PlacesElementsByStridesInBytes) {
  const auto read_by = [](const std::string& layout) {
    return read(kTiles + layout + ", #l1>", tensor_of({1, 1, 64, 64}));
  };
  const auto rows = read_by("#ttcore.shard<8192x4096, 1>"), columns = read_by("#ttcore.shard<4096x8192, 1>");
  ASSERT_TRUE(rows.has_value() && columns.has_value());
  EXPECT_EQ(map::outputs_at(*rows->layout(), Point{0, 0, 40, 3}, {}), (Point{0, 0, 2048 + 131}));
  EXPECT_EQ(map::outputs_at(*columns->layout(), Point{0, 0, 40, 3}, {}), (Point{0, 0, 1024 + 131}));
  EXPECT_EQ(rows->layout()->physical().extent(2), 4096);
  EXPECT_EQ(rows->device_bits, 32);
  // bfp8: 1088 bytes a tile, 64 of them exponents; a place counts elements.
  const auto block =
      read("memref<1x2x!ttcore.tile<32x32, bfp_bf8>, #ttcore.cb_layout<2176x1088, 2>, #l1>", tensor_of({32, 64}));
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(map::outputs_at(*block->layout(), Point{16, 32}, {}), (Point{1024 + 512}));
  EXPECT_EQ(block->device_bits, 0);
  EXPECT_EQ(block->warnings.size(), 1U);
}

TEST(TtmlirBuffer, NamesTheRuleThatIsBroken) {
  const auto broken = [](const std::string& text, std::vector<Index> size) {
    const auto reading = read(text, tensor_of(std::move(size)));
    EXPECT_TRUE(reading.has_value()) << text;
    for (const use::Rule& rule : reading->rules)
      if (rule.have != rule.want) return rule.statement;
    return std::string();
  };
  EXPECT_EQ(broken(kTiles + "#ttcore.shard<4096, 1>, #l1>", {1, 1, 64, 64}),
            "there is one stride for each dimension of the shard");
  EXPECT_EQ(broken(kTiles + "#ttcore.shard<8192x4000, 1>, #l1>", {1, 1, 64, 64}),
            "stride 1 modulo the 4096 bytes of a tile is 0");
  EXPECT_EQ(broken(kTiles + "#ttcore.shard<8192x4096, 0>, #l1>", {1, 1, 64, 64}), "there is at least one buffer");
  EXPECT_EQ(broken(kTiles + "#ttcore.shard<8192x4096, 1>, #l1>", {64, 64}),
            "the tensor has the memref's shape, in elements");
  EXPECT_EQ(broken("memref<2x2x4xf32, #ttcore.shard<16x4, 1>>", {2, 2, 4}),
            "the memref has a grid and a shard of as many dimensions each");
}

TEST(TtmlirBuffer, RejectsWhatIsNoBuffer) {
  struct Row {
    std::string text;
    ErrorCode code;
  };
  const Row rows[] = {
      {"memref<2x2xf32, #ttcore.shard<>>", ErrorCode::Syntax},
      {"memref<2x2xf32, #ttcore.shard<8x4>", ErrorCode::Syntax},
      {"memref<2x2xf32, #ttcore.shard<8x4>> x", ErrorCode::Syntax},
      {"memref<2x2xf32 #ttcore.shard<8x4>>", ErrorCode::Syntax},
      {"memref<2x2xf32, #ttcore.sharp<8x4>, #ttcore.shard<4>>", ErrorCode::Syntax},
      {"memref<2x2xf32, #ttcore.shard<8x99999999999999999999>>", ErrorCode::Overflow},
      {"memref<?x2xf32, #ttcore.shard<8x4>>", ErrorCode::Value},
      {"memref<1x1x1x2x!ttcore.tile<32x32, bfp_bf2>, #ttcore.shard<9223372036854775680x320>>", ErrorCode::Overflow},
      {"memref<1x1x4611686018427387904x4611686018427387904xf32, #ttcore.shard<8x4>>", ErrorCode::Overflow},
  };
  for (const Row& row : rows) {
    const auto reading = read(row.text, tensor_of({1, 1, 32, 64}));
    ASSERT_FALSE(reading.has_value()) << row.text;
    EXPECT_EQ(reading.error().code, row.code) << row.text << ": " << reading.error().message;
  }
  const auto permuted = read(kTiles + "#ttcore.shard<8192x4096, 1, (d0, d1, d2, d3) -> (d1, d0, d2, d3)>, #l1>",
                             tensor_of({1, 1, 64, 64}));
  ASSERT_TRUE(permuted.has_value());
  EXPECT_EQ(test::found_in("").size(), 0U);
}

TEST(TtmlirBuffer, IsFoundInAFileWithItsAliases) {
  EXPECT_EQ(
      test::found_in("#l1 = #ttcore.memory_space<l1>\n#s = #ttcore.shard<8192x8192, 1>\n"
                     "!t = !ttcore.tile<32x32, f32>\n%0 = memref.alloc() : memref<1x1x2x2x!t, #s, #l1>\n"
                     "%1 = memref.alloc() : memref<4x4xf32>\n"
                     "%2 : memref<1x1x2x2x!t, #ttcore.view<4>, #l1>\n"),
      (test::Lines{"4:23 memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x8192, 1>, "
                   "#ttcore.memory_space<l1>> | f32[1,1,64,64]",
                   "6:6 memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.view<4>, #ttcore.memory_space<l1>> ! its "
                   "places are those of the memref that it views, which a type does not name"}));
}

}  // namespace ttmlir_buffer_test
}  // namespace vl::ttmlir
