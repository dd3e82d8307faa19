#include "verifier/values_kernel/functions.h"

#include <algorithm>

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

using enum Pointwise;

constexpr Results kNan{1, 0, true, false};

Results only(const Format& format, Code code) {
  if (format.nan(code)) return {1, 0, true, format.signalling(code)};
  return {format.place(code), format.place(code), false, false};
}

Code negated(const Format& format, Code code) {
  if (!format.is_float) return (Code{0} - code) & format.mask();
  return format.one_zero && format.magnitude(code) == 0 ? code : code ^ format.sign();
}

Code truth(const Format& format, bool holds) { return holds ? format.one() : 0; }

// The magnitude of a number: significand·2^exponent.
struct Size {
  Code significand = 0;
  int exponent = 0;
};
Size size_of(const Format& format, Code code) {
  const Code magnitude = format.magnitude(code), top = Code{1} << format.fraction;
  const auto field = static_cast<int>(magnitude >> format.fraction);
  const bool subnormal = field == 0 && format.subnormals;
  return {(magnitude & (top - 1)) | (subnormal ? 0 : top),
          (subnormal ? 1 : field) - format.bias - static_cast<int>(format.fraction)};
}

// Places of bounds: of the last code at or below a number, or of the first one at or above it.
class Bounds {
 public:
  explicit Bounds(const Format& format)
      : format_(format),
        last_(static_cast<std::int64_t>(format.one_zero ? format.sign() - 1
                                                        : format.first_nan - (format.infinities ? 2 : 1))),
        minus_zero_(format.one_zero ? 0 : -1),
        one_(format.place(format.one())) {}

  [[nodiscard]] std::int64_t last() const { return last_; }
  [[nodiscard]] std::int64_t minus_zero() const { return minus_zero_; }
  [[nodiscard]] std::int64_t one() const { return one_; }
  [[nodiscard]] static std::int64_t negative(std::int64_t place) { return -1 - place; }

  // 2^n. Below the least number: 0 or that; above the greatest one: that, or one place more.
  [[nodiscard]] std::int64_t power(int n, bool up) const {
    const int fraction = static_cast<int>(format_.fraction), field = n + format_.bias;
    const int least = format_.subnormals ? 1 : 0;
    if (field > (1 << 20)) return up ? last_ + 1 : last_;
    if (field >= least) {
      const std::int64_t place = std::int64_t{field} << fraction;
      if (field >= 1 << (static_cast<int>(format_.bits) - 1 - fraction) || place > last_) return up ? last_ + 1 : last_;
      return place == 0 ? (up ? 1 : 0) : place;  // dl16: what would be the code of zero
    }
    if (!format_.subnormals || field - 1 < -fraction) return up ? 1 : 0;
    return std::int64_t{1} << (field - 1 + fraction);
  }
  // A whole number that is not 0, below 2^20 in magnitude.
  [[nodiscard]] std::int64_t whole(std::int64_t n, bool up) const {
    const auto magnitude = static_cast<Code>(n < 0 ? -n : n);
    const bool outwards = up == (n > 0);
    const Code nearest = ratio(format_, magnitude, 1);
    std::int64_t place = last_ + 1;
    if (format_.finite(nearest)) {
      const Size size = size_of(format_, nearest);
      const Code have = size.exponent < 0 ? size.significand : size.significand << size.exponent;
      const Code want = size.exponent < 0 ? magnitude << -size.exponent : magnitude;
      place = format_.place(nearest) + (have < want && outwards ? 1 : have > want && !outwards ? -1 : 0);
    } else if (!outwards) {
      place = last_;
    }
    return n < 0 ? negative(place) : place;
  }
  // From one place to another; beyond the greatest number of a format without infinity is NaN.
  [[nodiscard]] Results between(std::int64_t low, std::int64_t high) const {
    const std::int64_t end = format_.infinities ? last_ + 1 : last_;
    return {std::clamp(low, negative(end), end), std::clamp(high, negative(end), end),
            high > end || low < negative(end), false};
  }
  [[nodiscard]] Results infinite(bool minus) const {
    if (!format_.infinities) return kNan;
    const std::int64_t place = minus ? negative(last_ + 1) : last_ + 1;
    return {place, place, false, false};
  }
  [[nodiscard]] Results zeros() const { return {minus_zero_, 0, false, false}; }

 private:
  const Format& format_;
  std::int64_t last_, minus_zero_, one_;
};

