// A layout of a tensor as a map, in the document's four steps: flatten row-major, split by the shard's extents, sum on
// each axis, add offset and replicas. The swizzle of m comes last.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace {

using map::Affine;
using map::Row;
using map::Split;
using map::Stage;

struct Physical {
  std::vector<map::Dim> box;
  std::vector<map::Dim> filled;
  std::vector<Axis> axes;  // of each dimension
};

const map::Extent* declared(const std::vector<map::Extent>& box, Axis axis) {
  for (const map::Extent& extent : box)
    if (axis_of(extent.axis) == axis) return &extent;
  return nullptr;
}

// The axes of the physical space: the shard's and the replica's in the order of axes_of, then all others in the order
// of Axis.
Result<std::vector<Axis>> physical_axes(const TileLayout& tile, const map::Tensor& tensor) {
  for (const map::Extent& extent : tensor.box)
    if (!axis_of(extent.axis))
      return Error{ErrorCode::Box, fmt::format("the box declares '{}', which is not an axis of TIRx", extent.axis)};
  const std::vector<Axis> named = axes_of(tile);
  std::vector<Axis> out = axes_of({tile.shard, tile.replica, {}});
  for (const AxisInfo& row : axes())
    if ((declared(tensor.box, row.axis) != nullptr || std::ranges::count(named, row.axis) > 0) &&
        std::ranges::count(out, row.axis) == 0)
      out.push_back(row.axis);
  return out;
}

// The box: for each axis the declared extent, else its capacity, else the reach of the coordinates. It also has each
// declared axis that the layout lacks, with all coordinates 0.
Result<Physical> physical_of(const TileLayout& tile, const map::Tensor& tensor) {
  auto named = physical_axes(tile, tensor);
  if (!named) return named.error();
  Physical out;
  out.axes = std::move(*named);
  const bool with_bank = std::ranges::count(axes_of(tile), Axis::Bank) > 0;
  for (const Axis axis : out.axes) {
    const map::Extent* box = declared(tensor.box, axis);
    const std::string name(info(axis).name);
    const auto room = capacity(axis, map::bits(tensor.type), with_bank);
    if (box != nullptr && room && box->extent > *room)
      return Error{ErrorCode::Box,
                   fmt::format("the box declares {}={}; the axis has {} places", name, box->extent, *room)};
    const auto range = range_of(tile, axis);
    if (!range) return range.error();
    const auto end = checked_add(range->high, 1);
    if (!end) return Error{ErrorCode::Overflow, fmt::format("the span of {} does not fit in 64 bits", name)};
    const Index span = std::max<Index>(*end, 1);  // all coordinates may be negative, and are then out of bounds
    const Index extent = box != nullptr ? box->extent : room.value_or(span);
    const map::Unit unit = is_thread(axis) ? map::Unit::Lane : map::Unit::Element;
    out.box.push_back({name, extent, unit});
    out.filled.push_back({name, box != nullptr ? extent : std::min(extent, span), unit});
  }
  return out;
}

// The digits of the flat number, one per iter with more than one step; the inputs behind them are the replicas.
struct Digits {
  std::vector<Index> weights;
  std::vector<std::size_t> iters;  // the iter of the shard for each digit
};

Digits digits_of(const TileLayout& tile) {
  Digits out;
  Index weight = 1;  // the product of the later extents, which size_of has checked
  for (std::size_t k = tile.shard.size(); k-- > 0; weight *= tile.shard[k].extent) {
    if (tile.shard[k].extent == 1) continue;
    out.weights.insert(out.weights.begin(), weight);
    out.iters.insert(out.iters.begin(), k);
  }
  return out;
}

