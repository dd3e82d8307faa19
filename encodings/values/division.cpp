#include "encodings/values/division.h"

#include "encodings/base/check.h"
#include "encodings/values/arithmetic.h"

namespace vl::values {
namespace {

Code too_large(const Format& format, bool negative) {
  if (has_infinity(format)) return infinity(format, negative);
  return has_negative_zero(format) && negative ? default_nan(format) | format.sign() : default_nan(format);
}

int bits_of(Wide value) {
  int out = 0;
  for (; value != 0; value >>= 1) ++out;
  return out;
}

// The quotient of two significands of at most 64 bits with at least 60 bits; what is lost is jammed into the lowest.
Number quotient(const Number& a, const Number& b) {
  const int shift = 124 - bits_of(a.significand);
  const Wide dividend = a.significand << shift, whole = dividend / b.significand;
  const Wide rest = dividend - whole * b.significand;
  return {a.negative != b.negative, whole | (rest != 0 ? 1 : 0), a.exponent - shift - b.exponent};
}

// The greatest integer whose square is at most the value. Requires: value < 2^124.
Wide whole_root(Wide value) {
  Wide out = 0;
  for (int bit = 61; bit >= 0; --bit) {
    const Wide next = out | Wide{1} << bit;
    if (next * next <= value) out = next;
  }
  return out;
}

}  // namespace

Code div(const Format& format, Code a, Code b) {
  VL_CHECK(format.is_float(), "integers have no quotients here");
  if (is_nan(format, a)) return quieted(format, a);
  if (is_nan(format, b)) return quieted(format, b);
  const bool negative = is_negative(format, a) != is_negative(format, b);
  const bool zero_a = is_zero(format, a), zero_b = is_zero(format, b);
  const bool infinite_a = is_infinite(format, a), infinite_b = is_infinite(format, b);
  if ((zero_a && zero_b) || (infinite_a && infinite_b)) return default_nan(format);
  if (infinite_a || zero_b) return too_large(format, negative);
  if (zero_a || infinite_b) return zero(format, negative);
  return pack(format, quotient(unpack(format, a), unpack(format, b)));
}

Code root(const Format& format, Code a) {
  VL_CHECK(format.is_float(), "integers have no roots here");
  if (is_nan(format, a)) return quieted(format, a);
  if (is_zero(format, a)) return a;
  if (is_negative(format, a)) return default_nan(format);
  if (is_infinite(format, a)) return a;
  const Number number = unpack(format, a);
  int shift = 123 - bits_of(number.significand);
  if ((number.exponent - shift) % 2 != 0) ++shift;
  const Wide value = number.significand << shift, whole = whole_root(value);
  return pack(format, {false, whole << 1 | (whole * whole != value ? 1 : 0), (number.exponent - shift) / 2 - 1});
}

Code sub(const Format& format, Code a, Code b) { return add(format, a, negated(format, b)); }

Code count_code(const Format& format, std::uint64_t count) {
  return count == 0 ? Code{0} : pack(format, {false, count, 0});
}

}  // namespace vl::values
