// The physical array and its parts, with one rule for each check of the runtime.
#include "encodings/ttmetal/place.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::ttmetal {
namespace {

using map::Row;
using Sizes = std::vector<Index>;

// ceil(value / step) · step.
std::optional<Index> up(Index value, Index step) { return checked_mul(ceil_div(value, step), step); }

// The k-th from the end, from 1.
std::optional<Index> from_end(std::span<const Index> values, std::size_t k) {
  return k <= values.size() ? std::optional(values[values.size() - k]) : std::nullopt;
}

void add_at_most(std::vector<use::Rule>& rules, std::string statement, Index have, Index most) {
  rules.push_back({std::move(statement), have, std::min(have, most)});
}

Index parts_of(Index size, Index divisor) { return std::max<Index>(ceil_div(size, divisor), 1); }

// Nothing if a number leaves 64 bits.
std::optional<Placement> whole_of(Array array, const Spec& spec) {
  Placement out;
  out.physical = std::move(array.rows);
  out.size = std::move(array.size);
  out.tiled = *spec.tiled;
  if (out.tiled) out.tile = spec.tile;
  return out;
}

// Parts of `shape`, in whole cells; the dimensions of which `divided` is 0 are left whole.
bool cut(Placement& placement, std::span<const Index> shape, const Sizes& divided) {
  for (std::size_t i = 0; i < placement.size.size(); ++i) {
    const Index tile = placement.tile_size(i);
    const auto divisor = up(std::max<Index>(shape[i], 1), tile);
    if (!divisor) return false;
    placement.divisor.push_back(*divisor);
    placement.cells.push_back(*divisor / tile);
    placement.parts.push_back(divided[i] != 0 ? parts_of(placement.size[i], *divisor) : 1);
  }
  return true;
}

// Tiles, or rows of the physical array, in turn in each bank.
bool deal_pages(Placement& placement, Index banks) {
  const Sizes page = placement.tiled ? Sizes{placement.tile.height, placement.tile.width} : Sizes{1, placement.size[1]};
  if (!cut(placement, page, {1, 1})) return false;
  const bool empty = placement.size[0] == 0 || placement.size[1] == 0;
  const auto pages = checked_product(placement.parts);
  if (!pages) return false;
  placement.takers = {Deal::RoundRobin, true, banks, {}, {}, false, 1, 1, empty ? 0 : ceil_div(*pages, banks)};
  return true;
}

// Rules of a set of cores by itself.
void add_core_rules(const Shard& shard, std::span<const Core> cores, std::vector<use::Rule>& rules) {
  std::vector<Core> sorted(cores.begin(), cores.end());
  std::ranges::sort(sorted);
  Index twice = 0;
  for (std::size_t k = 1; k < sorted.size(); ++k) twice += sorted[k] == sorted[k - 1];
  if (shard.grid.size() > 1) rules.push_back({"no core is in two core ranges of a set", twice, 0});
}

void set_cores(Takers& takers, const Shard& shard, std::vector<Core> cores) {
  takers.by_column = shard.by_column;
  takers.count = static_cast<Index>(cores.size());
  const use::CoreBox box = use::box_of(cores);
  takers.rows = box.rows, takers.columns = box.columns;
  if (!shard.grid.empty()) takers.first = {shard.grid[0].y0, shard.grid[0].x0};
  takers.cores = std::move(cores);
}

// The parts of a grid of cores fit: (i, j) in rows and columns, or exchanged.
void add_grid_rules(const Shard& shard, const Sizes& parts, std::vector<use::Rule>& rules) {
  const CoreRange& range = shard.grid.front();
  const Index rows = range.y1 - range.y0 + 1, columns = range.x1 - range.x0 + 1;
  const Index high = parts.size() > 1 ? parts[parts.size() - 2] : 1, wide = parts.back();
  add_at_most(rules,
              fmt::format("the shards along the height fit into the grid's {} {}", shard.by_column ? columns : rows,
                          shard.by_column ? "columns (COL_MAJOR)" : "rows"),
              high, shard.by_column ? columns : rows);
  add_at_most(rules,
              fmt::format("the shards along the width fit into the grid's {} {}", shard.by_column ? rows : columns,
                          shard.by_column ? "rows (COL_MAJOR)" : "columns"),
              wide, shard.by_column ? rows : columns);
}

void add_tile_rules(const Spec& spec, const Sizes& shape, std::vector<use::Rule>& rules) {
  if (!*spec.tiled) return;
  constexpr std::string_view kSide[] = {"width", "height"};
  for (std::size_t k = 1; k <= std::min<std::size_t>(shape.size(), 2); ++k) {
    const Index tile = k == 1 ? spec.tile.width : spec.tile.height;
    const Index size = shape[shape.size() - k];
    rules.push_back(
        {fmt::format("the {} {} of a shard is a multiple of the tile's {}", kSide[k - 1], size, tile), size % tile, 0});
  }
}

// Rules of HEIGHT_SHARDED, WIDTH_SHARDED and BLOCK_SHARDED.
void add_shard_rules(const Spec& spec, const Placement& placement, std::vector<use::Rule>& rules) {
  const Shard& shard = *spec.shard;
  const Sizes& size = placement.size;
  const bool logical = shard.physical.has_value();
  switch (spec.memory) {
    case Memory::Height:
      if (logical)
        rules.push_back(
            {"HEIGHT_SHARDED: a logical shard is as wide as the tensor", parts_of(size[1], shard.shape[1]), 1});
      if (!logical)
        rules.push_back({"HEIGHT_SHARDED: a shard is as wide as the physical array", shard.shape[1], size[1]});
      add_at_most(rules, "HEIGHT_SHARDED: there are not more shards along the height than cores", placement.parts[0],
                  placement.takers.count);
      break;
    case Memory::Width:
      if (logical)
        rules.push_back(
            {"WIDTH_SHARDED: a logical shard is as high as the tensor", parts_of(size[0], shard.shape[0]), 1});
      if (!logical)
        rules.push_back({"WIDTH_SHARDED: a shard is as high as the physical array", shard.shape[0], size[0]});
      add_at_most(rules, "WIDTH_SHARDED: there are not more shards along the width than cores", placement.parts[1],
                  placement.takers.count);
      break;
    default:
      rules.push_back({"BLOCK_SHARDED: the grid is one rectangle of cores", static_cast<Index>(shard.grid.size()), 1});
      if (!shard.grid.empty()) add_grid_rules(shard, placement.parts, rules);
  }
  if (!*spec.tiled && spec.memory != Memory::Height && !logical)
    rules.push_back({"ROW_MAJOR: the width of a shard is the alignment of the last dimension",
                     merged_alignment(spec).value_or(Sizes{0}).back(), shard.shape[1]});
  rules.push_back({"a tensor in shards of two dimensions has at most two alignments",
                   std::max<Index>(static_cast<Index>(spec.alignment.size()), 2), 2});
}

// ShardMode::LOGICAL of older versions: the tensor without alignment is cut, and each shard is padded by itself.
bool pad_shards(Placement& placement, const Shard& shard, const Sizes& divided, std::vector<use::Rule>& rules) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Index tile = placement.tile_size(i);
    const auto rounded = up(shard.shape[i], tile);
    if (!rounded) return false;
    const Index own = shard.physical->empty() ? *rounded : (*shard.physical)[i];
    placement.divisor[i] = shard.shape[i];
    placement.cells[i] = std::max<Index>(own / tile, 1);
    if (divided[i] != 0) placement.parts[i] = parts_of(placement.size[i], shard.shape[i]);
    rules.push_back({fmt::format("physical shard size {} is a multiple of {}", own, tile), own % tile, 0});
    rules.push_back({fmt::format("the shard's {} elements fit into its physical {}", shard.shape[i], own),
                     std::max(shard.shape[i], own), own});
  }
  return true;
}

