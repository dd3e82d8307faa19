// Placement: what a spec makes of a tensor, before it is a map. A tensor has a physical array; each dimension i of it
// is cut into parts of divisor_i, a part being a shard, or a page of an interleaved tensor. Parts are numbered
// row-major and dealt to the cores:
//   RoundRobin  part s on core s mod N, there as number s div N      (2D shards, of which there is one a core, too)
//   Contiguous  part s on core s div R, number s mod R, R = parts / N
//   Grid        part (i, j) on the core i rows below and j columns right of the first; COL_MAJOR: j rows, i columns
// Place o_i = p_i mod divisor_i in a part is stored in cells: elements, or tiles and faces of them.
//
// With names for sizes the same is computed with expressions (rule_text.cpp).
//
// A tile's place: face row, face column, row, column; the flags exchange the first two, and the last two. So (r, c) of
// a 32x32 tile lies at 512·(r div 16) + 256·(c div 16) + 16·(r mod 16) + c mod 16, and with both flags at 256·(r div
// 16) + 512·(c div 16) + r mod 16 + 16·(c mod 16). Source: tt-metal's tech_reports/tensor_layouts.
#pragma once

#include "encodings/ttmetal/ttmetal.h"

namespace vl::ttmetal {

using use::Core;

/// What takes parts, in order.
struct Takers {
  Deal deal = Deal::RoundRobin;
  bool banks = false;           // banks, numbered from 0, and no cores
  Index count = 0;              // of banks or cores
  std::vector<Core> cores;      // empty for banks
  Core first;                   // of Grid
  bool by_column = false;       // of Grid
  Index rows = 1, columns = 1;  // of the box from (0, 0) that holds all cores
  Index parts_each = 1;         // the memory of each holds so many
  bool numbered = false;        // cores by their numbers in the order of the set (lower_on_named_cores)
};

struct Placement {
  std::vector<map::Row> physical;  // over the logical coordinates
  std::vector<Index> size;         // of the physical array
  std::vector<Index> divisor;      // >= 1
  std::vector<Index> cells;        // of a part, in tiles or elements, >= 1
  std::vector<Index> parts;        // >= 1; 1 where a dimension is not divided
  bool tiled = false;
  Tile tile = {1, 1, 1, 1, false, false};  // 1x1 if not tiled
  Takers takers;

  [[nodiscard]] Index tile_size(std::size_t i) const {
    return i + 1 == physical.size() ? tile.width : i + 2 == physical.size() ? tile.height : 1;
  }
};

struct Placed {
  std::optional<Placement> placement;  // none: no element has a slot
  std::vector<use::Rule> rules;
  std::string undecidable;
  bool overflows = false;
};

/// Why nothing can be told of a text; empty if its layout can.
[[nodiscard]] std::string why_undecidable(const Parsed& parsed);
/// The number of banks that a box declares. Error: Box, where the text says another one.
[[nodiscard]] std::optional<Error> take_banks(std::span<const map::Extent> box, Spec& spec);
/// How a tile of a block format is stored (use::BlockTile): round_up(face height · faces, 16) bytes of exponents.
/// Source: tt-metal's Tile::get_tile_size. Nothing of other types, and of rows.
[[nodiscard]] std::optional<use::BlockTile> block_tile_of(const Spec& spec, map::ElementType of);
/// What a reader has to know of a spec for a tensor of this type.
void describe(const Spec& spec, map::ElementType of, use::Reading& reading);

/// The rules of what never has a name: data types, tiles. Requires: spec.tiled is known.
void add_rules_of_numbers(const Spec& spec, std::vector<use::Rule>& rules);

/// Requires: spec.tiled is known.
[[nodiscard]] Placed place(const Spec& spec, const map::Tensor& tensor);

/// The physical array of two dimensions: its rows over the coordinates and its sizes. Nothing if it leaves 64 bits.
struct Array {
  std::vector<map::Row> rows;
  std::vector<Index> size;
};
[[nodiscard]] std::optional<Array> physical_array(std::span<const Index> shape, std::span<const Index> alignment);

/// The padded shape, of as many dimensions as the shape or the alignment has. Empty and `known` false: the alignments
/// have none, where the runtime stops with an error.
struct Padded {
  std::vector<Index> shape;
  bool known = true;
  bool overflows = false;
};
[[nodiscard]] Padded padded_shape(std::span<const Index> shape, std::span<const Index> alignment);

/// The alignment with the default of the page configuration, as the constructor of TensorLayout merges them.
[[nodiscard]] std::optional<std::vector<Index>> merged_alignment(const Spec& spec);

/// Steps in memory of the digits of a part.
struct Steps {
  std::vector<Index> cell;  // of each dimension's tile or element
  Index face_row = 0, face_column = 0, row = 0, column = 0;
  Index volume = 0;  // elements of a part, >= 1
};
[[nodiscard]] std::optional<Steps> steps_of(const Placement& placement);

/// The layout as a map. Errors: Value (a view offset), Box, Overflow.
[[nodiscard]] Result<map::Layout> lower(const Placed& placed, const map::Tensor& tensor);

/// The layout on the cores that a set names (use::NamedCores), where these are not all of the box from (0, 0): those of
/// a rectangle by row and column from its first core, others by their numbers. What lies beyond the cores lies beyond
/// these, too. Nothing where they are all of the box, where cores are banks, and where one is named twice. Errors:
/// those of lower.
[[nodiscard]] Result<std::optional<use::NamedCores>> lower_on_named_cores(const Placed& placed,
                                                                          const map::Tensor& tensor);

}  // namespace vl::ttmetal
