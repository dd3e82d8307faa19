#include <fmt/format.h>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace {

// A number without an axis is on m.
std::string on_axis(Index value, Axis axis) {
  return axis == Axis::M ? fmt::format("{}", value) : fmt::format("{}@{}", value, info(axis).name);
}

std::string print_iters(char name, const std::vector<Iter>& iters) {
  std::string extents, strides;
  for (const Iter& iter : iters) {
    const std::string_view comma = extents.empty() ? "" : ",";
    extents += fmt::format("{}{}", comma, iter.extent);
    strides += fmt::format("{}{}", comma, on_axis(iter.stride, iter.axis));
  }
  return iters.size() == 1 ? fmt::format("{}[{}:{}]", name, extents, strides)
                           : fmt::format("{}[({}):({})]", name, extents, strides);
}

}  // namespace

std::string print(const TileLayout& tile) {
  std::string out = print_iters('S', tile.shard);
  if (!tile.replica.empty()) out += " + " + print_iters('R', tile.replica);
  for (const auto& [axis, value] : tile.offset) out += " + " + on_axis(value, axis);
  return out;
}

std::string print(const Layout& layout) {
  if (!layout.swizzle) return layout.tile ? print(*layout.tile) : print(TileLayout{});
  const SwizzleLayout& swizzle = *layout.swizzle;
  const std::string_view direction = swizzle.swizzle_inner ? "" : ", swizzle_inner=False";
  if (!layout.tile)
    return fmt::format("SwizzleLayout(per_element={}, swizzle_len={}, atom_len={}{})", swizzle.per_element,
                       swizzle.swizzle_len, swizzle.atom_len, direction);
  return fmt::format("ComposeLayout({}, {}, {}, TileLayout({}){})", swizzle.per_element, swizzle.swizzle_len,
                     swizzle.atom_len, print(*layout.tile), direction);
}

}  // namespace vl::tirx
