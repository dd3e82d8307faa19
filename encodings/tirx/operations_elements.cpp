// Operations on elements: n small ones for a large one and back, the elements of one thread, and a swizzle of the
// addresses. They change the axis m; the thread of an element never changes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "encodings/tirx/iters.h"
#include "encodings/tirx/operations.h"

namespace vl::tirx {
namespace {

constexpr int kMostBits = 62;  // of the addresses of a swizzle

std::optional<Error> check_factor(const Layout& layout, Index n, std::string_view what) {
  if (n < 1) return refusal(fmt::format("cannot {} by {}; expected 1 or more", what, n));
  if (!layout.tile) return refusal(fmt::format("cannot {} a swizzle alone: its number of elements is not known", what));
  for (const Axis axis : axes_of(*layout.tile))
    if (axis != Axis::M && !is_thread(axis))
      return refusal(
          fmt::format("cannot {} along {}: only on m is it known what an element is", what, info(axis).name));
  if (layout.swizzle && !std::has_single_bit(static_cast<std::uint64_t>(n)))
    return refusal(fmt::format("cannot {} under a swizzle by {}; expected a power of two", what, n));
  return std::nullopt;
}

int log2_of(Index n) { return std::countr_zero(static_cast<std::uint64_t>(n)); }

}  // namespace

Result<Layout> unpack(const Layout& layout, Index n) {
  if (auto error = check_factor(layout, n, "unpack")) return *error;
  Layout out = layout;
  if (out.swizzle) {
    out.swizzle->per_element += log2_of(n);
    if (out.swizzle->per_element + out.swizzle->swizzle_len + out.swizzle->atom_len > kMostBits)
      return too_large("an address of the swizzle");
  }
  const auto grow = [&](Index& value) {
    const auto product = checked_mul(value, n);
    value = product.value_or(0);
    return product.has_value();
  };
  for (std::vector<Iter>* iters : {&out.tile->shard, &out.tile->replica})
    for (Iter& iter : *iters)
      if (iter.axis == Axis::M && !grow(iter.stride))
        return too_large(fmt::format("the stride of the iter {}", show(iter)));
  for (auto& [axis, value] : out.tile->offset)
    if (axis == Axis::M && !grow(value)) return too_large("the offset on m");
  out.tile->shard.push_back(Iter{n, 1, Axis::M});
  if (const auto size = size_of(*out.tile); !size) return size.error();
  return with_tile(out, *out.tile);
}

Result<Layout> pack(const Layout& layout, Index n) {
  if (auto error = check_factor(layout, n, "pack")) return *error;
  const auto size = size_of(*layout.tile);
  if (!size) return size.error();
  if (*size % n != 0) return refusal(fmt::format("{} elements are not a multiple of {}", *size, n));
  const auto ends_in = [&](const std::vector<Iter>& shard) {
    return n == 1 ||
           (!shard.empty() && shard.back().axis == Axis::M && shard.back().stride == 1 && shard.back().extent % n == 0);
  };
  Layout out = layout;
  if (!ends_in(out.tile->shard)) out.tile = simplified(*layout.tile);
  TileLayout& tile = *out.tile;
  if (!ends_in(tile.shard))
    return refusal(fmt::format("the last {} elements are not contiguous on m: the innermost iter is {}", n,
                               tile.shard.empty() ? "missing" : show(tile.shard.back())));
  std::optional<Iter> last;
  if (n > 1) {
    last = Iter{tile.shard.back().extent / n, 1, Axis::M};
    tile.shard.pop_back();
  }
  for (std::vector<Iter>* iters : {&tile.shard, &tile.replica})
    for (Iter& iter : *iters) {
      if (iter.axis != Axis::M || iter.extent == 1) continue;
      if (iter.stride % n != 0)
        return refusal(fmt::format("the stride of the iter {} is not a multiple of {}", show(iter), n));
      iter.stride /= n;
    }
  for (auto& [axis, value] : tile.offset) {
    if (axis != Axis::M) continue;
    if (value % n != 0) return refusal(fmt::format("the offset {} is not a multiple of {}", value, n));
    value /= n;
  }
  if (last) tile.shard.push_back(*last);
  if (out.swizzle) {
    if (out.swizzle->per_element < log2_of(n))
      return refusal(fmt::format("the swizzle moves parts of {} elements", Index{1} << out.swizzle->per_element));
    out.swizzle->per_element -= log2_of(n);
  }
  return with_tile(out, *out.tile);
}

Layout storage(const Layout& layout) {
  if (!layout.tile) return layout;
  TileLayout tile = *layout.tile;
  std::erase_if(tile.shard, [](const Iter& iter) { return is_thread(iter.axis); });
  std::erase_if(tile.replica, [](const Iter& iter) { return is_thread(iter.axis); });
  std::erase_if(tile.offset, [](const auto& entry) { return is_thread(entry.first); });
  if (tile.shard.empty()) tile.shard.push_back(Iter{1, 1, Axis::M});
  return Layout{layout.swizzle, std::move(tile)};
}

Result<Layout> swizzle(const Layout& layout, const SwizzleLayout& by) {
  if (layout.swizzle) return refusal("the layout has a swizzle already, and two need not be one");
  const bool in_bounds = by.per_element >= 0 && by.swizzle_len >= 0 && by.atom_len >= 1;
  if (!in_bounds || std::max({by.per_element, by.swizzle_len, by.atom_len}) > kMostBits ||
      by.per_element + by.swizzle_len + by.atom_len > kMostBits)
    return refusal(fmt::format("a swizzle ({}, {}, {}); expected M >= 0, B >= 0, S >= 1 and M + B + S <= {}",
                               by.per_element, by.swizzle_len, by.atom_len, kMostBits));
  VL_CHECK(layout.tile.has_value(), "a layout without a swizzle is a tile");
  return with_tile(Layout{by, std::nullopt}, *layout.tile);
}

}  // namespace vl::tirx
