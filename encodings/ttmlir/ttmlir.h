// Layouts of Tenstorrent's compiler tt-mlir: where the elements of a tensor lie in the memories of a grid of cores.
//
// All rules give a tensor a *physical* shape of few dimensions by joining dimensions, divide it over a grid of cores,
// and divide each core's shard into tiles of 32x32. They differ in the order of rounding up, so the same element can
// lie on another core. The text decides the rule, never the reader:
//
//   A  #tt.metal_layout<(d0, d1) -> (d0, d1), undef, <3x2>, memref<…>>     (also #tt.layout, #ttcore.metal_layout)
//      p = map(x); shard S = ceil(phys / grid), then ceil by the tile                          rule_a.cpp
//   B  tensor<…, #ttcore.metal_layout<logical_shape = 53x63, dim_alignments = 32x32, …, l1, sharded>>
//      each dimension is aligned while it is joined; tile and grid must then divide exactly      rule_b.cpp
//   C  #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<…>, <interleaved>>
//      the last two dimensions are rounded up to tiles, then as A                               rule_c.cpp
//
// A question about another rule is asked in front of the text, "rule C: #tt.metal_layout<…>", or by --rule C: a layout
// with a map is read by A or by C then. B needs alignments, which only its own texts have.
//
// In every rule element x has p(x), core p div S, and place o = p mod S in that core. A shard is stored row-major; a
// tiled one as a row-major array of tiles, each tile as faces of 16x16 (place.h).
//
// Worked example: 53x63 on 3x2 cores. A: S = 18x32, row 20 lies on core row 1. B with alignments 96x64: S = 32x32,
// row 20 lies on core row 0.
//
// Physical space: the named axes c0, c1, … (cores of the grid) and m (elements in one core's memory). Cores have
// separate memories, so a place is a core and a number there, never one number. The grid is the layout's own; where its
// cores are on the chip is the layout's second space, over y, x and m (on_chips.cpp).
//
// Sources: tt-mlir's docs/src/specs/tensor-layout.md (A), lib/Dialect/TTCore/IR/TTCoreOpsTypes.cpp (B),
// lib/Dialect/TTNN/IR/TTNNOpsAttrs.cpp (C); README.md says where they contradict each other. The second meaning is
// reference.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "encodings/use/family.h"
#include "encodings/use/view.h"

namespace vl::ttmlir {

/// The size of a tile; 1x1: no tile.
struct Tile {
  Index height = 1;
  Index width = 1;

  bool operator==(const Tile&) const = default;
};

/// A shape and what one of its cells is: 6x1x!tt.tile<32x32, f32> or 384x128xf32.
struct Cells {
  std::vector<Index> shape;
  std::optional<Tile> tile;
  std::string type;  // of a scalar, as MLIR spells it

  bool operator==(const Cells&) const = default;
};

/// (d0, d1) -> (d0 * 64 + d1, 0): one row per result, over the dimensions.
struct AffineMap {
  std::size_t dims = 0;
  std::vector<map::Row> results;
  bool linear = true;     // false: a result has floordiv, mod or a product of dimensions, and the rows say nothing
  std::string text = {};  // of a map that is not linear
  /// Of a map that is not linear, but a sum of floordivs and mods by positive constants: the same as stages. Empty: it
  /// is linear, or has a product of dimensions.
  std::vector<map::Stage> stages = {};

  bool operator==(const AffineMap&) const = default;
};

/// A grid of cores, with the text behind its shape: maps to physical cores, which move no element between grid cores.
struct Grid {
  std::vector<Index> shape;
  std::string maps;

  bool operator==(const Grid&) const = default;
};

/// Rule A.
struct MapLayout {
  std::string name;  // tt.metal_layout, tt.layout, ttcore.metal_layout
  AffineMap linear;
  std::string oob;  // undef, zero, one, inf, neginf
  Grid grid;
  Cells shard;                // the memref
  std::string space;          // l1, dram, …; an alias that the text does not define as it stands, with '#'
  std::string memory_layout;  // interleaved, …; mostly empty

  bool operator==(const MapLayout&) const = default;
};

/// Rule B.
struct AlignedLayout {
  std::vector<Index> logical_shape;
  std::vector<Index> alignments;
  std::vector<std::pair<Index, Index>> intervals;  // as written: [begin, end), negative ones from the end
  std::string oob;                                 // of the versions before May 2026, else empty
  std::string space;
  std::string memory_layout;           // sharded, interleaved; empty in the first versions
  std::optional<std::string> view_of;  // index_map, of the versions before 2026

  bool operator==(const AlignedLayout&) const = default;
};

/// Rule C.
struct TtnnLayout {
  AffineMap linear;
  Grid grid;
  Cells shard;
  std::string space;
  std::string memory_layout;       // interleaved, height_sharded, …; empty for system memory
  std::vector<std::string> flags;  // exactGrid = true, …
  std::optional<std::vector<use::CoreRange>> core_ranges;

