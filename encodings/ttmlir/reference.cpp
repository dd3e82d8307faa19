// tt-mlir's layouts, the second meaning: each rule from its own source, element by element, with plain numbers. It uses
// neither the IR nor the family's parser.
//
//   A  docs/src/specs/tensor-layout.md: "plug in the last element and add one", "divide by the grid, rounding up",
//      "tile dims also ceilDiv"                                                                    slot_by_map
//   B  TTCoreOpsTypes.cpp: the extent of an interval grows from its last dimension outwards, aligned at each step; the
//      device shape is the tensor's own                                                            slot_by_alignment
//   C  TTNNOpsAttrs.cpp: the last two dimensions become whole tiles, then as A; in L1 interleaved, tiles are dealt to
//      the cores one by one (tt-metal: page i lies in bank i mod B, there number i div B)          slot_by_map
//
// A slot is (core in each dimension of the grid …, number of the element in the core's memory).
#include "encodings/use/reference.h"

#include <algorithm>

#include "encodings/ttmlir/reference_text.h"

namespace vl::ttmlir {
namespace {

using second::Array;
using second::Said;

using Slot = std::optional<Point>;

Error wrong_text(std::string message) { return Error{ErrorCode::Value, std::move(message)}; }

Index up(Index value, Index step) { return (value + step - 1) / step * step; }

// The number of an element in a tile: the faces in front of its own, then the elements of its face in front of it. Only
// sides that are multiples of 16 are cut into faces.
Index in_tile(const Array& array, Index row, Index column) {
  const Index high = array.high % 16 == 0 ? 16 : array.high;
  const Index wide = array.wide % 16 == 0 ? 16 : array.wide;
  const Index faces_in_a_row = array.wide / wide;
  const Index face = row / high * faces_in_a_row + column / wide;
  return face * high * wide + row % high * wide + column % wide;
}

// The number of a place in a shard, where the place is given in scalars; nothing outside of the shard.
std::optional<Index> in_shard(const Array& shard, const std::vector<Index>& place) {
  const std::size_t n = place.size();
  Index number = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Index side = i + 1 == n ? shard.wide : i + 2 == n ? shard.high : 1;
    const Index cell = place[i] / side;
    if (place[i] < 0 || cell >= shard.sizes[i]) return std::nullopt;
    number = number * shard.sizes[i] + cell;
  }
  if (!shard.tiled) return number;
  return number * shard.high * shard.wide + in_tile(shard, place[n - 2] % shard.high, place[n - 1] % shard.wide);
}

// The core and the number in it, if each core has `share[i]` of dimension i.
Slot on_a_core(const std::vector<Index>& physical, const std::vector<Index>& share, const std::vector<Index>& grid,
               const Array& shard) {
  Point slot;
  std::vector<Index> place;
  for (std::size_t i = 0; i < physical.size(); ++i) {
    const Index core = floor_div(physical[i], share[i]);
    if (core < 0 || core >= grid[i]) return std::nullopt;
    slot.push_back(core);
    place.push_back(physical[i] - core * share[i]);
  }
  const auto number = in_shard(shard, place);
  if (!number) return std::nullopt;
  slot.push_back(*number);
  return slot;
}

// Tile t of all tiles goes to core t mod cores, and is number t div cores there.
Slot dealt(const std::vector<Index>& physical, const std::vector<Index>& tiles, const std::vector<Index>& grid,
           const Array& shard) {
  if (physical[0] < 0 || physical[1] < 0) return std::nullopt;
  const Index tile = physical[0] / shard.high * tiles[1] + physical[1] / shard.wide;
  const Index cores = grid[0] * grid[1];
  const Index number = tile / cores;
  if (number >= shard.sizes[0] * shard.sizes[1]) return std::nullopt;
  return Point{tile % cores / grid[1], tile % cores % grid[1],
               number * shard.high * shard.wide + in_tile(shard, physical[0] % shard.high, physical[1] % shard.wide)};
}

struct Mapped {
  Said said;
  std::vector<Index> share;  // of a core
  std::vector<Index> tiles;  // of the tensor
};

std::optional<std::vector<Index>> point_of(const Said& said, const std::vector<Index>& at) {
  std::vector<Index> out;
  for (const std::string& result : said.results) {
    const auto value = second::value_of(result, said.names, at);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

use::Slots no_slots() {
  return [](std::span<const Index>) { return std::vector<Point>{}; };
}

std::vector<Index> ends_of(const Said& said, const map::Tensor& tensor) {
  std::vector<Index> last;
  const std::size_t rank = tensor.size.size();
  for (std::size_t d = 0; d < rank; ++d) {
    Index size = tensor.size[d];
    if (said.kind == 'c' && said.shard.tiled && d + 2 >= rank) size = up(size, 32);  // TILE_HEIGHT and TILE_WIDTH
    last.push_back(std::max<Index>(size, 1) - 1);
  }
  return last;
}

bool never_falls(const Said& said, const std::vector<Index>& start) {
  for (std::size_t d = 0; d < said.names.size(); ++d) {
    std::vector<Index> one(said.names.size(), 0);
    one[d] = 1;
    const auto step = point_of(said, one);
    for (std::size_t i = 0; i < start.size(); ++i)
      if (!step || (*step)[i] < start[i]) return false;
  }
  return true;
}

// A layout of rule C on one core, with any number of results: the cells of all of them, one after the other.
std::optional<use::Slots> slots_on_one_core(const Said& said, const map::Tensor& tensor) {
  const std::size_t n = said.results.size(), rank = tensor.size.size();
  if (said.kind != 'c' || said.sharded || said.grid != std::vector<Index>{1, 1} || said.shard.sizes.empty() ||
      (n == 2 && said.shard.sizes.size() == 2) || said.names.size() != rank)
    return std::nullopt;
  const auto end = point_of(said, ends_of(said, tensor));
  const auto start = point_of(said, std::vector<Index>(rank, 0));
  if (!end || !start || !never_falls(said, *start)) return no_slots();
  std::vector<Index> tiles;
  Index all = 1, stated = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Index side = i + 1 == n ? said.shard.wide : i + 2 == n ? said.shard.high : 1;
    if ((*start)[i] < 0) return no_slots();
    tiles.push_back(((*end)[i] + side) / side);
    all *= tiles.back();
  }
  for (const Index size : said.shard.sizes) stated *= size;
  const bool free = said.shard.sizes.size() != n;
  if (free && all != stated) return no_slots();
  const bool dealt = said.interleaved && said.l1 && said.shard.tiled;
  const Index own = said.shard.sizes.back();
  return use::Slots([=](std::span<const Index> x) -> std::vector<Point> {
    const auto at = point_of(said, {x.begin(), x.end()});
    Index row = 0, column = 0, high = 0, wide = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Index side = i + 1 == n ? said.shard.wide : i + 2 == n ? said.shard.high : 1;
      if (i + 1 == n) column = (*at)[i] / side, wide = (*at)[i] % side;
      else row = row * tiles[i] + (*at)[i] / side;
      if (i + 2 == n) high = (*at)[i] % side;
    }
    const Index columns = free || dealt ? (n == 0 ? 1 : tiles.back()) : own;
    const Index number = row * columns + column;
    if (column >= columns || number >= stated) return {};
    return {Point{0, 0, number * said.shard.high * said.shard.wide + in_tile(said.shard, high, wide)}};
  });
}

// getMetalTensorFromTTNNTensor and getDeviceShape in TTIRToD2M.cpp and TTCoreOpsTypes.cpp: rows of all dimensions but
// the last, each in tiles of 32x32, cut into equal parts; the text's map and the shape of its memref are not looked at.
void take_as_d2m(Said& said, const std::vector<Index>& size) {
  const std::size_t rank = size.size();
  if (!said.shard.tiled || said.shard.high != 32 || said.shard.wide != 32 || rank < 2) return;
  Index rows = up(size[rank - 2], 32) / 32, columns = up(size[rank - 1], 32) / 32;
  for (std::size_t d = 0; d + 2 < rank; ++d) rows *= size[d];
  if (rows == 0 || columns == 0 || rows % said.grid[0] != 0 || columns % said.grid[1] != 0) return;
  rows /= said.grid[0], columns /= said.grid[1];
  if (rows * columns != said.shard.sizes[0] * said.shard.sizes[1]) return;
  said.shard.sizes = {rows, columns};
  std::string sum;
  Index step = 1;
  for (std::size_t d = rank - 1; d-- > 0;) {
    sum += (sum.empty() ? "" : "+") + said.names[d] + "*" + std::to_string(step);
    step *= d + 2 == rank ? up(size[d], 32) : size[d];
  }
  said.results = {sum, said.names.back()};
}

// Rules A and C.
Result<use::Slots> slots_by_map(Said said, const map::Tensor& tensor) {
  if (auto one = slots_on_one_core(said, tensor)) return std::move(*one);
  const std::size_t n = said.grid.size();
  if (said.names.size() != tensor.size.size() || said.results.size() != n || said.shard.sizes.size() != n ||
      (said.shard.tiled && n < 2))
    return no_slots();
  // TTIRToD2M.cpp's getLegacyGrid: a height-sharded <6x2> is {12, 1}, a width-sharded one {1, 12}.
  const bool older = said.kind == 'c' && n == 2 && said.grid[said.by_height ? 1 : 0] != 1;
  if (said.kind == 'c' && n == 2 && said.by_height) said.grid = {said.grid[0] * said.grid[1], 1};
  if (said.kind == 'c' && n == 2 && said.by_width) said.grid = {1, said.grid[0] * said.grid[1]};
  if (older && (said.by_height || said.by_width)) take_as_d2m(said, tensor.size);
  const auto end = point_of(said, ends_of(said, tensor));
  const auto start = point_of(said, std::vector<Index>(tensor.size.size(), 0));
  if (!end || !start) return wrong_text("a map that is no sum");
  if (!never_falls(said, *start)) return no_slots();
  Mapped mapped{std::move(said), {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    const Index extent = (*end)[i] - (mapped.said.kind == 'a' ? (*start)[i] : 0) + 1;
    const Index side = i + 1 == n ? mapped.said.shard.wide : mapped.said.shard.high;
    mapped.share.push_back((extent + mapped.said.grid[i] - 1) / mapped.said.grid[i]);
    mapped.tiles.push_back((extent + side - 1) / side);
    mapped.share[i] = std::max<Index>(mapped.share[i], 1);
  }
  return use::Slots([mapped = std::move(mapped)](std::span<const Index> x) -> std::vector<Point> {
    const auto physical = point_of(mapped.said, {x.begin(), x.end()});
    const bool deal = mapped.said.kind == 'c' && mapped.said.interleaved && mapped.said.l1 && mapped.said.shard.tiled &&
                      mapped.said.grid.size() == 2;
    const Slot slot = deal ? dealt(*physical, mapped.tiles, mapped.said.grid, mapped.said.shard)
                           : on_a_core(*physical, mapped.share, mapped.said.grid, mapped.said.shard);
    return slot ? std::vector<Point>{*slot} : std::vector<Point>{};
  });
}

struct Aligned {
  std::vector<std::vector<std::size_t>> joined;  // the dimensions of each interval, the outermost first
  std::vector<Index> shape;
  std::vector<Index> alignments;
  std::vector<Index> grid;
  Array shard;
};

// The place of x in an interval: from the last dimension outwards, in steps of what lies within.
Index along(const Aligned& aligned, const std::vector<std::size_t>& dims, std::span<const Index> x) {
  Index step = 1;
  Index place = 0;
  for (std::size_t k = dims.size(); k-- > 0;) {
    place += x[dims[k]] * step;
    step = up(aligned.shape[dims[k]] * step, aligned.alignments[dims[k]]);
  }
  return place;
}

bool is_sane(const Said& said, std::size_t rank) {
  const auto count = static_cast<Index>(rank);
  for (const auto& [from, to] : said.intervals) {
    const Index begin = from < 0 ? from + count : from;
    const Index end = to < 0 ? to + count : to;
    if (begin < 0 || end <= begin || end > count) return false;
  }
  return said.logical.size() == rank && said.alignments.size() == rank &&
         std::ranges::all_of(said.alignments, [](Index alignment) { return alignment > 0; });
}

// Rule B.
Result<use::Slots> slots_by_alignment(const Said& said, const map::Tensor& tensor) {
  if (!said.device) return wrong_text("no device shape");
  const std::size_t rank = tensor.size.size();
  if (!is_sane(said, rank)) return no_slots();
  Aligned aligned{{}, said.logical, said.alignments, {}, *said.device};
  if (rank < 2) aligned.joined.resize(2 - rank);  // rows that only padding fills
  std::vector<std::pair<Index, Index>> spans;
  Index covered = 0;
  for (const auto& [from, to] : said.intervals) {
    const auto count = static_cast<Index>(rank);
    spans.emplace_back(from < 0 ? from + count : from, to < 0 ? to + count : to);
    covered = std::max(covered, spans.back().second);
  }
  std::ranges::stable_sort(spans, {}, &std::pair<Index, Index>::first);
  for (; covered < static_cast<Index>(rank); ++covered) spans.emplace_back(covered, covered + 1);
  for (const auto& [begin, end] : spans) {
    aligned.joined.emplace_back();
    for (Index d = begin; d < end; ++d) aligned.joined.back().push_back(static_cast<std::size_t>(d));
  }
  const std::size_t n = aligned.joined.size();
  std::vector<Index>& sizes = aligned.shard.sizes;
  if (sizes.size() != 2 * n || (aligned.shard.tiled && n < 2)) return no_slots();
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(n);
  aligned.grid.assign(sizes.begin(), middle);
  sizes.erase(sizes.begin(), middle);
  return use::Slots([aligned = std::move(aligned)](std::span<const Index> x) -> std::vector<Point> {
    std::vector<Index> physical;
    std::vector<Index> share;
    const std::size_t count = aligned.joined.size();
    for (std::size_t i = 0; i < count; ++i) {
      physical.push_back(along(aligned, aligned.joined[i], x));
      const Index side = i + 1 == count ? aligned.shard.wide : i + 2 == count ? aligned.shard.high : 1;
      share.push_back(std::max<Index>(aligned.shard.sizes[i] * side, 1));
    }
    const Slot slot = on_a_core(physical, share, aligned.grid, aligned.shard);
    return slot ? std::vector<Point>{*slot} : std::vector<Point>{};
  });
}

Result<use::Slots> slots(std::string_view text, const map::Tensor& tensor) {
  if (auto grid = second::slots_of_grid(text, tensor)) return std::move(*grid);
  if (auto memories = second::slots_of_memory_map(text, tensor)) return std::move(*memories);
  if (auto buffer = second::slots_of_buffer(text)) return std::move(*buffer);
  auto said = second::read_said(text);
  if (!said) return said.error();
  if (said->kind == 'b') return slots_by_alignment(*said, tensor);
  return slots_by_map(std::move(*said), tensor);
}

constexpr use::Reference kMetal{"metal", slots};
constexpr use::Reference kTtnn{"ttnn", slots};

}  // namespace
}  // namespace vl::ttmlir

namespace vl::metal {
const use::Reference& reference() { return ttmlir::kMetal; }
}  // namespace vl::metal
namespace vl::ttnn {
const use::Reference& reference() { return ttmlir::kTtnn; }
}  // namespace vl::ttnn
