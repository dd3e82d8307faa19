// Thread axes: from the finest units to one axis and back. An axis counts `inner` units within one `outer` unit. A warp
// has 32 threads, a warpgroup 128; a block has no fixed size.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/tirx/iters.h"
#include "encodings/tirx/operations.h"

namespace vl::tirx {
namespace {

// Threads in one unit; 0 if the launch decides.
Index threads_in(Scope scope) {
  switch (scope) {
    case Scope::Thread: return 1;
    case Scope::Warp: return 32;
    case Scope::Warpgroup: return 128;
    case Scope::None:
    case Scope::Kernel:
    case Scope::Cluster:
    case Scope::Cta: return 0;
  }
  VL_CHECK(false, "a scope that is none");
  return 0;
}

std::vector<AxisInfo> thread_axes_of(const TileLayout& tile) {
  std::vector<AxisInfo> out;
  for (const Axis axis : axes_of(tile))
    if (is_thread(axis)) out.push_back(info(axis));
  std::ranges::stable_sort(out, {}, &AxisInfo::outer);
  return out;
}

// The axis that a chain of two or more thread axes, without gaps and overlaps, fuses into.
std::optional<Axis> chain_of(const TileLayout& tile) {
  const auto chain = thread_axes_of(tile);
  if (chain.size() < 2) return std::nullopt;
  for (std::size_t k = 1; k < chain.size(); ++k)
    if (chain[k].outer != chain[k - 1].inner) return std::nullopt;
  for (const AxisInfo& row : axes())
    if (row.outer == chain.front().outer && row.inner == chain.back().inner && threads_in(chain.front().inner) != 0)
      return row.axis;
  return std::nullopt;
}

bool within(const AxisInfo& axis, const AxisInfo& to) { return axis.outer >= to.outer && axis.inner <= to.inner; }
bool overlap(const AxisInfo& a, const AxisInfo& b) { return a.outer < b.inner && b.outer < a.inner; }

// The axes that fuse into `to`, or the reason why they do not.
Result<std::vector<AxisInfo>> fusing(const TileLayout& tile, Axis to) {
  const AxisInfo& target = info(to);
  std::vector<AxisInfo> out;
  for (const AxisInfo& axis : thread_axes_of(tile)) {
    if (!overlap(axis, target)) continue;
    if (axis.axis == to || !within(axis, target) || threads_in(axis.inner) == 0)
      return refusal(fmt::format("the layout has {}, which does not fuse into {}", axis.name, target.name));
    if (!out.empty() && overlap(out.back(), axis))
      return refusal(fmt::format("{} and {} overlap", out.back().name, axis.name));
    const auto range = range_of(tile, axis.axis);
    if (!range) return range.error();
    const Index unit = threads_in(axis.outer) / threads_in(axis.inner);  // 0: the launch decides
    if (unit != 0 && (range->low < 0 || range->high >= unit))
      return refusal(
          fmt::format("{} reaches {}, and it counts {}", axis.name, range->low < 0 ? range->low : range->high, unit));
    out.push_back(axis);
  }
  if (out.empty()) return refusal(fmt::format("no axis of the layout lies within {}", target.name));
  return out;
}

// One iter of `from` as iters of outer and inner; one unit of outer has c units of inner.
Result<std::vector<Iter>> split_iter(const Iter& iter, Axis outer, Axis inner, Index c) {
  if (iter.extent == 1) return std::vector<Iter>{};
  if (iter.stride % c == 0) return std::vector<Iter>{{iter.extent, iter.stride / c, outer}};
  const auto reach = checked_mul(iter.extent - 1, iter.stride);
  if (iter.stride > 0 && reach && *reach < c) return std::vector<Iter>{{iter.extent, iter.stride, inner}};
  const Index fits = iter.stride > 0 && c % iter.stride == 0 ? c / iter.stride : 0;
  if (fits == 0 || iter.extent % fits != 0)
    return refusal(
        fmt::format("the iter {} carries from {} to {} unevenly", show(iter), info(inner).name, info(outer).name));
  return std::vector<Iter>{{iter.extent / fits, 1, outer}, {fits, iter.stride, inner}};
}

}  // namespace

Result<Layout> fuse(const Layout& layout, Axis to) {
  if (!is_thread(to)) return refusal(fmt::format("{} is not a thread axis", info(to).name));
  if (!layout.tile) return refusal("a swizzle alone has no thread axes");
  const auto axes = fusing(*layout.tile, to);
  if (!axes) return axes.error();
  TileLayout out = *layout.tile;
  const auto units = [&](Axis axis) -> Index {
    const auto found = std::ranges::find(*axes, axis, &AxisInfo::axis);
    return found == axes->end() ? 0 : threads_in(found->inner) / threads_in(info(to).inner);
  };
  for (std::vector<Iter>* iters : {&out.shard, &out.replica})
    for (Iter& iter : *iters) {
      if (units(iter.axis) == 0) continue;
      const auto stride = checked_mul(iter.stride, units(iter.axis));
      if (!stride) return too_large(fmt::format("a stride on {}", info(to).name));
      iter = Iter{iter.extent, *stride, to};
    }
  out.offset.clear();
  for (const auto& [axis, value] : layout.tile->offset) {
    const Index unit = units(axis);
    const auto moved = checked_mul(value, std::max<Index>(unit, 1));
    if (!moved || !add_offset(out, unit == 0 ? axis : to, *moved))
      return too_large(fmt::format("the offset on {}", info(to).name));
  }
  return with_tile(layout, std::move(out));
}

std::optional<std::pair<Axis, Axis>> split_axes(Axis from, std::optional<Axis> outer) {
  std::optional<std::pair<Axis, Axis>> out;
  if (from == Axis::Tx && outer.value_or(Axis::Warpid) == Axis::Warpid) out = {Axis::Warpid, Axis::Laneid};
  if (from == Axis::Tx && outer == Axis::Wgid) out = {Axis::Wgid, Axis::TidInWg};
  if (from == Axis::TidInWg) out = {Axis::WidInWg, Axis::Laneid};
  if (from == Axis::Warpid) out = {Axis::Wgid, Axis::WidInWg};
  if (out && outer && out->first != *outer) return std::nullopt;
  return out;
}

Result<Layout> split(const Layout& layout, Axis from, std::optional<Axis> outer) {
  const auto axes = split_axes(from, outer);
  if (!axes) return refusal(fmt::format("{} has no such split", info(from).name));
  if (!layout.tile) return refusal("a swizzle alone has no thread axes");
  const auto& [upper, lower] = *axes;
  const auto named = axes_of(*layout.tile);
  const auto has = [&](Axis axis) { return std::ranges::find(named, axis) != named.end(); };
  if (!has(from)) return refusal(fmt::format("the layout has no {}", info(from).name));
  if (has(upper) || has(lower))
    return refusal(fmt::format("the layout has {} already", info(has(upper) ? upper : lower).name));
  const Index c = threads_in(info(lower).outer) / threads_in(info(lower).inner);
  TileLayout out;
  for (const bool shard : {true, false})
    for (const Iter& iter : shard ? layout.tile->shard : layout.tile->replica) {
      const auto pieces = iter.axis == from ? split_iter(iter, upper, lower, c) : Result<std::vector<Iter>>({iter});
      if (!pieces) return pieces.error();
      auto& to = shard ? out.shard : out.replica;
      to.insert(to.end(), pieces->begin(), pieces->end());
    }
  for (const auto& [axis, value] : layout.tile->offset) {
    if (axis != from) {
      out.offset.emplace_back(axis, value);
      continue;
    }
    out.offset.emplace_back(upper, floor_div(value, c));
    out.offset.emplace_back(lower, floor_mod(value, c));
  }
  const auto range = range_of(out, lower);
  if (!range) return range.error();
  if (range->low < 0 || range->high >= c)
    return refusal(fmt::format("{} would reach {}, so sums of {} carry into {}", info(lower).name,
                               range->low < 0 ? range->low : range->high, info(from).name, info(upper).name));
  if (out.shard.empty()) out.shard.push_back(Iter{1, 1, lower});
  return with_tile(layout, simplified(std::move(out)));
}

Result<Layout> canonicalize(const Layout& layout) {
  if (!layout.tile) return layout;
  if (const auto size = size_of(*layout.tile); !size) return size.error();
  Layout out{layout.swizzle, simplified(*layout.tile)};
  const auto target = chain_of(*out.tile);
  auto fused = target ? fuse(out, *target) : Result<Layout>(out);
  if (!fused) return out;
  fused->tile = simplified(*fused->tile);
  return fused;
}

}  // namespace vl::tirx
