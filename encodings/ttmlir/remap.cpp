// Layout changes: which place of the source is read for a place of the result (encodings/use/remap.h).
//
//   a map's text   over the result's device coordinates, grid then shard in tiles or scalars, to the source's; what
//   lies
//                  in a tile stays where it is in it
//   "compiler"     as buildLayoutTransformMap composes it: physical -> logical -> physical of the source, in elements,
//                  tiled or not. Its way from physical to logical is, for the joined dimensions of an interval with
//                  strides s, inside out: p mod up(shape, alignment), (p floordiv s) mod (outer s / s), p floordiv s.
//                  Of tiled layouts that differ in their grids alone it is "reblock" (LowerToLayout.cpp, line 191)
//   "reblock"      as calculateReblockMap does it for equal volumes: the row-major number of a place, where all
//                  dimensions of one index order count, shard before grid: s_last, g_last, …, s_0, g_0
//
// Example of the compiler's way back: 2x3x5 aligned 1, 32, 1 has strides 32, 5, 1; element (1, 0, 0) lies at 32, and
// (32 floordiv 5) mod (32 / 5) is 0, 32 mod 5 is 2: it reads (1, 0, 2). Source: tt-mlir at 19c86fca,
// lib/Dialect/TTCore/Utils/AffineMapUtils.cpp lines 100 to 149, include/ttmlir/AffineMapUtils.h line 303.
#include "encodings/use/remap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "encodings/map/algebra.h"
#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"
#include "encodings/use/shards.h"

