// Layouts of CuTe for campaigns. A right one has leaves whose strides nest, in any order and sometimes with gaps, put
// together in modes at random; a swizzle permutes addresses. A broken one has a stride that repeats the steps of
// another one.
#include "encodings/cute/samples.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "encodings/cute/cute.h"
#include "encodings/use/family.h"
#include "encodings/use/paired_modes.h"

namespace vl::cute {
namespace sampling {  // apart from the family's names
namespace {

using use::Feature;
using use::most_places;
using use::Random;
constexpr auto& layout_of = use::notation_of<Layout>;

std::vector<Mode> some_leaves(Random& random, Index most, bool powers) {
  std::vector<Mode> out;
  Index left = most;
  for (Index count = random.between(most == 1 ? 0 : 1, 6); count > 0; --count) {
    Index extent = 1;
    const auto bits = static_cast<Index>(std::bit_width(static_cast<std::uint64_t>(left)));
    if (powers) extent = Index{1} << random.between(0, count == 1 ? bits - 1 : std::min<Index>(bits - 1, 4));
    else if (count == 1 && random.chance(70)) extent = left;
    else if (most > 3 * most_places(false) && out.empty()) extent = random.between(100, 700);
    else if (!random.chance(8)) extent = random.between(1, std::min<Index>(left, random.chance(25) ? 70 : 9));
    out.push_back({true, extent, 0, {}});
    left = std::max<Index>(1, left / extent);
  }
  random.shuffle(std::span(out));
  return out;
}

void give_strides(Random& random, use::Sample& sample, std::vector<Mode>& leaves, bool gaps) {
  std::vector<std::size_t> order(leaves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (random.chance(Feature::Permuted, 60)) random.shuffle(std::span(order));
  if (!std::ranges::is_sorted(order)) sample.set(Feature::Permuted);
  Index stride = 1;
  for (const std::size_t k : order) {
    leaves[k].stride = stride;
    stride *= leaves[k].extent;
    if (!gaps || !random.chance(30)) continue;
    stride += random.between(1, 4);
    sample.set(Feature::Strided);
  }
}

// Makes the larger strides larger still: those that nest still do.
void spread(Random& random, use::Sample& sample, std::vector<Mode>& leaves) {
  Index from = 0;
  for (const Mode& leaf : leaves)
    if (leaf.extent > 1 && (from == 0 || random.chance(50))) from = leaf.stride;
  if (from == 0) return;
  Index reach = 1;
  for (const Mode& leaf : leaves) reach += leaf.stride * (leaf.extent - 1);
  const Index times = use::some_spread(random, reach);
  for (Mode& leaf : leaves)
    if (leaf.stride >= from) leaf.stride *= times;
  sample.set(Feature::Far);
}

void break_surely(Random& random, use::Sample& sample, std::vector<Mode>& leaves) {
  sample.set(Feature::Broken);
  std::vector<Mode*> long_ones;
  for (Mode& leaf : leaves)
    if (leaf.extent > 1) long_ones.push_back(&leaf);
  if (long_ones.empty()) {
    leaves.push_back({true, 2, 0, {}});
    return sample.set(Feature::Expanded);
  }
  Mode& one = *long_ones[random.below(long_ones.size())];
  const Mode& other = *long_ones[random.below(long_ones.size())];
  if (&one != &other && random.chance(60)) {
    one.stride = other.stride;
    return;
  }
  one.stride = 0;
  sample.set(Feature::Expanded);
}

void break_perhaps(Random& random, use::Sample& sample, std::vector<Mode>& leaves) {
  sample.set(Feature::Broken);
  if (leaves.empty()) return;
  Mode& one = leaves[random.below(leaves.size())];
  switch (random.below(4)) {
    case 0: one.stride = std::max<Index>(0, one.stride + (random.chance(50) ? 1 : -1)); break;
    case 1: one.stride = random.between(0, 20); break;
    case 2: std::swap(one.stride, leaves[random.below(leaves.size())].stride); break;
    case 3: one.stride *= 2; break;
  }
}

// The leaves in modes, and these in modes, at random.
Mode nested(Random& random, std::vector<Mode> modes) {
  if (modes.size() == 1 && random.chance(60)) return modes.front();
  for (int depth = 0; depth < 2 && modes.size() > 1 && random.chance(60); ++depth) {
    std::vector<Mode> next;
    for (std::size_t k = 0; k < modes.size();) {
      const std::size_t most = modes.size() - k;
      const std::size_t count = random.chance(50) ? 1 : 1 + random.below(std::min<std::size_t>(most, 3));
      const auto begin = modes.begin() + static_cast<std::ptrdiff_t>(k);
      if (count == 1 && random.chance(80)) next.push_back(modes[k]);
      else next.push_back({false, 1, 0, {begin, begin + static_cast<std::ptrdiff_t>(count)}});
      k += count;
    }
    modes = std::move(next);
  }
  return {false, 1, 0, std::move(modes)};
}

Swizzle some_swizzle(Random& random) {
  const auto small = [&](Index low, Index high) { return static_cast<int>(random.between(low, high)); };
  const int bits = small(0, 3), far = bits + small(0, 2);
  return {bits, small(0, 3), random.chance(75) ? far : -far};
}

// Sizes whose product is `volume`: its prime factors distributed over dimensions, apart from the layout's extents.
std::vector<Index> some_sizes(Random& random, Index volume) {
  std::vector<Index> out(static_cast<std::size_t>(random.between(volume == 1 ? 0 : 1, 4)), 1);
  use::deal_factors(random, volume, out);
  return out;
}

// The sizes of the layout's own modes, or any with as many elements.
std::vector<Index> sizes_for(Random& random, const Mode& mode) {
  const Index volume = *size_of(mode);
  if (mode.leaf || random.chance(50)) return some_sizes(random, volume);
  std::vector<Index> out;
  for (const Mode& each : mode.modes) out.push_back(*size_of(each));
  return out;
}

Result<map::Layout> lower(const use::Sample& sample) { return cute::lower(layout_of(sample), sample.tensor); }

bool is_usable(const use::Sample& sample, Index most) {
  const auto lowered = lower(sample);
  return lowered && (sample.has(Feature::Far) || lowered->physical().volume() <= most) &&
         lowered->is_slot(map::outputs_at(*lowered, Point(lowered->logical().rank(), 0), {}));
}

// A sample of at most `most` elements, which may be of no use.
use::Sample any_sample(Random& random, unsigned kind, Index most) {
  use::Sample sample;
  Layout layout;
  constexpr map::ElementType kTypes[] = {map::ElementType::F8E4M3, map::ElementType::F16, map::ElementType::F32,
                                         map::ElementType::F64};
  sample.tensor.type = kTypes[random.below(4)];
  const bool swizzled = random.chance(Feature::Swizzled, 35);
  const bool powers = swizzled ? random.chance(85) : random.chance(35);
  std::vector<Mode> leaves = some_leaves(random, most, powers);
  give_strides(random, sample, leaves, !swizzled && random.chance(Feature::Strided, 30));
  if (random.wishes.has(Feature::Far)) spread(random, sample, leaves);
  if (std::ranges::count_if(leaves, [](const Mode& leaf) { return leaf.extent > 1; }) > 1) sample.set(Feature::Tiled);
  if (kind == 1) break_surely(random, sample, leaves);
  if (kind == 3 && random.chance(60)) break_perhaps(random, sample, leaves);
  if (kind % 2 == 0 && !swizzled && !leaves.empty() && random.chance(Feature::Reversed, 10)) {
    Mode& one = leaves[random.below(leaves.size())];
    one.stride = -one.stride;
    if (one.extent > 1) sample.set(Feature::Reversed);
  }
  layout.mode = nested(random, std::move(leaves));
  if (swizzled) {
    layout.swizzle = some_swizzle(random);
    sample.set(Feature::Swizzled);
    if (random.chance(Feature::Offset, 20)) layout.offset = random.between(1, 40), sample.set(Feature::Offset);
  }
  sample.tensor.size = sizes_for(random, layout.mode);
  if (random.chance(Feature::Boxed, 10)) {
    const auto plain = lower({&family(), layout, sample.tensor, 0});
    if (plain) sample.tensor.box = {{std::string(map::kMemoryAxis), plain->physical().volume() + random.between(0, 9)}};
    if (plain) sample.set(Feature::Boxed);
  }
  sample.family = &family();
  sample.notation = std::move(layout);
  return sample;
}

use::Sample draw(Random& random, unsigned kind, bool large) {
  for (;;) {
    const Index most = std::min(use::some_size(random, large), most_places(large));
    use::Sample sample = any_sample(random, kind, most);
    if (is_usable(sample, most_places(large))) return sample;
  }
}

bool draw_small(Random& random, unsigned kind, Index most, int tries, use::Sample& out) {
  for (int k = 0; k < tries; ++k) {
    out = any_sample(random, kind, random.between(1, most));
    if (is_usable(out, std::max(most_places(false), 16 * most))) return true;
  }
  return false;
}

// One mode for each dimension, in any order of memory, sometimes with gaps.
use::Sample companion(const map::Tensor& tensor, Random& random) {
  Layout layout;
  layout.mode.leaf = false;
  for (const Index extent : tensor.size) layout.mode.modes.push_back({true, extent, 0, {}});
  use::Sample sample{&family(), {}, tensor, 0};
  give_strides(random, sample, layout.mode.modes, random.chance(30));
  sample.features = 0;
  sample.notation = std::move(layout);
  return sample;
}

// The tensor in one dimension.
bool flat(use::Sample& sample, const Layout& layout) {
  const auto size = size_of(layout.mode);
  if (!size) return false;
  sample.tensor.size = {*size};
  sample.tensor.strides.reset();
  return true;
}

bool change_swizzle(Layout& next, int Swizzle::*field) {
  if (!next.swizzle || (*next.swizzle).*field < 1) return false;
  (*next.swizzle).*field -= 1;
  return next.swizzle->bits <= std::abs(next.swizzle->shift);
}

void smaller(const use::Sample& from, const use::TakeSample& take) {
  using use::lower_to;
  const auto add = [&](const auto& change) { use::take_changed<Layout>(take, from, change); };
  add([](use::Sample&, Layout& next) {
    return next.swizzle.has_value() && (next.swizzle.reset(), next.offset = 0, true);
  });
  add([](use::Sample&, Layout& next) { return lower_to(next.offset, 0, 0); });
  for (const auto field : {&Swizzle::bits, &Swizzle::base, &Swizzle::shift})
    add([&](use::Sample&, Layout& next) { return change_swizzle(next, field); });
  add([](use::Sample& sample, Layout& next) { return sample.tensor.size.size() > 1 && flat(sample, next); });
  const std::vector<Mode> leaves = leaves_of(layout_of(from).mode);
  const auto with_leaves = [&](use::Sample& sample, Layout& next, std::vector<Mode> changed) {
    next.mode = {false, 1, 0, std::move(changed)};
    return flat(sample, next);
  };
  if (layout_of(from).mode != Mode{false, 1, 0, leaves})
    add([&](use::Sample& sample, Layout& next) { return with_leaves(sample, next, leaves); });
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    add([&](use::Sample& sample, Layout& next) {
      std::vector<Mode> changed = leaves;
      use::drop(changed, k);
      return with_leaves(sample, next, std::move(changed));
    });
    for (const auto number : {&Mode::extent, &Mode::stride})
      for (const Index wanted :
           {Index{1}, leaves[k].*number / 2, use::power_below(leaves[k].*number), leaves[k].*number - 1})
        add([&](use::Sample& sample, Layout& next) {
          std::vector<Mode> changed = leaves;
          return lower_to(changed[k].*number, wanted, number == &Mode::extent ? 1 : 0) &&
                 with_leaves(sample, next, std::move(changed));
        });
  }
}

void plainer(const use::Sample& from, const use::TakeSample& take) {
  use::plainer_modes(leaves_of(layout_of(from).mode), true, [&](const std::vector<Mode>& modes) {
    use::take_changed<Layout>(take, from, [&](use::Sample& sample, Layout& next) {
      next.mode = {false, 1, 0, modes};
      return flat(sample, next);
    });
  });
}

// Each as it is, without its swizzle, without its offset, and with strides that go up.
void paired(const use::Sample& from, const use::TakeSample& take) {
  for (unsigned what = 0; what < 4; ++what) {
    Layout base = layout_of(from);
    if ((what & 1U) != 0) base.swizzle.reset(), base.offset = 0;
    std::vector<Mode> leaves = leaves_of(base.mode);
    if ((what & 2U) != 0) {
      base.offset = 0;
      for (Mode& leaf : leaves)
        if (leaf.stride < 0) leaf.stride = -(leaf.stride + 1) + 1;
    }
    if (what != 0 && base == layout_of(from) && leaves == leaves_of(base.mode)) continue;
    use::paired_modes(leaves, true, [&](const std::vector<Mode>& modes) {
      use::take_changed<Layout>(take, from, [&](use::Sample& sample, Layout& next) {
        next = base;
        next.mode = {false, 1, 0, modes};
        return flat(sample, next);
      });
    });
  }
}

std::string print(const use::Sample& sample) { return cute::print(layout_of(sample)); }

Result<use::Sample> read(std::string_view text, const map::Tensor& tensor) {
  auto parsed = parse(text);
  if (!parsed) return parsed.error();
  if (!parsed->symbolic.empty()) return Error{ErrorCode::Value, parsed->symbolic};
  return use::Sample{&family(), std::move(parsed->layout), tensor, 0};
}

std::size_t digits(const use::Sample& sample) { return leaves_of(layout_of(sample).mode).size(); }

constexpr Feature kNever[] = {Feature::Constructed, Feature::DimMap,     Feature::Ragged,  Feature::Sparse,
                              Feature::Synthetic,   Feature::Replicated, Feature::Threads, Feature::Far};
constexpr Feature kWishes[] = {Feature::Permuted, Feature::Strided, Feature::Reversed, Feature::Offset,
                               Feature::Swizzled, Feature::Boxed,   Feature::Far};

}  // namespace
}  // namespace sampling

constinit const use::Campaign kCampaign{.stream = 6,
                                        .bijective = false,
                                        .empty_tensors = false,
                                        .never = sampling::kNever,
                                        .wishes = sampling::kWishes,
                                        .draw = sampling::draw,
                                        .companion = sampling::companion,
                                        .print = sampling::print,
                                        .read = sampling::read,
                                        .lower = sampling::lower,
                                        .digits = sampling::digits,
                                        .smaller = sampling::smaller,
                                        .plainer = sampling::plainer,
                                        .paired = sampling::paired,
                                        .draw_small = sampling::draw_small};

}  // namespace vl::cute
