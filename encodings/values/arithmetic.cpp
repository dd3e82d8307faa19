#include "encodings/values/arithmetic.h"

#include "encodings/base/check.h"

namespace vl::values {
namespace {

// The first NaN of some operands, quieted; nothing if there is none.
template <class... Codes>
std::optional<Code> first_nan(const Format& format, Codes... codes) {
  for (const Code code : {codes...})
    if (is_nan(format, code)) return quieted(format, code);
  return std::nullopt;
}

Code infinity_or_nan(const Format& format, bool negative) {
  if (has_infinity(format)) return infinity(format, negative);
  return has_negative_zero(format) && negative ? default_nan(format) | format.sign() : default_nan(format);
}

__extension__ using Whole = __int128;

Whole whole(const Format& format, Code code) {
  return format.kind == Kind::Unsigned ? static_cast<Whole>(code) : static_cast<Whole>(order(format, code));
}

// An exact result of integers. Products of 64 bits and a sum with one fit.
Code integer(const Format& format, const Mode& mode, Whole exact) {
  if (mode.integers == Integers::Saturate) {
    const Code low = largest(format, true), high = largest(format, false);
    if (exact < whole(format, low)) return low;
    if (exact > whole(format, high)) return high;
  }
  return static_cast<Code>(exact) & format.mask();
}

// A subnormal number as it is read, and as it is written.
Code as_operand(const Format& format, const Mode& mode, Code code) {
  return mode.flush == Flush::Both && is_subnormal(format, code) ? zero(format, is_negative(format, code)) : code;
}
Code as_result(const Format& format, const Mode& mode, Code code) {
  return mode.flush != Flush::None && is_subnormal(format, code) ? zero(format, is_negative(format, code)) : code;
}

Code packed(const Format& format, const Mode& mode, const Number& number) {
  return pack(format, number, mode.rounding, mode.flush != Flush::None);
}

// The sum of two finite floats, of which at least one is not zero.
Code rounded_sum(const Format& format, const Number& a, const Number& b, const Mode& mode) {
  const Number exact = sum(a, b);
  return exact.significand == 0 ? zero(format, false) : packed(format, mode, exact);
}

Code extremum(const Format& format, MaxRule rule, Code a, Code b, bool largest) {
  const bool nan_a = is_nan(format, a), nan_b = is_nan(format, b);
  if (rule == MaxRule::X86) {
    const Order found = compare(format, a, b);
    return found == (largest ? Order::Greater : Order::Less) ? a : b;
  }
  if (nan_a && nan_b) return quieted(format, a);
  if (nan_a || nan_b) {
    if (rule == MaxRule::NanLoses) return nan_a ? b : a;
    return quieted(format, nan_a ? a : b);
  }
  return (order(format, a) < order(format, b)) == largest ? b : a;
}

// A NaN's sign and the highest bits of its payload in another format.
Code converted_nan(const Format& from, const Format& to, Code code) {
  const Code sign = is_negative(from, code) && has_negative_zero(to) && has_negative_zero(from) ? to.sign() : 0;
  if (to.special != Special::Ieee || from.special != Special::Ieee) return default_nan(to) | sign;
  const Code payload = code & ((Code{1} << from.fraction_bits) - 1);
  const Code moved = from.fraction_bits > to.fraction_bits ? payload >> (from.fraction_bits - to.fraction_bits)
                                                           : payload << (to.fraction_bits - from.fraction_bits);
  return default_nan(to) | sign | moved;
}

}  // namespace

bool is_subnormal(const Format& format, Code code) {
  if (!format.is_float() || format.special == Special::NoSubnormals) return false;
  const Code magnitude = code & (format.mask() >> 1);
  return magnitude != 0 && magnitude >> format.fraction_bits == 0;
}

Code add(const Format& format, Code a, Code b, const Mode& mode) {
  if (!format.is_float()) return integer(format, mode, whole(format, a) + whole(format, b));
  if (const auto nan = first_nan(format, a, b)) return *nan;
  a = as_operand(format, mode, a);
  b = as_operand(format, mode, b);
  if (is_infinite(format, a)) return is_infinite(format, b) && a != b ? default_nan(format) : a;
  if (is_infinite(format, b)) return b;
  if (is_zero(format, a)) return is_zero(format, b) ? (a == b ? a : Code{0}) : as_result(format, mode, b);
  if (is_zero(format, b)) return as_result(format, mode, a);
  return rounded_sum(format, unpack(format, a), unpack(format, b), mode);
}

Code mul(const Format& format, Code a, Code b, const Mode& mode) {
  if (!format.is_float()) return integer(format, mode, whole(format, a) * whole(format, b));
  if (const auto nan = first_nan(format, a, b)) return *nan;
  a = as_operand(format, mode, a);
  b = as_operand(format, mode, b);
  const bool negative = is_negative(format, a) != is_negative(format, b);
  if (is_zero(format, a) || is_zero(format, b))
    return is_infinite(format, a) || is_infinite(format, b) ? default_nan(format) : zero(format, negative);
  if (is_infinite(format, a) || is_infinite(format, b)) return infinity(format, negative);
  return packed(format, mode, product(unpack(format, a), unpack(format, b)));
}

Code fma(const Format& format, Code a, Code b, Code c, const Mode& mode) {
  if (!format.is_float()) return integer(format, mode, whole(format, a) * whole(format, b) + whole(format, c));
  if (const auto nan = first_nan(format, a, b, c)) return *nan;
  a = as_operand(format, mode, a);
  b = as_operand(format, mode, b);
  c = as_operand(format, mode, c);
  const bool zero_product = is_zero(format, a) || is_zero(format, b);
  // Only where the product is no finite number, or zero, is it also the product that mul() gives.
  if (zero_product || is_infinite(format, a) || is_infinite(format, b))
    return add(format, mul(format, a, b, mode), c, mode);
  if (is_infinite(format, c)) return c;
  const Number exact = product(unpack(format, a), unpack(format, b));
  return is_zero(format, c) ? packed(format, mode, exact) : rounded_sum(format, exact, unpack(format, c), mode);
}

Code maximum(const Format& format, MaxRule rule, Code a, Code b) { return extremum(format, rule, a, b, true); }
Code minimum(const Format& format, MaxRule rule, Code a, Code b) { return extremum(format, rule, a, b, false); }

Order compare(const Format& format, Code a, Code b) {
  if (is_nan(format, a) || is_nan(format, b)) return Order::Unordered;
  if (is_zero(format, a) && is_zero(format, b)) return Order::Equal;
  const std::int64_t one = order(format, a), other = order(format, b);
  return one < other ? Order::Less : one > other ? Order::Greater : Order::Equal;
}

Code convert(const Format& from, const Format& to, Code code, Rounding rounding) {
  VL_CHECK(to.is_float() || !from.is_float(), "a float is not converted into an integer");
  if (!to.is_float()) return static_cast<Code>(order(from, code)) & to.mask();
  if (from == to) return quieted(from, code);
  if (is_nan(from, code)) return converted_nan(from, to, code);
  const bool negative = is_negative(from, code);
  if (is_infinite(from, code)) return infinity_or_nan(to, negative);
  if (is_zero(from, code)) return zero(to, negative);
  return pack(to, unpack(from, code), rounding);
}

std::optional<Code> cast(const Format& from, const Format& to, Code code, Rounding rounding) {
  if (to.bits == 1) return Code{is_zero(from, code) ? 0U : 1U};
  if (!from.is_float() || to.is_float()) return convert(from, to, code, rounding);
  if (!is_finite(from, code)) return std::nullopt;
  if (is_zero(from, code)) return 0;
  const Number x = unpack(from, code);
  if (x.exponent >= 64) return std::nullopt;
  const Wide size = x.exponent >= 0 ? x.significand << x.exponent : x.exponent > -64 ? x.significand >> -x.exponent : 0;
  const Code below = to.kind == Kind::Signed ? to.sign() : 0,
             above = to.kind == Kind::Signed ? to.sign() - 1 : to.mask();
  if (size > (x.negative ? below : above)) return std::nullopt;
  const auto out = static_cast<Code>(size);
  return (x.negative ? Code{0} - out : out) & to.mask();
}

bool is_exact(const Format& from, const Format& to) {
  if (from == to) return true;
  if (!from.is_float() && !to.is_float())
    return from.kind == to.kind ? from.bits <= to.bits : from.kind == Kind::Unsigned && from.bits < to.bits;
  if (!from.is_float() || !to.is_float()) return false;
  if (has_negative_zero(from) && !has_negative_zero(to)) return false;
  if (has_infinity(from) && !has_infinity(to)) return false;
  const auto same = [&](Code code) {
    const Code there = convert(from, to, code);
    return is_finite(to, there) && !is_zero(to, there) && compare(unpack(from, code), unpack(to, there)) == 0;
  };
  // The largest number and the least one have every bit that a number of the format can have, but those of a number
  // near the least one in a format without subnormals.
  const bool least = same(1) && (from.special != Special::NoSubnormals || to.fraction_bits >= from.fraction_bits);
  return least && same(largest(from, false)) && to.fraction_bits >= from.fraction_bits;
}

}  // namespace vl::values
