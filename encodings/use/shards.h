// Shards: a tensor that is divided over a grid of cores in blocks, as one array: the shards of all cores side by side.
//   P_i = c_i · shard_i + o_i      core c, place o in its shard
// Each slot is one point P, so padding is the points that no element has. A tile is a block of the last two dimensions,
// and a face a block of a tile; both are 1 in other dimensions.
//
// Kinds of padding, each slot in the first one that fits:
//   tile      the end of a tile: rounding up to whole tiles made it
//   grid      beyond the array that is divided over the cores: the cores' shares are rounded up
//   gaps      inside that array, where the joined dimensions do not follow one another closely
//   repeated  only reached where one dimension had two values at once: it stands in several coordinates
//
// Example: 53x63 on 3x2 cores, by the rule that divides first: shards of 18x32 lie in tiles of 32x32. 96·64 slots;
// 54·64 are left without the ends of tiles, 53·63 of these hold elements: 2688 tile, 117 grid.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/use/cores.h"

namespace vl::use {

/// The positions of a block format that share one exponent: a row of a face.
inline constexpr Index kSharingExponent = 16;

/// A tile's exponents take whole units of so many bytes: the alignment of L1.
inline constexpr Index kExponentBytes = 16;

struct Shards {
  map::Layout array;         // element -> P, over the box grid · shard; its valid slots are the layout's
  std::vector<Index> grid;   // cores
  std::vector<Index> shard;  // elements, ends of tiles included
  std::vector<Index> tile;   // elements, a divisor of the shard
  std::vector<Index> face;   // elements, a divisor of the tile
  /// Of each dimension, the elements that one core takes: the shard, or less where tiles round it up.
  std::vector<Index> share;
  /// The array's map for larger tensors on the same cores. The map in `array` is the same without the dimensions of
  /// size 1, whose coordinate is 0 there.
  std::vector<map::Stage> beyond;
  struct Padding {
    Index tile = 0, grid = 0, gaps = 0, repeated = 0;

    bool operator==(const Padding&) const = default;
  } padding;
  /// Of a block format: the bits of one element's own part. Kept 16 to an exponent of 8 bits; all exponents of a tile
  /// lie in front of its elements, so a tile of 32x32 with 8 bits takes 64 + 1024 bytes. 0: no block format.
  int block_bits = 0;
  ChipPlaces chips = {};  // where the cores of the grid are
};

/// The core of the chip that a core of the grid is: y and x, with the device in front where the text names one. Nothing
/// where that is not known. Core [10, 0] of 12 shards on rows of 8: [1, 2].
[[nodiscard]] std::optional<Point> core_on_chip(const Shards& shards, std::span<const Index> core);

/// An element's place as the hardware names it, coarse to fine, from its point P.
struct InShard {
  std::vector<Index> core, tile, face, datum;
};
[[nodiscard]] InShard place_in(const Shards& shards, std::span<const Index> point);

/// The numbers of values that elements take in each block of `block` positions of each dimension of the array. Where
/// the dimensions do not depend on one another, a block of the array holds the product of its dimensions' numbers of
/// elements. Nothing if they do, or if there are more than 2^20 blocks or values in a dimension. 53x63 on 3x2 cores of
/// 18x32, by shards: {18, 18, 17}, {32, 31}.
[[nodiscard]] std::optional<std::vector<std::vector<Index>>> values_in_blocks(const Shards& shards,
                                                                              std::span<const Index> block);

/// The cores by the elements that they hold: as many as any core, fewer, none.
struct Occupancy {
  Index full = 0, partial = 0, empty = 0;
  std::optional<Point> first_partial, first_empty;
};
/// Nothing where values_in_blocks has none.
[[nodiscard]] std::optional<Occupancy> occupancy_of(const Shards& shards);

}  // namespace vl::use
