// A layout of a tensor as a map: the tensor's colexicographic number, its digits, their sum, the swizzle.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "encodings/cute/cute.h"

namespace vl::cute {
namespace {

using map::Affine;
using map::Split;
using map::Stage;

// The number of an element, the first dimension fastest.
map::Row number_of(const std::vector<Index>& size) {
  std::vector<Index> weights;
  Index weight = 1;
  for (const Index extent : size) {
    weights.push_back(weight);
    weight *= std::max<Index>(extent, 1);  // of a size that fits 64 bits
  }
  return map::dot(weights);
}

// The digits of the number, last leaf first, and the address as a row over them. Leaves of extent 1 have the digit 0
// and are left out, but for the last one, which is not reduced.
std::vector<Stage> stages_of(const Layout& layout, const std::vector<Index>& size) {
  std::vector<Index> weights;
  map::Row place{layout.offset, {}};
  std::vector<Index> strides;
  const std::vector<Mode> leaves = leaves_of(layout.mode);
  Index weight = 1;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (leaves[k].extent > 1 || k + 1 == leaves.size()) {
      weights.insert(weights.begin(), weight);
      strides.insert(strides.begin(), leaves[k].stride);
    }
    weight *= leaves[k].extent;
  }
  for (std::size_t d = 0; d < strides.size(); ++d)
    if (strides[d] != 0) place.terms.push_back({d, strides[d]});
  std::vector<Stage> out{Affine{{number_of(size)}}};
  if (weights.size() > 1) out.emplace_back(Split{0, std::move(weights)});
  out.emplace_back(Affine{{std::move(place)}});
  return out;
}

struct Reach {
  Index low = 0;
  Index high = 0;
};

Result<Reach> reach_of(const Layout& layout) {
  Reach out{layout.offset, layout.offset};
  for (const Mode& leaf : leaves_of(layout.mode))
    if (!accumulate(leaf.stride < 0 ? out.low : out.high, leaf.stride, leaf.extent - 1))
      return Error{ErrorCode::Overflow, "addresses do not fit in 64 bits"};
  return out;
}

// The box: the declared extent of m, else the cosize before the swizzle.
Result<Index> extent_of(const map::Tensor& tensor, Index span) {
  if (tensor.box.empty()) return span;
  const map::Extent& declared = tensor.box.front();
  if (tensor.box.size() > 1 || declared.axis != map::kMemoryAxis)
    return Error{ErrorCode::Box, fmt::format("the box declares '{}'; a CuTe layout has the one axis m",
                                             declared.axis == map::kMemoryAxis ? tensor.box[1].axis : declared.axis)};
  return declared.extent;
}

Result<map::LayoutParts> parts_of(const Layout& layout, const map::Tensor& tensor, map::Space logical) {
  const auto reach = reach_of(layout);
  if (!reach) return reach.error();
  const auto end = checked_add(reach->high, 1);
  if (!end) return Error{ErrorCode::Overflow, "the cosize does not fit in 64 bits"};
  const Index span = std::max<Index>(*end, 1);  // all addresses may be negative, and are then out of bounds
  const auto extent = extent_of(tensor, span);
  if (!extent) return extent.error();
  map::LayoutParts parts;
  parts.map = stages_of(layout, tensor.size);
  if (layout.swizzle && layout.swizzle->bits > 0) {
    if (reach->low < 0)
      return Error{ErrorCode::Value,
                   fmt::format("a swizzle over addresses from {}; expected addresses from 0", reach->low)};
    const auto& [bits, base, shift] = *layout.swizzle;
    parts.map.emplace_back(map::Swizzle{0, base, bits, std::abs(shift),
                                        shift > 0 ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up});
  }
  parts.logical = std::move(logical);
  auto box = map::Space::create({{std::string(map::kMemoryAxis), *extent, map::Unit::Element}});
  if (!box) return box.error();
  auto filled = map::Space::create(
      {{std::string(map::kMemoryAxis), tensor.box.empty() ? std::min(*extent, span) : *extent, map::Unit::Element}});
  if (!filled) return filled.error();
  parts.physical = std::move(*box);
  parts.filled = std::move(*filled);
  parts.named_axes = true;
  return parts;
}

}  // namespace

Result<Index> size_of(const Mode& mode) {
  std::vector<Index> extents;
  for (const Mode& leaf : leaves_of(mode)) extents.push_back(leaf.extent);
  const auto size = checked_product(extents);
  if (!size) return Error{ErrorCode::Overflow, "the size does not fit in 64 bits"};
  return *size;
}

Result<map::Layout> lower(const Layout& layout, const map::Tensor& tensor) {
  auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  if (tensor.view_offset != 0)
    return Error{ErrorCode::Value, "a CuTe layout has no view offset: the pointer in front of it says where it starts"};
  auto logical = map::Space::create(map::Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  const auto size = size_of(layout.mode);
  if (!size) return size.error();
  if (*size != logical->volume())
    return Error{ErrorCode::Shape, fmt::format("the tensor has {} elements, the layout {}", logical->volume(), *size)};
  auto parts = parts_of(layout, tensor, std::move(*logical));
  if (!parts) return parts.error();
  parts->host_offset = map::dot(*strides, tensor.offset);
  auto lowered = map::Layout::create(std::move(*parts));
  if (lowered || lowered.error().code != ErrorCode::Overflow) return lowered;
  return Error{ErrorCode::Overflow, "addresses do not fit in 64 bits: " + lowered.error().message};
}

Result<Layout> complement(const Layout& layout, Index cotarget) {
  if (layout.swizzle && layout.swizzle->bits > 0)
    return Error{ErrorCode::Value, "a swizzled layout has no complement by strides"};
  std::vector<Mode> leaves = leaves_of(layout.mode);
  std::erase_if(leaves, [](const Mode& leaf) { return leaf.extent == 1 || leaf.stride == 0; });
  std::ranges::sort(leaves, {}, &Mode::stride);
  Layout out{Mode{false, 1, 0, {}}, std::nullopt, 0};
  Index current = 1;
  for (const Mode& leaf : leaves) {
    if (leaf.stride < current || leaf.stride % current != 0)
      return Error{ErrorCode::Value, fmt::format("the stride {} is no multiple of {}, where the smaller modes end",
                                                 leaf.stride, current)};
    out.mode.modes.push_back({true, leaf.stride / current, current, {}});
    const auto end = checked_mul(leaf.stride, leaf.extent);
    if (!end) return Error{ErrorCode::Overflow, "a mode ends beyond 64 bits"};
    current = *end;
  }
  out.mode.modes.push_back({true, ceil_div(std::max<Index>(cotarget, 1), current), current, {}});
  return out;
}

}  // namespace vl::cute
