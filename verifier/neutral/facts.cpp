// Facts: what is known of functions that an implementation approximates. Each is stated for the exact value and carried
// over to codes: a faithful result lies between the last code at or below the exact value and the first one at or above
// it, so a bound that is a code is never crossed, and one that is not is rounded outwards. Beyond the largest number
// lies the infinity, or NaN in formats without.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "verifier/neutral/functions.h"

namespace vl::neutral {
namespace {

using values::Code;
using values::Format;
using values::Number;

// Bounds of exact values as places: the last code at or below, the first one at or above.
class Bounds {
 public:
  explicit Bounds(const Format& format) : format_(format) {}

  [[nodiscard]] std::int64_t place(Code code) const { return order(format_, code); }
  [[nodiscard]] std::int64_t integer(std::int64_t n, bool up) const {
    if (n == 0) return 0;
    return rounded({n < 0, static_cast<values::Wide>(n < 0 ? -n : n), 0}, up);
  }
  [[nodiscard]] std::int64_t power_of_two(int n, bool up) const { return rounded({false, 1, n}, up); }
  [[nodiscard]] std::int64_t last() const { return order(format_, largest(format_, false)); }
  [[nodiscard]] std::int64_t minus_zero() const { return has_negative_zero(format_) ? -1 : 0; }
  /// Everything from low to high; what is beyond the largest number in a format without infinity is NaN.
  [[nodiscard]] Reach between(std::int64_t low, std::int64_t high) const {
    const bool beyond = !has_infinity(format_) && (high > last() || low < lowest_order(format_));
    return {std::clamp(low, lowest_order(format_), highest_order(format_)),
            std::clamp(high, lowest_order(format_), highest_order(format_)), beyond};
  }
  [[nodiscard]] Reach infinite(bool negative) const {
    if (!has_infinity(format_)) return {1, 0, true};
    return reach_of(format_, infinity(format_, negative));
  }
  [[nodiscard]] Reach zeros() const { return {minus_zero(), 0, false}; }
  [[nodiscard]] Reach one(bool negative = false) const {
    return {integer(negative ? -1 : 1, false), integer(negative ? -1 : 1, true), false};
  }

 private:
  [[nodiscard]] std::int64_t rounded(const Number& exact, bool up) const {
    const Code code = pack(format_, exact);
    // A number too large for the format: the largest one is below it, and what is above is past the end.
    if (!is_finite(format_, code))
      return exact.negative ? (up ? -1 - last() : -2 - last()) : (up ? last() + 1 : last());
    const int side =
        values::is_zero(format_, code) ? (exact.negative ? 1 : -1) : values::compare(unpack(format_, code), exact);
    const std::int64_t at = values::is_zero(format_, code) ? (exact.negative ? minus_zero() : 0) : order(format_, code);
    if (side == 0 || (side < 0) != up) return at;
    std::int64_t next = up ? at + 1 : at - 1;
    if (next == -1 && !has_negative_zero(format_)) next += up ? 1 : -1;
    return next;
  }

