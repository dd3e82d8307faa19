// The constructors' arithmetic, once for numbers and for symbols: sizes and strides are Index or map::Expression.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "encodings/map/rule.h"
#include "encodings/spyre/spyre.h"

namespace vl::spyre {

constexpr Index kSparse = -1;

inline std::optional<Index> number_of(Index number) { return number; }
inline std::optional<Index> number_of(const map::Expression& number) { return number.number(); }
inline Index ceil_of(Index size, Index by) { return ceil_div(size, by); }
inline map::Expression ceil_of(const map::Expression& size, Index by) {
  return map::Expression::of(map::Expression::Kind::Ceil, size, by);
}
/// -1 where the size is 1. Requires of numbers: it is not.
inline Index unless_one(Index, Index stride) { return stride; }
inline map::Expression unless_one(const map::Expression& size, const map::Expression& stride) {
  return map::Expression::chosen(size, 2, stride, map::Expression::chosen(size, 1, -1, stride));
}
[[nodiscard]] inline bool is_negative(const auto& number) { return number_of(number).value_or(0) < 0; }
inline std::optional<Index> times(Index a, Index b) { return checked_mul(a, b); }
inline std::optional<map::Expression> times(const map::Expression& a, const map::Expression& b) { return a * b; }

/// The strides of a host without gaps. Error of numbers: Overflow.
inline Result<std::vector<Index>> dense_of(const std::vector<Index>& size) { return map::dense_strides(size); }
inline Result<std::vector<map::Expression>> dense_of(const std::vector<map::Expression>& size) {
  std::vector<map::Expression> out(size.size());
  map::Expression next = 1;
  for (std::size_t i = size.size(); i-- > 0; next = next * size[i]) out[i] = next;
  return out;
}

/// The last slot is one stick; its host dimension counts sticks elsewhere; the others keep their sizes.
template <class Number>
std::vector<Number> device_size_of(std::span<const Index> slots, std::span<const Number> size, Index eps) {
  std::vector<Number> device;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Number extent = slots[i] == kSparse ? Number(1) : size[static_cast<std::size_t>(slots[i])];
    device.push_back(i + 1 == slots.size()      ? Number(eps)
                     : slots[i] == slots.back() ? Number(ceil_of(extent, eps))
                                                : extent);
  }
  return device;
}

/// Filled back to front: a host dimension's first slot has its host stride, each further one the last stride times the
/// last size; `clamp` bounds it by the host dimension's whole reach. Nothing if a stride leaves 64 bits; `where` is
/// then its host dimension.
template <class Number>
std::optional<std::vector<Number>> stride_map_of(std::span<const Index> slots, std::span<const Number> device,
                                                 std::span<const Number> size, std::span<const Number> strides,
                                                 bool clamp, std::size_t& where) {
  std::vector<Number> map(slots.size(), Number(-1));
  std::vector<std::optional<Number>> next(size.size());  // the stride of a host dimension's next slot outwards
  for (std::size_t i = slots.size(); i-- > 0;) {
    if (slots[i] == kSparse) continue;
    const auto host = static_cast<std::size_t>(slots[i]);
    if (number_of(size[host]) == 1) continue;
    const Number stride = next[host].value_or(strides[host]);
    map[i] = unless_one(size[host], stride);
    next[host] = times(stride, device[i]);
    const auto reach = clamp ? times(strides[host], size[host]) : std::nullopt;
    if (reach) next[host] = map::least(next[host].value_or(*reach), *reach);
    if (!next[host]) {
      where = host;
      return std::nullopt;
    }
  }
  return map;
}

/// The slots of two host dimensions: of the sticks that one has, and of the other one.
struct MovedSlots {
  std::size_t count = 0;
  std::size_t place = 0;
};

/// The stick moves from the host dimension `from` to `to`: the last slot becomes the lanes of `to`, slot `count` its
/// sticks, and slot `place`, which was its own, that of `from`. False if a stride leaves 64 bits.
template <class Number>
bool move_stick(BasicTensorLayout<Number>& layout, const std::vector<Number>& size, const std::vector<Number>& strides,
                const MovedSlots& slots, Index from, Index to) {
  const Index eps = layout.device_dtype.elements_per_stick;
  const auto p = static_cast<std::size_t>(from), q = static_cast<std::size_t>(to);
  const auto put = [&](std::size_t slot, std::size_t dim, const Number& extent, const Number& stride) {
    layout.device_size[slot] = extent;
    layout.stride_map[slot] = number_of(size[dim]) == 1 ? Number(-1) : unless_one(size[dim], stride);
  };
  const bool idle = number_of(size[q]) == 1 || is_negative(strides[q]);
  const auto sticks = idle ? std::optional(strides[q]) : times(strides[q], Number(eps));
  if (!sticks) return false;
  put(layout.device_size.size() - 1, q, eps, strides[q]);
  put(slots.count, q, ceil_of(size[q], eps), *sticks);
  put(slots.place, p, size[p], strides[p]);
  if (layout.dim_order) {
    auto& order = *layout.dim_order;
    std::iter_swap(std::ranges::find(order, from), std::ranges::find(order, to));
  }
  return true;
}

}  // namespace vl::spyre
