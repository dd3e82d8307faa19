#include "encodings/values/number.h"

#include <utility>

#include "encodings/base/check.h"

namespace vl::values {
namespace {

constexpr int kLead = 124;  // where sum() puts the highest bit of the larger number

int highest_bit(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64), low = static_cast<std::uint64_t>(value);
  return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

// value / 2^shift rounded to an integer. Requires: value < 2^126, shift > 0.
Wide shifted_right(Wide value, int shift, Rounding rounding) {
  if (shift > 127) return 0;  // below a quarter
  const Wide whole = value >> shift, rest = value - (whole << shift), half = Wide{1} << (shift - 1);
  if (rounding == Rounding::TowardZero) return whole;
  const bool up = rest > half || (rest == half && (rounding == Rounding::NearestAway || (whole & 1) != 0));
  return whole + (up ? 1 : 0);
}

// The smaller number's significand with the larger one's exponent; what is lost is jammed into the lowest bit.
Wide aligned(Wide value, int shift) {
  if (shift == 0) return value;
  if (shift > 127) return 1;
  const Wide whole = value >> shift;
  return whole | (whole << shift != value ? 1 : 0);
}

Number normalized(const Number& number) {
  const int shift = kLead - highest_bit(number.significand);
  return {number.negative, number.significand << shift, number.exponent - shift};
}

}  // namespace

Number unpack(const Format& format, Code code) {
  const bool negative = is_negative(format, code);
  if (!format.is_float()) {
    const Code magnitude = negative ? negated(format, code) : code;
    VL_CHECK(magnitude != 0, "zero has no significand");
    return {negative, magnitude, 0};
  }
  VL_CHECK(is_finite(format, code) && !is_zero(format, code), "no finite number other than zero");
  const Code magnitude = code & (format.mask() >> 1);
  const auto exponent = static_cast<int>(magnitude >> format.fraction_bits);
  const Code fraction = magnitude & ((Code{1} << format.fraction_bits) - 1);
  const int shift = -format.bias - static_cast<int>(format.fraction_bits);
  if (exponent == 0 && format.special != Special::NoSubnormals) return {negative, fraction, 1 + shift};
  return {negative, fraction | Code{1} << format.fraction_bits, exponent + shift};
}

Code zero(const Format& format, bool negative) { return negative && has_negative_zero(format) ? format.sign() : 0; }

Code pack(const Format& format, const Number& number, Rounding rounding, bool flushed) {
  VL_CHECK(format.is_float() && number.significand != 0, "only numbers other than zero are rounded into floats");
  const int fraction_bits = static_cast<int>(format.fraction_bits);
  const bool has_subnormals = format.special != Special::NoSubnormals, subnormals = has_subnormals && !flushed;
  const int lowest = 1 - format.bias - fraction_bits;  // the exponent of the last bit of subnormals
  int quantum = highest_bit(number.significand) + number.exponent - fraction_bits;
  if (subnormals && quantum < lowest) quantum = lowest;
  const int shift = quantum - number.exponent;
  Wide rounded = shift > 0 ? shifted_right(number.significand, shift, rounding)
                           : number.significand << static_cast<unsigned>(-shift);
  const Wide top = Wide{1} << format.fraction_bits;
  if (rounded == top << 1) {
    rounded = top;
    ++quantum;
  }
  if (rounded == 0) return zero(format, number.negative);
  // The code of a magnitude is E·2^f + F, also for a subnormal, whose E is 0 and whose rounded significand is F.
  const bool below = rounded < top;
  const std::int64_t exponent = below ? 0 : quantum + fraction_bits + format.bias;
  if (has_subnormals && flushed && exponent <= 0) return zero(format, number.negative);
  const bool too_large = exponent >= std::int64_t{1} << (format.bits - 1 - format.fraction_bits);
  const std::int64_t magnitude =
      too_large ? 0 : (exponent << format.fraction_bits) + static_cast<std::int64_t>(rounded - (below ? Wide{0} : top));
  if (magnitude <= 0 && !too_large) return zero(format, number.negative);
  const Code sign = number.negative ? format.sign() : 0;
  if (!too_large && static_cast<Code>(magnitude) <= largest(format, false)) return static_cast<Code>(magnitude) | sign;
  if (rounding == Rounding::TowardZero) return largest(format, number.negative);
  if (has_infinity(format)) return infinity(format, number.negative);
  return default_nan(format) | sign;
}

Number product(const Number& a, const Number& b) {
  return {a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent};
}

Number sum(const Number& a, const Number& b) {
  Number large = normalized(a), small = normalized(b);
  const bool swap =
      small.exponent != large.exponent ? small.exponent > large.exponent : small.significand > large.significand;
  if (swap) std::swap(large, small);
  const Wide rest = aligned(small.significand, large.exponent - small.exponent);
  large.significand = large.negative == small.negative ? large.significand + rest : large.significand - rest;
  return large;
}

int compare(const Number& a, const Number& b) {
  const Number difference = sum(a, {!b.negative, b.significand, b.exponent});
  return difference.significand == 0 ? 0 : difference.negative ? -1 : 1;
}

}  // namespace vl::values
