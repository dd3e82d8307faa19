// Properties of a tile: its size, its axes, and its coordinates on each.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {

Result<Index> size_of(const TileLayout& tile) {
  std::vector<Index> extents;
  for (const Iter& iter : tile.shard) extents.push_back(iter.extent);
  const auto product = checked_product(extents);
  if (!product) return Error{ErrorCode::Overflow, "the product of the extents does not fit in 64 bits"};
  return *product;
}

Result<map::Range> range_of(const TileLayout& tile, Axis axis) {
  map::Range range;
  bool fits = true;
  for (const auto& [on, value] : tile.offset)
    if (on == axis) range = {value, value};
  for (const std::vector<Iter>* iters : {&tile.shard, &tile.replica})
    for (const Iter& iter : *iters)
      if (iter.axis == axis)
        fits = fits && accumulate(iter.stride < 0 ? range.low : range.high, iter.stride, iter.extent - 1);
  if (!fits)
    return Error{ErrorCode::Overflow, fmt::format("a coordinate on {} does not fit in 64 bits", info(axis).name)};
  return range;
}

template <class Number>
std::vector<Axis> axes_of(const BasicTile<Number>& tile) {
  std::vector<Axis> out;
  const auto name = [&](Axis axis) {
    if (std::ranges::find(out, axis) == out.end()) out.push_back(axis);
  };
  for (const auto* iters : {&tile.shard, &tile.replica})
    for (const BasicIter<Number>& iter : *iters) name(iter.axis);
  std::vector<Axis> fixed;
  for (const auto& [axis, value] : tile.offset) fixed.push_back(axis);
  std::ranges::sort(fixed);
  for (const Axis axis : fixed) name(axis);
  return out;
}
template std::vector<Axis> axes_of(const TileLayout&);
template std::vector<Axis> axes_of(const BasicTile<map::Expression>&);

}  // namespace vl::tirx
