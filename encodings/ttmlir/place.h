// Placement: what the rules have in common. Element x has the physical point p(x); dimension i of it is divided by S_i:
// core c_i = p_i div S_i, place o_i = p_i mod S_i in the core's shard.
//
// A shard is stored row-major. A tiled one is a row-major array of tiles; inside a tile lie faces of 16x16, row-major,
// and in a face its elements, row-major. So in a tile of 32x32 (r, c) lies at
//   512·(r div 16) + 256·(c div 16) + 16·(r mod 16) + c mod 16.
// A tile below 16 rows has faces of its own height; a size that is no multiple of 16 has one face.
//
// Source of the faces: tt-metal's tech_reports/tensor_layouts. Example: (6, 4) of a tile lies at 100, (17, 3) at 531.
#pragma once

#include "encodings/base/cursor.h"
#include "encodings/map/blueprint.h"
#include "encodings/ttmlir/ttmlir.h"

namespace vl::ttmlir {

struct Placement {
  std::vector<map::Row> physical;  // p, over the logical coordinates
  std::vector<Index> divisor;      // S, at least 1 each
};

/// What one rule makes of a layout and a tensor. Without a placement the elements have no places: ranks do not agree.
struct Ruled {
  std::optional<Placement> placement;
  std::vector<Index> grid;   // the shape of the cores
  std::vector<Index> cells;  // the shape of a shard as the text declares it, in tiles or elements
  Tile tile;
  std::vector<use::Rule> rules;
  std::vector<std::string> warnings;
  std::vector<Index> dealt = {};  // not empty: all tiles of the tensor, which go round the cores instead of in blocks
  bool overflows = false;         // a number of the rule leaves 64 bits: there is no layout to judge
  std::vector<Index> joined =
      {};                    // the shape whose dimensions are joined, where it is not the tensor's: padded to tiles
  bool exact = false;        // shards and tiles divide the physical shape exactly (rule B)
  std::string nowhere = {};  // why the elements have no places although each has a core: two cores are one
};

/// There is no such thing, and why.
[[nodiscard]] inline Error none(std::string why) { return {ErrorCode::Value, std::move(why), 0}; }

/// A text with its tensor: the rule's outcome.
struct Told {
  Ruled ruled;
  Cells cells;  // of a shard
  std::string space;
  std::string undecidable;
};
[[nodiscard]] Told tell(const Parsed& parsed, const map::Tensor& tensor);

/// The bits of an element; 0 for a block format, of which an element has no bits of its own, and for a type that is not
/// known.
[[nodiscard]] int device_bits(const Cells& cells);
/// Reading::unsized: rows of a TTNN layout on the device are pages (use/chip.h). `shard`: its cells as they are read,
/// on one core in two dimensions. Example: (d0, d1, d2) of 4x2x2 beside memref<16xf32> has 8 rows of 2.
[[nodiscard]] std::string unsized(const Parsed& parsed, const Cells& shard);
/// How a tile of a block format is stored; nothing of other cells. Its exponents are one byte for 16 elements of a row
/// of a face. Sources: tt-mlir's TileType::getSizeBytes, which has tiles of 32x32 alone, 1088, 576 and 320 bytes;
/// tt-metal's Tile::get_tile_size for others, round_up(face height · faces, 16) + elements · bits / 8. 16x32 of bfp8:
/// 32 + 512.
[[nodiscard]] std::optional<use::BlockTile> block_tile_of(const Cells& cells);
/// Reading::space, fill, memory and spread: pages in DRAM go round its banks, except shards of TTNN, each of which is
/// one bank's.
void tell_memory(const Parsed& parsed, use::Reading& reading);
/// Adds what is to be said of a layout of cells whatever its sizes are: a view, banks behind it, shared exponents.
void add_steady_warnings(const Parsed& parsed, const Cells& cells, std::vector<std::string>& out);
/// A rule in words, "A: …".
[[nodiscard]] std::string_view statement_of(char rule);
/// The rule of a text in words, and which of two readings its grid has.
[[nodiscard]] std::string statement_of(const Parsed& parsed);

/// The bits of an element of a block format besides the exponent that it shares: bfp_bf8 has 8. 0: another type.
[[nodiscard]] int own_bits(std::string_view type);

/// Whether a text is a device buffer; its parts; as text; as a layout of the tensor; its shape in elements, nothing if
/// that leaves 64 bits.
[[nodiscard]] bool is_buffer(std::string_view text);
[[nodiscard]] BufferLayout take_buffer(Cursor& in);
[[nodiscard]] std::string print(const BufferLayout& buffer);
[[nodiscard]] Result<use::Reading> read_buffer(const BufferLayout& buffer, const map::Tensor& tensor);
[[nodiscard]] std::optional<std::vector<Index>> elements_of(const BufferLayout& buffer);
/// The map from a buffer's virtual grid to (y, x) that stood in its layout until February 2026, as
/// (d0, d1, d2, d3) -> (d1 floordiv 8, d1 mod 8, d2, d3): here (d0, d1) -> (d1 floordiv 8, d1 mod 8). Nothing: there is
/// none, or it moves cells of the shard. Source: ShardLayoutAttr and DeviceAttr::getMemoryMap in TTCoreOpsTypes of
/// tt-mlir at 3bef97b760: the map comes before the strides and the map of L1.
[[nodiscard]] std::optional<AffineMap> cores_of(const BufferLayout& buffer);
/// The rule that a map of cores gives each core of the grid one of its own. Nothing: there are too many to look at.
[[nodiscard]] std::optional<use::Rule> cores_apart(const AffineMap& map, std::span<const Index> grid);

/// A grid with its maps, from its first bracket; as text; as a layout of the grid itself.
[[nodiscard]] GridLayout take_grid_layout(Cursor& in);
[[nodiscard]] std::string print(const GridLayout& grid);
[[nodiscard]] Result<use::Reading> read_grid(const GridLayout& grid, const map::Tensor& tensor);

/// A map's stages; empty where it is not encoded (is_encoded). The parts of the layout that it is, whose outputs have
/// the last of these axes, and whose box is as the tensor declares it, else from 0 to the greatest values that there
/// may be. Errors: Overflow; Box for another axis.
[[nodiscard]] std::vector<map::Stage> stages_of(const AffineMap& map);
[[nodiscard]] bool is_encoded(const AffineMap& map);
[[nodiscard]] Result<map::LayoutParts> parts_of(const AffineMap& map, const map::Tensor& tensor,
                                                std::span<const char* const> axes);

/// Whether a text is a map of memories, l1Map = … or dramMap = …; its parts; as text; as a layout of the bytes of all
/// cores' shards.
[[nodiscard]] bool is_memory_map(std::string_view text);
[[nodiscard]] MemoryMap take_memory_map(Cursor& in);
[[nodiscard]] std::string print(const MemoryMap& memories);
[[nodiscard]] Result<use::Reading> read_memory_map(const MemoryMap& memories, const map::Tensor& tensor);

/// Where the cores of a layout's grid are on the chips (on_chips.cpp). Requires: a layout that was read, by the rule of
/// its own notation.
[[nodiscard]] use::ChipPlaces tell_chips(const Parsed& parsed, const Told& told, const use::Reading& reading,
                                         const map::Tensor& tensor);
/// The same of a text with names for sizes: which rules are compared over their own coordinates, for all sizes.
struct RuleGrid {
  bool is_small = false;     // numbers, of a grid that is one of every chip
  std::string grid, shapes;  // as words: the grid; and all of the shapes with the tile and the type
};
[[nodiscard]] use::ChipPlaces tell_chips_of_rule(const Parsed& parsed, const RuleGrid& of);
/// Rows and columns of the smallest chip.
inline constexpr Index kLeastSide = 8;
/// Adds the rules of maps from the grid to cores. Not empty: two cores of the grid are one, and why no element has a
/// place then.
[[nodiscard]] std::string wrong_cores(const Parsed& parsed, const Told& told, std::vector<use::Rule>& rules);
/// Adds the rules of the chip that the box declares, for cores and not for DRAM's banks; also where a core's share ends
/// inside of a tile. `reading.chips` was told before. Example: the box x=8 and a core range to x 8: 9, not 8.
void add_chip_rules(const Parsed& parsed, const Told& told, const use::Reading& reading, const map::Tensor& tensor,
                    std::vector<use::Rule>& rules);

[[nodiscard]] Ruled place_by_map(const MapLayout& layout, const map::Tensor& tensor);  // rule A
[[nodiscard]] Ruled place_by_alignment(const AlignedLayout& layout, const Cells& device,
                                       const map::Tensor& tensor);                       // rule B
[[nodiscard]] Ruled place_by_ttnn(const TtnnLayout& layout, const map::Tensor& tensor);  // rule C

/// Whether rule C counts its grid in the older way: [H, W] height- or width-sharded.
[[nodiscard]] bool is_legacy(const TtnnLayout& layout);
[[nodiscard]] bool is_sharded(const TtnnLayout& layout);
/// The grid by which the passes divide the tensor: TTIRToD2M's getLegacyGrid counts a height- or width-sharded grid
/// [H, W] as H·W shards. The builder asserts one column, or one row, where that changes nothing. Nothing if the product
/// leaves 64 bits.
[[nodiscard]] std::optional<std::vector<Index>> shard_grid(const TtnnLayout& layout);
/// The map that the compiler makes of a padded shape: the last result is the last dimension, the first joins the
/// others. One result, of one dimension, is older. Nothing for other numbers of results, or beyond 64 bits.
[[nodiscard]] std::optional<AffineMap> usual_map(std::span<const Index> padded, std::size_t results);

/// Whether rule C has a grid of one core beside a map or memref of another number of dimensions than two.
[[nodiscard]] bool is_of_one_core(const TtnnLayout& layout);
/// Such a text in two dimensions; nothing of other texts, and where a coordinate is negative or leaves 64 bits.
/// Example: 8 elements by (d0) -> (d0), memref<8xf32>: (0, d0), memref<1x8xf32>.
[[nodiscard]] std::optional<TtnnLayout> on_one_core(const TtnnLayout& layout, std::span<const Index> padded);
/// An older grid's text by the places that TTIRToD2M gives it; nothing of other texts, and where it gives none.
/// Example: 384x64 on <6x2>, memref<2x1 tiles>, height-sharded: memref<1x2 tiles>, of 12 shards.
[[nodiscard]] std::optional<TtnnLayout> as_d2m(const TtnnLayout& layout, std::span<const Index> padded);

/// The intervals of rule B as ranges of dimensions, sorted and completed, with the rules that they obey; nothing if a
/// bound is none, and then a rule that does not hold says so.
struct Interval {
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] std::optional<std::vector<Interval>> intervals_of(const AlignedLayout& layout,
                                                                std::vector<use::Rule>& rules);
/// The rows of a tensor of rank 0 or 1 in rule B.
inline constexpr Index kRows = 32;

/// Whether a rule does not hold. Why a text then gives the elements no places: the first such rule.
[[nodiscard]] bool is_broken(std::span<const use::Rule> rules);
[[nodiscard]] std::string why_nowhere(std::span<const use::Rule> rules);

/// The layout as a map. A place beyond the declared shard is no slot. Requires: a placement, or a number that leaves 64
/// bits. Errors: Value (a view offset), Overflow.
[[nodiscard]] Result<map::Layout> lower(const Ruled& ruled, const map::Tensor& tensor);

/// What rule C rounds up to where there are tiles, of whatever size.
inline constexpr Tile kPadded{32, 32};
/// A memory of the device, by the names of TTNN's buffer types.
[[nodiscard]] bool is_device_memory(std::string_view space);
/// Whether a sharded layout says that its cores are left open, to be chosen by the runtime.
[[nodiscard]] bool leaves_cores_open(const TtnnLayout& layout);
/// Whether tt-mlir's verifier misses core ranges, as it does since commit 0ca2e3d257 of May 2026: the layout is
/// sharded, in L1 or DRAM, and does not leave its cores open. Fields of older texts (a map in the grid, exactGrid) are
/// none of a compiler that asks. The rule moves no element: without ranges the places are those of the canonical fill.
[[nodiscard]] bool needs_core_ranges(const TtnnLayout& layout);
inline constexpr std::string_view kNamesCores =
    "a sharded layout names its core ranges, or says ignorePhysicalLayout = true";
/// Of tiles the last two sizes rounded up to 32; nothing if they leave 64 bits. 2x30x50 in tiles of 32x32: 2x32x64.
[[nodiscard]] std::optional<std::vector<Index>> padded_to_tiles(std::span<const Index> size, const Tile& tile);

/// The dimensions of a physical coordinate that its row gives back, by falling coefficient; nothing if they do not
/// nest, so that two elements may have one coordinate. 64·x0 + x1 of [3,64]: x0, x1.
[[nodiscard]] std::optional<std::vector<map::Term>> nested(const map::Row& row, std::span<const Index> size);

/// p -> x; nothing if some dimension cannot be told from p by a split.
[[nodiscard]] std::optional<std::vector<map::Stage>> element_of_physical(const Placement& placement,
                                                                         std::span<const Index> size);

/// The side of a face along a side of a tile: 16, or the whole side where that is no multiple.
[[nodiscard]] constexpr Index face_of(Index tile) { return tile > 16 && tile % 16 == 0 ? 16 : tile; }

/// How the physical dimensions are divided. N: Index, or map::Expression.
template <class N>
struct Division {
  std::vector<N> grid, cells, divisor;
  Tile tile;
  std::vector<N> dealt = {};  // as Ruled's
};

/// The steps in memory of a shard's digits.
template <class N>
struct BasicSteps {
  std::vector<N> tile;  // of each dimension's tile or element
  Index face_row = 0, face_column = 0, row = 0;
  N volume = 0;  // elements of a shard
};
using Steps = BasicSteps<Index>;
/// Nothing if they leave 64 bits.
template <class N>
[[nodiscard]] std::optional<BasicSteps<N>> steps_of(const Division<N>& of);

/// The levels and places of a division. Each physical dimension is a number, whose levels are the core, the tile, the
/// face and what lies inside. Tiles that are dealt are joined to the number of the tile instead: tile t lies on core t
/// mod cores, there at t div cores. The dimensions that a number joins are the caller's.
/// Source of the deal: tt-metal's interleaved buffers (page i in bank i mod B, slot i div B); TTNNOpsAttrs.cpp states
/// the size alone. Example: 32x96 on 1x2 cores: tiles 0 and 2 on core 0, tile 1 on core 1. Requires: of what is dealt
/// two dimensions, and a number of cores within 64 bits.
template <class N>
[[nodiscard]] map::Blueprint<N> blueprint_of(const Division<N>& of, const BasicSteps<N>& steps);

/// The values that a row takes over a tensor: [low, high]. Nothing if they leave 64 bits. Example: 64·x0 + x1 of
/// [3,64]: [0, 191].
[[nodiscard]] std::optional<map::Range> range_of(const map::Row& row, std::span<const Index> size);

/// The rows without dimensions of size 1, whose coordinate is always 0.
[[nodiscard]] std::vector<map::Row> rows_that_move(std::vector<map::Row> rows, std::span<const Index> size);

/// Whether no dimension has a negative factor, so that the last element has the greatest coordinates.
[[nodiscard]] bool never_falls(const AffineMap& map);

/// The tile's size in dimension i of n: 1 before the last two.
[[nodiscard]] constexpr Index tile_size(const Tile& tile, std::size_t i, std::size_t n) {
  return i + 1 == n ? tile.width : i + 2 == n ? tile.height : 1;
}

/// ceil(value / step) · step; nothing if it leaves 64 bits. Requires: value >= 0, step >= 1.
[[nodiscard]] constexpr std::optional<Index> round_up(Index value, Index step) {
  return checked_mul(ceil_div(value, step), step);
}

/// A map's text over device coordinates, "(d0, d1) -> (d1, d0)" or affine_map<…>, as stages. Errors: Syntax; Value for
/// another number of dimensions or results, and where it is no sum of quotients and remainders by positive constants.
[[nodiscard]] Result<std::vector<map::Stage>> device_map(std::string_view text, std::size_t dims, std::size_t results);

}  // namespace vl::ttmlir
