// Rule A, tt.metal_layout until June 2025: the map joins dimensions, the grid divides, and tiles round up last.
//   phys_i   = map(shape - 1)_i - map(0)_i + 1
//   S_i      = ceil(phys_i / grid_i)
//   memref_i = S_i, or ceil(S_i / tile_i)
// Source: docs/src/specs/tensor-layout.md. Example: 53x63 on 3x2 in tiles: S = 18x32, memref 1x1.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

use::Rule same_count(std::string statement, std::size_t have, std::size_t want) {
  return {std::move(statement), static_cast<Index>(have), static_cast<Index>(want)};
}

bool hold(const std::vector<use::Rule>& rules) {
  return std::ranges::all_of(rules, [](const use::Rule& rule) { return rule.have == rule.want; });
}

// The rules without which there is no placement.
std::vector<use::Rule> rank_rules(const MapLayout& layout, const map::Tensor& tensor) {
  std::vector<use::Rule> rules = {
      same_count("the map reads as many dimensions as the tensor has", layout.linear.dims, tensor.size.size()),
      same_count("the map has as many results as the grid has dimensions", layout.linear.results.size(),
                 layout.grid.shape.size()),
      same_count("the memref has as many dimensions as the grid", layout.shard.shape.size(), layout.grid.shape.size()),
      {"no factor of the map is negative", never_falls(layout.linear) ? 1 : 0, 1}};
  if (layout.shard.tile)
    rules.push_back(same_count("a memref of tiles has two dimensions or more",
                               std::min<std::size_t>(layout.shard.shape.size(), 2), 2));
  return rules;
}

}  // namespace

Ruled place_by_map(const MapLayout& layout, const map::Tensor& tensor) {
  Ruled out{std::nullopt,
            layout.grid.shape,
            layout.shard.shape,
            layout.shard.tile.value_or(Tile{}),
            rank_rules(layout, tensor),
            {},
            {}};
  if (!hold(out.rules) || !layout.linear.linear) return out;  // without sums the rows say nothing
  for (std::size_t d = 0; d < layout.linear.dims; ++d) {
    const bool read = std::ranges::any_of(layout.linear.results, [&](const map::Row& row) {
      return std::ranges::any_of(row.terms, [&](const map::Term& term) { return term.input == d; });
    });
    out.rules.push_back({fmt::format("the map reads dimension d{}", d), read ? 1 : 0, 1});
  }
  Placement placement{layout.linear.results, {}};
  const std::size_t n = layout.grid.shape.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto range = range_of(layout.linear.results[i], tensor.size);
    Index extent = 0;
    if (!range || __builtin_sub_overflow(range->high, range->low, &extent) || !accumulate(extent, 1, 1)) {
      out.overflows = true;
      return out;
    }
    const Index grid = layout.grid.shape[i];
    const Index shard = ceil_div(extent, grid);
    placement.divisor.push_back(shard);
    const Index tile = tile_size(out.tile, i, n);
    const std::string in_tiles = tile == 1 ? "" : fmt::format(", in tiles of {}", tile);
    out.rules.push_back({fmt::format("memref dimension {} is ceil({} / {}) = {}{}", i, extent, grid, shard, in_tiles),
                         layout.shard.shape[i], ceil_div(shard, tile)});
  }
  out.placement = std::move(placement);
  return out;
}

}  // namespace vl::ttmlir
