// Layouts of TIRx for campaigns. A right one deals its iters to axes and gives those of one axis strides that nest, in
// any order of the iters, at times with room between; replicas lie beyond what the shard reaches. A swizzle permutes a
// memory whose span is a power of two. A broken one has a stride that repeats another one's steps.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "oracle/fuzz/subject.h"

namespace vl::oracle {
namespace {

using tirx::Axis;
using tirx::Iter;

std::vector<Iter> some_iters(Random& random, Index most, bool powers) {
  std::vector<Iter> out;
  Index left = most;
  for (Index count = random.between(most == 1 ? 0 : 1, 5); count > 0; --count) {
    Index extent = 1;
    const auto bits = static_cast<Index>(std::bit_width(static_cast<std::uint64_t>(left)));
    if (powers) extent = Index{1} << random.between(0, bits - 1);
    else if (count == 1 && random.chance(70)) extent = left;
    else if (most > 3 * most_places(false) && out.empty()) extent = random.between(100, 700);
    else if (!random.chance(8)) extent = random.between(1, std::min<Index>(left, random.chance(25) ? 70 : 9));
    if (count == 1 && powers && random.chance(70))
      extent = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(left)));
    out.push_back({extent, 0, Axis::M});
    left = std::max<Index>(1, left / extent);
  }
  random.shuffle(std::span(out));
  return out;
}

// Iters on thread axes as long as these have room; the others stay on m.
void deal(Random& random, Subject& subject, std::span<Iter> iters) {
  constexpr std::array<std::array<Axis, 3>, 4> kSets = {{{Axis::Laneid, Axis::Warpid, Axis::M},
                                                         {Axis::Tx, Axis::Bx, Axis::M},
                                                         {Axis::TidInWg, Axis::Wgid, Axis::M},
                                                         {Axis::P, Axis::F, Axis::M}}};
  const auto& set = kSets[random.below(kSets.size())];
  std::array<Index, 3> reach = {1, 1, 1};
  for (Iter& iter : iters) {
    const std::size_t k = random.below(3);
    const Index room = tirx::info(set[k]).capacity;
    if (room > 0 && reach[k] * iter.extent > room) continue;
    reach[k] *= iter.extent;
    iter.axis = set[k];
    if (iter.axis != Axis::M) subject.set(Feature::Threads);
  }
}

// One iter counts down, from where it ended before.
void reverse(Random& random, Subject& subject, tirx::TileLayout& tile) {
  if (tile.shard.empty()) return;
  Iter& iter = tile.shard[random.below(tile.shard.size())];
  if (iter.axis != Axis::M || iter.extent == 1 || iter.stride == 0 || !tile.offset.empty()) return;
  tile.offset.emplace_back(Axis::M, iter.stride * (iter.extent - 1));
  iter.stride = -iter.stride;
  subject.set(Feature::Reversed);
}

