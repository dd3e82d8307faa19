// Rule C, ttnn.ttnn_layout: for tiles the last two dimensions are rounded up to 32, then the map joins.
//   padded = shape, of tiles its last two dimensions rounded up to 32, whatever the tile
//   phys_i = map(padded - 1)_i + 1
//   sharded:              S_i = ceil(phys_i / grid_i)     memref_i = S_i, or ceil(S_i / tile_i)
//   DRAM interleaved and system memory: grid 1x1, memref = all of it
//   height-sharded:       grid [M, 1]; a grid [H, W] of older IR counts as [H·W, 1] (getLegacyGrid in TTIRToD2M.cpp)
//   width-sharded:        grid [1, M]; [H, W] counts as [1, H·W]
//   L1 interleaved:       memref = 1 x ceil(number of tiles / number of cores); tile t on core t mod cores. The passes
//                         read its size alone (getShardSizeInBytes), so another shape of as many tiles is no fault
// Other forms of a text, which the passes read too, are those of rule_c_forms.cpp.
// The compiler makes the map itself: the dimensions but the last are joined row-major over the padded shape.
// Sources: lib/Dialect/TTNN/IR/TTNNOpsAttrs.cpp; getTilePaddedShape in lib/Dialect/TTNN/Utils/Utils.cpp, which knows
// TILE_HEIGHT and TILE_WIDTH alone: 20x20 in tiles of 16x16 is padded to 32x32, four tiles. Example: 65x65
// block-sharded on 8x8: 9x9 elements, or one tile of 12x12 used elements.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

// Of one dimension alone, in older texts.
bool is_flat(std::span<const Index> padded, std::size_t results) { return results == 1 && padded.size() == 1; }

Index factor(const map::Row& row, std::size_t dim) {
  for (const map::Term& term : row.terms)
    if (term.input == dim) return term.coefficient;
  return 0;
}

void add_map_rules(const TtnnLayout& layout, std::span<const Index> padded, std::vector<use::Rule>& rules) {
  const std::size_t results = layout.linear.results.size();
  if (results != 2 && !is_flat(padded, results))
    rules.push_back({"the compiler's map has two results", static_cast<Index>(results), 2});
  const auto usual = usual_map(padded, results);
  if (!usual) return;
  for (std::size_t i = 0; i < usual->results.size(); ++i)
    for (std::size_t d = 0; d < padded.size(); ++d) {
      // The factor of a dimension of size 1 moves nothing; the compiler folds it away or not.
      const Index want = factor(usual->results[i], d);
      const Index have = factor(layout.linear.results[i], d);
      if (padded[d] != 1)
        rules.push_back({fmt::format("the map's factor of d{} in result {} is the padded shape's", d, i), have, want});
    }
}

bool rank_rules_hold(const TtnnLayout& layout, const map::Tensor& tensor, std::vector<use::Rule>& rules) {
  const auto same = [&](std::string_view statement, std::size_t have, std::size_t want) {
    rules.push_back({std::string(statement), static_cast<Index>(have), static_cast<Index>(want)});
    return have == want;
  };
  bool right = same("the map reads as many dimensions as the tensor has", layout.linear.dims, tensor.size.size());
  right &= same("the map has as many results as the grid has dimensions", layout.linear.results.size(),
                layout.grid.shape.size());
  right &= same("the memref has as many dimensions as the grid", layout.shard.shape.size(), layout.grid.shape.size());
  right &= same("no factor of the map is negative", never_falls(layout.linear) ? 1 : 0, 1);
  if (layout.shard.tile)
    right &=
        same("a memref of tiles has two dimensions or more", std::min<std::size_t>(layout.shard.shape.size(), 2), 2);
  return right;
}

// The cores of ranges, each as often as it stands in one; -1 if there are too many to count.
Index cores_in(std::span<const use::CoreRange> ranges) {
  Index sum = 0;
  for (const use::CoreRange& range : ranges) {
    Index width = range.x1 - range.x0;  // corners are at least 0
    Index height = range.y1 - range.y0;
    if (!accumulate(width, 1, 1) || !accumulate(height, 1, 1) || !accumulate(sum, width, height)) return -1;
  }
  return sum;
}

// The cores that two ranges have in common, over all pairs of ranges.
Index cores_shared(std::span<const use::CoreRange> ranges) {
  std::vector<use::CoreRange> shared;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const use::CoreRange &a = ranges[i], &b = ranges[j];
      const use::CoreRange both{std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
      if (both.x0 <= both.x1 && both.y0 <= both.y1) shared.push_back(both);
    }
  return cores_in(shared);
}

