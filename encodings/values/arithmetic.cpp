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

// The sum of two finite floats, of which at least one is not zero.
Code rounded_sum(const Format& format, const Number& a, const Number& b) {
  const Number exact = sum(a, b);
  return exact.significand == 0 ? zero(format, false) : pack(format, exact);
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

Code add(const Format& format, Code a, Code b) {
  if (!format.is_float()) return (a + b) & format.mask();
  if (const auto nan = first_nan(format, a, b)) return *nan;
  if (is_infinite(format, a)) return is_infinite(format, b) && a != b ? default_nan(format) : a;
  if (is_infinite(format, b)) return b;
  if (is_zero(format, a)) return is_zero(format, b) ? (a == b ? a : Code{0}) : b;
  if (is_zero(format, b)) return a;
  return rounded_sum(format, unpack(format, a), unpack(format, b));
}

Code mul(const Format& format, Code a, Code b) {
  if (!format.is_float()) return (a * b) & format.mask();
  if (const auto nan = first_nan(format, a, b)) return *nan;
  const bool negative = is_negative(format, a) != is_negative(format, b);
  if (is_zero(format, a) || is_zero(format, b))
    return is_infinite(format, a) || is_infinite(format, b) ? default_nan(format) : zero(format, negative);
  if (is_infinite(format, a) || is_infinite(format, b)) return infinity(format, negative);
  return pack(format, product(unpack(format, a), unpack(format, b)));
}

Code fma(const Format& format, Code a, Code b, Code c) {
  if (!format.is_float()) return (a * b + c) & format.mask();
  if (const auto nan = first_nan(format, a, b, c)) return *nan;
  const bool zero_product = is_zero(format, a) || is_zero(format, b);
  // Only where the product is no finite number, or zero, is it also the product that mul() gives.
  if (zero_product || is_infinite(format, a) || is_infinite(format, b)) return add(format, mul(format, a, b), c);
  if (is_infinite(format, c)) return c;
  const Number exact = product(unpack(format, a), unpack(format, b));
  return is_zero(format, c) ? pack(format, exact) : rounded_sum(format, exact, unpack(format, c));
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
