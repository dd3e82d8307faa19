// Cores of the chips: where the cores of a layout's grid are, as (y, x), with the device in front of them where the
// text names one. Rules A, B and C say a core of a *virtual* grid; the compiler puts it on the chip:
//
//   C  height-sharded [M, 1] and width-sharded [1, M]: shard m on core m of the core ranges, range after range by rows;
//      without ranges by rows of the chip, (m div W, m mod W) for W columns; in DRAM bank m, which is (0, m).
//      A grid [H, W] of these (older IR) has H·W shards, without ranges by rows of W.
//      block-sharded [H, W]: (c0, c1), from the corner of its one core range
//   A, B  (c0, c1), where the grid is one of the chip; else as virt_to_physical_map says, of B in front of the text,
//      "on #ttcore.grid<1x64, virt_to_physical_map = …, physical_to_virt_map = …>: tensor<1x64x…>"
//
// The chip's rows and columns are declared as the box y=8, x=8. Without them a grid of at most 8x8 is taken for one of
// the chip, since no chip of Tenstorrent's compiler has fewer, and so are 8 cores of a row; whatever depends on more is
// nowhere, with the reason. Two layouts of A or B on one such grid, without maps, are still compared: by the grid.
//
// Source: tt-mlir at 19c86fca, lib/Dialect/TTNN/IR/TTNNOpsAttrs.cpp (buildRowMajorCoreRanges,
// deriveCanonicalL1CoreRangeSet, deriveCanonicalDramCoreRangeSet), lib/Conversion/TTIRToD2M/TTIRToD2M.cpp
// (getLegacyGrid, and createCoreVirtMaps for it), lib/Dialect/TTCore/IR/TTCoreOpsTypes.cpp (createWorkerGrid). The
// order of the cores of ranges is tt-metal's corerange_to_cores. Example: 12 shards on 8 columns: shard 10 is at y 1,
// x 2.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/algebra.h"
#include "encodings/map/bounds.h"
#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

using map::Affine;
using map::Row;
using map::Stage;
using use::ChipPlaces;

constexpr std::string_view kAlikeIdentity = "the cores of the chip's grid";

ChipPlaces nowhere(std::string why, std::string alike = {}) {
  ChipPlaces out;
  out.nowhere = std::move(why), out.alike = std::move(alike);
  return out;
}

std::optional<Index> declared(const map::Tensor& tensor, std::string_view axis) {
  const auto found = std::ranges::find(tensor.box, axis, &map::Extent::axis);
  return found == tensor.box.end() ? std::nullopt : std::optional(found->extent);
}

ChipPlaces made(std::vector<Index> extents, Index memory, std::vector<Stage> stages, std::vector<Stage> back) {
  std::vector<map::Dim> dims;
  constexpr std::array<const char*, 3> kAxesOfChips = {"device", "y", "x"};
  for (std::size_t j = 0; j < extents.size(); ++j)
    dims.push_back({kAxesOfChips[kAxesOfChips.size() - extents.size() + j], extents[j], map::Unit::Core});
  dims.push_back({std::string(map::kMemoryAxis), memory, map::Unit::Element});
  auto box = map::Space::create(std::move(dims));
  if (!box) return nowhere("the cores with their memories do not fit in 64 bits");
  ChipPlaces out;
  out.box = std::move(*box), out.stages = std::move(stages), out.back = std::move(back);
  return out;
}

// (c0, c1, m) at (c0 + y, c1 + x, m).
ChipPlaces moved(const std::vector<Index>& grid, Index memory, use::Core corner) {
  const auto rows = checked_add(grid[0], corner.y), columns = checked_add(grid[1], corner.x);
  if (!rows || !columns) return nowhere("a core's coordinate does not fit in 64 bits");
  return made({*rows, *columns}, memory, {Affine{{Row{corner.y, {{0, 1}}}, Row{corner.x, {{1, 1}}}, map::pick(2)}}},
              {Affine{{Row{-corner.y, {{0, 1}}}, Row{-corner.x, {{1, 1}}}, map::pick(2)}}});
}

// Core (c0, c1) of the grid is number c0 · columns + c1 of these.
ChipPlaces listed(const std::vector<Index>& grid, Index memory, std::span<const use::Core> cores) {
  std::vector<Stage> stages{Affine{{Row{0, {{0, grid[1]}, {1, 1}}}, map::pick(2)}}};
  std::ranges::move(use::to_cores(cores), std::back_inserter(stages));
  std::vector<Stage> back = use::from_cores(cores);
  back.emplace_back(map::Split{0, {grid[1], 1}});
  const use::CoreBox box = use::box_of(cores);
  return made({box.rows, box.columns}, memory, std::move(stages), std::move(back));
}