void add_range_rules(const TtnnLayout& layout, std::span<const use::CoreRange> ranges, Index cores, Ruled& out) {
  if (!is_sharded(layout)) out.rules.push_back({"a layout that is not sharded names no core ranges", 1, 0});
  const use::Rule apart{"no core is in two core ranges", cores_shared(ranges), 0};
  out.rules.push_back(apart);
  if (apart.have != apart.want) out.nowhere = why_nowhere(std::span(&apart, 1));
  out.rules.push_back({"the core ranges have as many cores as the grid", cores_in(ranges), cores});
  if (layout.memory_layout != "block_sharded" || layout.grid.shape.size() != 2) return;
  out.rules.push_back({"blocks lie on one core range", static_cast<Index>(ranges.size()), 1});
  if (ranges.size() != 1) return;
  out.rules.push_back(
      {"the core range of blocks has the grid's rows", ranges[0].y1 - ranges[0].y0 + 1, layout.grid.shape[0]});
  out.rules.push_back(
      {"the core range of blocks has the grid's columns", ranges[0].x1 - ranges[0].x0 + 1, layout.grid.shape[1]});
}

// Rules about the memory and its cores, apart from the shard's shape.
void add_memory_rules(const TtnnLayout& layout, Ruled& out) {
  std::vector<use::Rule>& rules = out.rules;
  const auto cores = checked_product(layout.grid.shape).value_or(-1);
  const bool l1 = layout.space.starts_with("l1");
  const bool host = layout.space.starts_with("system");
  if (host)
    rules.push_back({"a layout in system memory names no memory layout", layout.memory_layout.empty() ? 0 : 1, 0});
  if (is_device_memory(layout.space))
    rules.push_back({"a layout in L1 or DRAM names a memory layout", layout.memory_layout.empty() ? 0 : 1, 1});
  if (host || (!l1 && !is_sharded(layout)))
    rules.push_back({"a layout that is not sharded and not in L1 has a grid of one core", cores, 1});
  if (layout.memory_layout == "block_sharded")
    rules.push_back({"DRAM is not block sharded", layout.space == "dram" ? 1 : 0, 0});
  if (layout.grid.shape.size() == 2 && is_sharded(layout)) {
    if (layout.memory_layout == "height_sharded")
      rules.push_back({"a height-sharded grid has one column", layout.grid.shape[1], 1});
    if (layout.memory_layout == "width_sharded")
      rules.push_back({"a width-sharded grid has one row", layout.grid.shape[0], 1});
  }
  if (layout.core_ranges) add_range_rules(layout, *layout.core_ranges, cores, out);
}

// The tiles, or elements, of all of the tensor in one dimension.
Index in_tiles(Index extent, Index tile) { return ceil_div(extent, tile); }

// A memref of another number of dimensions than the map's results holds the cells that they need, as `core` has them.
bool holds_as_many(const TtnnLayout& text, const TtnnLayout& core, std::vector<use::Rule>& rules) {
  if (text.shard.shape.size() == text.linear.results.size()) return true;
  const auto have = checked_product(text.shard.shape), want = checked_product(core.shard.shape);
  rules.push_back({fmt::format("the memref holds all {} of the map's {} results",
                               text.shard.tile ? "tiles" : "elements", text.linear.results.size()),
                   have.value_or(-1), want.value_or(-1)});
  return have && have == want;
}

// The cells of all cores together go round them, and the memref is one core's part.
bool add_dealt_rule(const TtnnLayout& layout, std::vector<Index> all, Ruled& out) {
  const auto count = checked_product(all), cores = checked_product(layout.grid.shape);
  const auto have = checked_product(layout.shard.shape);
  out.overflows = !count || !cores || !have;
  if (out.overflows) return false;
  out.rules.push_back({fmt::format("the memref of an interleaved L1 tensor holds ceil({} / {} cores) {}", *count,
                                   *cores, layout.shard.tile ? "tiles" : "elements"),
                       *have, ceil_div(*count, *cores)});
  out.dealt = std::move(all);
  return true;
}

// The placement by what each core has of a dimension, and the rules of the memref's shape. False: a number leaves 64
// bits.
bool add_shares(const TtnnLayout& layout, std::span<const Index> padded, bool dealt, Ruled& out) {
  const std::size_t n = layout.grid.shape.size();
  Placement placement{layout.linear.results, {}};
  std::vector<Index> all;  // in tiles
  for (std::size_t i = 0; i < n; ++i) {
    const auto range = range_of(layout.linear.results[i], padded);
    const auto extent = range ? checked_add(range->high, 1) : std::nullopt;
    out.overflows = out.overflows || !extent;
    if (!extent) return false;
    const Index tile = tile_size(out.tile, i, n);
    const Index shard = ceil_div(std::max<Index>(*extent, 0), out.grid[i]);
    placement.divisor.push_back(std::max<Index>(shard, 1));
    all.push_back(std::max<Index>(in_tiles(*extent, tile), 1));
    if (dealt) continue;
    out.rules.push_back({fmt::format("memref dimension {} is ceil({} / {}) = {}{}", i, *extent, out.grid[i], shard,
                                     tile == 1 ? "" : fmt::format(", in tiles of {}", tile)),
                         layout.shard.shape[i], ceil_div(shard, tile)});
  }
  if (dealt && !add_dealt_rule(layout, std::move(all), out)) return false;
  out.placement = std::move(placement);
  return true;
}

}  // namespace

