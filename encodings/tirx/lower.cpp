// A layout of a tensor as a map, by its blueprint.
#include "encodings/tirx/blueprint.h"

namespace vl::tirx {
namespace {

TileLayout tile_for(const Layout& layout, Index elements) {
  if (layout.tile || elements == 0) return layout.tile.value_or(TileLayout{});
  return TileLayout{{Iter{elements, 1, Axis::M}}, {}, {}};  // a swizzle alone works on any number of elements
}

}  // namespace

const map::Extent* declared(const std::vector<map::Extent>& box, Axis axis) {
  for (const map::Extent& extent : box)
    if (axis_of(extent.axis) == axis) return &extent;
  return nullptr;
}

Result<map::Layout> lower(const Layout& layout, const map::Tensor& tensor) {
  auto host = map::host_of(tensor);
  if (!host) return host.error();
  if (tensor.view_offset != 0)
    return Error{ErrorCode::Value,
                 "a TIRx layout says itself where it starts; expected an offset in it, as in S[…] + 64"};
  const Index elements = host->logical.volume();
  const TileLayout tile = tile_for(layout, elements);
  const auto size = size_of(tile);
  if (!size) return size.error();
  if (*size != elements)
    return Error{ErrorCode::Shape, fmt::format("the tensor has {} elements, the shard {}", elements, *size)};
  const auto blueprint = blueprint_of(tile, layout.swizzle, tensor);
  if (!blueprint) return blueprint.error();
  auto lowered = map::layout_of(*blueprint, std::move(host->logical), std::move(host->offset));
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
