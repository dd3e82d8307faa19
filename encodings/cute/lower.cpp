// A layout of a tensor as a map, by its blueprint: the tensor's colexicographic number, its digits, their sum, the
// swizzle. The complement of a layout.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/cute/blueprint.h"

namespace vl::cute {

Result<Index> size_of(const Mode& mode) {
  std::vector<Index> extents;
  for (const Mode& leaf : leaves_of(mode)) extents.push_back(leaf.extent);
  const auto size = checked_product(extents);
  if (!size) return Error{ErrorCode::Overflow, "the size does not fit in 64 bits"};
  return *size;
}

Result<map::Layout> lower(const Layout& layout, const map::Tensor& tensor) {
  auto host = map::host_of(tensor);
  if (!host) return host.error();
  if (tensor.view_offset != 0) return Error{ErrorCode::Value, std::string(kNoView)};
  const auto size = size_of(layout.mode);
  if (!size) return size.error();
  if (*size != host->logical.volume())
    return Error{ErrorCode::Shape,
                 fmt::format("the tensor has {} elements, the layout {}", host->logical.volume(), *size)};
  const auto blueprint = blueprint_of(layout, tensor);
  if (!blueprint) return blueprint.error();
  auto lowered = map::layout_of(*blueprint, std::move(host->logical), std::move(host->offset));
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
