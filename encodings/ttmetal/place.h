// Placement: what a spec makes of a tensor, before it is a map. A tensor has a physical array; each dimension i of it
// is cut into parts of divisor_i, a part being a shard, or a page of an interleaved tensor. Parts are numbered
// row-major and dealt to the cores:
//   RoundRobin  part s on core s mod N, there as number s div N      (2D shards, of which there is one a core, too)
//   Contiguous  part s on core s div R, number s mod R, R = parts / N
//   Grid        part (i, j) on the core i rows below and j columns right of the first; COL_MAJOR: j rows, i columns
// Place o_i = p_i mod divisor_i in a part is stored in cells: elements, or tiles and faces of them.
//
// Numbers are integers, or expressions in names for sizes. Names count the cores of one rectangle.
//
// A tile's place: face row, face column, row, column; the flags exchange the first two, and the last two. So (r, c) of
// a 32x32 tile lies at 512·(r div 16) + 256·(c div 16) + 16·(r mod 16) + c mod 16, and with both flags at 256·(r div
// 16) + 512·(c div 16) + r mod 16 + 16·(c mod 16). Source: tt-metal's tech_reports/tensor_layouts.
#pragma once

#include "encodings/map/blueprint.h"
#include "encodings/ttmetal/ttmetal.h"

namespace vl::ttmetal {

using use::Core;

/// What takes parts, in order.
template <class N>
struct BasicTakers {
  Deal deal = Deal::RoundRobin;
  bool banks = false;       // banks, numbered from 0, and no cores
  bool one_each = false;    // each has one part
  N count = 0;              // of banks or cores
  std::vector<Core> cores;  // of numbers; empty for banks
  bool by_column = false;
  N y = 0, x = 0;           // of the first core
  N high = 1, wide = 1;     // of the first rectangle of cores
  N rows = 1, columns = 1;  // of the box from (0, 0) that holds all cores
  N parts = 1;              // to be dealt
  N parts_each = 1;         // the memory of each holds so many
  bool numbered = false;    // cores by their numbers in the order of the set (lower_on_named_cores)

  /// The cores along the height of the parts, or along their width, in a grid.
  [[nodiscard]] const N& along(bool height) const { return height != by_column ? high : wide; }
};

template <class N>
struct BasicPlacement {
  std::vector<std::vector<map::BasicTerm<N>>> physical;  // over the logical coordinates
  std::vector<N> size;                                   // of the physical array
  std::vector<N> divisor;                                // >= 1
  std::vector<N> cells;                                  // of a part, in tiles or elements, >= 1
  std::vector<N> parts;                                  // >= 1; 1 where a dimension is not divided
  std::vector<bool> divided;
  bool tiled = false;
  Tile tile = {1, 1, 1, 1, false, false};  // 1x1 if not tiled
  BasicTakers<N> takers;

  [[nodiscard]] Index tile_size(std::size_t i) const {
    return i + 1 == physical.size() ? tile.width : i + 2 == physical.size() ? tile.height : 1;
  }
  [[nodiscard]] Index face_size(std::size_t i) const {
    return i + 1 == physical.size() ? tile.face_width : i + 2 == physical.size() ? tile.face_height : 1;
  }
};

template <class N>
struct BasicPlaced {
  std::optional<BasicPlacement<N>> placement;  // none: no element has a slot
  std::vector<use::Rule> rules;
  std::vector<map::Condition> laws;  // rules that depend on names
  std::string undecidable;
  bool overflows = false;
};

using Takers = BasicTakers<Index>;
using Placement = BasicPlacement<Index>;
using Placed = BasicPlaced<Index>;

/// Why nothing can be told of a text; empty if its layout can.
[[nodiscard]] std::string why_undecidable(const Parsed& parsed);
/// The number of banks that a box declares. Error: Box, where the text says another one.
[[nodiscard]] std::optional<Error> take_banks(std::span<const map::Extent> box, Spec& spec);
/// How a tile of a block format is stored (use::BlockTile): round_up(face height · faces, 16) bytes of exponents.
/// Source: tt-metal's Tile::get_tile_size. Nothing of other types, and of rows.
[[nodiscard]] std::optional<use::BlockTile> block_tile_of(const Spec& spec, map::ElementType of);
/// What a reader has to know of a spec for a tensor of this type.
void describe(const Spec& spec, map::ElementType of, use::Reading& reading);

/// N: Index, or map::Expression. Requires: spec.tiled is known.
template <class N>
[[nodiscard]] BasicPlaced<N> place(const Spec& spec, const std::vector<N>& size);
extern template BasicPlaced<Index> place(const Spec& spec, const std::vector<Index>& size);
extern template BasicPlaced<map::Expression> place(const Spec& spec, const std::vector<map::Expression>& size);

/// Steps in memory of the digits of a part.
template <class N>
struct BasicSteps {
  std::vector<N> cell;  // of each dimension's tile or element
  Index face_row = 0, face_column = 0, row = 0, column = 0;
  N volume = 0;  // elements of a part, >= 1
};
using Steps = BasicSteps<Index>;
/// Nothing if they leave 64 bits.
template <class N>
[[nodiscard]] std::optional<BasicSteps<N>> steps_of(const BasicPlacement<N>& placement);

/// A number for each physical dimension, whose levels are the part, the cell, the face and what lies inside. Where
/// parts go round or are dealt in runs they are joined to the number of the part, which is dealt. Names have places y
/// and x of a core, as grids of numbers have; other cores of numbers are one place, the number of the core. Requires:
/// no number leaves 64 bits.
template <class N>
[[nodiscard]] map::Blueprint<N> blueprint_of(const BasicPlacement<N>& placement, const BasicSteps<N>& steps,
                                             const std::vector<N>& size);

/// The layout as a map. Errors: Value (a view offset), Box, Overflow.
[[nodiscard]] Result<map::Layout> lower(const Placed& placed, const map::Tensor& tensor);

/// The layout on the cores that a set names (use::NamedCores), where these are not all of the box from (0, 0): those of
/// a rectangle by row and column from its first core, others by their numbers. What lies beyond the cores lies beyond
/// these, too. Nothing where they are all of the box, where cores are banks, and where one is named twice. Errors:
/// those of lower.
[[nodiscard]] Result<std::optional<use::NamedCores>> lower_on_named_cores(const Placed& placed,
                                                                          const map::Tensor& tensor);

}  // namespace vl::ttmetal
