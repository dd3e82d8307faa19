// Single elements of boxes: the byte of shared memory with which each byte of the tensor's memory goes, by hand from
// the formulas of cuda.h 12.9 (cuTensorMapEncodeTiled) and the tables of PTX ISA 9.0, 5.5.7.
#include "encodings/use/tile_moves.h"

#include <gtest/gtest.h>

#include <optional>

#include "encodings/map/map.h"

namespace vl::use {
namespace use_tile_moves_test {

// The tensor's byte that goes with a byte of shared memory; nothing: that byte is filled, or not touched.
std::optional<Index> source_of(const TileMoves& tiles, Index byte) {
  std::optional<Index> out;
  for (const Nest& nest : tiles.moves.nests) {
    const auto space = map::Space::create([&] {
      std::vector<map::Dim> dims;
      for (std::size_t k = 0; k < nest.extents.size(); ++k) dims.push_back({"i" + std::to_string(k), nest.extents[k]});
      return dims;
    }());
    Point i(nest.extents.size(), 0);
    for (Index left = space->volume(); left > 0; --left, map::advance(*space, i)) {
      Index tensor = host_of(nest, tiles.moves.direction).offset,
            shared = device_of(nest, tiles.moves.direction).offset;
      for (std::size_t k = 0; k < i.size(); ++k) {
        tensor += i[k] * host_of(nest, tiles.moves.direction).strides[k];
        shared += i[k] * device_of(nest, tiles.moves.direction).strides[k];
      }
      if (swizzled(tiles, shared) * tiles.bits / 8 != byte) continue;
      EXPECT_FALSE(out.has_value()) << "two elements at byte " << byte;
      out = tensor * tiles.bits / 8;
    }
  }
  return out;
}

TEST(TileMoves, TakeEachElementToItsByte) {
  struct Row {
    const char* text;
    Index byte;
    std::optional<Index> tensor;  // nothing: filled
  };
  const char* kTile = "load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (64, 32) to 0";
  const char* kEdge = "load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (224, 96) to 0";
  const char* kLate = "load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (0, 0) to 128";
  const char* kHalf = "load tensormap(bf16, dim (512,64), stride (1024), box (32,16), swizzle 64B) at (0, 0) to 0";
  const char* kBytes = "load tensormap(u8, dim (100,10), stride (112), box (32,8), swizzle 32B) at (96, 4) to 0";
  const char* kThree = "load tensormap(f32, dim (64,64,4), stride (256,16384), box (16,8,2)) at (8, 60, 3) to 0";
  const char* kAtoms =
      "load tensormap(tf32, dim (128,64), stride (512), box (32,16), swizzle 128B_ATOM_32B) at (0, 0) to 0";
  const char* kWide =
      "load tensormap(f16, dim (128,64), stride (256), box (64,16), swizzle 128B_ATOM_64B) at (0, 0) to 0";
  const char* kBefore = "load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (-2, 0) to 0";
  const Row rows[] = {
      {kTile, 144, 17024},          {kTile, 128, 17040},         {kTile, 418, 18066},
      {kTile, 8078, 48894},         {kEdge, 64, std::nullopt},   {kLate, 144, 0},
      {kLate, 1040, 3600},          {kHalf, 128, 2064},          {kHalf, 322, 5154},
      {kBytes, 128, std::nullopt},  {kBytes, 228, std::nullopt}, {kThree, 652, std::nullopt},
      {kThree, 1020, std::nullopt}, {kAtoms, 452, 1572},         {kWide, 656, 1360},
      {kBefore, 386, std::nullopt}, {kBefore, 388, 384},
  };
  for (const Row& row : rows) {
    const auto read = parse_descriptor(row.text);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    const auto tiles = tile_moves(std::span(&*read, 1));
    ASSERT_TRUE(tiles.has_value() && tiles->unknown.empty()) << row.text;
    EXPECT_EQ(source_of(*tiles, row.byte), row.tensor) << row.text << ", byte " << row.byte;
  }
}

// A step of 3 over a box of 8 rows reads rows 0, 3 and 6: ceil(8 / 3) of them.
TEST(TileMoves, StepOverWhatElementStridesLeaveOut) {
  const auto read =
      parse_descriptor("load tensormap(f32, dim (64,64), stride (256), box (16,8), step (1,3)) at (0,0) to 0");
  ASSERT_TRUE(read.has_value());
  const auto tiles = tile_moves(std::span(&*read, 1));
  ASSERT_TRUE(tiles.has_value());
  EXPECT_EQ(tiles->moves.nests[0].extents, (std::vector<Index>{3, 16}));
  EXPECT_EQ(source_of(*tiles, 2 * 16 * 4), 6 * 256);
}

}  // namespace use_tile_moves_test
}  // namespace vl::use
