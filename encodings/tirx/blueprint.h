// A layout of a tensor with as many elements as a blueprint, in the document's four steps: flatten row-major, split by
// the shard's extents, sum on each axis, add offset and replicas. The swizzle of m comes last.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/blueprint.h"
#include "encodings/tirx/tirx.h"

namespace vl::tirx {

/// The extent that the tensor's box declares for an axis; null where it declares none.
[[nodiscard]] const map::Extent* declared(const std::vector<map::Extent>& box, Axis axis);

/// The axes of the physical space: the shard's and the replica's in the order of axes_of, then those of the offset and
/// of the box, in the order of Axis. Error: Box.
template <class Number>
[[nodiscard]] Result<std::vector<Axis>> physical_axes(const BasicTile<Number>& tile,
                                                      const std::vector<map::Extent>& box) {
  std::vector<Axis> out = axes_of(tile);
  const auto moves = [&](Axis axis) {
    const auto is_on = [&](const BasicIter<Number>& iter) { return iter.axis == axis; };
    return std::ranges::any_of(tile.shard, is_on) || std::ranges::any_of(tile.replica, is_on);
  };
  const auto still = std::ranges::find_if_not(out, moves) - out.begin();
  for (const map::Extent& extent : box) {
    const auto axis = axis_of(extent.axis);
    if (!axis)
      return Error{ErrorCode::Box, fmt::format("the box declares '{}', which is not an axis of TIRx", extent.axis)};
    if (std::ranges::find(out, *axis) == out.end()) out.push_back(*axis);
  }
  std::sort(out.begin() + still, out.end());
  return out;
}

/// One axis: D + R + O, in a box of the declared extent, else of the axis' capacity, else of the reach of the
/// coordinates. Errors: Box, Overflow, Value for a swizzle of addresses that are known to be negative.
template <class Number>
[[nodiscard]] Result<map::BasicPlace<Number>> place_of(const BasicTile<Number>& tile, Axis axis,
                                                       const map::BasicTensor<Number>& tensor, bool with_bank,
                                                       bool swizzled, std::vector<Number>& fits) {
  map::BasicPlace<Number> out;
  const std::string_view name = out.name = info(axis).name;
  out.unit = is_thread(axis) ? map::Unit::Lane : map::Unit::Element;
  for (const auto& [on, value] : tile.offset)
    if (on == axis) out.constant = value;
  const map::Extent* box = declared(tensor.box, axis);
  const auto room = capacity(axis, map::bits(tensor.type), with_bank);
  if (box != nullptr && room && box->extent > *room)
    return Error{ErrorCode::Box,
                 fmt::format("the box declares {}={}; the axis has {} places", name, box->extent, *room)};
  map::Reach<Number> reach(out.constant);
  std::size_t input = 0;
  for (const auto* iters : {&tile.shard, &tile.replica})
    for (const BasicIter<Number>& iter : *iters) {
      if (iter.axis == axis) {
        out.terms.push_back({input, iter.stride});
        if (!reach.add(iter.stride, iter.extent))
          return Error{ErrorCode::Overflow, fmt::format("a coordinate on {} does not fit in 64 bits", name)};
      }
      ++input;
    }
  const auto span = reach.span();
  if (!span) return Error{ErrorCode::Overflow, fmt::format("the span of {} does not fit in 64 bits", name)};
  if (const auto low = reach.below_0(); low && swizzled)
    return Error{ErrorCode::Value, fmt::format("a swizzle over addresses from {}; expected addresses from 0", *low)};
  if (box != nullptr || room) fits.push_back(*span);
  reach.add_fits(fits);
  out.extent = box != nullptr ? Number(box->extent) : room ? Number(*room) : *span;
  out.filled = box != nullptr || !room ? out.extent : map::least(out.extent, *span);
  return out;
}

/// Number: Index, or map::Expression. Errors: those of physical_axes and of place_of.
template <class Number>
[[nodiscard]] Result<map::Blueprint<Number>> blueprint_of(const BasicTile<Number>& tile,
                                                          const std::optional<SwizzleLayout>& swizzle,
                                                          const map::BasicTensor<Number>& tensor) {
  map::Blueprint<Number> out;
  out.named_axes = true;
  out.logical = tensor.size;
  out.strides.resize(tensor.size.size());
  Number number = 1, weight = 1;
  for (std::size_t i = tensor.size.size(); i-- > 0; number = number * tensor.size[i]) out.strides[i] = number;
  out.levels.resize(tile.shard.size());
  for (std::size_t k = tile.shard.size(); k-- > 0; weight = weight * tile.shard[k].extent)
    out.levels[k] = {weight, tile.shard[k].extent};
  for (const BasicIter<Number>& iter : tile.replica) out.replicas.push_back(iter.extent);
  const auto axes = physical_axes(tile, tensor.box);
  if (!axes) return axes.error();
  const bool with_bank = std::ranges::count(axes_of(tile), Axis::Bank) > 0;
  for (const Axis axis : *axes) {
    const bool swizzled = axis == Axis::M && swizzle && swizzle->swizzle_len > 0;
    if (swizzled)
      out.swizzle = map::Swizzle{out.places.size(), swizzle->per_element, swizzle->swizzle_len, swizzle->atom_len,
                                 swizzle->swizzle_inner ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up};
    auto place = place_of(tile, axis, tensor, with_bank, swizzled, out.fits);
    if (!place) return place.error();
    out.places.push_back(std::move(*place));
  }
  return out;
}

}  // namespace vl::tirx
