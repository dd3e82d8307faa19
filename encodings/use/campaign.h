// Campaign: a family's part of campaigns of random layouts. A sample is in the family's own notation. The family draws
// it from random numbers, prints it, reads it again and makes it smaller; other code only passes it on.
//
// The number g of a sample's group modulo 4 decides its kind, so that both verdicts occur by design:
//   0  right by construction      1  broken so that the verdict has to be refuted
//   2  right by construction      3  right, or broken at random
#pragma once

#include <algorithm>
#include <any>
#include <bit>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/map/tensor.h"
#include "encodings/use/feature.h"
#include "encodings/use/place_form.h"
#include "encodings/use/random.h"

namespace vl::use {

struct Family;  // encodings/use/family.h

/// One layout of one tensor.
struct Sample {
  const Family* family = nullptr;
  std::any notation;  // a value of the family's own type
  map::Tensor tensor;
  Features features = 0;

  void set(Feature feature) { features |= bit(feature); }
  [[nodiscard]] bool has(Feature feature) const { return (features & bit(feature)) != 0; }
};

using TakeSample = std::function<void(Sample)>;

struct Campaign {
  std::uint64_t stream = 0;        // of random numbers; different for each family
  bool bijective = false;          // a right sample is bijective; else injective, if an element has a slot
  bool empty_tensors = false;      // tensors without elements are also cases
  bool refusals = false;           // what the reader refuses of a sample with one number changed, its documents refuse
  std::span<const Feature> never;  // features that no sample has
  std::span<const Feature> wishes = {};  // those that draw() takes or leaves as Random::wishes says
  /// A sample whose tensor has at least one element. `kind`: its group's number modulo 4.
  Sample (*draw)(Random& random, unsigned kind, bool large);
  /// A layout in which every element of the dense tensor has a slot of its own. Null: the family has none.
  Sample (*companion)(const map::Tensor& tensor, Random& random);
  std::string (*print)(const Sample& sample);
  /// The inverse of print(). Errors: those of the family's reader.
  Result<Sample> (*read)(std::string_view text, const map::Tensor& tensor);
  Result<map::Layout> (*lower)(const Sample& sample);
  std::size_t (*digits)(const Sample& sample);  // the number of parts of the notation
  /// Passes on samples that are each smaller in one number.
  void (*smaller)(const Sample& sample, const TakeSample& take);
  /// Passes on samples that may be larger and have more of what layouts mostly have: extents that are powers of two,
  /// strides without gaps, in order. Null: the family has none.
  void (*plainer)(const Sample& sample, const TakeSample& take) = nullptr;
  /// Passes on samples of which several numbers change at once, those that belong together (paired_modes.h), and which
  /// may lack what the layout has: its swizzle, offset, replicas, strides below 0, further axes. Null: there are none.
  void (*paired)(const Sample& sample, const TakeSample& take) = nullptr;
  /// Makes `out` a sample of at most `most` elements, without the host's strides, which are no part of its layouts; it
  /// has a map, whose first element has a slot, and is not too large to run. At once: no map is made, and the memory
  /// of `out` is used again. False after `tries`. Null: small samples are found by draw() and lower().
  bool (*draw_small)(Random& random, unsigned kind, Index most, int tries, Sample& out) = nullptr;
  /// The tree of numbers that the family's parts print of print(sample) (parts.h). Null: only they do.
  std::string (*parts)(const Sample& sample) = nullptr;
  /// The places of a sample that draw_small() made, as digits, and its text, that of print(). Null: there are none.
  void (*places)(const Sample& sample, PlaceForm& out, std::string& text) = nullptr;
};

/// The number of elements that a tensor should have: 1 to several thousand, about 600 on average; with padding and
/// replicas about 1000 slots.
[[nodiscard]] Index some_size(Random& random, bool large);
/// Up to 4 sizes whose product is near `most`, never above it. Requires: most >= 1.
[[nodiscard]] std::vector<Index> some_shape(Random& random, Index most);
/// By what strides are multiplied where far ones are wished for: about 2^8 to 2^33, often near a power of two, and less
/// where `reach`, the largest address, would go beyond 2^58. Requires: reach >= 1.
[[nodiscard]] Index some_spread(Random& random, Index reach);
/// Multiplies the prime factors of `volume` into numbers at random; of volumes beyond 10^6 not all factors are looked
/// for. Requires: volume = 1, or there is a number. Example: 12 into {1, 1} may give {3, 4}.
void deal_factors(Random& random, Index volume, std::span<Index> into);
/// The most slots of a device image, and points of a layout.
[[nodiscard]] constexpr Index most_places(bool large) { return large ? Index{1} << 18 : 9000; }

template <class Notation>
[[nodiscard]] const Notation& notation_of(const Sample& sample) {
  return std::any_cast<const Notation&>(sample.notation);
}
/// Takes `from` with its notation changed, if change(sample, notation) returns true.
template <class Notation, class Change>
void take_changed(const TakeSample& take, const Sample& from, const Change& change) {
  Sample next = from;
  if (change(next, std::any_cast<Notation&>(next.notation))) take(std::move(next));
}
/// Lowers a number to `wanted`, if it is larger and `wanted` is at least `least`.
[[nodiscard]] inline bool lower_to(Index& value, Index wanted, Index least) {
  if (wanted < least || wanted >= value) return false;
  value = wanted;
  return true;
}
/// The greatest power of two that is at most `value`; 0 for values below 1. So far strides become small in few steps.
[[nodiscard]] inline Index power_below(Index value) {
  return value < 1 ? 0 : static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(value)));
}
template <class T>
void drop(std::vector<T>& values, std::size_t k) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(k));
}