// `count` cores by rows of `columns`; nothing if these are too many to list.
ChipPlaces by_rows(const std::vector<Index>& grid, Index memory, Index count, Index columns) {
  const Index rows = ceil_div(count, columns);
  std::vector<Stage> stages{Affine{{Row{0, {{0, grid[1]}, {1, 1}}}, map::pick(2)}}, map::Split{0, {columns, 1}}};
  std::vector<Stage> back{Affine{{Row{0, {{0, columns}, {1, 1}}}, map::pick(2)}}, map::Split{0, {grid[1], 1}}};
  return made({rows, std::min(columns, count)}, memory, std::move(stages), std::move(back));
}

// The cores of a grid by its map to the chips, one after the other; nothing if there are too many.
std::optional<std::vector<Point>> cores_by(const AffineMap& map, std::span<const Index> grid) {
  constexpr Index kMost = 65536;
  const auto count = checked_product(grid);
  auto space = map::Space::create(map::Space::dims("d", grid));
  if (!count || *count > kMost || !space) return std::nullopt;
  auto whole = map::Map::create(*space, stages_of(map));
  if (!whole) return std::nullopt;
  map::Evaluator evaluate(*whole);
  std::vector<Point> out;
  Point core(grid.size(), 0);
  for (Index left = *count; left > 0; --left, map::advance(*space, core)) {
    const auto at = evaluate(core);
    out.emplace_back(at.begin(), at.end());
  }
  return out;
}

ChipPlaces mapped(const AffineMap& map, const std::vector<Index>& grid, Index memory) {
  const std::size_t results = map.results.size();
  if (!is_encoded(map)) return nowhere("the map of cores divides by what is no positive number; this is not encoded");
  if (map.dims != grid.size() || (results != 2 && results != 3))
    return nowhere("the map of cores is none from this grid to device, y and x, or to y and x");
  const auto cores = cores_by(map, grid);
  if (!cores) return nowhere("the grid has more than 65536 cores");
  std::vector<Index> extents(results, 1);
  for (const Point& core : *cores)
    for (std::size_t j = 0; j < results; ++j) {
      if (core[j] < 0) return nowhere("the map of cores gives a negative coordinate");
      extents[j] = std::max(extents[j], core[j] + 1);
    }
  Affine first{{map::pick(grid.size())}}, last;  // (c…, m) -> (m, c…), and (m, y, x) -> (y, x, m)
  for (std::size_t d = 0; d < grid.size(); ++d) first.rows.push_back(map::pick(d));
  for (std::size_t j = 0; j < results; ++j) last.rows.push_back(map::pick(j + 1));
  last.rows.push_back(map::pick(0));
  std::vector<Stage> stages{std::move(first)};
  std::ranges::move(map::carried(stages_of(map), 1), std::back_inserter(stages));
  stages.emplace_back(std::move(last));
  return made(std::move(extents), memory, std::move(stages), {});
}

bool is_identity(const AffineMap& map) {
  const std::size_t shift = map.results.size() - std::min(map.results.size(), map.dims);
  if (!map.linear || map.results.size() != map.dims + shift || shift > 1) return false;
  for (std::size_t j = 0; j < map.results.size(); ++j)
    if (map.results[j] != (j < shift ? Row{} : map::pick(j - shift))) return false;
  return true;
}

// The maps that stand in a grid: <8x8, (d0, d1) -> (0, d0, d1)>.
struct GridMaps {
  std::optional<AffineMap> forward;
  std::string wrong;
};

GridMaps maps_of(const Grid& grid) {
  if (grid.maps.empty()) return {};
  const std::string text = fmt::format("<{}, {}>", print_sizes(grid.shape), grid.maps);
  Cursor in(text);
  GridLayout read = take_grid_layout(in);
  if (in.failed() || !read.forward) return {std::nullopt, "the maps of its grid are not read"};
  const bool named = grid.maps.find("virt_to_physical_map") != std::string::npos;
  if (!named && !read.inverse && !is_identity(*read.forward))
    return {std::nullopt,
            "its grid has one map without a name, which may be the way to the chip or the way back: write "
            "virt_to_physical_map = and physical_to_virt_map ="};
  return {std::move(read.forward), {}};
}

// Two layouts with one map that is not understood are on the same cores, whatever it means.
ChipPlaces nowhere_by(const GridMaps& maps, const Grid& grid, std::string_view memory_layout) {
  return nowhere(maps.wrong, fmt::format("{} <{}, {}>", memory_layout, print_sizes(grid.shape), grid.maps));
}