// floor(log2 x), and whether x is a power of two.
std::pair<int, bool> log2_of(const Size& x) {
  charge(64LL);
  int out = x.exponent;
  for (Code rest = x.significand; rest > 1; rest >>= 1) ++out;
  return {out, (x.significand & (x.significand - 1)) == 0};
}

// 2^floor(y) .. 2^ceil(y) of y = x·log2(e), or x. 2^60·log2(e) lies between kLog and kLog + 1.
Results exponential(const Bounds& bounds, const Format& format, Code x, bool of_two) {
  __extension__ using Long = unsigned __int128;
  constexpr Code kLog = 1663314137230540311, kOne = Code{1} << 60;
  constexpr int kFar = 1 << 19;
  const Size size = size_of(format, x);
  const int shift = 60 - size.exponent;
  int below = kFar, above = kFar;
  if (shift > 126) {
    below = 0, above = 1;
  } else if (shift > 30) {
    const Long low = Long{size.significand} * (of_two ? kOne : kLog);
    const Long high = Long{size.significand} * (of_two ? kOne : kLog + 1);
    const auto clamped = [](Long n) { return n > kFar ? kFar : static_cast<int>(n); };
    const Long part = (Long{1} << shift) - 1;
    below = clamped(low >> shift), above = clamped((high >> shift) + ((high & part) != 0 ? 1 : 0));
  }
  if (format.negative(x)) std::swap(below, above), below = -below, above = -above;
  return bounds.between(bounds.power(below, false), bounds.power(above, true));
}

Results logarithm(const Bounds& bounds, const Format& format, Code x) {
  if (format.negative(x)) return kNan;
  if (x == format.one()) return {0, 0, false, false};
  const int floor = log2_of(size_of(format, x)).first;
  if (floor >= 0) return bounds.between(0, bounds.whole(floor + 1, true));
  return bounds.between(bounds.whole(floor, false), bounds.minus_zero());
}

Results reciprocal_root(const Bounds& bounds, const Format& format, Code x) {
  if (format.negative(x)) return kNan;
  const auto [floor, power] = log2_of(size_of(format, x));
  const auto half = [](int n) { return n >= 0 ? n / 2 : -((1 - n) / 2); };  // floor(n/2)
  const int above = -half(floor), below = power && floor % 2 == 0 ? above : -half(floor + 2);
  return bounds.between(bounds.power(below, false), bounds.power(above, true));
}

// The place of half of a positive number, or of less.
std::int64_t half_of(const Format& format, std::int64_t place) {
  const std::int64_t binade = std::int64_t{1} << format.fraction;
  if (format.subnormals && place < 2 * binade) return place / 2;
  return std::max<std::int64_t>(place - binade, 0);
}

// A finite number that is not 0.
Results of_number(Pointwise function, const Format& format, const Bounds& bounds, Code x) {
  const std::int64_t own = format.place(x), zero = bounds.minus_zero(), one = bounds.one();
  const std::int64_t minus_one = Bounds::negative(one), two = bounds.whole(2, true);
  const bool negative = format.negative(x);
  const auto from = [](std::int64_t low, std::int64_t high) { return Results{low, high, false, false}; };
  const auto of_its_sign = [&](std::int64_t most) {
    return negative ? from(std::max(own, Bounds::negative(most)), zero) : from(0, std::min(own, most));
  };
  switch (function) {
    case Relu: return negative ? bounds.zeros() : from(own, own);
    case Rsqrt: return reciprocal_root(bounds, format, x);
    case Exp:
    case Exp2: return exponential(bounds, format, x, function == Exp2);
    case Expm1: {
      if (negative) return from(std::max(own, minus_one), zero);
      Results out = exponential(bounds, format, x, false);
      out.low = std::min(own, out.high);
      return out;
    }
    case Log: return logarithm(bounds, format, x);
    case Log1p:
      if (own == minus_one) return bounds.infinite(true);
      if (own < minus_one) return kNan;
      if (!negative) return from(half_of(format, std::min(own, one)), own);
      return from(std::max(bounds.whole(-64, false), Bounds::negative(bounds.last())), own);
    case Sin: {
      const std::int64_t three = bounds.whole(3, false);
      return own > three || own < Bounds::negative(three) ? from(minus_one, one) : of_its_sign(one);
    }
    case Cos: return from(minus_one, one);
    case Tan: return bounds.between(Bounds::negative(bounds.last() + 1), bounds.last() + 1);
    case Asin:
      if (own > one || own < minus_one) return kNan;
      return negative ? from(Bounds::negative(two), own) : from(own, two);
    case Acos:
      if (own > one || own < minus_one) return kNan;
      return from(0, own == one ? 0 : bounds.whole(4, true));
    case Atan: return of_its_sign(two);
    case Tanh:
    case Softsign: return of_its_sign(one);
    case Erf: return negative ? from(minus_one, zero) : from(0, one);
    case Sigmoid:
    case Hardsigmoid: return from(0, one);
    case Gelu:
    case Silu: return negative ? from(minus_one, zero) : from(0, own);
    case Selu:
      if (negative) return from(Bounds::negative(two), zero);
      return bounds.between(own, bounds.last() + (own > bounds.last() / 2 ? 1 : 0));
    case Erfc: return negative ? from(one, two) : from(0, one);
    default: throw Rejected("a function that no fact is about");
  }
}

