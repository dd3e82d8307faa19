// Ways of single elements through descriptors, by hand from the formulas of the hardware's documents, and what reports
// of bugs say of them.
#include "encodings/use/descriptor_way.h"

#include <gtest/gtest.h>

#include <string>

namespace vl::use {
namespace use_descriptor_way_test {

struct Row {
  const char* text;
  std::vector<Index> t;
  std::optional<Index> from, to, straight = {};
};

TEST(DescriptorWay, IsThatOfTheDocuments) {
  const char* kTile = "load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (64,32) to 0";
  const char* kEdge = "load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (224,96) to 0";
  const char* kStore = "store tensormap(u8, dim (466,32), stride (512), box (128,32)) at (384,0) from 0";
  const char* kBlock =
      "block2d(load, bits 16, columns 16, rows 8, blocks 2, width 100, height 20, pitch 128, x 16, y 15, base 64)";
  const char* kPadded = "tdm(f16, tile (64,64), tensor (128,64), stride (64,1), pad_every 64, pad_by 8)";
  const Row rows[] = {
      // cuda.h 12.9 and PTX ISA 9.0, 5.5.7
      {kTile, {0, 1}, 17024, 144, 128},
      {kTile, {8, 1}, 17040, 128, 144},
      {kTile, {9, 3}, 18066, 418, 402},
      {kEdge, {32, 0}, std::nullopt, 64, 64},
      {"load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (-2,0) to 0", {1, 3}, std::nullopt, 386},
      {"load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (-2,0) to 0", {2, 3}, 384, 388},
      // triton-lang/triton#11583: byte 479 of a row of 466 is written, byte 480 is not
      {kStore, {95, 1}, 223, 512 + 479},
      {kStore, {96, 1}, 224, std::nullopt},
      // Row 15 + 2, column 16 + 16 + 3 of 50: byte 64 + 17·128 + 70; row 20 and column 50 lie outside.
      {kBlock, {2, 3, 1}, 64 + 17 * 128 + 70, std::nullopt},
      {kBlock, {5, 0, 0}, std::nullopt, std::nullopt},
      {kBlock, {0, 2, 1}, 64 + 15 * 128 + 68, std::nullopt},
      {"block2d(load, bits 16, columns 16, rows 8, blocks 2, width 68, height 20, pitch 128, x 16, y 15)",
       {0, 2, 1},
       std::nullopt,
       std::nullopt},
      // 64 elements, then a gap of 8: (1,0) is element 64, at 72; (3,5) is 197, at 197 + 3·8.
      {kPadded, {1, 0}, 128, 144},
      {kPadded, {3, 5}, (3 * 64 + 5) * 2, 442},
      // ROCm/rocm-systems#10327: a tensor of 0 rows is empty, and not unbounded
      {"tdm(f32, tile (16,16), tensor (0,64), stride (64,1))", {0, 0}, std::nullopt, 0},
      // Xilinx/mlir-aie#2930: every second element
      {"dmabd(i32, size (8), stride (2))", {5}, 10, 5},
      {"dmabd(i32, size (2,3), stride (8,1), offset 100)", {1, 2}, 110, 5},
      // NKI: [[16,16],[1,8]] from 8
      {"nki(tensor (16,16), step (16,1), count (16,8), offset 8)", {3, 2}, 58, std::nullopt},
      // tile-ai/tilelang-ascend#1682: blocks of 4 bytes lie 32 bytes apart in UB, and follow one another in GM
      {"datacopypad(store, count 16, length 4, buffer 0)", {3, 0}, 96, 12},
      {"datacopypad(load, count 16, length 40, source_gap 8, target_gap 1)", {2, 7}, 2 * 48 + 7, 2 * 96 + 7},
  };
  for (const Row& row : rows) {
    const auto read = parse_descriptor(row.text);
    ASSERT_TRUE(read.has_value()) << row.text << ": " << read.error().message;
    const auto way = way_of(*read, row.t);
    ASSERT_TRUE(way.has_value()) << row.text << ": " << way.error().message;
    EXPECT_EQ(way->from, row.from) << row.text;
    EXPECT_EQ(way->to, row.to) << row.text;
    EXPECT_EQ(way->straight, row.straight) << row.text;
    EXPECT_EQ(way->open, "") << row.text;
  }
}

// PTX ISA 9.0, 5.5.4.1, example 1: C, W, H, N of (64,14,9,64), corners (-1,-1), from w 4, h 7, n 7: nine pixels of the
// row, then the next image's row -1, which is filled.
TEST(DescriptorWay, WalksWindows) {
  const std::string head = "load im2col(f16, dim (64,14,9,64), lower (-1,-1), upper (-1,-1), channels 64, pixels 64";
  const auto read = parse_descriptor(head + ", stride (128,1792,16128), swizzle 128B) at (0,4,7,7) to 1024");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  struct Pixel {
    Index number;
    std::vector<Index> coordinates;
    bool filled;
  };
  const Pixel pixels[] = {{0, {5, 4, 7, 7}, false},
                          {8, {5, 12, 7, 7}, false},
                          {9, {5, -1, -1, 8}, true},
                          {23, {5, -1, 0, 8}, true},
                          {63, {5, 11, 2, 8}, false}};
  for (const Pixel& pixel : pixels) {
    const auto way = way_of(*read, std::vector<Index>{5, pixel.number});
    ASSERT_TRUE(way.has_value()) << way.error().message;
    EXPECT_EQ(way->coordinates, pixel.coordinates) << pixel.number;
    const auto& c = pixel.coordinates;
    const Index byte = 5 * 2 + c[1] * 128 + c[2] * 1792 + c[3] * 16128;
    EXPECT_EQ(way->from, pixel.filled ? std::nullopt : std::optional(byte)) << pixel.number;
    // Rows of 128 bytes from 1024 on: the pixel's number, modulo 8, moves the 16 bytes.
    EXPECT_EQ(way->straight, 1024 + 128 * pixel.number + 10);
    EXPECT_EQ(way->to, 1024 + 128 * pixel.number + ((10 / 16 ^ pixel.number % 8) * 16 + 10 % 16)) << pixel.number;
  }
  const auto moved = parse_descriptor(head + ", offsets (1,2)) at (0,4,6,7)");
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(way_of(*moved, std::vector<Index>{0, 0})->coordinates, (std::vector<Index>{0, 5, 8, 7}));
  EXPECT_EQ(way_of(*moved, std::vector<Index>{0, 0})->open, "'stride' is not stated");
  const auto steps = parse_descriptor(head + ", step (1,2,1,1)) at (0,4,7,7)");
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(way_of(*steps, std::vector<Index>{0, 4})->coordinates, (std::vector<Index>{0, 12, 7, 7}));
  EXPECT_EQ(way_of(*steps, std::vector<Index>{0, 5})->open,
            "no document says where a row begins after steps of more than 1");
  EXPECT_FALSE(parse_descriptor("im2col(f16, dim (64,14), channels 64)").has_value());
  EXPECT_FALSE(
      parse_descriptor("im2col(f16, dim (64,14,2), lower (0,0), upper (0), channels 64, pixels 64)").has_value());
}

TEST(DescriptorWay, IsOpenOrNoneWhereItIsNotKnown) {
  const auto message = [](const char* text, std::vector<Index> t) {
    const auto read = parse_descriptor(text);
    if (!read) return read.error().message;
    const auto way = way_of(*read, t);
    return way ? way->open : way.error().message;
  };
  EXPECT_EQ(message("tdm(f16, tile (64,64), pad_every 64, pad_by 8)", {1, 0}), "'tensor' is not stated");
  EXPECT_EQ(message("tdm(f16, tile (64,64), pad_every 0, pad_by 8)", {1, 0}),
            "'pad_every' is expected to be at least 1");
  EXPECT_EQ(message("store tensormap(u8, dim (466,32), stride (512), box (16,32)) at (470,0) from 0", {0, 0}),
            "no document says what a store writes that begins beyond the tensor's row");
  EXPECT_EQ(message("store im2col(f16, dim (64,14,2), channels 64, pixels 4) at (0,0,0) from 0", {0, 0}),
            "what a store of a window writes is not encoded");
  EXPECT_EQ(message("tdm(u4, tile (64,64))", {1, 0}), "elements of whole bytes are expected");
  EXPECT_EQ(message("noc(dram, l1, src 48, dst 64)", {0}),
            "a transfer of Tenstorrent's network has no tile to walk over");
  EXPECT_EQ(message("dmabd(i32, size (8), stride (2))", {8}), "not in the tile of (8), outermost first");
  EXPECT_EQ(message("dmabd(i32, size (8), stride (2))", {-1}), "not in the tile of (8), outermost first");
  EXPECT_EQ(message("dmabd(i32, size (8), stride (2))", {1, 1}), "not in the tile of (8), outermost first");
  EXPECT_EQ(message("dmabd(i32, size (N), stride (2))", {1}), "'size' has names for sizes; expected numbers");
  EXPECT_EQ(message("block2d(load, bits 16, columns 16, rows 8)", {1, 0, 0}), "'width' is not stated");
  EXPECT_EQ(message("dmabd(i32, size (8), stride (9223372036854775807))", {2}), "an address leaves 64 bits");
  EXPECT_EQ(message("datacopypad(load, count 4, length 9223372036854775800, source_gap 100)", {1, 0}),
            "an address leaves 64 bits");
}

}  // namespace use_descriptor_way_test
}  // namespace vl::use