ChipPlaces identity(const std::vector<Index>& grid, Index memory) {
  ChipPlaces out = moved(grid, memory, {});
  if (out.nowhere.empty()) out.alike = kAlikeIdentity;
  return out;
}

// A grid of the chip itself. The cores of any other grid are the compiler's choice, by the grid alone, so two layouts
// on one grid are compared by its coordinates.
ChipPlaces as_it_is(const std::vector<Index>& grid, Index memory, const map::Tensor& tensor) {
  const std::string alike = fmt::format("the cores of a grid {}", print_sizes(grid));
  if (grid.size() != 2)
    return nowhere(fmt::format("a grid {} has no rows and columns of a chip, and the text has no map of its cores",
                               print_sizes(grid)),
                   alike);
  const Index rows = declared(tensor, "y").value_or(kLeastSide), columns = declared(tensor, "x").value_or(kLeastSide);
  if (grid[0] > rows || grid[1] > columns)
    return nowhere(fmt::format("a grid {} is larger than the {}x{} cores of {}, and the text has no map of its cores",
                               print_sizes(grid), rows, columns,
                               tensor.box.empty() ? "the smallest chip (declare another as the box y=10, x=13)"
                                                  : "the chip that the box declares"),
                   alike);
  return identity(grid, memory);
}

// Rule C's shards of two kinds, in the order of their numbers.
ChipPlaces in_order(const TtnnLayout& layout, const std::vector<Index>& grid, Index memory, const map::Tensor& tensor) {
  const Index count = grid[0] * grid[1];  // checked by place_by_ttnn
  if (layout.core_ranges) {
    const auto cores = use::cores_of(*layout.core_ranges, false);
    if (!cores) return nowhere(cores.error().message);
    if (static_cast<Index>(cores->size()) != count)
      return nowhere(fmt::format("its core ranges have {} cores, and its grid {}", cores->size(), count));
    return listed(grid, memory, *cores);
  }
  const GridMaps maps = maps_of(layout.grid);
  if (!maps.wrong.empty()) return nowhere_by(maps, layout.grid, layout.memory_layout);
  if (maps.forward && !is_identity(*maps.forward))
    return layout.grid.shape == grid ? mapped(*maps.forward, grid, memory)
                                     : nowhere("its grid has a map of cores of another grid");
  const bool l1 = layout.space.starts_with("l1");
  if (layout.grid.shape != grid && l1) return by_rows(grid, memory, count, layout.grid.shape[1]);
  if (layout.grid.shape != grid) return nowhere("banks of DRAM have no rows and columns, as its grid has");
  if (layout.space == "dram" || (count <= kLeastSide && !declared(tensor, "x")))
    return by_rows(grid, memory, count, count);
  if (const auto columns = declared(tensor, "x"); columns && l1) return by_rows(grid, memory, count, *columns);
  return nowhere(fmt::format("its {} shards go by rows of the chip's cores, whose number decides where shard {} lies: "
                             "declare it as the box y=8, x=8, or name core ranges",
                             count, kLeastSide),
                 fmt::format("{} {} by rows of the chip", layout.memory_layout, print_sizes(grid)));
}

// A grid of blocks is one of the chip, whatever its size.
ChipPlaces in_blocks(const TtnnLayout& layout, const std::vector<Index>& grid, Index memory) {
  const GridMaps maps = maps_of(layout.grid);
  if (!layout.core_ranges && !maps.wrong.empty()) return nowhere_by(maps, layout.grid, layout.memory_layout);
  if (!layout.core_ranges && maps.forward && !is_identity(*maps.forward)) return mapped(*maps.forward, grid, memory);
  if (!layout.core_ranges) return identity(grid, memory);
  if (layout.core_ranges->size() != 1) return nowhere("its blocks are on several core ranges");
  const use::CoreRange& range = layout.core_ranges->front();
  if (range.x1 - range.x0 + 1 != grid[1] || range.y1 - range.y0 + 1 != grid[0])
    return nowhere("its core range has not the shape of its grid");
  return moved(grid, memory, {range.y0, range.x0});
}

// Where the cores of the grid are, whatever lies on them.
ChipPlaces cores_of_grid(const TtnnLayout& layout, const std::vector<Index>& grid, Index memory,
                         const map::Tensor& tensor) {
  if (grid.size() != 2 || !layout.memory_layout.ends_with("_sharded")) return as_it_is(grid, memory, tensor);
  if (leaves_cores_open(layout))
    return nowhere("the text leaves them open: ignorePhysicalLayout = true", print(Parsed{layout, std::nullopt}));
  return layout.memory_layout == "block_sharded" ? in_blocks(layout, grid, memory)
                                                 : in_order(layout, grid, memory, tensor);
}