Results of_zero(Pointwise function, const Bounds& bounds, bool minus) {
  const Results one{bounds.one(), bounds.one(), false, false};
  switch (function) {
    case Rsqrt: return bounds.infinite(minus);
    case Exp:
    case Exp2:
    case Cos:
    case Erfc: return one;
    case Log: return bounds.infinite(true);
    case Acos: return {bounds.one(), bounds.whole(2, true), false, false};
    case Sigmoid:
    case Hardsigmoid: return {bounds.power(-1, false), bounds.power(-1, true), false, false};
    default: return bounds.zeros();
  }
}

Results of_infinity(Pointwise function, const Bounds& bounds, bool minus) {
  const Results zero{0, 0, false, false}, own = bounds.infinite(minus);
  const auto one = [&](bool negative) {
    const std::int64_t place = negative ? Bounds::negative(bounds.one()) : bounds.one();
    return Results{place, place, false, false};
  };
  const Results two{bounds.one(), bounds.whole(2, true), false, false};
  const Results minus_two{Bounds::negative(two.high), Bounds::negative(two.low), false, false};
  switch (function) {
    case Relu: return minus ? bounds.zeros() : own;
    case Rsqrt: return minus ? kNan : zero;
    case Exp:
    case Exp2: return minus ? zero : own;
    case Expm1: return minus ? one(true) : own;
    case Log:
    case Log1p: return minus ? kNan : own;
    case Sin:
    case Cos:
    case Tan:
    case Asin:
    case Acos: return kNan;
    case Atan: return minus ? minus_two : two;
    case Tanh:
    case Erf: return one(minus);
    case Softsign: return hull_of(kNan, one(minus));
    case Sigmoid:
    case Hardsigmoid: return minus ? zero : one(false);
    case Gelu:
    case Silu: return minus ? hull_of(kNan, bounds.zeros()) : own;
    case Selu: return minus ? minus_two : own;
    case Erfc: return minus ? Results{two.high, two.high, false, false} : zero;
    default: throw Rejected("a function that no fact is about");
  }
}

// To a whole number: 1 upwards, -1 downwards, 0 towards zero.
Code whole_of(const Format& format, Code x, int direction) {
  if (!format.is_float || !format.finite(x) || format.zero(x)) return x;
  const bool negative = format.negative(x);
  const int exponent = log2_of(size_of(format, x)).first, fraction = static_cast<int>(format.fraction);
  if (exponent >= fraction) return x;
  const bool away = negative ? direction < 0 : direction > 0;
  if (exponent < 0 && away) return format.one() | (negative ? format.sign() : 0);
  if (exponent < 0) return negative && !format.one_zero ? format.sign() : 0;
  const Code behind = (Code{1} << (fraction - exponent)) - 1;
  if ((x & behind) == 0) return x;
  return (x & ~behind) + (away ? behind + 1 : 0);  // a carry into the exponent is right
}

// To the nearest whole number. Of two as near: the even one, or the one that is farther from zero.
Code nearest_whole(const Format& format, Code x, bool away) {
  if (!format.is_float || !format.finite(x) || format.zero(x)) return x;
  const Code below = whole_of(format, x, 0);
  if (below == x) return x;
  const auto [exponent, power] = log2_of(size_of(format, x));
  const int fraction = static_cast<int>(format.fraction), cut = fraction - exponent;  // bits behind the point
  const int outwards = format.negative(x) ? -1 : 1;
  if (exponent < -1) return below;
  if (exponent == -1) return power && !away ? below : whole_of(format, x, outwards);
  const Code half = Code{1} << (cut - 1), part = x & (2 * half - 1);
  const bool odd = exponent == 0 || (x >> cut & 1) != 0;
  return part > half || (part == half && (away || odd)) ? whole_of(format, x, outwards) : below;
}

