// Rule B, ttcore.metal_layout since June 2025: every dimension is aligned while an interval is joined; then the tile,
// and then the grid, divide exactly. up(x, a) is x rounded up to a multiple of a.
//   the extent of an interval [s, e):  c = up(shape_{e-1}, a_{e-1}), then c = up(shape_j * c, a_j) for j = e-2 … s
//   the strides in it:                 s_{e-1} = 1, s_{d-1} = up(shape_d * s_d, a_d), and p = Σ x_d * s_d
//   the device shape:                  grid ++ shard, with physical = grid * shard * tile in each dimension
//
// Intervals: negative bounds count from the end; sorted; singletons follow behind the greatest end. Gaps are not
// filled, so a dimension in a gap is lost. Rank 1 has an empty interval in front, of 32 rows; rank 0 is 32x32.
//
// Source: lib/Dialect/TTCore/IR/TTCoreOpsTypes.cpp. Example: 9x43x7 aligned 1x32x32, [0,2) and [2,3): 576x32.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

Index as_index(std::size_t value) { return static_cast<Index>(value); }

// The physical extent of an interval, and its row; nothing if they leave 64 bits.
struct Joined {
  Index extent = 0;
  map::Row row;
};
std::optional<Joined> join(const AlignedLayout& layout, const Interval& interval) {
  Joined out;
  Index stride = 1;
  std::vector<Index> strides(layout.logical_shape.size(), 0);
  for (std::size_t d = interval.end; d-- > interval.begin;) {
    strides[d] = stride;
    const auto product = checked_mul(layout.logical_shape[d], stride);
    const auto aligned = product ? round_up(*product, layout.alignments[d]) : std::nullopt;
    if (!aligned) return std::nullopt;
    stride = *aligned;
  }
  out.extent = stride;
  out.row = map::dot(strides);
  return out;
}

// Rules about the attribute alone, in the order of the compiler's own checks.
bool is_sound(const AlignedLayout& layout, std::vector<use::Rule>& rules) {
  rules.push_back({"there is one alignment for each logical dimension", as_index(layout.alignments.size()),
                   as_index(layout.logical_shape.size())});
  bool right = rules.back().have == rules.back().want;
  for (std::size_t d = 0; d < layout.alignments.size(); ++d) {
    rules.push_back({fmt::format("alignment {} is at least 1", d), std::min<Index>(layout.alignments[d], 1), 1});
    right = right && layout.alignments[d] >= 1;
  }
  return right;
}

void add_tensor_rules(const AlignedLayout& layout, const map::Tensor& tensor, Ruled& out) {
  const bool same = layout.logical_shape.size() == tensor.size.size();
  out.rules.push_back({"the logical shape has as many dimensions as the tensor", as_index(layout.logical_shape.size()),
                       as_index(tensor.size.size()), true});
  for (std::size_t d = 0; same && d < tensor.size.size(); ++d)
    out.rules.push_back({fmt::format("dimension {} of the logical shape is the tensor's", d), layout.logical_shape[d],
                         tensor.size[d], true});
}

// The physical shape by tile and grid.
void add_device_rules(const std::vector<Index>& physical, Ruled& out) {
  const std::size_t n = physical.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Index tile = tile_size(out.tile, i, n);
    if (tile > 1)
      out.rules.push_back(
          {fmt::format("physical dimension {} of {} is a multiple of the tile's {}", i, physical[i], tile),
           physical[i] % tile, 0});
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Index tile = tile_size(out.tile, i, n);
    const auto device = checked_mul(out.grid[i], out.cells[i]);
    const auto elements = device ? checked_mul(*device, tile) : std::nullopt;
    const std::string in_tiles = tile == 1 ? "" : fmt::format(" times the tile's {}", tile);
    out.rules.push_back(
        {fmt::format("grid {} times shard {}{} is physical dimension {}", out.grid[i], out.cells[i], in_tiles, i),
         elements.value_or(-1), physical[i]});
  }
}

}  // namespace

std::optional<std::vector<Interval>> intervals_of(const AlignedLayout& layout, std::vector<use::Rule>& rules) {
  const Index rank = as_index(layout.logical_shape.size());
  std::vector<Interval> out;
  bool right = true;
  for (const auto& [from, to] : layout.intervals) {
    const Index begin = from < 0 ? from + rank : from;
    const Index end = to < 0 ? to + rank : to;
    const bool holds = begin >= 0 && begin < end && end <= rank;
    rules.push_back({fmt::format("the interval [{}, {}) lies in {} dimensions and has one or more", from, to, rank),
                     holds ? 1 : 0, 1});
    right = right && holds;
    if (holds) out.push_back({static_cast<std::size_t>(begin), static_cast<std::size_t>(end)});
  }
  if (!right) return std::nullopt;
  std::ranges::stable_sort(out, {}, &Interval::begin);
  std::size_t last = 0;
  for (const Interval& interval : out) last = std::max(last, interval.end);
  for (; last < layout.logical_shape.size(); ++last) out.push_back({last, last + 1});
  for (std::size_t d = 0; d < layout.logical_shape.size(); ++d) {
    const auto times =
        std::ranges::count_if(out, [&](const Interval& each) { return each.begin <= d && d < each.end; });
    rules.push_back({fmt::format("dimension {} is in one interval", d), times, 1});
  }
  return out;
}

Ruled place_by_alignment(const AlignedLayout& layout, const Cells& device, const map::Tensor& tensor) {
  Ruled out;
  out.tile = device.tile.value_or(Tile{});
  out.exact = true;
  const std::size_t half = device.shape.size() / 2;
  const auto middle = device.shape.begin() + static_cast<std::ptrdiff_t>(half);
  out.grid.assign(device.shape.begin(), middle);
  out.cells.assign(middle, device.shape.end());
  add_tensor_rules(layout, tensor, out);
  const bool same_rank = out.rules.front().have == out.rules.front().want;
  if (!is_sound(layout, out.rules)) return out;
  const auto intervals = intervals_of(layout, out.rules);
  if (!intervals) return out;

  Placement placement;
  std::vector<Index> physical;
  const std::size_t rank = layout.logical_shape.size();
  for (std::size_t missing = std::min<std::size_t>(rank, 2); missing < 2; ++missing) {
    physical.push_back(kRows);
    placement.physical.emplace_back();
  }
  for (const Interval& interval : *intervals) {
    const auto joined = join(layout, interval);
    out.overflows = out.overflows || !joined;
    if (!joined) return out;
    physical.push_back(joined->extent);
    placement.physical.push_back(joined->row);
  }
  const std::size_t n = physical.size();
  out.rules.push_back({fmt::format("the device shape has a grid and a shard of {} dimensions each", n),
                       as_index(device.shape.size()), as_index(2 * n)});
  if (device.tile)
    out.rules.push_back(
        {"a device shape of tiles has two physical dimensions or more", as_index(std::min<std::size_t>(n, 2)), 2});
  if (device.shape.size() != 2 * n || (device.tile && n < 2)) return out;
  const bool some_core = std::ranges::all_of(out.grid, [](Index extent) { return extent >= 1; });
  out.rules.push_back({"the grid has at least one core in each dimension", some_core ? 1 : 0, 1});
  add_device_rules(physical, out);
  for (std::size_t i = 0; i < n; ++i) {
    const auto divisor = checked_mul(out.cells[i], tile_size(out.tile, i, n));
    out.overflows = out.overflows || !divisor;
    if (!divisor) return out;
    placement.divisor.push_back(std::max<Index>(*divisor, 1));
  }
  if (same_rank) out.placement = std::move(placement);
  return out;
}

}  // namespace vl::ttmlir