// Whether a core's share ends inside of a tile. The compiler cuts there and says so; the runtime's shards are whole
// tiles, and its next core begins with a tile.
bool cuts_tiles(const Ruled& ruled) {
  const std::size_t n = ruled.grid.size();
  for (std::size_t i = 0; i < n; ++i)
    if (ruled.grid[i] > 1 && ruled.placement->divisor[i] % tile_size(ruled.tile, i, n) != 0) return true;
  return false;
}

std::string words_of(const std::optional<std::vector<use::CoreRange>>& ranges) {
  std::string out;
  for (const use::CoreRange& range : ranges.value_or(std::vector<use::CoreRange>{}))
    out += fmt::format(" ({},{})-({},{})", range.x0, range.y0, range.x1, range.y1);
  return out;
}

std::string page_of(const Cells& cells) {
  if (cells.tile) return fmt::format("tiles of {}x{}", cells.tile->height, cells.tile->width);
  return fmt::format("rows of {}", cells.shape.empty() ? 1 : cells.shape.back());
}

ChipPlaces chips_of(const TtnnLayout& layout, const Told& told, Index memory, const map::Tensor& tensor) {
  const std::vector<Index>& grid = told.ruled.grid;
  const std::string pages = fmt::format("{} of {} in {}", page_of(told.cells), told.cells.type, layout.space);
  if (!told.ruled.dealt.empty())
    return nowhere("its tiles go round the banks of L1, whose cores the text does not say",
                   fmt::format("{} on {} banks", pages, print_sizes(grid)));
  if (layout.space == "dram" && !layout.memory_layout.ends_with("_sharded"))
    return nowhere("its pages go round the banks of DRAM, whose number the text does not say", pages);
  if (grid.size() == 2 && cuts_tiles(told.ruled))
    return nowhere(
        "a core's share of the tensor ends inside of a tile: the compiler's next core begins there, the "
        "runtime's with the next tile",
        fmt::format("{} shares {} of {} on {}{}", layout.memory_layout, print_sizes(told.ruled.placement->divisor),
                    pages, print_sizes(grid), words_of(layout.core_ranges)));
  return cores_of_grid(layout, grid, memory, tensor);
}

ChipPlaces chips_of(const MapLayout& layout, const Told& told, Index memory, const map::Tensor& tensor) {
  const GridMaps maps = maps_of(layout.grid);
  if (!maps.wrong.empty()) return nowhere_by(maps, layout.grid, layout.memory_layout);
  if (maps.forward && !is_identity(*maps.forward)) return mapped(*maps.forward, told.ruled.grid, memory);
  return as_it_is(told.ruled.grid, memory, tensor);
}

ChipPlaces chips_of(const AlignedLayout& layout, const Parsed& parsed, const Told& told, Index memory,
                    const map::Tensor& tensor) {
  if (layout.view_of && *layout.view_of != "map(0)") return nowhere("a view: its cores are those of the viewed layout");
  if (parsed.on) return mapped(*parsed.on->forward, told.ruled.grid, memory);
  return as_it_is(told.ruled.grid, memory, tensor);
}

// Pages of the whole device shape go round the banks: the flat number of a byte decides its bank.
std::string flat_pages(const Told& told) {
  return fmt::format("pages of a device shape {}x{} of {}, {}", print_sizes(told.ruled.grid),
                     print_sizes(told.cells.shape), told.cells.type, page_of(told.cells));
}

}  // namespace

std::optional<use::Rule> cores_apart(const AffineMap& map, std::span<const Index> grid) {
  if (!is_encoded(map) || map.dims != grid.size()) return std::nullopt;
  auto cores = cores_by(map, grid);
  if (!cores) return std::nullopt;
  const auto all = static_cast<Index>(cores->size());
  std::ranges::sort(*cores);
  cores->erase(std::unique(cores->begin(), cores->end()), cores->end());
  return use::Rule{"the map of cores gives each core of the grid one of its own", static_cast<Index>(cores->size()),
                   all};
}

std::string wrong_cores(const Parsed& parsed, const Told& told, std::vector<use::Rule>& rules) {
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  const auto* metal = std::get_if<MapLayout>(&parsed.layout);
  std::optional<AffineMap> map;
  if (ttnn != nullptr && !ttnn->core_ranges) map = maps_of(ttnn->grid).forward;
  if (metal != nullptr) map = maps_of(metal->grid).forward;
  if (parsed.on) {
    map = parsed.on->forward;
    rules.push_back(
        {"the grid in front of the text is that of the device shape", parsed.on->shape == told.ruled.grid ? 1 : 0, 1});
  }
  if (!map) return {};
  const auto rule = cores_apart(*map, told.ruled.grid);
  if (!rule) return {};
  rules.push_back(*rule);
  return rule->have == rule->want ? "" : why_nowhere(std::span(&*rule, 1));
}

