// Shards: a tensor that is divided over a grid of cores, drawn as the array of all shards, a cell per tile (per core
// without tiles). A cell says how many rows and columns of it hold elements; the rest is padding. Its colour is its
// core.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/text.h"
#include "verifier/cli/show.h"
#include "verifier/report/shards.h"

namespace vl::cli {
namespace {

// The blocks that are cells, and what each dimension of the array holds in them.
struct Blocks {
  const use::Shards& shards;
  std::vector<Index> size;
  std::vector<std::vector<Index>> values;
  std::optional<Point> marked;  // a block
};

std::string show(const std::vector<Index>& point) { return fmt::format("[{}]", fmt::join(point, ", ")); }

// "core 1, tile 0" of one dimension; without tiles "core 1".
std::string header_of(const Blocks& blocks, std::size_t i, Index block) {
  const Index in_shard = blocks.shards.shard[i] / blocks.size[i];
  const std::string core = fmt::format("c{} {}", i, block / in_shard);
  return in_shard == 1 ? core : fmt::format("{} t {}", core, block % in_shard);
}

report::GridCell cell_of(const Blocks& blocks, const Point& block) {
  report::GridCell cell;
  Point core, tile;
  std::vector<Index> held;
  Index number = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Index in_shard = blocks.shards.shard[i] / blocks.size[i];
    core.push_back(block[i] / in_shard), tile.push_back(block[i] % in_shard);
    held.push_back(blocks.values[i][static_cast<std::size_t>(block[i])]);
    number = (number * blocks.shards.grid[i] + core.back()) % static_cast<Index>(kMostColours);
  }
  const bool empty = std::ranges::find(held, 0) != held.end();
  cell.title = fmt::format("core {}, tile {}: {} of {} hold elements", show(core), show(tile),
                           empty ? "none" : fmt::format("{}", fmt::join(held, "x")), fmt::join(blocks.size, "x"));
  cell.marked = blocks.marked == block;
  if (empty) return cell;
  cell.text = fmt::format("{}", fmt::join(std::span(held).last(std::min<std::size_t>(held.size(), 2)), "x"));
  cell.colour = static_cast<std::size_t>(number);
  return cell;
}

// The blocks of every dimension but the last, as rows.
Result<map::Space> rows_of(const Blocks& blocks) {
  std::vector<Index> extents;
  for (std::size_t i = 0; i + 1 < blocks.values.size(); ++i)
    extents.push_back(static_cast<Index>(blocks.values[i].size()));
  return map::Space::create(map::Space::dims("b", extents));
}

report::Grid grid_of(const Blocks& blocks, const map::Space& rows, Index most) {
  const std::size_t last = blocks.values.size() - 1;
  const auto all = static_cast<Index>(blocks.values[last].size());
  const Index columns = std::min(all, kMostColumns);
  report::Grid grid;
  grid.name = "array";
  grid.says = fmt::format("rows x columns with elements, of {}", fmt::join(blocks.size, "x"));
  if (columns < all) grid.left_out = fmt::format("blocks 0..{} of 0..{}", columns - 1, all - 1);
  for (Index c = 0; c < columns; ++c) grid.columns.push_back(header_of(blocks, last, c));
  const Index first = blocks.marked ? rows.linear(std::span(*blocks.marked).first(last)) : 0;
  const Index from = std::min(first, std::max<Index>(rows.volume() - most, 0));
  for (Index number = from; number < std::min(rows.volume(), from + most); ++number) {
    Point block = rows.point(number);
    report::GridRow& row = grid.rows.emplace_back();
    for (std::size_t i = 0; i < last; ++i) row.header += (i > 0 ? ", " : "") + header_of(blocks, i, block[i]);
    block.push_back(0);
    for (Index c = 0; c < columns; ++c) {
      block.back() = c;
      row.cells.push_back(cell_of(blocks, block));
    }
  }
  leave_out(grid, rows.volume() - static_cast<Index>(grid.rows.size()), "row");
  return grid;
}

}  // namespace

std::optional<report::Figure> shards_figure(const Shown& shown, const use::Shards& shards) {
  const bool tiled = checked_product(shards.tile) != 1;
  Blocks blocks{shards, tiled ? shards.tile : shards.shard, {}, {}};
  auto values = use::values_in_blocks(shards, blocks.size);
  if (!values) return std::nullopt;
  blocks.values = std::move(*values);
  if (shown.mark) {
    blocks.marked = map::outputs_at(shards.array, *shown.mark, {});
    for (std::size_t i = 0; i < blocks.size.size(); ++i) (*blocks.marked)[i] /= blocks.size[i];
  }
  const auto rows = rows_of(blocks);
  if (!rows) return std::nullopt;
  report::Figure figure{shown.subject.reading.normal,
                        map::print(shown.subject.tensor),
                        map::print(shown.layout.physical()),
                        {grid_of(blocks, *rows, shown.most)},
                        "core",
                        {},
                        {},
                        shown.notes};
  const auto cores = checked_product(shards.grid);
  for (Index core = 0; cores && core < std::min(*cores, static_cast<Index>(kMostColours)); ++core)
    figure.colours.push_back(fmt::format("{}", core));
  const std::string kinds = report::padding_kinds_to_text(shards.padding);
  figure.notes.push_back(kinds.empty() ? "no padding" : "padding" + kinds);
  return figure;
}

}  // namespace vl::cli
