// Tiles that are dealt to the cores one by one, as pages to banks: tile t lies on core t mod cores, there at t div
// cores. Source: tt-metal's interleaved buffers (page i in bank i mod B, slot i div B); TTNNOpsAttrs.cpp states the
// size alone. Example: 32x96 on 1x2 cores: tiles 0 and 2 on core 0, tile 1 on core 1.
#include <algorithm>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

using map::Affine;
using map::Row;
using map::Split;

// Tile, face and place of one side, in the order of the split.
std::vector<Index> weights_of_side(Index tile) { return {tile, face_of(tile), 1}; }

}  // namespace

Result<std::vector<map::Stage>> deal_tiles(const Ruled& ruled, const Steps& steps, std::span<const Index> size) {
  for (const Row& row : ruled.placement->physical)
    if (!range_of(row, size)) return Error{ErrorCode::Overflow, "a physical coordinate does not fit in 64 bits"};
  const auto cores = checked_mul(ruled.grid[0], ruled.grid[1]);
  const auto area = checked_mul(ruled.tile.height, ruled.tile.width);
  if (!cores || !area) return Error{ErrorCode::Overflow, "the number of cores or of a tile's elements is too large"};
  std::vector<map::Stage> out;
  out.emplace_back(Affine{rows_that_move(ruled.placement->physical, size)});
  out.emplace_back(Split{1, weights_of_side(ruled.tile.width)});
  out.emplace_back(Split{0, weights_of_side(ruled.tile.height)});
  // tile row, face row, row, tile column, face column, column -> number of the tile, place in it
  out.emplace_back(Affine{{Row{0, {{0, ruled.dealt[1]}, {3, 1}}},
                           Row{0, {{1, steps.face_row}, {2, steps.row}, {4, steps.face_column}, {5, 1}}}}});
  out.emplace_back(Split{0, {*cores, ruled.grid[1], 1}});  // number in the core, core row, core column
  out.emplace_back(Affine{{map::pick(1), map::pick(2), Row{0, {{0, *area}, {3, 1}}}}});
  return out;
}

std::vector<map::Stage> physical_of_dealt(const Ruled& ruled, const Steps& steps) {
  const Index area = ruled.tile.height * ruled.tile.width;  // deal_tiles has checked the products
  return {Split{2, {area, steps.face_row, steps.face_column, steps.row, 1}},
          // core row, core column, number, face row, face column, row, column
          Affine{{Row{0, {{0, ruled.grid[1]}, {1, 1}, {2, ruled.grid[0] * ruled.grid[1]}}},
                  Row{0, {{3, face_of(ruled.tile.height)}, {5, 1}}}, Row{0, {{4, face_of(ruled.tile.width)}, {6, 1}}}}},
          Split{0, {std::max<Index>(ruled.dealt[1], 1), 1}},
          // tile row, tile column, row, column
          Affine{{Row{0, {{0, ruled.tile.height}, {2, 1}}}, Row{0, {{1, ruled.tile.width}, {3, 1}}}}}};
}

}  // namespace vl::ttmlir
