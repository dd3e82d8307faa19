// Rule C's texts in other forms than the builder's, as tt-mlir's own passes read them. A form is read as the builder's
// text of the same places, with which rule_c.cpp goes on; what the form breaks of the builder's rules, it says itself.
//
//   one core     Nothing is divided, so neither the map's number of results nor the memref's says where an element is.
//                The results but the last are joined to rows, in whole tiles, since the memory is row-major over all of
//                them: (d0, d1, d2) -> (d0, d1, d2) of 2x40x64 in tiles is (d0 * 64 + d1, d2). A memref of as many
//                dimensions as the map has results is joined alike; one of another number says how many cells there
//                are and no more, and where that is not the number that the map needs, elements have no places. Sharded
//                layouts have no such form: ToMemoryConfigOp::verify wants shards of two dimensions.
//   older grid   A height- or width-sharded grid [H, W] (is_legacy) is read by TTIRToD2M alone, which takes places from
//                the tensor's shape and the number of shards, and neither the map nor the memref's shape. So this holds
//                where it succeeds: tiles of 32x32, and shards that divide the tensor exactly (getDeviceShape asserts
//                it). Where the memref has another number of tiles than such a shard, the text stays as it is.
//
// Sources, at 19c86fca: verifyGridShape and TTNNLayoutAttr::verify in lib/Dialect/TTNN/IR/TTNNOpsAttrs.cpp, which take
// a grid 1x1 beside any map and memref, as test/ttmlir/Dialect/TTNN/weight_conversion/matmul_bfp8_weights.mlir has;
// getMetalTensorFromTTNNTensor in lib/Conversion/TTIRToD2M/TTIRToD2M.cpp, and
// test/ttmlir/Conversion/TTIRToD2M/ttnn_height_sharded_translation.mlir, where 384x64 on <6x2> beside memref<2x1> is
// 12x1 shards of 1x2 tiles. Example: 4 elements by (d0) -> (d0), <1x1>, memref<4xi32>: as (0, d0), memref<1x4xi32>.
#include <algorithm>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

// The map's results but the last as one row, and the cells that all of them need.
struct Folded {
  map::Row rows;
  std::vector<Index> cells;
};

// Nothing if a coordinate is negative, or a number leaves 64 bits.
std::optional<Folded> fold(const AffineMap& map, const Tile& tile, std::span<const Index> padded) {
  std::vector<Index> factors(padded.size(), 0);
  Index constant = 0, step = 1, last = 1;
  const std::size_t n = map.results.size();
  for (std::size_t i = n; i-- > 0;) {
    const map::Row& row = map.results[i];
    const auto range = range_of(row, padded);
    const auto extent = range && range->low >= 0 ? checked_add(range->high, 1) : std::nullopt;
    const auto whole = extent ? round_up(*extent, tile_size(tile, i, n)) : std::nullopt;
    if (!whole) return std::nullopt;
    if (i + 1 == n) {
      last = *whole;
      continue;
    }
    for (const map::Term& term : row.terms)
      if (!accumulate(factors[term.input], term.coefficient, step)) return std::nullopt;
    const auto next = checked_mul(step, *whole);
    if (!next || !accumulate(constant, row.constant, step)) return std::nullopt;
    step = *next;
  }
  return Folded{map::dot(factors, constant), {ceil_div(step, tile.height), ceil_div(last, tile.width)}};
}

// A memref of as many dimensions as the map has results, in two; nothing if it leaves 64 bits.
std::optional<std::vector<Index>> folded_cells(const std::vector<Index>& shape) {
  const auto rows = checked_product(std::span(shape).first(shape.size() - 1));
  return rows ? std::optional(std::vector<Index>{*rows, shape.back()}) : std::nullopt;
}

}  // namespace

bool is_sharded(const TtnnLayout& layout) { return layout.memory_layout.ends_with("_sharded"); }

bool is_of_one_core(const TtnnLayout& layout) {
  return layout.grid.shape == std::vector<Index>{1, 1} && !is_sharded(layout) && !layout.shard.shape.empty() &&
         (layout.linear.results.size() != 2 || layout.shard.shape.size() != 2);
}

std::optional<TtnnLayout> on_one_core(const TtnnLayout& layout, std::span<const Index> padded) {
  const AffineMap& map = layout.linear;
  if (!is_of_one_core(layout) || !map.linear || map.dims != padded.size() || !never_falls(map)) return std::nullopt;
  auto folded = fold(map, layout.shard.tile.value_or(Tile{}), padded);
  if (!folded) return std::nullopt;
  const bool alike = layout.shard.shape.size() == map.results.size();
  auto cells = alike ? folded_cells(layout.shard.shape) : std::optional(std::move(folded->cells));
  if (!cells) return std::nullopt;
  TtnnLayout out = layout;
  out.linear.results = {std::move(folded->rows), map.results.empty() ? map::Row{} : map.results.back()};
  out.shard.shape = std::move(*cells);
  return out;
}

std::optional<TtnnLayout> as_d2m(const TtnnLayout& layout, std::span<const Index> padded) {
  if (!is_legacy(layout) || layout.shard.tile != kPadded || layout.shard.shape.size() != 2 || padded.size() < 2)
    return std::nullopt;
  auto map = usual_map(padded, 2);
  const auto grid = shard_grid(layout);
  if (!map || !grid || map->dims != layout.linear.dims) return std::nullopt;
  TtnnLayout out = layout;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto range = range_of(map->results[i], padded);
    const auto step = checked_mul((*grid)[i], i == 0 ? kPadded.height : kPadded.width);
    if (!range || !step || range->high == INT64_MAX || (range->high + 1) % *step != 0) return std::nullopt;
    out.shard.shape[i] = (range->high + 1) / *step;
  }
  if (checked_product(out.shard.shape) != checked_product(layout.shard.shape)) return std::nullopt;
  out.linear = std::move(*map);
  return out;
}

}  // namespace vl::ttmlir
