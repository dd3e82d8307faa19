// Layouts of TIRx for campaigns. A right one distributes its iters over axes, and gives those of one axis strides that
// nest, in any order of the iters, sometimes with gaps; replicas lie beyond the reach of the shard. A swizzle permutes
// a memory whose span is a power of two. A broken one has a stride that repeats the steps of another one.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "encodings/tirx/parts.h"
#include "encodings/tirx/place_form.h"
#include "encodings/tirx/samples.h"
#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace sampling {  // apart from the family's names
namespace {

using use::Feature;
using use::most_places;
using use::Random;
using use::some_size;
constexpr auto& layout_of = use::notation_of<Layout>;

constexpr std::size_t kMostIters = 5;

void some_iters(Random& random, Index most, bool powers, std::vector<Iter>& out) {
  out.clear();
  Index left = most;
  for (Index count = random.between(most == 1 ? 0 : 1, kMostIters); count > 0; --count) {
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
}

// Puts iters on thread axes as long as these have room; the others stay on m.
void deal(Random& random, use::Sample& sample, std::span<Iter> iters) {
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
    if (iter.axis != Axis::M) sample.set(Feature::Threads);
  }
}

// Makes one iter count down, from its former end.
void reverse(Random& random, use::Sample& sample, tirx::TileLayout& tile) {
  if (tile.shard.empty()) return;
  Iter& iter = tile.shard[random.below(tile.shard.size())];
  if (iter.axis != Axis::M || iter.extent == 1 || iter.stride == 0 || !tile.offset.empty()) return;
  tile.offset.emplace_back(Axis::M, iter.stride * (iter.extent - 1));
  iter.stride = -iter.stride;
  sample.set(Feature::Reversed);
}

// Gives strides that nest on each axis, with the iters in any order.
void give_strides(Random& random, use::Sample& sample, std::span<Iter> iters, bool gaps) {
  std::array<std::size_t, kMostIters> numbers{};
  const auto order = std::span(numbers).first(iters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::reverse(order);
  if (random.chance(Feature::Permuted, 70)) random.shuffle(order);
  if (!std::ranges::is_sorted(order, std::greater<>{})) sample.set(Feature::Permuted);
  std::array<Index, static_cast<std::size_t>(Axis::TLane) + 1> next{};
  next.fill(1);
  for (const std::size_t k : order) {
    Index& stride = next[static_cast<std::size_t>(iters[k].axis)];
    iters[k].stride = stride;
    stride *= iters[k].extent;
    if (gaps && iters[k].axis == Axis::M && random.chance(30)) {
      stride += random.between(1, 4);
      sample.set(Feature::Strided);
    }
  }
}

// Sizes whose product is `volume`: its prime factors distributed over dimensions, apart from the layout's extents.
void some_sizes(Random& random, Index volume, std::vector<Index>& out) {
  out.assign(static_cast<std::size_t>(random.between(volume == 1 ? 0 : 1, 4)), 1);
  use::deal_factors(random, volume, out);
}

void add_replicas(Random& random, use::Sample& sample, tirx::TileLayout& tile) {
  const Axis axis =
      tile.shard.empty() || random.chance(40) ? Axis::M : tile.shard[random.below(tile.shard.size())].axis;
  const auto range = tirx::range_of(tile, axis);
  const Index extent = random.between(2, 3);
  const Index room = tirx::info(axis).capacity;
  if (!range || (room > 0 && (range->high + 1) * extent > room)) return;
  tile.replica.push_back({extent, range->high + 1, axis});
  sample.set(Feature::Replicated);
}

// Makes the larger strides of the memory larger still: those that nest still do.
void spread(Random& random, use::Sample& sample, tirx::TileLayout& tile) {
  Index from = 0;
  for (const Iter& iter : tile.shard)
    if (iter.axis == Axis::M && iter.extent > 1 && (from == 0 || random.chance(50))) from = iter.stride;
  const auto range = tirx::range_of(tile, Axis::M);
  if (from == 0 || !range) return;
  const Index times = use::some_spread(random, range->high + 1);
  for (std::vector<Iter>* iters : {&tile.shard, &tile.replica})
    for (Iter& iter : *iters)
      if (iter.axis == Axis::M && iter.stride >= from) iter.stride *= times;
  sample.set(Feature::Far);
}

void break_surely(Random& random, use::Sample& sample, tirx::TileLayout& tile) {
  sample.set(Feature::Broken);
  std::array<Iter*, kMostIters> kept{};
  std::size_t count = 0;
  for (Iter& iter : tile.shard)
    if (iter.extent > 1) kept[count++] = &iter;
  const auto long_ones = std::span(kept).first(count);
  if (long_ones.empty() || random.chance(10)) {
    tile.replica.push_back({2, 0, Axis::M});
    sample.set(Feature::Replicated);
    return;
  }
  Iter& one = *long_ones[random.below(long_ones.size())];
  for (const Iter* other : long_ones)
    if (other != &one && other->axis == one.axis && random.chance(60)) {
      one.stride = other->stride;
      return;
    }
  one.stride = 0;
  sample.set(Feature::Expanded);
}

void break_perhaps(Random& random, use::Sample& sample, tirx::TileLayout& tile) {
  sample.set(Feature::Broken);
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

void declare(Random& random, use::Sample& sample, const tirx::TileLayout& tile, bool swizzled) {
  const auto range = tirx::range_of(tile, Axis::M);
  const bool on_memory = std::ranges::any_of(tile.shard, [](const Iter& iter) { return iter.axis == Axis::M; });
  if (!range || !on_memory || range->high > Index{1} << 60) return;
  Index extent = range->high + 1 + random.between(0, 9);
  if (swizzled) extent = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
  sample.tensor.box.push_back({std::string(map::kMemoryAxis), extent});
  sample.set(Feature::Boxed);
}

// The host's memory does not depend on the layout: any strides that reach no offset below 0.
void some_host(Random& random, use::Sample& sample) {
  std::vector<Index>& size = sample.tensor.size;
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
    if (size[one] > 1) sample.set(Feature::Expanded);
  } else if (random.chance(15)) {
    sample.tensor.offset = strides[one] * (size[one] - 1);
    strides[one] = -strides[one];
    if (size[one] > 1) sample.set(Feature::Reversed);
  }
  if (random.chance(20)) sample.tensor.offset += random.between(1, 40);
  sample.tensor.strides = std::move(strides);
  sample.set(Feature::Strided);
}

Result<map::Layout> lower(const use::Sample& sample) { return tirx::lower(layout_of(sample), sample.tensor); }

// The map, if it is not too large to run, and its first element has a slot: else no claim would decide anything.
std::optional<map::Layout> usable(const use::Sample& sample, bool large) {
  auto lowered = lower(sample);
  if (!lowered ||
      !lowered->is_slot(
          map::outputs_at(*lowered, Point(lowered->logical().rank(), 0), Point(lowered->replicas().rank(), 0))) ||
      lowered->physical().volume() * std::max<Index>(1, lowered->replicas().volume()) > most_places(large))
    return std::nullopt;
  return std::move(*lowered);
}

// Fills a sample, whose host is dense, with a layout of at most `most` elements; it may be of no use. Its memory is
// used again.
void fill(use::Sample& sample, Random& random, unsigned kind, bool large, Index most) {
  sample.features = 0;
  sample.tensor.strides.reset(), sample.tensor.offset = sample.tensor.view_offset = 0, sample.tensor.box.clear();
  if (std::any_cast<Layout>(&sample.notation) == nullptr) sample.notation = Layout{};
  auto& layout = std::any_cast<Layout&>(sample.notation);
  constexpr map::ElementType kTypes[] = {map::ElementType::F8E4M3, map::ElementType::F16, map::ElementType::F32,
                                         map::ElementType::F64};
  sample.tensor.type = kTypes[random.below(4)];
  const bool swizzled = random.chance(Feature::Swizzled, 35);
  const bool powers = swizzled ? random.chance(85) : random.chance(35);
  if (!layout.tile) layout.tile.emplace();
  tirx::TileLayout& tile = *layout.tile;
  tile.replica.clear(), tile.offset.clear(), layout.swizzle.reset();
  const bool copies = random.chance(Feature::Replicated, large ? 40 : 12);
  const Index size = most > 0 ? random.between(1, most) : some_size(random, large);
  const Index room = std::max(most, most_places(large));
  some_iters(random, std::min(size, room / (copies ? 3 : 1)), powers, tile.shard);
  if (!swizzled && random.chance(Feature::Threads, 60)) deal(random, sample, tile.shard);
  give_strides(random, sample, tile.shard, !swizzled && random.chance(Feature::Strided, 30));
  if (std::ranges::count_if(tile.shard, [](const Iter& iter) { return iter.extent > 1; }) > 1)
    sample.set(Feature::Tiled);
  if (copies) add_replicas(random, sample, tile);
  if (random.wishes.has(Feature::Far)) spread(random, sample, tile);
  if (kind % 2 == 0 && random.chance(Feature::Reversed, 20)) reverse(random, sample, tile);
  if (random.chance(Feature::Offset, 15) && !swizzled && tile.offset.empty()) {
    tile.offset.emplace_back(Axis::M, random.between(1, 20));
    sample.set(Feature::Offset);
  }
  if (kind == 1) break_surely(random, sample, tile);
  if (kind == 3 && random.chance(60)) break_perhaps(random, sample, tile);
  if (swizzled) {
    layout.swizzle = some_swizzle(random);
    sample.set(Feature::Swizzled);
  }
  if (random.chance(Feature::Boxed, swizzled && !powers ? 60 : 8)) declare(random, sample, tile, swizzled);
  Index elements = 1;
  for (const Iter& iter : tile.shard) elements *= iter.extent;
  some_sizes(random, elements, sample.tensor.size);
  sample.family = &family();
}

use::Sample draw(Random& random, unsigned kind, bool large) {
  for (;;) {
    use::Sample sample;
    fill(sample, random, kind, large, 0);
    some_host(random, sample);
    if (usable(sample, large)) return sample;
  }
}

bool draw_small(Random& random, unsigned kind, Index most, int tries, use::Sample& out) {
  for (int k = 0; k < tries; ++k) {
    fill(out, random, kind, false, most);
    const Index places = out.has(Feature::Far) ? INT64_MAX : std::max(most_places(false), 16 * most);
    if (has_use(layout_of(out), out.tensor, places)) return true;
  }
  return false;
}

void places(const use::Sample& sample, use::PlaceForm& out, std::string& text) {
  form_of(layout_of(sample), sample.tensor, out);
  tirx::print(layout_of(sample), text);
}

// A shard over m with the tensor's extents, in another order, sometimes with gaps.
use::Sample companion(const map::Tensor& tensor, Random& random) {
  TileLayout tile;
  for (const Index extent : tensor.size) tile.shard.push_back({extent, 0, Axis::M});
  std::vector<std::size_t> order(tile.shard.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  Index stride = 1;
  for (const std::size_t k : order) {
    tile.shard[k].stride = stride;
    stride = stride * tile.shard[k].extent + (random.chance(15) ? random.between(1, 5) : 0);
  }
  return {&family(), Layout{std::nullopt, std::move(tile)}, tensor, 0};
}

std::string print(const use::Sample& sample) { return tirx::print(layout_of(sample)); }

Result<use::Sample> read(std::string_view text, const map::Tensor& tensor) {
  auto parsed = parse(text);
  if (!parsed) return parsed.error();
  if (!parsed->symbolic.empty())
    return Error{ErrorCode::Value, "'" + parsed->symbolic + "' is a name; expected numbers"};
  return use::Sample{&family(), std::move(parsed->layout), tensor, 0};
}

std::string parts(const use::Sample& sample) { return tirx::parts_of(layout_of(sample)); }

std::size_t digits(const use::Sample& sample) {
  const Layout& layout = layout_of(sample);
  return layout.tile ? layout.tile->shard.size() : 1;
}

constexpr Feature kNever[] = {Feature::Constructed, Feature::DimMap,    Feature::Ragged,
                              Feature::Sparse,      Feature::Synthetic, Feature::Far};
constexpr Feature kWishes[] = {Feature::Permuted, Feature::Strided,    Feature::Reversed,
                               Feature::Offset,   Feature::Replicated, Feature::Swizzled,
                               Feature::Threads,  Feature::Boxed,      Feature::Far};

}  // namespace
}  // namespace sampling

constinit const use::Campaign kCampaign{.stream = 2,
                                        .bijective = false,
                                        .empty_tensors = false,
                                        .refusals = true,
                                        .never = sampling::kNever,
                                        .wishes = sampling::kWishes,
                                        .draw = sampling::draw,
                                        .companion = sampling::companion,
                                        .print = sampling::print,
                                        .read = sampling::read,
                                        .lower = sampling::lower,
                                        .digits = sampling::digits,
                                        .smaller = smaller_samples,
                                        .plainer = plainer_samples,
                                        .paired = paired_samples,
                                        .draw_small = sampling::draw_small,
                                        .parts = sampling::parts,
                                        .places = sampling::places};

}  // namespace vl::tirx
