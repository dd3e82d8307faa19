// The constructors' arithmetic, once for numbers and for symbols: sizes and strides are Index or map::Expression.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "encodings/map/rule.h"

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
inline std::optional<Index> times(Index a, Index b) { return checked_mul(a, b); }
inline std::optional<map::Expression> times(const map::Expression& a, const map::Expression& b) { return a * b; }

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

}  // namespace vl::spyre