Result<std::vector<Stage>> stages_of(const TileLayout& tile, const map::Space& logical, const std::vector<Axis>& axes) {
  const std::size_t rank = logical.rank();
  const Digits digits = digits_of(tile);
  Affine flatten{{map::row_major_number(logical)}};
  for (std::size_t r = 0; r < tile.replica.size(); ++r) flatten.rows.push_back(map::pick(rank + r));

  Affine place;
  // Without a split, input 0 is the flat number itself: it is the only digit, or always 0.
  const std::size_t first_replica = std::max<std::size_t>(digits.weights.size(), 1);
  for (const Axis axis : axes) {
    Row row;
    for (const auto& [on, value] : tile.offset)
      if (on == axis) row.constant = value;
    for (std::size_t d = 0; d < digits.iters.size(); ++d)
      if (const Iter& iter = tile.shard[digits.iters[d]]; iter.axis == axis && iter.stride != 0)
        row.terms.push_back({d, iter.stride});
    for (std::size_t r = 0; r < tile.replica.size(); ++r)
      if (const Iter& iter = tile.replica[r]; iter.axis == axis && iter.stride != 0)
        row.terms.push_back({first_replica + r, iter.stride});
    place.rows.push_back(std::move(row));
  }
  std::vector<Stage> stages{std::move(flatten)};
  if (digits.weights.size() > 1) stages.emplace_back(Split{0, digits.weights});
  stages.emplace_back(std::move(place));
  return stages;
}

Result<Stage> stage_of(const SwizzleLayout& swizzle, const TileLayout& tile, std::size_t input) {
  const auto range = range_of(tile, Axis::M);
  if (!range) return range.error();
  if (range->low < 0)
    return Error{ErrorCode::Value,
                 fmt::format("a swizzle over addresses from {}; expected addresses from 0", range->low)};
  return Stage{map::Swizzle{input, swizzle.per_element, swizzle.swizzle_len, swizzle.atom_len,
                            swizzle.swizzle_inner ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up}};
}

Result<TileLayout> tile_for(const Layout& layout, Index elements) {
  if (layout.tile || elements == 0) return layout.tile.value_or(TileLayout{});
  return TileLayout{{Iter{elements, 1, Axis::M}}, {}, {}};  // a swizzle alone works on any number of elements
}

}  // namespace

Result<map::Layout> lower(const Layout& layout, const map::Tensor& tensor) {
  auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  if (tensor.view_offset != 0)
    return Error{ErrorCode::Value,
                 "a TIRx layout says itself where it starts; expected an offset in it, as in S[…] + 64"};
  auto logical = map::Space::create(map::Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  const auto tile = tile_for(layout, logical->volume());
  if (!tile) return tile.error();
  const auto size = size_of(*tile);
  if (!size) return size.error();
  if (*size != logical->volume())
    return Error{ErrorCode::Shape, fmt::format("the tensor has {} elements, the shard {}", logical->volume(), *size)};
  auto physical = physical_of(*tile, tensor);
  if (!physical) return physical.error();
  auto stages = stages_of(*tile, *logical, physical->axes);
  if (!stages) return stages.error();
  const auto memory = std::ranges::find(physical->axes, Axis::M);
  if (layout.swizzle && layout.swizzle->swizzle_len > 0 && memory != physical->axes.end()) {
    auto stage = stage_of(*layout.swizzle, *tile, static_cast<std::size_t>(memory - physical->axes.begin()));
    if (!stage) return stage.error();
    stages->push_back(std::move(*stage));
  }

  std::vector<Index> copies;
  for (const Iter& iter : tile->replica) copies.push_back(iter.extent);
  auto replicas = map::Space::create(map::Space::dims("r", copies));
  if (!replicas) return replicas.error();
  auto box = map::Space::create(std::move(physical->box));
  if (!box) return box.error();
  auto filled = map::Space::create(std::move(physical->filled));
  if (!filled) return filled.error();
  map::LayoutParts parts{std::move(*logical),
                         std::move(*replicas),
                         std::move(*box),
                         std::move(*stages),
                         0,
                         std::nullopt,
                         0,
                         std::nullopt,
                         map::dot(*strides, tensor.offset)};
  parts.filled = std::move(*filled);
  parts.named_axes = true;
  auto lowered = map::Layout::create(std::move(parts));
  if (lowered || lowered.error().code != ErrorCode::Overflow) return lowered;
  return Error{ErrorCode::Overflow, "coordinates do not fit in 64 bits: " + lowered.error().message};
}

std::vector<std::string> own_span(const std::vector<std::string>& names, const std::vector<map::Extent>& box,
                                  map::ElementType type) {
  const bool with_bank = std::ranges::count(names, info(Axis::Bank).name) > 0;
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const auto axis = axis_of(name);
    if (axis && declared(box, *axis) == nullptr && !capacity(*axis, map::bits(type), with_bank)) out.push_back(name);
  }
  return out;
}

}  // namespace vl::tirx