namespace vl::ttmlir {
namespace {

using map::Affine;
using map::Row;
using map::Stage;

std::string dims_of(std::size_t count) {
  std::string out;
  for (std::size_t j = 0; j < count; ++j) out += fmt::format("{}d{}", j == 0 ? "" : ", ", j);
  return out;
}

// The compiler's map from the physical to the logical coordinates of a layout of rule B, as MLIR would print it.
Result<std::string> compilers_way_back(const AlignedLayout& layout, const Placement& placement) {
  std::vector<std::string> results(layout.logical_shape.size());
  for (std::size_t i = 0; i < placement.physical.size(); ++i) {
    std::vector<map::Term> terms = placement.physical[i].terms;
    std::ranges::sort(terms, {}, &map::Term::input);
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const std::size_t d = terms[k].input;
      if (terms.size() == 1) {
        results[d] = fmt::format("d{}", i);
      } else if (k + 1 == terms.size()) {
        const auto aligned = round_up(layout.logical_shape[d], layout.alignments[d]);
        if (!aligned) return Error{ErrorCode::Overflow, "an aligned extent does not fit in 64 bits", 0};
        results[d] = fmt::format("d{} mod {}", i, *aligned);
      } else if (k == 0) {
        results[d] = fmt::format("d{} floordiv {}", i, terms[k].coefficient);
      } else {
        results[d] = fmt::format("(d{} floordiv {}) mod {}", i, terms[k].coefficient,
                                 terms[k - 1].coefficient / terms[k].coefficient);
      }
    }
  }
  if (std::ranges::any_of(results, [](const std::string& text) { return text.empty(); }))
    return none("a dimension is in no interval, so that nothing gives it back");
  return fmt::format("({}) -> ({})", dims_of(placement.physical.size()), fmt::join(results, ", "));
}

Result<std::vector<Stage>> stages_of(std::string_view text, std::size_t dims, std::size_t results) {
  Cursor in(text);
  const bool named = in.accept("affine_map");
  if (named) in.expect("<");
  const AffineMap map = take_map(in);
  if (named) in.expect(">");
  in.expect_end();
  if (in.failed()) return in.error();
  if (map.dims != dims || map.results.size() != results)
    return none(fmt::format("expected a map of {} dimensions with {} results, of the device shapes", dims, results));
  if (map.linear) return std::vector<Stage>{Affine{map.results}};
  if (map.stages.empty()) return none("the map divides by what is no positive number, or multiplies dimensions");
  return map.stages;
}

// A change of places: P of the result -> P of the source ++ guards.
struct Change {
  std::vector<Stage> stages;
  std::size_t guards = 0;
};

// A map over device coordinates. Cell s of a shard of S cells is one iff s div S = 0: these quotients are guards, one a
// dimension, unless the ranges of all s show that none leaves its shard. Without them cell 32 of a core would be the
// next core's first.
Result<Change> by_device_map(const use::Shards& to, const use::Shards& from, std::vector<Stage> over) {
  const std::size_t n = to.grid.size(), m = from.grid.size();
  Change out;
  Affine order;  // what lies in tiles, cores, cells
  for (std::size_t i = 0; i < n; ++i) {
    out.stages.insert(out.stages.begin(), map::Split{i, {to.shard[i], to.tile[i], 1}});
    order.rows.push_back(map::pick(3 * i + 2));
  }
  for (const std::size_t digit : {0U, 1U})
    for (std::size_t i = 0; i < n; ++i) order.rows.push_back(map::pick(3 * i + digit));
  out.stages.emplace_back(std::move(order));
  std::ranges::move(map::carried(std::move(over), n), std::back_inserter(out.stages));
  const auto cells = [&](std::size_t i) { return from.shard[i] / from.tile[i]; };
  const auto known = map::Map::create(to.array.physical(), out.stages);
  if (!known) return known.error();
  bool inside = true;
  for (std::size_t i = 0; i < m; ++i) {
    const map::Range& range = known->ranges(out.stages.size())[n + m + i];
    inside = inside && range.low >= 0 && range.high < cells(i);
  }
  for (std::size_t i = m; i-- > 0 && !inside;) out.stages.emplace_back(map::Split{n + m + i, {cells(i), 1}});
  Affine join;
  for (std::size_t i = 0; i < m; ++i) {
    Row row{0, {{n + i, from.shard[i]}}};
    if (inside) row.terms.push_back({n + m + i, from.tile[i]});
    else row.terms.insert(row.terms.end(), {{n + m + 2 * i, from.shard[i]}, {n + m + 2 * i + 1, from.tile[i]}});
    // Tiles are of the last two dimensions.
    if (from.tile[i] > 1) row.terms.insert(row.terms.begin(), {i + n - m, 1});
    join.rows.push_back(std::move(row));
  }
  if (!inside) out.guards = m;
  for (std::size_t i = 0; i < out.guards; ++i) join.rows.push_back(map::pick(n + m + 2 * i));
  out.stages.emplace_back(std::move(join));
  return out;
}

// calculateReblockMap: to a number and back. Dimensions from the least step: s_last, g_last, …, s_0, g_0.
Result<Change> reblock(const use::Shards& to, const use::Shards& from) {
  const auto cells = [](const use::Shards& side) {
    std::vector<Index> out;  // g_0, s_0, …: the outermost first
    for (std::size_t i = 0; i < side.grid.size(); ++i) {
      out.push_back(side.grid[i]);
      out.push_back(side.shard[i] / side.tile[i]);
    }
    return out;
  };
  const std::vector<Index> out_cells = cells(to), in_cells = cells(from);
  if (checked_product(out_cells) != checked_product(in_cells))
    return none("the two device shapes have not one volume: there is no such map");
  const std::size_t n = to.grid.size(), m = from.grid.size();
  Row number;
  Index step = 1;  // at most the volume
  for (std::size_t k = out_cells.size(); k-- > 0; step *= out_cells[k])
    number.terms.insert(number.terms.begin(), {k % 2 == 0 ? k / 2 : n + k / 2, step});
  std::vector<Index> weights(in_cells.size(), 1);
  for (std::size_t k = in_cells.size() - 1; k-- > 0;) weights[k] = weights[k + 1] * in_cells[k + 1];
  Affine order;
  for (const std::size_t half : {0U, 1U})
    for (std::size_t i = 0; i < m; ++i) order.rows.push_back(map::pick(2 * i + half));
  return by_device_map(to, from,
                       {Affine{{map::canonical(std::move(number)).value()}}, map::Split{0, weights}, std::move(order)});
}

// The compiler's own choice. Tiles whose layouts differ in grids alone are reblocked; all else goes by coordinates of
// elements through the logical space, tiles or not.
Result<Change> transform(const Parsed& to, const Told& told, const Parsed& from, const Told& source,
                         const use::Shards& result, const use::Shards& read) {
  const auto *aligned = std::get_if<AlignedLayout>(&to.layout), *other = std::get_if<AlignedLayout>(&from.layout);
  if (aligned == nullptr || other == nullptr)
    return none("the compiler builds this map for layouts of rule B; give the map's text, or reblock");
  const bool regrouped = aligned->logical_shape == other->logical_shape && aligned->alignments == other->alignments &&
                         aligned->intervals == other->intervals &&
                         result.array.physical().volume() == read.array.physical().volume();
  if (told.ruled.tile != Tile{} && regrouped) return reblock(result, read);
  const auto back = compilers_way_back(*aligned, *told.ruled.placement);
  if (!back) return back.error();
  auto stages = stages_of(*back, told.ruled.placement->physical.size(), aligned->logical_shape.size());
  if (!stages) return stages.error();
  stages->emplace_back(Affine{source.ruled.placement->physical});
  return Change{std::move(*stages), 0};
}

Result<map::Layout> composed(const use::Shards& to, const map::Space& box, const Change& change, bool places) {
  map::LayoutParts parts = map::parts_in(to.array, box);
  if (places) {
    parts.logical = to.array.physical();
    parts.map = {};
    parts.host_offset = {};
  }
  parts.map.insert(parts.map.end(), change.stages.begin(), change.stages.end());
  parts.guards = change.guards;
  return map::Layout::create(std::move(parts));
}

}  // namespace

