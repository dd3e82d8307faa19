#include "encodings/use/shards.h"

#include <algorithm>
#include <set>

namespace vl::use {
namespace {

constexpr Index kMost = Index{1} << 20;  // blocks, or values, of one dimension

// The dimensions of the tensor on which each dimension of the array depends; nothing if two share one.
std::optional<std::vector<std::vector<std::size_t>>> sources_of(const Shards& shards) {
  const auto* affine = std::get_if<map::Affine>(&shards.array.map().stages().front());
  if (affine == nullptr || affine->rows.size() != shards.grid.size()) return std::nullopt;
  std::set<std::size_t> seen;
  std::vector<std::vector<std::size_t>> out(affine->rows.size());
  for (std::size_t i = 0; i < affine->rows.size(); ++i)
    for (const map::Term& term : affine->rows[i].terms) {
      if (!seen.insert(term.input).second) return std::nullopt;
      out[i].push_back(term.input);
    }
  return out;
}

// The values of dimension i of the array, counted by blocks.
std::optional<std::vector<Index>> counted(const Shards& shards, std::size_t i, std::span<const std::size_t> sources,
                                          Index block) {
  const map::Space& logical = shards.array.logical();
  std::vector<Index> extents;
  for (const std::size_t d : sources) extents.push_back(logical.extent(d));
  const auto volume = checked_product(extents);
  const Index blocks = ceil_div(shards.array.physical().extent(i), block);
  if (!volume || *volume > kMost || blocks > kMost) return std::nullopt;
  std::set<Index> values;
  map::Evaluator evaluate(shards.array.map());
  Point x(logical.rank(), 0);
  for (Index number = 0; number < *volume; ++number) {
    Index rest = number;
    for (std::size_t k = sources.size(); k-- > 0; rest /= extents[k]) x[sources[k]] = rest % extents[k];
    values.insert(evaluate(x)[i]);
  }
  std::vector<Index> out(static_cast<std::size_t>(blocks), 0);
  for (const Index value : values) ++out[static_cast<std::size_t>(value / block)];
  return out;
}

// The cores of one dimension.
struct Side {
  Index held = 0, full = 0;  // cores with elements; cores with as many as any
  std::optional<Index> first_held, first_partial, first_empty;
};

Side side_of(const std::vector<Index>& counts) {
  Side out;
  const Index most = *std::ranges::max_element(counts);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const auto core = static_cast<Index>(c);
    auto& first = counts[c] == 0 ? out.first_empty : counts[c] < most ? out.first_partial : out.first_held;
    if (!first) first = core;
    out.held += counts[c] > 0 ? 1 : 0;
    out.full += counts[c] == most ? 1 : 0;
  }
  if (out.first_partial) out.first_held = std::min(out.first_held.value_or(*out.first_partial), *out.first_partial);
  return out;
}

}  // namespace

std::optional<Point> core_on_chip(const Shards& shards, std::span<const Index> core) {
  if (!shards.chips.box) return std::nullopt;
  auto own = map::Space::create(map::Space::dims("c", shards.grid));
  if (!own) return std::nullopt;
  std::vector<map::Dim> dims = own->dims();
  dims.push_back({std::string(map::kMemoryAxis), 1, map::Unit::Element});
  own = map::Space::create(std::move(dims));
  auto map = own ? map::Map::create(*own, shards.chips.stages) : Result<map::Map>(own.error());
  if (!map) return std::nullopt;
  Point at(core.begin(), core.end());
  at.push_back(0);
  map::Evaluator evaluate(*map);
  const auto out = evaluate(at);
  return Point(out.begin(), out.end() - 1);
}

InShard place_in(const Shards& shards, std::span<const Index> point) {
  InShard out;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Index in_shard = point[i] % shards.shard[i];
    const Index in_tile = in_shard % shards.tile[i];
    out.core.push_back(point[i] / shards.shard[i]);
    out.tile.push_back(in_shard / shards.tile[i]);
    out.face.push_back(in_tile / shards.face[i]);
    out.datum.push_back(in_tile % shards.face[i]);
  }
  return out;
}

std::optional<std::vector<std::vector<Index>>> values_in_blocks(const Shards& shards, std::span<const Index> block) {
  const auto sources = sources_of(shards);
  if (!sources) return std::nullopt;
  std::vector<std::vector<Index>> out;
  for (std::size_t i = 0; i < block.size(); ++i) {
    auto counts = counted(shards, i, (*sources)[i], block[i]);
    if (!counts) return std::nullopt;
    out.push_back(std::move(*counts));
  }
  return out;
}

std::optional<Occupancy> occupancy_of(const Shards& shards) {
  const auto counts = values_in_blocks(shards, shards.shard);
  if (!counts) return std::nullopt;
  std::vector<Side> sides;
  for (const auto& each : *counts) sides.push_back(side_of(each));
  Occupancy out;
  Index held = 1, full = 1, all = 1;  // none exceeds the number of slots
  Point first;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    held *= sides[i].held, full *= sides[i].full, all *= shards.grid[i];
    first.push_back(sides[i].first_held.value_or(0));
  }
  out.full = full, out.partial = held - full, out.empty = all - held;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    // The last dimension that has an empty core has the first one of the grid.
    if (sides[i].first_empty) (out.first_empty = Point(sides.size(), 0))->at(i) = *sides[i].first_empty;
    if (!sides[i].first_partial) continue;
    Point point = first;
    point[i] = *sides[i].first_partial;
    if (!out.first_partial || point < *out.first_partial) out.first_partial = point;
  }
  return out;
}

}  // namespace vl::use