  const Format& format_;
};

// Integers around x·log2(e), with a constant of 62 binary digits on either side of it; far away they are clamped.
struct Exponents {
  int below = 0, above = 0;
};
Exponents around(const Number& x, bool base_two) {
  constexpr int kFar = 1 << 20;
  constexpr std::uint64_t kLow = 6653256548922161245U;  // floor(2^62·log2(e))
  const values::Wide low = x.significand * (base_two ? std::uint64_t{1} << 62 : kLow);
  const values::Wide high = base_two ? low : x.significand * (kLow + 1);
  const int shift = 62 - x.exponent;
  int below = kFar, above = kFar;
  if (shift > 120) below = 0, above = 1;
  else if (shift > 40) {
    const values::Wide whole = low >> static_cast<unsigned>(shift), other = high >> static_cast<unsigned>(shift);
    below = whole > kFar ? kFar : static_cast<int>(whole);
    above = other >= kFar ? kFar : static_cast<int>(other) + (other << static_cast<unsigned>(shift) != high ? 1 : 0);
  }
  return x.negative ? Exponents{-above, -below} : Exponents{below, above};
}

Reach exponential(const Bounds& bounds, const Number& x, bool base_two) {
  const Exponents n = around(x, base_two);
  return bounds.between(bounds.power_of_two(n.below, false), bounds.power_of_two(n.above, true));
}

// log(x) of x > 0, not 1: between the whole numbers around it, but on its own side of 0. log2 bounds |log| from above.
Reach logarithm(const Bounds& bounds, const Number& x) {
  int width = 0;
  for (values::Wide rest = x.significand; rest != 0; rest >>= 1) ++width;
  const int exponent = x.exponent + width - 1;  // 2^exponent <= x < 2^(exponent + 1)
  if (exponent >= 0) return bounds.between(0, bounds.integer(exponent + 1, true));
  return bounds.between(bounds.integer(exponent, false), bounds.minus_zero());
}

// 1/sqrt(x) of x > 0 in [2^e, 2^(e+1)]: between 2^-ceil((e+1)/2) and 2^-floor(e/2), or where x is 4^n the power itself.
Reach reciprocal_root(const Bounds& bounds, const Number& x) {
  int exponent = x.exponent;
  bool power = true;
  for (values::Wide rest = x.significand; rest > 1; rest >>= 1) {
    power = power && (rest & 1) == 0;
    ++exponent;
  }
  const auto half = [](int n) { return n >= 0 ? n / 2 : -((1 - n) / 2); };  // floor(n/2)
  const bool square = power && exponent % 2 == 0;
  const int below = square ? -exponent / 2 : -half(exponent + 2), above = square ? below : -half(exponent);
  return bounds.between(bounds.power_of_two(below, false), bounds.power_of_two(above, true));
}

// A negative or positive number x that is finite and not zero; `own` is its place, `one` that of 1.
Reach of_number(Function function, const Format& format, const Bounds& bounds, Code x) {
  const std::int64_t own = order(format, x), zero = bounds.minus_zero(), one = order(format, values::one(format));
  const std::int64_t minus_one = order(format, values::negated(format, values::one(format)));
  const bool negative = is_negative(format, x);
  const std::int64_t two = bounds.integer(2, true), minus_two = bounds.integer(-2, false);
  const auto odd = [&](std::int64_t most) {  // of x's sign, and no larger than x in magnitude
    return negative ? Reach{std::max(own, -1 - most), zero, false} : Reach{0, std::min(own, most), false};
  };
  switch (function) {
    case Function::Relu: return negative ? bounds.zeros() : reach_of(format, x);
    case Function::Rsqrt: return negative ? Reach{1, 0, true} : reciprocal_root(bounds, unpack(format, x));
    case Function::Exp: return exponential(bounds, unpack(format, x), false);
    case Function::Exp2: return exponential(bounds, unpack(format, x), true);
    case Function::Expm1:
      if (negative) return {std::max(own, minus_one), zero, false};
      {
        Reach out = exponential(bounds, unpack(format, x), false);
        return {std::min(own, out.high), out.high, out.nan, false};
      }
    case Function::Log:
      return negative                   ? Reach{1, 0, true}
             : x == values::one(format) ? Reach{0, 0, false}
                                        : logarithm(bounds, unpack(format, x));
    case Function::Log1p:
      if (own < minus_one) return {1, 0, true};
      if (own == minus_one) return bounds.infinite(true);
      // 1 + x is at least 2^-64, so log1p(x) > -64.
      return negative ? Reach{std::max(bounds.integer(-64, false), lowest_order(format)), own, false}
                      : Reach{0, own, false};
    case Function::Sin: {  // of x's sign up to pi, and 3 is below it
      const std::int64_t three = bounds.integer(3, false);
      return own <= three && own >= -1 - three ? odd(one) : Reach{minus_one, one, false};
    }
    case Function::Cos: return {minus_one, one, false};
    case Function::Tan: return bounds.between(-2 - bounds.last(), bounds.last() + 1);
    case Function::Asin:
      return own > one || own < minus_one ? Reach{1, 0, true}
             : negative                   ? Reach{minus_two, own, false}
                                          : Reach{own, two, false};
    case Function::Acos:
      return own > one || own < minus_one ? Reach{1, 0, true}
             : own == one                 ? Reach{0, 0, false}
                                          : Reach{0, bounds.integer(4, true), false};
    case Function::Atan: return odd(two);
    case Function::Erf: return negative ? Reach{minus_one, zero, false} : Reach{0, one, false};
    case Function::Tanh:
    case Function::Softsign: return odd(one);
    case Function::Sigmoid:
    case Function::Hardsigmoid: return {0, one, false};
    case Function::Gelu:
    case Function::Silu: return negative ? Reach{minus_one, zero, false} : Reach{0, own, false};
    case Function::Selu:
      return negative ? Reach{minus_two, zero, false}
                      : bounds.between(own, order(format, x) > bounds.last() / 2 ? bounds.last() + 1 : bounds.last());
    case Function::Erfc: return negative ? Reach{one, two, false} : Reach{0, one, false};
    default: break;
  }
  VL_CHECK(false, "a function without facts");
  return {};
}

Reach of_zero(Function function, const Format& format, const Bounds& bounds, Code x) {
  switch (function) {
    case Function::Rsqrt: return bounds.infinite(is_negative(format, x));
    case Function::Exp:
    case Function::Exp2:
    case Function::Cos:
    case Function::Erfc: return bounds.one();
    case Function::Log: return bounds.infinite(true);
    case Function::Acos: return {bounds.place(values::one(format)), bounds.integer(2, true), false};
    case Function::Sigmoid:
    case Function::Hardsigmoid: return {bounds.power_of_two(-1, false), bounds.power_of_two(-1, true), false};
    default: return bounds.zeros();
  }
}

Reach of_infinity(Function function, const Bounds& bounds, bool negative) {
  const Reach nan{1, 0, true}, zero{0, 0, false}, own = bounds.infinite(negative);
  switch (function) {
    case Function::Relu: return negative ? bounds.zeros() : own;
    case Function::Rsqrt: return negative ? nan : zero;
    case Function::Exp:
    case Function::Exp2: return negative ? zero : own;
    case Function::Expm1: return negative ? bounds.one(true) : own;
    case Function::Log:
    case Function::Log1p: return negative ? nan : own;
    case Function::Sin:
    case Function::Cos:
    case Function::Tan:
    case Function::Asin:
    case Function::Acos: return nan;
    case Function::Atan:
      return negative ? Reach{bounds.integer(-2, false), bounds.one(true).low, false}
                      : Reach{bounds.one().low, bounds.integer(2, true), false};
    case Function::Tanh:
    case Function::Erf: return bounds.one(negative);
    case Function::Softsign: return united(nan, bounds.one(negative));
    case Function::Sigmoid:
    case Function::Hardsigmoid: return negative ? zero : bounds.one();
    case Function::Gelu:
    case Function::Silu: return negative ? united(nan, bounds.zeros()) : own;
    case Function::Selu: return negative ? Reach{bounds.integer(-2, false), bounds.one(true).low, false} : own;
    case Function::Erfc: return negative ? Reach{bounds.integer(2, false), bounds.integer(2, true), false} : zero;
    default: break;
  }
  VL_CHECK(false, fmt::format("{} has no fact about infinity", name(function)));
  return {1, 0, true};
}

}  // namespace

Reach at_by_facts(Function function, const Format& format, Code x) {
  VL_CHECK(format.is_float() && function >= Function::Relu && function <= Function::Erfc, "a function without facts");
  const Bounds bounds(format);
  if (is_nan(format, x)) return {1, 0, true};
  if (is_infinite(format, x)) return of_infinity(function, bounds, is_negative(format, x));
  if (values::is_zero(format, x)) return of_zero(function, format, bounds, x);
  return of_number(function, format, bounds, x);
}

std::string_view assumption(Function function) {
  switch (function) {
    case Function::Recip:
    case Function::Sqrt:
    case Function::Div: return "recip, sqrt and div are rounded once, to nearest even";
    case Function::Relu: return "relu is max(x, 0), and its zero has either sign";
    case Function::Rsqrt: return "rsqrt is faithful, and rsqrt of a zero is the infinity of its sign";
    case Function::Exp:
    case Function::Exp2: return "exp is faithful, exp(0) = 1, exp(-inf) = +0 and exp(inf) = inf";
    case Function::Expm1: return "expm1 is faithful, expm1(-inf) = -1 and expm1(inf) = inf";
    case Function::Log:
    case Function::Log1p: return "log is faithful, log(1) = +0, log of a zero is -inf and of a negative number NaN";
    case Function::Sin:
    case Function::Cos:
    case Function::Tan:
    case Function::Asin:
    case Function::Acos:
    case Function::Atan: return "sin, cos and the like are faithful; of an infinity they are NaN, but for atan";
    case Function::Tanh: return "tanh is faithful, and tanh(inf) = 1";
    case Function::Sigmoid:
    case Function::Hardsigmoid: return "sigmoid is faithful, sigmoid(-inf) = +0 and sigmoid(inf) = 1";
    case Function::Gelu:
    case Function::Silu: return "gelu and silu lie between -1 and 0, or 0 and x; of -inf they are 0 or NaN";
    case Function::Selu: return "selu is faithful and at least x for positive x; of -inf it lies between -2 and -1";
    case Function::Softsign: return "softsign is of x's sign and at most 1; of an infinity it is 1, -1 or NaN";
    case Function::Erf:
    case Function::Erfc: return "erf and erfc are faithful";
    case Function::Pow: return "pow(x, 0) = pow(1, y) = 1 and pow(x, 1) = x, also where the other operand is NaN";
    default: return "";
  }
}

}  // namespace vl::neutral