Result<std::vector<Stage>> device_map(std::string_view text, std::size_t dims, std::size_t results) {
  return stages_of(text, dims, results);
}

Result<use::Remap> remap(std::string_view result, std::string_view source, const map::Tensor& tensor,
                         std::string_view map) {
  return remap(result, tensor, source, tensor, map);
}

Result<use::Remap> remap(std::string_view result, const map::Tensor& tensor, std::string_view source,
                         const map::Tensor& of_source, std::string_view map) {
  const auto to = shards(result, tensor), from = shards(source, of_source);
  if (!to) return to.error();
  if (!from) return from.error();
  const std::size_t n = to->grid.size(), m = from->grid.size();
  // An array of one dimension has no tiles: each element is one of 1x1.
  const auto tile_of = [](std::vector<Index> tile) {
    tile.insert(tile.begin(), 2, 1);
    return std::vector<Index>(tile.end() - 2, tile.end());
  };
  if (tile_of(to->tile) != tile_of(from->tile)) return none("the two layouts have other tiles");
  const auto parsed = parse(result), other = parse(source);
  auto change = [&]() -> Result<Change> {
    if (map == "reblock") return reblock(*to, *from);
    if (map == "compiler")
      return transform(*parsed, tell(*parsed, tensor), *other, tell(*other, of_source), *to, *from);
    auto stages = stages_of(map, 2 * n, 2 * m);
    if (!stages) return stages.error();
    return by_device_map(*to, *from, std::move(*stages));
  }();
  if (!change) return change.error();
  const map::Space& box = from->array.physical();
  auto moved = composed(*to, box, *change, false);
  if (!moved) return moved.error();
  auto reads = composed(*to, box, *change, true);
  if (!reads) return reads.error();
  return use::Remap{std::move(*moved), std::move(*reads), *to, *from};
}

}  // namespace vl::ttmlir