Placed place_shards(const Spec& spec, const map::Tensor& tensor, Sizes alignment, Placed out) {
  const Shard& shard = *spec.shard;
  const bool logical = shard.physical.has_value();
  if (logical) alignment.clear();
  auto array = physical_array(tensor.size, alignment);
  auto cores = use::cores_of(shard.grid, shard.by_column);
  out.overflows = !array;
  if (!array || !cores) return out;
  auto placement = whole_of(std::move(*array), spec);
  const Sizes divided{spec.memory != Memory::Width ? 1 : 0, spec.memory != Memory::Height ? 1 : 0};
  out.overflows = !cut(*placement, shard.shape, divided);
  if (out.overflows) return out;
  if (logical && !pad_shards(*placement, shard, divided, out.rules)) return out.overflows = true, out;
  add_core_rules(shard, *cores, out.rules);
  set_cores(placement->takers, shard, std::move(*cores));
  placement->takers.deal = spec.memory == Memory::Block ? Deal::Grid : Deal::RoundRobin;
  add_shard_rules(spec, *placement, out.rules);
  if (!logical) add_tile_rules(spec, shard.shape, out.rules);
  const bool one_grid = spec.memory != Memory::Block || shard.grid.size() == 1;
  if (one_grid && placement->takers.count > 0) out.placement = std::move(placement);
  return out;
}