  bool operator==(const TtnnLayout&) const = default;
};

/// Device buffers: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1> (buffer.cpp).
struct BufferLayout {
  enum class Kind { Shard, Circular, Interleaved } kind = Kind::Shard;
  Cells of;                      // the memref: a grid and a shard; of a circular buffer the shard alone
  std::vector<Index> strides;    // in bytes, of the shard's dimensions
  std::optional<Index> buffers;  // absent: one
  std::string more;              // what follows in the layout: a map of cores, grid = [6x6]
  std::string rest;              // what follows in the memref: #l1, a view

  bool operator==(const BufferLayout&) const = default;
};

/// Where the cores of a virtual grid are: #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1),
/// physical_to_virt_map = (d0, d1, d2) -> (d1, d2)> (grid.cpp).
struct GridLayout {
  std::vector<Index> shape;
  std::optional<AffineMap> forward;  // to (device, y, x) or (y, x)
  std::optional<AffineMap> inverse;

  bool operator==(const GridLayout&) const = default;
};

/// Where the bytes of the cores' shards are: l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), symbols = [1024]
/// (memory_map.cpp).
struct MemoryMap {
  std::string name;            // l1Map, dramMap
  AffineMap map;               // the symbols replaced by their values
  std::string text;            // of the map, symbols and all
  std::vector<Index> symbols;  // their values, in order

  bool operator==(const MemoryMap&) const = default;
};

struct Parsed {
  std::variant<MapLayout, AlignedLayout, TtnnLayout, BufferLayout, GridLayout, MemoryMap> layout;
  std::optional<Cells> of;        // the tensor type around it: the logical shape of A and C, the device shape of B
  std::optional<char> rule = {};  // A or C, where the text asks for it in front of a layout with a map: "rule C: #tt…"
  std::optional<GridLayout> on = {};  // of B, the map of its cores: "on #ttcore.grid<…>: tensor<…>"

  bool operator==(const Parsed&) const = default;
};

/// Reads an attribute, or a tensor type with one. Errors, with the offset in the text: Syntax, Value (a grid dimension
/// below 1, a dynamic size), Shape (intervals that are no pairs), Overflow.
[[nodiscard]] Result<Parsed> parse(std::string_view text);

/// Whether a text begins as one of rules A and B or is a device buffer, or as one of rule C: with the attribute, or a
/// tensor type with it.
[[nodiscard]] bool recognises_metal(std::string_view text);
[[nodiscard]] bool recognises_ttnn(std::string_view text);

/// The text as tt-mlir prints it, in one line: parse(print(p)) == p.
[[nodiscard]] std::string print(const Parsed& parsed);

/// A, B or C: the one that the text is read by. Requires: no device buffer or grid.
[[nodiscard]] char rule_of(const Parsed& parsed);

/// The text as a layout of the tensor, of whatever rule it is. Errors: those of parse; Overflow.
[[nodiscard]] Result<use::Reading> read(std::string_view text, const map::Tensor& tensor);
[[nodiscard]] Result<use::Reading> read(const Parsed& parsed, const map::Tensor& tensor);

/// The same tensor on the same cores in the same tiles by rule A, B or C, as a text. Errors: those of parse and read;
/// Value where a rule of the layout does not hold, or the other rule has no such layout.
[[nodiscard]] Result<std::string> by_rule(std::string_view text, const map::Tensor& tensor, std::string_view rule);

/// A layout change (remap.cpp): `map` is a map's text, "compiler" or "reblock".
[[nodiscard]] Result<use::Remap> remap(std::string_view result, std::string_view source, const map::Tensor& tensor,
                                       std::string_view map);

/// The same between two tensors: what a view shows of another one.
[[nodiscard]] Result<use::Remap> remap(std::string_view result, const map::Tensor& tensor, std::string_view source,
                                       const map::Tensor& of_source, std::string_view map);

/// A view (view.cpp): types on both sides, and the text of a map.
[[nodiscard]] Result<use::View> view(std::string_view result, std::string_view source, std::string_view map);

/// The shards of all cores side by side. Errors: those of parse and read; Value where a rule does not hold, or where
/// tiles go round the cores one by one.
[[nodiscard]] Result<use::Shards> shards(std::string_view text, const map::Tensor& tensor);

inline constexpr std::array<std::string_view, 3> kRules = {"A", "B", "C"};

inline constexpr std::array<std::string_view, 5> kDefaultClaims = {"well-formed", "in-bounds", "injective", "bijective",
                                                                   "padding"};

}  // namespace vl::ttmlir

namespace vl::metal {
[[nodiscard]] const use::Family& family();  // rules A and B
}
namespace vl::ttnn {
[[nodiscard]] const use::Family& family();  // rule C
}