void add_chip_rules(const Parsed& parsed, const Told& told, const use::Reading& reading, const map::Tensor& tensor,
                    std::vector<use::Rule>& rules) {
  const map::Layout* layout = reading.layout();
  if (layout == nullptr || reading.space == "dram") return;  // cores of DRAM are its banks
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  const Index memory = layout->physical().extent(layout->physical().rank() - 1);
  const bool sharded = ttnn != nullptr && ttnn->memory_layout.ends_with("_sharded");
  const ChipPlaces chips = sharded ? cores_of_grid(*ttnn, told.ruled.grid, memory, tensor) : reading.chips;
  if (!chips.box) return;
  for (const map::Dim& dim : chips.box->dims())
    if (const auto most = declared(tensor, dim.name))
      rules.push_back(
          {fmt::format("the cores are within the {} {} of the chip", *most, dim.name == "y" ? "rows" : "columns"),
           dim.extent, std::min(dim.extent, *most)});
}

// Of a buffer the text has the cores, and no rule.
ChipPlaces chips_of(const BufferLayout& buffer, const map::Layout& layout, const map::Tensor& tensor) {
  const std::string kind = buffer.kind == BufferLayout::Kind::Interleaved ? "interleaved" : "circular";
  if (buffer.kind != BufferLayout::Kind::Shard)
    return nowhere(fmt::format("the text of {} buffers does not say where its memories are", kind),
                   fmt::format("{} buffers {} of {}", kind, print_sizes(buffer.of.shape), buffer.of.type));
  std::vector<Index> grid = map::extents_of(layout.physical());
  const Index memory = grid.back();
  grid.pop_back();
  if (const auto map = cores_of(buffer)) return mapped(*map, grid, memory);
  return as_it_is(grid, memory, tensor);
}

ChipPlaces tell_chips(const Parsed& parsed, const Told& told, const use::Reading& reading, const map::Tensor& tensor) {
  const map::Layout* layout = reading.layout();
  if (layout == nullptr) return {};
  if (const auto* buffer = std::get_if<BufferLayout>(&parsed.layout)) return chips_of(*buffer, *layout, tensor);
  const Index memory = layout->physical().extent(layout->physical().rank() - 1);
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  if (ttnn != nullptr) return chips_of(*ttnn, told, memory, tensor);
  if (!reading.spread.empty()) return nowhere(reading.spread, flat_pages(told));
  if (const auto* metal = std::get_if<MapLayout>(&parsed.layout)) return chips_of(*metal, told, memory, tensor);
  if (const auto* aligned = std::get_if<AlignedLayout>(&parsed.layout))
    return chips_of(*aligned, parsed, told, memory, tensor);
  return {};
}

ChipPlaces tell_chips_of_rule(const Parsed& parsed, const RuleGrid& of) {
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  const auto* metal = std::get_if<MapLayout>(&parsed.layout);
  const auto* aligned = std::get_if<AlignedLayout>(&parsed.layout);
  const std::string& space = ttnn != nullptr ? ttnn->space : metal != nullptr ? metal->space : aligned->space;
  const std::string& memory_layout = ttnn != nullptr    ? ttnn->memory_layout
                                     : metal != nullptr ? metal->memory_layout
                                                        : aligned->memory_layout;
  const bool maps = (ttnn != nullptr && !ttnn->grid.maps.empty()) || (metal != nullptr && !metal->grid.maps.empty()) ||
                    parsed.on.has_value();
  const bool sharded = ttnn != nullptr && memory_layout.ends_with("_sharded");
  const bool round = (space == "dram" && !sharded) || memory_layout == "interleaved";
  if (ttnn != nullptr && sharded && leaves_cores_open(*ttnn))
    return nowhere("the text leaves them open: ignorePhysicalLayout = true");
  ChipPlaces same;
  same.alike = kAlikeIdentity;
  if (!maps && memory_layout == "block_sharded" && ttnn != nullptr) return same;
  if (!maps && of.is_small && !round && !sharded) return same;
  return nowhere("that depends on the chip, and on the size of its grid",
                 round || (sharded && !maps)
                     ? fmt::format("{} in {}, {}", memory_layout, space, round ? of.shapes : of.grid)
                     : std::string());
}

}  // namespace vl::ttmlir
