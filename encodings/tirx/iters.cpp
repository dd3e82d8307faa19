#include "encodings/tirx/iters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vl::tirx {

Error refusal(std::string message) { return Error{ErrorCode::Value, std::move(message)}; }

Error too_large(std::string_view what) { return Error{ErrorCode::Overflow, fmt::format("{} leaves 64 bits", what)}; }

std::string show(const Iter& iter) {
  if (iter.axis == Axis::M) return fmt::format("{}:{}", iter.extent, iter.stride);
  return fmt::format("{}:{}@{}", iter.extent, iter.stride, info(iter.axis).name);
}

std::string show(std::span<const Index> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

namespace {

// Whether two neighbours are one iter: the outer one steps by the whole of the inner one.
bool continues(const Iter& outer, const Iter& inner) {
  const auto whole = checked_mul(inner.extent, inner.stride);
  return outer.axis == inner.axis && whole && *whole == outer.stride && checked_mul(outer.extent, inner.extent);
}

}  // namespace

TileLayout simplified(TileLayout tile) {
  std::vector<Iter> shard;
  for (const Iter& iter : tile.shard) {
    if (iter.extent == 1) continue;
    if (!shard.empty() && continues(shard.back(), iter)) {
      shard.back() = Iter{shard.back().extent * iter.extent, iter.stride, iter.axis};
    } else {
      shard.push_back(iter);
    }
  }
  if (shard.empty() && !tile.shard.empty()) shard.push_back(Iter{1, 1, tile.shard.front().axis});
  tile.shard = std::move(shard);
  std::erase_if(tile.replica, [](const Iter& iter) { return iter.extent == 1; });
  std::erase_if(tile.offset, [](const auto& entry) { return entry.second == 0; });
  std::ranges::sort(tile.offset);
  std::ranges::sort(tile.replica, [](const Iter& a, const Iter& b) {
    return std::tie(a.axis, a.stride, a.extent) < std::tie(b.axis, b.stride, b.extent);
  });
  return tile;
}

bool add_offset(TileLayout& tile, Axis axis, Index value) {
  const auto found = std::ranges::find(tile.offset, axis, &std::pair<Axis, Index>::first);
  if (found == tile.offset.end()) {
    tile.offset.emplace_back(axis, value);
    std::ranges::sort(tile.offset);
    return true;
  }
  return accumulate(found->second, 1, value);
}

Result<Index> width_on(const TileLayout& tile, Axis axis) {
  Index width = 1;
  for (const std::vector<Iter>* iters : {&tile.shard, &tile.replica})
    for (const Iter& iter : *iters) {
      if (iter.axis != axis) continue;
      const auto reach = checked_mul(iter.extent - 1, iter.stride);
      if (!reach || !accumulate(width, *reach < 0 ? -1 : 1, *reach))
        return too_large(fmt::format("the span on {}", info(axis).name));
    }
  return width;
}

Result<TileLayout> tile_of(const Layout& layout, std::span<const Index> shape) {
  if (layout.tile) return *layout.tile;
  TileLayout tile;
  Index stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] < 1) return refusal(fmt::format("dimension {} has extent {}; expected 1 or more", d, shape[d]));
    tile.shard.insert(tile.shard.begin(), Iter{shape[d], stride, Axis::M});
    const auto next = checked_mul(stride, shape[d]);
    if (!next) return too_large("the number of elements");
    stride = *next;
  }
  return tile;
}

Result<Layout> with_tile(const Layout& layout, TileLayout tile) {
  if (tile.shard.empty()) tile.shard.push_back(Iter{1, 1, Axis::M});
  if (layout.swizzle) {
    for (const Axis axis : axes_of(tile))
      if (axis != Axis::M)
        return refusal(fmt::format("under a swizzle all iters are on m, and the result has {}", info(axis).name));
    const auto range = range_of(tile, Axis::M);
    if (!range) return range.error();
    if (range->low < 0)
      return refusal(fmt::format("a swizzle over addresses from {}; expected none below 0", range->low));
  }
  return Layout{layout.swizzle, std::move(tile)};
}

}  // namespace vl::tirx