// Strides that nest on each axis, the iters in any order.
void give_strides(Random& random, Subject& subject, std::span<Iter> iters, bool gaps) {
  std::vector<std::size_t> order(iters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::reverse(order);
  if (random.chance(70)) random.shuffle(std::span(order));
  if (!std::ranges::is_sorted(order, std::greater<>{})) subject.set(Feature::Permuted);
  std::array<Index, 32> next{};
  next.fill(1);
  for (const std::size_t k : order) {
    Index& stride = next[static_cast<std::size_t>(iters[k].axis)];
    iters[k].stride = stride;
    stride *= iters[k].extent;
    if (gaps && iters[k].axis == Axis::M && random.chance(30)) {
      stride += random.between(1, 4);
      subject.set(Feature::Strided);
    }
  }
}

// Sizes whose product is `volume`: its prime factors dealt to dimensions, so not along any layout's extents.
std::vector<Index> some_sizes(Random& random, Index volume) {
  std::vector<Index> out(static_cast<std::size_t>(random.between(volume == 1 ? 0 : 1, 4)), 1);
  for (Index factor = 2; volume > 1; ++factor) {
    if (factor * factor > volume) factor = volume;
    for (; volume % factor == 0; volume /= factor) out[random.below(out.size())] *= factor;
  }
  return out;
}

void add_replicas(Random& random, Subject& subject, tirx::TileLayout& tile) {
  const Axis axis =
      tile.shard.empty() || random.chance(40) ? Axis::M : tile.shard[random.below(tile.shard.size())].axis;
  const auto range = tirx::range_of(tile, axis);
  const Index extent = random.between(2, 3);
  const Index room = tirx::info(axis).capacity;
  if (!range || (room > 0 && (range->high + 1) * extent > room)) return;
  tile.replica.push_back({extent, range->high + 1, axis});
  subject.set(Feature::Replicated);
}

void break_surely(Random& random, Subject& subject, tirx::TileLayout& tile) {
  subject.set(Feature::Broken);
  std::vector<Iter*> long_ones;
  for (Iter& iter : tile.shard)
    if (iter.extent > 1) long_ones.push_back(&iter);
  if (long_ones.empty() || random.chance(10)) {
    tile.replica.push_back({2, 0, Axis::M});
    subject.set(Feature::Replicated);
    return;
  }
  Iter& one = *long_ones[random.below(long_ones.size())];
  for (const Iter* other : long_ones)
    if (other != &one && other->axis == one.axis && random.chance(60)) {
      one.stride = other->stride;
      return;
    }
  one.stride = 0;
  subject.set(Feature::Expanded);
}

void break_perhaps(Random& random, Subject& subject, tirx::TileLayout& tile) {
  subject.set(Feature::Broken);
  if (tile.shard.empty()) return;
  Iter& one = tile.shard[random.below(tile.shard.size())];
  switch (random.below(4)) {
    case 0: one.stride = std::max<Index>(0, one.stride + (random.chance(50) ? 1 : -1)); break;
    case 1: one.stride = random.between(0, 20); break;
    case 2: std::swap(one.stride, tile.shard[random.below(tile.shard.size())].stride); break;
    case 3: one.stride *= 2; break;
  }
}

tirx::SwizzleLayout some_swizzle(Random& random) {
  const auto small = [&](Index low, Index high) { return static_cast<int>(random.between(low, high)); };
  return {small(0, 3), small(1, 3), small(1, 4), random.chance(65)};
}

void declare(Random& random, Subject& subject, const tirx::TileLayout& tile, bool swizzled) {
  const auto range = tirx::range_of(tile, Axis::M);
  const bool on_memory = std::ranges::any_of(tile.shard, [](const Iter& iter) { return iter.axis == Axis::M; });
  if (!range || !on_memory) return;
  Index extent = range->high + 1 + random.between(0, 9);
  if (swizzled) extent = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
  subject.tensor.box.push_back({"m", extent});
  subject.set(Feature::Boxed);
}

// The host's memory says nothing about the layout: any strides that reach no offset below 0.
void some_host(Random& random, Subject& subject) {
  std::vector<Index>& size = subject.tensor.size;
  if (size.empty() || random.chance(60)) return;
  std::vector<std::size_t> order(size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (random.chance(50)) random.shuffle(std::span(order));
  std::vector<Index> strides(size.size(), 0);
  Index stride = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = stride;
    stride = stride * size[order[k]] + (random.chance(30) ? random.between(1, 6) : 0);
  }
  const std::size_t one = random.below(size.size());
  if (random.chance(15)) {
    strides[one] = 0;
    if (size[one] > 1) subject.set(Feature::Expanded);
  } else if (random.chance(15)) {
    subject.tensor.offset = strides[one] * (size[one] - 1);
    strides[one] = -strides[one];
    if (size[one] > 1) subject.set(Feature::Reversed);
  }
  if (random.chance(20)) subject.tensor.offset += random.between(1, 40);
  subject.tensor.strides = std::move(strides);
  subject.set(Feature::Strided);
}

// Not too large to be run, and some element, the first one, has a slot: else no claim would say anything.
bool is_usable(const Subject& subject, bool large) {
  const auto lowered = lower(subject);
  if (!lowered || !lowered->is_slot(map::outputs_at(*lowered, Point(lowered->logical().rank(), 0),
                                                    Point(lowered->replicas().rank(), 0))))
    return false;
  return lowered->physical().volume() * std::max<Index>(1, lowered->replicas().volume()) <= most_places(large);
}

}  // namespace

Subject tirx_subject(Random& random, unsigned kind, bool large) {
  for (;;) {
    Subject subject;
    tirx::Layout layout;
    constexpr map::ElementType kTypes[] = {map::ElementType::F8E4M3, map::ElementType::F16, map::ElementType::F32,
                                           map::ElementType::F64};
    subject.tensor.type = kTypes[random.below(4)];
    const bool swizzled = random.chance(35);
    const bool powers = swizzled ? random.chance(85) : random.chance(35);
    tirx::TileLayout tile;
    const bool copies = random.chance(large ? 40 : 12);
    tile.shard = some_iters(random, std::min(some_size(random, large), most_places(large) / (copies ? 3 : 1)), powers);
    if (!swizzled && random.chance(60)) deal(random, subject, tile.shard);
    give_strides(random, subject, tile.shard, !swizzled && random.chance(30));
    if (std::ranges::count_if(tile.shard, [](const Iter& iter) { return iter.extent > 1; }) > 1)
      subject.set(Feature::Tiled);
    if (copies) add_replicas(random, subject, tile);
    if (kind % 2 == 0 && random.chance(20)) reverse(random, subject, tile);
    if (random.chance(15) && !swizzled && tile.offset.empty()) {
      tile.offset.emplace_back(Axis::M, random.between(1, 20));
      subject.set(Feature::Offset);
    }
    if (kind == 1) break_surely(random, subject, tile);
    if (kind == 3 && random.chance(60)) break_perhaps(random, subject, tile);
    if (swizzled) {
      layout.swizzle = some_swizzle(random);
      subject.set(Feature::Swizzled);
    }
    if (random.chance(swizzled && !powers ? 60 : 8)) declare(random, subject, tile, swizzled);
    subject.tensor.size = some_sizes(random, *tirx::size_of(tile));
    some_host(random, subject);
    layout.tile = std::move(tile);
    subject.notation = std::move(layout);
    if (is_usable(subject, large)) return subject;
  }
}

}  // namespace vl::oracle