// Functions of one number whose result is one code.
Code evaluated(Pointwise function, const Format& format, Code x) {
  const bool negative = format.negative(x), zero = format.zero(x);
  switch (function) {
    case Neg: return negated(format, x);
    case Abs: return negative ? negated(format, x) : x;
    case Square: return multiplied(format, x, x);
    case Sign: return zero ? x : negative ? negated(format, format.one()) : format.one();
    case Signbit: return truth(format, negative);
    case Ceil: return whole_of(format, x, 1);
    case Floor: return whole_of(format, x, -1);
    case Trunc: return whole_of(format, x, 0);
    case Round: return nearest_whole(format, x, false);
    case Roundaway: return nearest_whole(format, x, true);
    case Frac: return added(format, x, negated(format, whole_of(format, x, 0)));
    case Eqz: return truth(format, zero);
    case Nez: return truth(format, !zero);
    case Gtz: return truth(format, !zero && !negative);
    case Gez: return truth(format, zero || !negative);
    case Ltz: return truth(format, !zero && negative);
    case Lez: return truth(format, zero || negative);
    case Recip: return divided(format, format.one(), x);
    case Sqrt: return rooted(format, x);
    case Cast: return x;
    default: throw Rejected("a function of another kind");
  }
}

Results of_nan(Pointwise function, const Format& format, MaxRule rule, Code x) {
  const std::int64_t one = format.place(format.one());
  switch (function) {
    case Neg:
    case Abs: return {1, 0, true, format.signalling(x)};
    case Sign: return {format.one_zero ? 0 : -1, 0, true, false};
    case Signbit: return {0, one, false, false};
    case Nez: return {one, one, false, false};
    case Eqz:
    case Gtz:
    case Gez:
    case Ltz:
    case Lez: return {0, 0, false, false};
    case Relu:
      if (rule == MaxRule::NanWins) return kNan;
      return {0, 0, rule == MaxRule::X86, false};
    default: return kNan;
  }
}

bool compared(Pointwise function, const Format& format, Code a, Code b) {
  if (format.nan(a) || format.nan(b)) return function == Ne;
  const bool equal = a == b || (format.zero(a) && format.zero(b));
  const bool less = !equal && format.place(a) < format.place(b);
  switch (function) {
    case Eq: return equal;
    case Ne: return !equal;
    case Lt: return less;
    case Le: return less || equal;
    case Gt: return !less && !equal;
    default: return !less;
  }
}

}  // namespace

Results hull_of(const Results& a, const Results& b) {
  Results out{a.low, a.high, a.quiet || b.quiet, a.signalling || b.signalling};
  if (!a.has_numbers()) out.low = b.low, out.high = b.high;
  else if (b.has_numbers()) out.low = std::min(a.low, b.low), out.high = std::max(a.high, b.high);
  return out;
}

Results anything(const Format& format) {
  if (!format.is_float)
    return {format.is_signed ? format.place(format.sign()) : 0,
            format.place(format.is_signed ? format.sign() - 1 : format.mask()), false, false};
  const Bounds bounds(format);
  const std::int64_t end = bounds.last() + (format.infinities ? 1 : 0);
  return {Bounds::negative(end), end, true, false};
}

Results results(Pointwise function, const Format& format, MaxRule rule, Code x) {
  charge(16LL);
  if (format.nan(x)) return of_nan(function, format, rule, x);
  if (function < Relu) return only(format, evaluated(function, format, x));
  if (!format.is_float) return only(format, extreme(format, rule, true, x, 0));  // relu
  const Bounds bounds(format);
  if (format.infinite(x)) return of_infinity(function, bounds, format.negative(x));
  if (format.zero(x)) return of_zero(function, bounds, format.negative(x));
  return of_number(function, format, bounds, x);
}

Results results(Pointwise function, const Format& format, MaxRule rule, Code a, Code b) {
  charge(16LL);
  switch (function) {
    case Add: return only(format, added(format, a, b));
    case Sub: return only(format, added(format, a, negated(format, b)));
    case Mul: return only(format, multiplied(format, a, b));
    case Div: return only(format, divided(format, a, b));
    case Max:
    case Min: return only(format, extreme(format, rule, function == Max, a, b));
    case And: return only(format, a & b);
    case Or: return only(format, a | b);
    case Xor: return only(format, a ^ b);
    case Pow:
      if (format.zero(b) || a == format.one()) return only(format, format.one());
      if (b == format.one()) return format.nan(a) ? kNan : only(format, a);
      return anything(format);
    default: return only(format, truth(format, compared(function, format, a, b)));
  }
}

}  // namespace vl::values_kernel
