#include "verifier/engines/forms/swizzled.h"

#include <algorithm>

namespace vl::engines {
namespace {

using map::Range;

constexpr Index kMostChunks = 4096;

void append(std::vector<Range>& intervals, Range next) {
  if (next.low > next.high) return;
  if (!intervals.empty() && intervals.back().high + 1 == next.low) intervals.back().high = next.high;
  else intervals.push_back(next);
}

}  // namespace

Index period_of(const map::Swizzle& swizzle) { return Index{1} << (swizzle.base + swizzle.bits + swizzle.shift); }

std::optional<Sides> sides_of(const map::Swizzle& swizzle, Index extent, Index most) {
  const bool down = swizzle.direction == map::Swizzle::Direction::Down;
  const Index chunk = Index{1} << swizzle.base;
  const Index block = Index{1} << (swizzle.base + swizzle.bits + (down ? 0 : swizzle.shift));
  const Index limit = std::max<Index>(extent, 0);
  const Index cut = limit - limit % block;  // the first address of the block that the extent cuts
  Sides sides;
  append(sides.stay, {0, std::min(cut - 1, most)});
  if (limit == cut) {
    append(sides.leave, {cut, most});
    return sides;
  }
  if (cut > most) return sides;
  if (block / chunk > kMostChunks) return std::nullopt;
  for (Index c = 0; c < block / chunk; ++c) {
    const Index first = cut + c * chunk;  // below 2^63: cut < 2^62 + block, as the block is cut by an extent
    if (first > most) return sides;
    const Index staying = std::clamp<Index>(limit - map::apply(swizzle, first), 0, chunk);
    const Index end = std::min(first + (chunk - 1), most);
    append(sides.stay, {first, std::min(first + (staying - 1), most)});
    if (staying < chunk) append(sides.leave, {first + staying, end});
  }
  const Index last = cut + (block - 1);
  if (last < most) append(sides.leave, {last + 1, most});
  return sides;
}

std::optional<std::vector<Range>> moved_by(const map::Swizzle& swizzle, Index shift) {
  const Index chunk = Index{1} << swizzle.base;
  const Index period = period_of(swizzle);
  if (period / chunk > kMostChunks) return std::nullopt;
  const Index inside = shift % chunk;  // addresses from chunk - inside on carry into the next chunk
  std::vector<Range> moved;
  for (Index first = 0; first < period; first += chunk)
    for (const Range part :
         {Range{first, first + (chunk - inside) - 1}, Range{first + (chunk - inside), first + chunk - 1}}) {
      if (part.low > part.high) continue;
      const Index absolute = map::apply(swizzle, part.low + shift);
      if (absolute - map::apply(swizzle, part.low) != shift) append(moved, part);
    }
  return moved;
}

}  // namespace vl::engines
