// A layout of a tensor with as many elements as a blueprint: the tensor's number, first dimension fastest, split into
// the leaves. The levels are the leaves, last one first: leaf k has the weight Π_{j<k} s_j. Example: (M,N):(N,1) of
// f16[M,N] splits x0 + M·x1 by the weights M and 1, of extents N and M, and has the place digit0 + N·digit1.
#pragma once

#include <fmt/format.h>

#include <cstdlib>

#include "encodings/cute/cute.h"
#include "encodings/map/blueprint.h"

namespace vl::cute {

inline constexpr std::string_view kNoView =
    "a CuTe layout has no view offset: the pointer in front of it says where it starts";

/// Number: Index, or map::Expression. The places are on the axis m, in a box of the cosize before the swizzle, or as
/// declared. Errors: Box, Overflow, Value for a swizzle of addresses that are known to be negative.
template <class Number>
[[nodiscard]] Result<map::Blueprint<Number>> blueprint_of(const BasicLayout<Number>& layout,
                                                          const map::BasicTensor<Number>& tensor) {
  map::Blueprint<Number> out;
  out.named_axes = out.goes_on = true;
  out.logical = tensor.size;
  Number number = 1, weight = 1;
  for (const Number& size : tensor.size) {
    out.strides.push_back(number);
    number = number * size;
  }
  const std::vector<BasicMode<Number>> leaves = leaves_of(layout.mode);
  out.levels.resize(leaves.size());
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    out.levels[leaves.size() - 1 - k] = {weight, leaves[k].extent};
    weight = weight * leaves[k].extent;
  }
  map::BasicPlace<Number>& place = out.places.emplace_back();
  place.name = map::kMemoryAxis;
  place.constant = layout.offset;
  place.terms.reserve(leaves.size());
  map::Reach<Number> reach(layout.offset);
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const BasicMode<Number>& leaf = leaves[leaves.size() - 1 - k];
    place.terms.push_back({k, leaf.stride});
    if (!reach.add(leaf.stride, leaf.extent)) return Error{ErrorCode::Overflow, "addresses do not fit in 64 bits"};
  }
  const auto span = reach.span();
  if (!span) return Error{ErrorCode::Overflow, "the cosize does not fit in 64 bits"};
  if (!tensor.box.empty()) {
    const bool first = tensor.box.front().axis != map::kMemoryAxis;
    if (first || tensor.box.size() > 1)
      return Error{ErrorCode::Box, fmt::format("the box declares '{}'; a CuTe layout has the one axis m",
                                               tensor.box[first ? 0 : 1].axis)};
    out.fits.push_back(*span);
  }
  reach.add_fits(out.fits);
  place.filled = place.extent = tensor.box.empty() ? *span : Number(tensor.box.front().extent);
  if (const auto& swizzle = layout.swizzle; swizzle && swizzle->bits > 0) {
    if (const auto low = reach.below_0())
      return Error{ErrorCode::Value, fmt::format("a swizzle over addresses from {}; expected addresses from 0", *low)};
    out.swizzle = map::Swizzle{0, swizzle->base, swizzle->bits, std::abs(swizzle->shift),
                               swizzle->shift > 0 ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up};
  }
  return out;
}

}  // namespace vl::cute
