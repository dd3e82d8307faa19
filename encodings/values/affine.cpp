#include "encodings/values/affine.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"

namespace vl::values {
namespace {

Number difference(const Format& type, Code q, Code zero) {
  const std::int64_t exact = order(type, q) - order(type, zero);
  return {exact < 0, static_cast<Wide>(exact < 0 ? -exact : exact), 0};
}

// a / b to the nearest integer, ties to even. Nothing: beyond 2^40. Requires: both have at most 64 bits.
std::optional<std::int64_t> nearest_quotient(const Number& a, const Number& b) {
  int by = a.exponent - b.exponent;
  Wide top = a.significand, bottom = b.significand;
  while (by < 0 && bottom >> 125 == 0) bottom <<= 1, ++by;
  if (by < 0) return 0;  // less than 2^64 / 2^125
  while (by > 0 && top >> 125 == 0) top <<= 1, --by;
  if (by > 0) return std::nullopt;
  const Wide whole = top / bottom, rest = top % bottom;
  if (whole >> 40 != 0) return std::nullopt;
  const bool up = rest > bottom - rest || (rest == bottom - rest && (whole & 1) != 0);
  const auto magnitude = static_cast<std::int64_t>(whole) + (up ? 1 : 0);
  return a.negative != b.negative ? -magnitude : magnitude;
}

}  // namespace

std::string misfit(const Affine& affine) {
  if (affine.type.is_float() || affine.type.bits > 32)
    return fmt::format("{} holds no quantised numbers: an integer of at most 32 bits does", affine.type.name);
  if (!affine.real.is_float()) return fmt::format("{} is no float format", affine.real.name);
  if (affine.zero > affine.type.mask() || affine.scale > affine.real.mask()) return "a code that its format has not";
  if (!is_finite(affine.real, affine.scale) || is_zero(affine.real, affine.scale) ||
      is_negative(affine.real, affine.scale))
    return "a scale is finite and more than 0";
  return "";
}

Code dequantised(const Affine& affine, Code q) {
  VL_CHECK(misfit(affine).empty(), "no affine format");
  if (q == affine.zero) return 0;
  return pack(affine.real, product(difference(affine.type, q, affine.zero), unpack(affine.real, affine.scale)));
}

Code requantised(const Affine& affine, Code x) {
  VL_CHECK(misfit(affine).empty(), "no affine format");
  if (is_nan(affine.real, x) || is_zero(affine.real, x)) return affine.zero;
  const std::int64_t low = order(affine.type, largest(affine.type, true));
  const std::int64_t high = order(affine.type, largest(affine.type, false));
  const bool negative = is_negative(affine.real, x);
  std::optional<std::int64_t> steps;
  if (is_finite(affine.real, x)) steps = nearest_quotient(unpack(affine.real, x), unpack(affine.real, affine.scale));
  const std::int64_t beyond = negative ? low : high;
  const std::int64_t place = steps ? std::clamp(*steps + order(affine.type, affine.zero), low, high) : beyond;
  return static_cast<Code>(place) & affine.type.mask();
}

CodeSet zeros(const Affine& affine) {
  VL_CHECK(affine.type.bits <= 16, "too many integers to look at");
  std::vector<CodeRange> out;
  for (Code q = 0; q <= affine.type.mask(); ++q)
    if (is_zero(affine.real, dequantised(affine, q))) out.push_back({q, q});
  return CodeSet(std::move(out));
}

}  // namespace vl::values
