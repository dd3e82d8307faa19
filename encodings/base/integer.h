// Integers of extents, strides and offsets. All are signed and have 64 bits; an operation that could leave 64 bits
// reports it and does not wrap. Division rounds towards minus infinity, so that x = w*floor_div(x,w) + floor_mod(x,w)
// with 0 <= floor_mod < w for every x, negative ones included.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace vl {

/// The scalar of every extent, stride, coordinate and offset. It has one name, so that symbolic extents can
/// replace it.
using Index = std::int64_t;

/// A tuple of coordinates, outermost dimension first.
using Point = std::vector<Index>;

/// A number that was read, as an index. What std::size_t cannot hold, negative numbers and in WebAssembly those from
/// 2^32 on, becomes its largest value, which is the index of nothing.
[[nodiscard]] constexpr std::size_t index_of(Index number) {
  return std::in_range<std::size_t>(number) ? static_cast<std::size_t>(number) : ~std::size_t{0};
}

[[nodiscard]] constexpr std::optional<Index> checked_add(Index a, Index b) {
  Index sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

[[nodiscard]] constexpr std::optional<Index> checked_mul(Index a, Index b) {
  Index product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// sum += a*b. False if the product or the sum leaves 64 bits; then `sum` is unspecified.
[[nodiscard]] constexpr bool accumulate(Index& sum, Index a, Index b) {
  Index product = 0;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

/// Requires: divisor > 0. floor_div(-1, 4) == -1.
[[nodiscard]] constexpr Index floor_div(Index value, Index divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

/// Requires: divisor > 0. floor_mod(-1, 4) == 3.
[[nodiscard]] constexpr Index floor_mod(Index value, Index divisor) {
  const Index rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

/// Requires: divisor > 0. ceil_div(150, 64) == 3.
[[nodiscard]] constexpr Index ceil_div(Index value, Index divisor) {
  return value / divisor + (value % divisor > 0 ? 1 : 0);
}

/// The product of all values, 1 for none; nothing if it leaves 64 bits. If any value is zero, the product is 0, for
/// all other factors: an empty space is not an overflow. checked_product({100, 3, 5, 64}) == 96000.
[[nodiscard]] constexpr std::optional<Index> checked_product(std::span<const Index> values) {
  for (const Index value : values)
    if (value == 0) return 0;
  Index product = 1;
  for (const Index value : values)
    if (__builtin_mul_overflow(product, value, &product)) return std::nullopt;
  return product;
}

}  // namespace vl