// The dimensions of the padded shape as those of a shard: the first ones are joined.
std::optional<Array> joined(std::span<const Index> padded, std::size_t rank, std::size_t logical_rank) {
  Array out{std::vector<Row>(rank), Sizes(rank, 1)};
  Index step = 1;
  for (std::size_t k = 1; k <= padded.size(); ++k) {
    const std::size_t i = k < rank ? rank - k : 0;
    if (k == rank || k < rank) step = 1;
    if (k <= logical_rank) out.rows[i].terms.push_back({logical_rank - k, step});
    const auto size = checked_mul(out.size[i], *from_end(padded, k));
    if (!size) return std::nullopt;
    out.size[i] = step = *size;
  }
  for (Row& row : out.rows) std::ranges::sort(row.terms, {}, &map::Term::input);
  return out;
}

void add_deal_rules(const Shard& shard, const Placement& placement, Index parts, std::vector<use::Rule>& rules) {
  if (shard.deal == Deal::Contiguous)
    rules.push_back(
        {fmt::format("CONTIGUOUS_1D: the {} shards are a multiple of the {} cores", parts, placement.takers.count),
         placement.takers.count == 0 ? 1 : parts % placement.takers.count, 0});
  if (shard.deal != Deal::Grid) return;
  add_at_most(rules, "GRID_2D: a shard has at most two dimensions", static_cast<Index>(shard.shape.size()), 2);
  rules.push_back({"GRID_2D: the grid is one rectangle of cores", static_cast<Index>(shard.grid.size()), 1});
  if (!shard.grid.empty()) add_grid_rules(shard, placement.parts, rules);
}

Placed place_nd(const Spec& spec, const map::Tensor& tensor, const Sizes& alignment, Placed out) {
  const Shard& shard = *spec.shard;
  const Padded padded = padded_shape(tensor.size, alignment);
  auto cores = use::cores_of(shard.grid, shard.by_column);
  out.overflows = padded.overflows;
  if (!padded.known) out.undecidable = "the runtime finds no padded shape for these alignments";
  if (padded.overflows || !padded.known || !cores) return out;
  const std::size_t rank = shard.shape.size();
  add_at_most(out.rules, "a shard has at most as many dimensions as the padded tensor", static_cast<Index>(rank),
              static_cast<Index>(padded.shape.size()));
  add_tile_rules(spec, shard.shape, out.rules);
  if (*spec.tiled && rank < 2) out.rules.push_back({"a shard of tiles has two dimensions", 1, 2});
  if (rank > padded.shape.size() || (*spec.tiled && rank < 2)) return out;
  auto array = joined(padded.shape, rank, tensor.size.size());
  out.overflows = !array;
  if (!array) return out;
  auto placement = whole_of(std::move(*array), spec);
  out.overflows = !cut(*placement, shard.shape, Sizes(rank, 1));
  const auto parts = out.overflows ? std::nullopt : checked_product(placement->parts);
  if (!parts) return out.overflows = true, out;
  add_core_rules(shard, *cores, out.rules);
  set_cores(placement->takers, shard, std::move(*cores));
  Takers& takers = placement->takers;
  takers.deal = shard.deal;
  add_deal_rules(shard, *placement, *parts, out.rules);
  out.rules.push_back({"shards are on a core at least", std::min<Index>(takers.count, 1), 1});
  if (takers.count > 0 && shard.deal != Deal::Grid) takers.parts_each = ceil_div(*parts, takers.count);
  const bool one_grid = shard.deal != Deal::Grid || (shard.grid.size() == 1 && rank <= 2);
  if (one_grid && takers.count > 0) out.placement = std::move(placement);
  return out;
}

void add_general_rules(const Spec& spec, const map::Tensor& tensor, std::vector<use::Rule>& rules) {
  if (spec.shape) {
    rules.push_back({"the text's tensor has as many dimensions as the tensor", static_cast<Index>(spec.shape->size()),
                     static_cast<Index>(tensor.size.size()), true});
    for (std::size_t d = 0; spec.shape->size() == tensor.size.size() && d < tensor.size.size(); ++d)
      rules.push_back({fmt::format("dimension {} of the text's tensor is the tensor's", d), (*spec.shape)[d],
                       tensor.size[d], true});
  }
  const auto alignment = merged_alignment(spec);
  const bool flat = alignment && std::max(tensor.size.size(), alignment->size()) < 2;
  if (flat && spec.shard && spec.memory != Memory::Nd && !spec.shard->physical)
    rules.push_back({"a tensor of one dimension has shards of one row", spec.shard->shape[0], 1});
  add_rules_of_numbers(spec, rules);
}

}  // namespace

