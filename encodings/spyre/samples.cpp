// Layouts of Spyre for campaigns. A right one comes from a host whose offsets nest: each host dimension is cut into
// digits (tiles of tiles), the device's dimensions are these digits in any order, and ragged ends round up. Dimensions
// without a host dimension, replicas, and a view into a larger allocation are added. A broken one is a right one with
// one changed number, so that an element loses its slot or two elements share one.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "encodings/base/check.h"
#include "encodings/spyre/samples.h"
#include "encodings/spyre/spyre.h"

namespace vl::spyre {
namespace sampling {  // apart from the family's names
namespace {

using use::Feature;
using use::most_places;
using use::Random;
using use::some_size;
constexpr auto& layout_of = use::notation_of<SpyreTensorLayout>;

struct Draft {
  use::Sample sample;
  spyre::SpyreTensorLayout layout;
  std::vector<Index> strides;  // of the host
  std::vector<Index> extents;  // of the allocation: at least the tensor's
  bool large = false;
  bool copies = false;  // there will be replicas

  [[nodiscard]] Index most() const { return most_places(large) / (copies ? 3 : 1); }
};

Index slots_of(const spyre::SpyreTensorLayout& layout) {
  return std::accumulate(layout.device_size.begin(), layout.device_size.end(), Index{1}, std::multiplies<>{});
}

// The points to walk over: elements times replicas.
Index points_of(const Draft& draft) {
  Index points = 1;
  for (const Index size : draft.sample.tensor.size) points *= size;
  for (std::size_t j = 0; j < draft.layout.stride_map.size(); ++j)
    if (draft.layout.stride_map[j] == 0) points *= std::max<Index>(draft.layout.device_size[j], 1);
  return points;
}

// Extents whose product is near `most`, never above it. Sometimes the last dimension takes all that is left.
std::vector<Index> some_extents(Random& random, Index most) {
  std::vector<Index> out;
  const bool large = most > 3 * most_places(false);
  const bool multiples = random.chance(50);  // of a large tensor's extents
  const Index rank = most == 1 ? random.between(0, 2) : large ? random.between(2, 3) : random.between(1, 4);
  Index left = most;
  for (Index k = 0; k < rank; ++k) {
    Index extent = 1;
    if (k + 1 == rank)
      extent = large && left > 128 ? left / 64 * 64 : random.chance(85) ? left : random.between(1, left);
    else if (large && k == 0) extent = multiples ? 64 * random.between(2, 10) : random.between(100, 700);
    else if (!random.chance(10)) extent = random.between(1, std::min<Index>(left, random.chance(25) ? 40 : 9));
    out.push_back(extent);
    left = std::max<Index>(1, left / extent);
  }
  if (random.chance(60)) random.shuffle(std::span(out));
  return out;
}

void some_host(Random& random, Draft& draft, bool tiled) {
  std::vector<Index>& size = draft.sample.tensor.size;
  size = some_extents(random, std::min(some_size(random, draft.large), draft.most()));
  draft.extents = size;
  const Index kind = random.between(1, 100);
  std::vector<std::size_t> order(size.size());  // outermost first
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (kind > 50 && kind <= 70) {
    random.shuffle(std::span(order));
    if (!std::ranges::is_sorted(order)) draft.sample.set(Feature::Permuted);
  }
  if (kind > 70 && kind <= 80 && tiled && !size.empty()) {  // a view: some dimension continues beyond the tensor
    draft.extents[random.below(size.size())] += random.between(1, 4);
    draft.sample.set(Feature::Strided);
  }
  draft.strides.assign(size.size(), 0);
  Index stride = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    draft.strides[order[k]] = stride;
    stride *= draft.extents[order[k]];
    if (kind > 80 && kind <= 92 && random.chance(60)) {
      stride += random.between(1, 5);
      draft.sample.set(Feature::Strided);
    }
  }
}

// Uses the constructor's rule, with sticks that suit small tensors.
void construct(Random& random, Draft& draft) {
  std::vector<Index> order(draft.sample.tensor.size.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (random.chance(50)) random.shuffle(std::span(order));
  if (order.empty() || random.chance(Feature::Sparse, 6)) order.push_back(-1);
  constexpr Index kSticks[] = {4, 8, 16, 32, 64};
  const bool sparse = order.back() == -1;
  Index stick = sparse ? 4 : kSticks[random.below(5)];
  std::vector<Index> strides = draft.strides;
  auto made = spyre::construct(draft.sample.tensor.size, strides, {"SEN169_FP16", stick}, order);
  while (made && slots_of(*made) > draft.most() && stick > 4) {
    stick /= 2;
    made = spyre::construct(draft.sample.tensor.size, strides, {"SEN169_FP16", stick}, order);
  }
  VL_CHECK(made.has_value(), "the constructor refuses a small tensor");
  draft.layout = std::move(*made);
  draft.layout.host_size.reset();
  draft.layout.host_strides.reset();
  draft.layout.dim_order.reset();
  draft.layout.device_dtype = {"SEN169_FP16", 64};
  draft.sample.set(Feature::Constructed);
  if (sparse) draft.sample.set(Feature::Sparse);
  else if (draft.sample.tensor.size[static_cast<std::size_t>(order.back())] % stick != 0)
    draft.sample.set(Feature::Ragged);
  if (!std::ranges::is_sorted(order.begin(), order.end() - (sparse ? 1 : 0))) draft.sample.set(Feature::Permuted);
}

struct Digit {
  Index size = 1;
  Index stride = 1;
  Index host = -1;
  Index weight = 1;
};

// The digits of each host dimension, the least significant one last.
std::vector<Digit> some_digits(Random& random, Draft& draft) {
  std::vector<Digit> digits;
  Index slots = 1;
  for (std::size_t i = 0; i < draft.extents.size(); ++i) {
    Index left = draft.extents[i];
    Index weight = 1;
    for (Index cuts = random.between(0, 2); cuts > 0 && left > 3 && digits.size() < 7; --cuts) {
      Index tile = random.chance(40) ? Index{1} << random.between(1, 6) : random.between(2, 9);
      tile = std::min(tile, left);
      const Index rounded = ceil_div(left, tile) * tile;
      if (slots * rounded > 2 * draft.most() / 3) break;
      if (draft.extents[i] % (tile * weight) != 0) draft.sample.set(Feature::Ragged);
      digits.push_back({tile, draft.strides[i] * weight, static_cast<Index>(i), weight});
      draft.sample.set(Feature::Tiled);
      weight *= tile;
      left = ceil_div(left, tile);
    }
    digits.push_back({left, draft.strides[i] * weight, static_cast<Index>(i), weight});
    slots *= left * weight;
  }
  return digits;
}

void tile(Random& random, Draft& draft) {
  std::vector<Digit> digits = some_digits(random, draft);
  if (digits.empty() || random.chance(Feature::Synthetic, 8)) {
    digits.push_back({random.between(1, 3), -1, -1, 0});
    if (digits.back().size > 1) draft.sample.set(Feature::Synthetic);
  }
  random.shuffle(std::span(digits));
  const bool by_dims = random.chance(Feature::DimMap, 15) && draft.extents == draft.sample.tensor.size;
  // In a dim_map, the rightmost digit of a host dimension is its least significant one.
  if (by_dims) {
    std::ranges::stable_sort(digits, std::greater<>{}, &Digit::weight);
    draft.sample.set(Feature::DimMap);
  }
  for (const Digit& digit : digits) {
    draft.layout.device_size.push_back(digit.size);
    (by_dims ? draft.layout.dim_map : draft.layout.stride_map).push_back(by_dims ? digit.host : digit.stride);
  }
  draft.layout.device_dtype = {"SEN169_FP16", 64};
}

void replicate(Random& random, Draft& draft) {
  if (draft.layout.stride_map.empty()) return;
  const auto at = static_cast<std::ptrdiff_t>(random.below(draft.layout.device_size.size() + 1));
  draft.layout.device_size.insert(draft.layout.device_size.begin() + at, random.between(2, 3));
  draft.layout.stride_map.insert(draft.layout.stride_map.begin() + at, 0);
  draft.sample.set(Feature::Replicated);
}

// The tensor starts somewhere inside the allocation, or runs through it backwards.
void view(Random& random, Draft& draft) {
  if (draft.layout.stride_map.empty()) return;
  map::Tensor& tensor = draft.sample.tensor;
  for (std::size_t i = 0; i < tensor.size.size(); ++i) {
    const Index start = random.between(0, draft.extents[i] - tensor.size[i]);
    tensor.view_offset += start * draft.strides[i];
    if (start > 0) draft.sample.set(Feature::Offset);
  }
  if (random.chance(12)) tensor.offset = random.between(1, 40);
  if (!random.chance(Feature::Reversed, 6) || tensor.size.empty()) return;
  const std::size_t i = random.below(tensor.size.size());
  if (tensor.size[i] == 1) return;
  tensor.view_offset += draft.strides[i] * (tensor.size[i] - 1);
  tensor.offset += draft.strides[i] * (tensor.size[i] - 1);
  draft.strides[i] = -draft.strides[i];
  draft.sample.set(Feature::Reversed);
}

std::optional<std::size_t> any_dim(Random& random, std::span<const Index> sizes) {
  if (sizes.empty()) return std::nullopt;
  const std::size_t start = random.below(sizes.size());
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[(start + k) % sizes.size()] > 1) return (start + k) % sizes.size();
  return std::nullopt;
}

// One change that refutes the verdict: some element has no slot, or shares one.
void break_surely(Random& random, Draft& draft) {
  map::Tensor& tensor = draft.sample.tensor;
  const auto host = any_dim(random, tensor.size);
  const bool strided = !draft.layout.stride_map.empty();
  draft.sample.set(Feature::Broken);
  if (host && strided && random.chance(35)) {  // expanded: all elements along it have one offset
    tensor.view_offset += std::min<Index>(draft.strides[*host], 0) * (tensor.size[*host] - 1);
    draft.strides[*host] = 0;
    draft.sample.set(Feature::Expanded);
    return;
  }
  std::vector<std::size_t> digits;  // device dimensions that distinguish elements
  const std::vector<Index>& map = strided ? draft.layout.stride_map : draft.layout.dim_map;
  for (std::size_t j = 0; j < draft.layout.device_size.size(); ++j)
    if (draft.layout.device_size[j] > 1 && map[j] >= (strided ? 1 : 0)) digits.push_back(j);
  if (digits.empty()) {  // one element: send it away
    if (strided) tensor.view_offset += slots_of(draft.layout) * 16 + 1;
    else draft.layout.device_size[0] = 0;
    return;
  }
  const std::size_t j = digits[random.below(digits.size())];
  if (random.chance(50)) {
    draft.layout.device_size[j] -= 1;
  } else {
    draft.layout.device_size[j] = 1;
  }
}

// Changes any number: often wrong, not always.
void break_perhaps(Random& random, Draft& draft) {
  std::vector<Index>& sizes = draft.layout.device_size;
  const bool strided = !draft.layout.stride_map.empty();
  std::vector<Index>& map = strided ? draft.layout.stride_map : draft.layout.dim_map;
  const std::size_t j = random.below(sizes.size());
  const std::size_t k = random.below(sizes.size());
  const Index highest = strided ? Index{1} << 20 : static_cast<Index>(draft.strides.size()) - 1;
  draft.sample.set(Feature::Broken);
  switch (random.below(7)) {
    case 0: map[j] = std::clamp<Index>(map[j] + (random.chance(50) ? 1 : -1), -1, highest); break;
    case 1: sizes[j] = std::max<Index>(1, sizes[j] + (random.chance(50) ? 1 : -1)); break;
    case 2: std::swap(map[j], map[k]); break;
    case 3: std::swap(sizes[j], sizes[k]); break;
    case 4:
      if (strided) draft.sample.tensor.view_offset += random.between(1, 3);
      break;
    case 5:
      if (strided && !draft.strides.empty()) draft.strides[random.below(draft.strides.size())] += 1;
      break;
    case 6:
      if (sizes.size() < 8 && slots_of(draft.layout) * sizes[k] < most_places(draft.large)) {
        sizes.push_back(Index{sizes[k]});
        map.push_back(Index{map[k]});
      }
      break;
  }
}

use::Sample draw(Random& random, unsigned kind, bool large) {
  for (;;) {
    Draft draft;
    draft.large = large;
    draft.copies = random.chance(Feature::Replicated, large ? 50 : 10);
    const bool constructed = random.chance(Feature::Constructed, 35);
    some_host(random, draft, !constructed);
    if (constructed) construct(random, draft);
    else tile(random, draft);
    if (slots_of(draft.layout) > draft.most()) continue;
    if (draft.copies) replicate(random, draft);
    view(random, draft);
    if (kind == 1) break_surely(random, draft);
    if (kind == 3 && random.chance(60)) break_perhaps(random, draft);
    if (points_of(draft) > 3 * most_places(large)) continue;
    constexpr map::ElementType kTypes[] = {map::ElementType::I8, map::ElementType::F16, map::ElementType::F32,
                                           map::ElementType::I64};
    draft.sample.tensor.type = kTypes[random.below(4)];
    if (draft.strides != *map::dense_strides(draft.sample.tensor.size)) draft.sample.tensor.strides = draft.strides;
    draft.sample.family = &family();
    draft.sample.notation = std::move(draft.layout);
    return std::move(draft.sample);
  }
}

// The host's dimensions in another order, sometimes with room behind one of them.
use::Sample companion(const map::Tensor& tensor, Random& random) {
  use::Sample out;
  out.family = &family();
  out.tensor = tensor;
  std::vector<std::size_t> order(tensor.size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  const auto strides = map::dense_strides(tensor.size);
  VL_CHECK(strides.has_value(), "a small tensor");
  SpyreTensorLayout layout;
  for (const std::size_t k : order) {
    layout.device_size.push_back(tensor.size[k]);
    layout.stride_map.push_back(tensor.size[k] == 1 ? -1 : (*strides)[k]);
  }
  if (order.empty()) {
    layout.device_size.push_back(1);
    layout.stride_map.push_back(-1);
  }
  if (random.chance(30)) layout.device_size.front() += random.between(1, 5);
  layout.device_dtype = {"SEN169_FP16", 64};
  out.notation = std::move(layout);
  return out;
}

void smaller(const use::Sample& from, const use::TakeSample& take) {
  using use::drop;
  using use::lower_to;
  const auto add = [&](const auto& change) { use::take_changed<SpyreTensorLayout>(take, from, change); };
  const SpyreTensorLayout& layout = layout_of(from);
  const bool strided = !layout.stride_map.empty();
  for (std::size_t j = 0; j < layout.device_size.size() && layout.device_size.size() > 1; ++j)
    add([&](use::Sample&, SpyreTensorLayout& next) {
      drop(next.device_size, j);
      drop(strided ? next.stride_map : next.dim_map, j);
      return true;
    });
  for (std::size_t i = 0; i < from.tensor.size.size(); ++i) {
    if (strided)
      add([&](use::Sample& next, SpyreTensorLayout&) {
        const auto strides = map::host_strides(next.tensor);
        if (!strides) return false;
        next.tensor.strides = *strides;
        drop(*next.tensor.strides, i);
        drop(next.tensor.size, i);
        return true;
      });
    const Index size = from.tensor.size[i];
    for (const Index wanted : {Index{1}, size / 2, size - 1})
      add([&](use::Sample& next, SpyreTensorLayout&) {
        const auto strides = map::host_strides(next.tensor);
        if (!strides) return false;
        next.tensor.strides = *strides;  // fewer elements, each where it was
        return lower_to(next.tensor.size[i], wanted, 1);
      });
  }
  const auto lessen = [&](std::vector<Index> SpyreTensorLayout::*numbers) {
    for (std::size_t j = 0; j < (layout.*numbers).size(); ++j) {
      const Index number = (layout.*numbers)[j];
      for (const Index wanted : {Index{1}, number / 2, number - 1})
        add([&](use::Sample&, SpyreTensorLayout& next) { return lower_to((next.*numbers)[j], wanted, 1); });
    }
  };
  lessen(&SpyreTensorLayout::device_size);
  lessen(&SpyreTensorLayout::stride_map);
}

std::string print(const use::Sample& sample) { return spyre::print(layout_of(sample)); }

Result<use::Sample> read(std::string_view text, const map::Tensor& tensor) {
  auto layout = read_for(text, tensor);
  if (!layout) return layout.error();
  return use::Sample{&family(), std::move(*layout), tensor, 0};
}

Result<map::Layout> lower(const use::Sample& sample) { return spyre::lower(layout_of(sample), sample.tensor); }

std::size_t digits(const use::Sample& sample) { return layout_of(sample).device_size.size(); }

constexpr Feature kNever[] = {Feature::Swizzled, Feature::Threads, Feature::Boxed, Feature::Far};
constexpr Feature kWishes[] = {Feature::Constructed, Feature::Sparse,     Feature::Synthetic,
                               Feature::DimMap,      Feature::Replicated, Feature::Reversed};

}  // namespace
}  // namespace sampling

constinit const use::Campaign kCampaign{.stream = 1,
                                        .bijective = true,
                                        .empty_tensors = true,
                                        .refusals = true,
                                        .never = sampling::kNever,
                                        .wishes = sampling::kWishes,
                                        .draw = sampling::draw,
                                        .companion = sampling::companion,
                                        .print = sampling::print,
                                        .read = sampling::read,
                                        .lower = sampling::lower,
                                        .digits = sampling::digits,
                                        .smaller = sampling::smaller};

}  // namespace vl::spyre