std::optional<AffineMap> usual_map(std::span<const Index> padded, std::size_t results) {
  AffineMap out{padded.size(), {}, true};
  if (is_flat(padded, results)) return out.results = {map::pick(0)}, out;
  if (results != 2 || padded.empty()) return std::nullopt;
  std::vector<Index> rows(padded.size(), 0);
  Index stride = 1;
  for (std::size_t d = padded.size() - 1; d-- > 0;) {
    rows[d] = stride;
    const auto next = checked_mul(stride, padded[d]);
    if (!next) return std::nullopt;
    stride = *next;
  }
  out.results = {map::dot(rows), map::pick(padded.size() - 1)};
  return out;
}

std::optional<std::vector<Index>> shard_grid(const TtnnLayout& layout) {
  const bool height = layout.memory_layout == "height_sharded";
  if (layout.grid.shape.size() != 2 || (!height && layout.memory_layout != "width_sharded")) return layout.grid.shape;
  const auto count = checked_product(layout.grid.shape);
  if (!count) return std::nullopt;
  return height ? std::vector<Index>{*count, 1} : std::vector<Index>{1, *count};
}

bool is_device_memory(std::string_view space) {
  return space == "l1" || space == "dram" || space == "l1_small" || space == "trace";
}

bool leaves_cores_open(const TtnnLayout& layout) {
  return !layout.core_ranges && std::ranges::count(layout.flags, "ignorePhysicalLayout = true") > 0;
}

bool needs_core_ranges(const TtnnLayout& layout) {
  const auto is_older = [](const std::string& flag) { return flag.starts_with("exactGrid"); };
  const bool older = !layout.grid.maps.empty() || std::ranges::any_of(layout.flags, is_older);
  return is_sharded(layout) && !layout.core_ranges && !older && !leaves_cores_open(layout);
}

bool is_legacy(const TtnnLayout& layout) {
  const auto shards = shard_grid(layout);
  return shards && *shards != layout.grid.shape;
}

std::optional<std::vector<Index>> padded_to_tiles(std::span<const Index> size, const Tile& tile) {
  const Tile& whole = tile == Tile{} ? tile : kPadded;
  std::vector<Index> out;
  for (std::size_t d = 0; d < size.size(); ++d) {
    const auto padded = round_up(size[d], tile_size(whole, d, size.size()));
    if (!padded) return std::nullopt;
    out.push_back(*padded);
  }
  return out;
}

Ruled place_by_ttnn(const TtnnLayout& text, const map::Tensor& tensor) {
  const auto rounded = padded_to_tiles(tensor.size, text.shard.tile.value_or(Tile{}));
  const auto core = rounded ? on_one_core(text, *rounded) : std::nullopt;
  const TtnnLayout& layout = core ? *core : text;
  Ruled out{std::nullopt, layout.grid.shape, layout.shard.shape, layout.shard.tile.value_or(Tile{}), {}, {}, {}};
  if (!rank_rules_hold(layout, tensor, out.rules)) return out;
  if (!layout.linear.linear) return out;  // its rows say nothing
  out.overflows = !rounded;
  if (!rounded) return out;
  const std::vector<Index>& padded = *rounded;
  add_map_rules(layout, padded, out.rules);
  add_memory_rules(layout, out);
  if (core && !holds_as_many(text, *core, out.rules)) return out;
  auto shards = shard_grid(layout);
  out.overflows = !shards;
  if (!shards) return out;
  out.grid = std::move(*shards);
  const bool dealt =
      layout.space.starts_with("l1") && layout.memory_layout == "interleaved" && layout.grid.shape.size() == 2;
  if (!add_shares(layout, padded, dealt, out)) return out;
  if (const auto d2m = as_d2m(layout, padded)) {
    Ruled places{std::nullopt, out.grid, d2m->shard.shape, out.tile, {}, {}, {}};
    if (!add_shares(*d2m, padded, false, places)) return out;
    out.placement = std::move(places.placement), out.cells = std::move(places.cells);
  }
  out.joined = padded;
  return out;
}

}  // namespace vl::ttmlir