void add_rules_of_numbers(const Spec& spec, std::vector<use::Rule>& rules) {
  if (spec.stray_shard) rules.push_back({"an interleaved tensor has no shard spec", 1, 0});
  if (spec.dtype.ends_with("_b")) rules.push_back({"a block format is in TILE layout", *spec.tiled ? 1 : 0, 1});
  if (!*spec.tiled) return;
  const Tile usual = tile_of(spec.tile.height, spec.tile.width);
  const auto power = [](Index n) { return n > 0 && n <= 32 && (n & (n - 1)) == 0; };
  rules.push_back({"the hardware has tiles of 1, 2, 4, 8, 16 or 32 rows", power(spec.tile.height) ? 1 : 0, 1});
  rules.push_back(
      {"the hardware has tiles of 16 or 32 columns", spec.tile.width == 16 || spec.tile.width == 32 ? 1 : 0, 1});
  rules.push_back({"a face is as high as the hardware's", spec.tile.face_height, usual.face_height});
  rules.push_back({"a face is as wide as the hardware's", spec.tile.face_width, usual.face_width});
}

std::optional<std::vector<Index>> merged_alignment(const Spec& spec) {
  Sizes usual{1};
  if (*spec.tiled) usual = {spec.tile.height, spec.tile.width};
  else if (spec.shard) usual = {spec.shard->shape.back()};
  if (spec.alignment.empty()) return usual;
  Sizes out(std::max(usual.size(), spec.alignment.size()), 1);
  std::ranges::copy_backward(spec.alignment, out.end());
  for (std::size_t k = 1; k <= usual.size(); ++k) {
    const auto value = up(out[out.size() - k], usual[usual.size() - k]);
    if (!value) return std::nullopt;
    out[out.size() - k] = *value;
  }
  return out;
}

std::optional<Array> physical_array(std::span<const Index> shape, std::span<const Index> alignment) {
  Array out{std::vector<Row>(2), {1, 1}};
  for (std::size_t k = 1; k <= std::max(shape.size(), alignment.size()); ++k) {
    const std::size_t i = k == 1 ? 1 : 0;
    Index& size = out.size[i];
    if (k <= shape.size()) {
      out.rows[i].terms.insert(out.rows[i].terms.begin(), {shape.size() - k, size});
      const auto next = checked_mul(size, shape[shape.size() - k]);
      if (!next) return std::nullopt;
      size = *next;
    }
    const auto rounded = up(size, from_end(alignment, k).value_or(1));
    if (!rounded) return std::nullopt;
    size = *rounded;
  }
  for (Row& row : out.rows)  // an empty dimension makes the steps over it 0
    std::erase_if(row.terms, [](const map::Term& term) { return term.coefficient == 0; });
  return out;
}

Padded padded_shape(std::span<const Index> shape, std::span<const Index> alignment) {
  Padded out{Sizes(std::max(shape.size(), alignment.size()), 1), true, false};
  Index together = 1;
  for (std::size_t k = 1; k <= out.shape.size(); ++k) {
    Index& size = out.shape[out.shape.size() - k];
    size = from_end(shape, k).value_or(1);
    Index step = from_end(alignment, k).value_or(1);
    if (k > 2) {
      const bool divides = together != 0 && step % together == 0;
      if (together % step == 0) step = 1;
      else if (divides) step /= together;
      else return out.known = false, out;
    }
    const auto rounded = up(size, step);
    if (!rounded) return out.overflows = true, out;
    size = *rounded;
    if (k == 1) continue;
    const auto next = checked_mul(together, size);
    if (!next && k < alignment.size()) return out.overflows = true, out;
    together = next.value_or(1);
  }
  return out;
}

Placed place(const Spec& spec, const map::Tensor& tensor) {
  Placed out;
  add_general_rules(spec, tensor, out.rules);
  auto alignment = merged_alignment(spec);
  out.overflows = !alignment;
  if (!alignment) return out;
  if (spec.memory == Memory::Nd) return place_nd(spec, tensor, *alignment, std::move(out));
  if (spec.memory != Memory::Interleaved) return place_shards(spec, tensor, std::move(*alignment), std::move(out));
  auto array = physical_array(tensor.size, *alignment);
  out.overflows = !array;
  if (!array) return out;
  auto placement = whole_of(std::move(*array), spec);
  // An alignment of a dimension further out than the tile's rounds the height up behind the tile's own.
  if (*spec.tiled && alignment->size() > 2)
    out.rules.push_back(
        {fmt::format("the physical height {} is a multiple of the page's {}", placement->size[0], spec.tile.height),
         placement->size[0] % spec.tile.height, 0});
  if (!spec.banks) {
    out.undecidable =
        "the text does not say how many banks the device has: write 'banks=12: ' in front of it (12 is Wormhole's "
        "DRAM), or declare --box bank=12";
    return out;
  }
  out.overflows = !deal_pages(*placement, *spec.banks);
  if (!out.overflows) out.placement = std::move(placement);
  return out;
}

}  // namespace vl::ttmetal