/// Takes `modes` with extents rounded to powers of two, down and up, and with strides that have no gaps, in the order
/// in which they lie or are counted, or the gaps that they had; each alone and together. Modes have an extent >= 1 and
/// a stride; the first one is counted fastest, or the last. Example: 3:1, 2:4 gives 4:1, 2:5, whose gap is 1, and 4:1,
/// 2:4.
template <class Mode, class Take>
void plainer_modes(const std::vector<Mode>& modes, bool first_is_fastest, const Take& take) {
  constexpr Index kMost = Index{1} << 20;  // far more than a case has that is small already
  std::vector<std::size_t> counted(modes.size());
  std::iota(counted.begin(), counted.end(), std::size_t{0});
  if (!first_is_fastest) std::ranges::reverse(counted);
  std::vector<std::size_t> lying = counted;
  std::ranges::stable_sort(lying, {}, [&](std::size_t k) { return std::pair(modes[k].stride < 0, modes[k].stride); });
  Index volume = 1;
  bool near = true;  // else strides stay as they are
  for (const Mode& mode : modes) {
    if (mode.extent > kMost || (volume *= mode.extent) > kMost) return;
    near = near && mode.stride <= kMost && mode.stride >= -kMost;
  }
  for (const auto round : {+[](std::uint64_t n) { return n; }, +[](std::uint64_t n) { return std::bit_floor(n); },
                           +[](std::uint64_t n) { return std::bit_ceil(n); }}) {
    std::vector<Mode> next = modes;
    for (Mode& mode : next) mode.extent = static_cast<Index>(round(static_cast<std::uint64_t>(mode.extent)));
    take(next);
    if (!near) continue;
    const auto with_strides = [&](const std::vector<std::size_t>& order, bool gaps) {
      Index old_stride = 1, stride = 1;
      for (const std::size_t k : order) {
        next[k].stride = stride + (gaps ? modes[k].stride - old_stride : 0);
        stride *= next[k].extent, old_stride *= modes[k].extent;
      }
      take(next);
    };
    with_strides(lying, true), with_strides(lying, false), with_strides(counted, false);
  }
}

}  // namespace vl::use
