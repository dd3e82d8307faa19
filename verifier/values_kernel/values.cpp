#include "verifier/values_kernel/values.h"

#include <algorithm>
#include <array>

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

__extension__ using Bits = unsigned __int128;

// name, bits, is_float, is_signed, fraction, bias, infinities, subnormals, one_zero, first_nan
const std::array<Format, 17> kFormats = {{
    {"f16", 16, true, true, 10, 15, true, true, false, 0x7C01},
    {"bf16", 16, true, true, 7, 127, true, true, false, 0x7F81},
    {"f32", 32, true, true, 23, 127, true, true, false, 0x7F800001},
    {"f64", 64, true, true, 52, 1023, true, true, false, 0x7FF0000000000001},
    {"f8e4m3", 8, true, true, 3, 7, false, true, false, 0x7F},
    {"f8e5m2", 8, true, true, 2, 15, true, true, false, 0x7D},
    {"f8e4m3fnuz", 8, true, true, 3, 8, false, true, true, 0x80},
    {"f8e5m2fnuz", 8, true, true, 2, 16, false, true, true, 0x80},
    {"dl16", 16, true, true, 9, 31, false, false, false, 0x7FFF},
    {"i8", 8, false, true},
    {"u8", 8, false, false},
    {"i16", 16, false, true},
    {"i32", 32, false, true},
    {"i64", 64, false, true},
    {"i1", 1, false, false},
    {"u16", 16, false, false},
    {"u32", 32, false, false},
}};

constexpr int kTop = 124;  // the highest bit of a number that is lined up

// ± significand·2^exponent, with the highest bit at kTop, or 0. `rest`: a little more, less than the last bit.
struct Real {
  bool negative = false;
  Bits significand = 0;
  int exponent = 0;
  bool rest = false;
};

Real lined_up(bool negative, Bits significand, int exponent) {
  if (significand == 0) return {negative, 0, 0, false};
  const auto high = static_cast<std::uint64_t>(significand >> 64), low = static_cast<std::uint64_t>(significand);
  const int by = (high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(low)) - (127 - kTop);
  return {negative, significand << by, exponent - by, false};
}

Real real_of(const Format& format, Code code) {
  const Code magnitude = format.magnitude(code);
  const Code top = Code{1} << format.fraction, fraction = magnitude & (top - 1);
  const auto exponent = static_cast<int>(magnitude >> format.fraction);
  const bool normal = exponent > 0 || (!format.subnormals && magnitude != 0);
  return lined_up(
      format.negative(code), normal ? fraction + top : fraction,
      (exponent > 0 || !format.subnormals ? exponent : 1) - format.bias - static_cast<int>(format.fraction));
}

Real sum_of(Real a, Real b) {
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) std::swap(a, b);
  const int by = a.exponent - b.exponent;
  const Bits kept = by > kTop ? 0 : b.significand >> by;
  const bool lost = by > kTop || kept << by != b.significand;
  if (a.negative == b.negative) {
    // One bit of room is left above kTop.
    return {a.negative, a.significand + kept, a.exponent, lost};
  }
  // With something lost, the difference is a little less than without: one unit less and a rest.
  const Bits difference = a.significand - kept - (lost ? 1 : 0);
  Real out = lined_up(a.negative, difference, a.exponent);
  out.rest = lost;
  return out;
}

Real product_of(const Format& format, Code a, Code b) {
  const auto parts = [&](Code code) {
    Real real = real_of(format, code);
    const int down = kTop - static_cast<int>(format.fraction);  // the significand as an integer again
    return std::pair(real.significand >> down, real.exponent + down);
  };
  const auto [x, ex] = parts(a);
  const auto [y, ey] = parts(b);
  return lined_up(format.negative(a) != format.negative(b), x * y, ex + ey);
}

Code nan_of(const Format& format, bool negative) {
  if (format.one_zero) return format.sign();
  Code code = format.first_nan;
  if (format.infinities) code = (format.first_nan - 1) | (Code{1} << (format.fraction - 1));
  return code | (negative ? format.sign() : 0);
}

Code infinity_of(const Format& format, bool negative) {
  if (!format.infinities) return nan_of(format, negative);
  return (format.first_nan - 1) | (negative ? format.sign() : 0);
}

Code zero_of(const Format& format, bool negative) { return negative && !format.one_zero ? format.sign() : 0; }

Code largest_of(const Format& format, bool negative) {
  const Code last = format.one_zero ? format.sign() - 1 : format.first_nan - (format.infinities ? 2 : 1);
  return last | (negative ? format.sign() : 0);
}

// What is too large.
Code beyond(const Format& format, bool negative, const Mode& mode) {
  return mode.rounding == Mode::Rounding::TowardZero ? largest_of(format, negative) : infinity_of(format, negative);
}

Code rounded(const Format& format, Real x, const Mode& mode = {}) {
  charge(4LL);
  if ((x.significand >> (kTop + 1)) != 0) {
    x.rest = x.rest || (x.significand & 1) != 0;
    x.significand >>= 1, ++x.exponent;
  }
  const int fraction = static_cast<int>(format.fraction);
  int unit = x.exponent + kTop - fraction;  // the exponent of the last bit that is kept
  if (format.subnormals && !mode.flush_results) unit = std::max(unit, 1 - format.bias - fraction);
  const int cut = unit - x.exponent;
  if (cut > kTop + 1) return zero_of(format, x.negative);
  Bits kept = cut > kTop ? 0 : x.significand >> cut;
  const Bits half = Bits{1} << (cut - 1), lost = x.significand & ((Bits{1} << cut) - 1);
  const bool tie_up = x.rest || (kept & 1) != 0 || mode.rounding == Mode::Rounding::NearestAway;
  if (mode.rounding != Mode::Rounding::TowardZero && (lost > half || (lost == half && tie_up))) ++kept;
  if (kept >> (fraction + 1) != 0) kept >>= 1, ++unit;
  if (kept == 0) return zero_of(format, x.negative);
  const bool below = kept >> fraction == 0;
  const int exponent = below ? 0 : unit + fraction + format.bias;
  if (exponent < 0) return zero_of(format, x.negative);
  if (format.subnormals && mode.flush_results && exponent == 0) return zero_of(format, x.negative);
  const int exponents = 1 << (static_cast<int>(format.bits) - 1 - fraction);
  const Code sign = x.negative ? format.sign() : 0;
  if (exponent >= exponents) return beyond(format, x.negative, mode);
  const Code magnitude =
      (static_cast<Code>(exponent) << fraction) | (static_cast<Code>(kept) & ((Code{1} << format.fraction) - 1));
  if (magnitude == 0) return zero_of(format, x.negative);  // dl16: what would be the code of zero
  const Code last = format.infinities ? format.first_nan - 2 : format.first_nan - 1;
  return magnitude <= last ? magnitude | sign : beyond(format, x.negative, mode);
}

Code wrapped(const Format& format, std::uint64_t value) { return value & format.mask(); }

std::uint64_t extended(const Format& format, Code code) { return format.negative(code) ? code | ~format.mask() : code; }

__extension__ using Whole = __int128;

Whole whole(const Format& format, Code code) {
  const std::uint64_t bits = extended(format, code);
  return format.is_signed ? Whole{static_cast<std::int64_t>(bits)} : Whole{bits};
}

Code integer(const Format& format, Whole exact, const Mode& mode) {
  const Whole high = format.is_signed ? Whole{format.sign()} - 1 : Whole{format.mask()};
  const Whole low = format.is_signed ? -high - 1 : 0;
  return wrapped(format, static_cast<std::uint64_t>(mode.saturate ? std::clamp(exact, low, high) : exact));
}

// An operand as it is read.
Code read(const Format& format, Code code, const Mode& mode) {
  const Code magnitude = format.magnitude(code);
  const bool subnormal = format.subnormals && magnitude != 0 && magnitude >> format.fraction == 0;
  return mode.flush_operands && subnormal ? zero_of(format, format.negative(code)) : code;
}

Code sum_with(const Format& format, const Real& product, bool product_infinite, Code c, const Mode& mode) {
  if (product_infinite && format.infinite(c)) return product.negative == format.negative(c) ? c : nan_of(format, false);
  if (product_infinite) return infinity_of(format, product.negative);
  if (format.infinite(c)) return c;
  const Real x = real_of(format, c);
  if (product.significand == 0 && x.significand == 0) return zero_of(format, product.negative && format.negative(c));
  const Real sum = sum_of(product, x);
  if (sum.significand == 0 && !sum.rest) return 0;
  return rounded(format, sum, mode);
}

// x / (divisor·2^exponent). Requires: a quotient of more bits than a format keeps.
Real quotient_of(const Real& x, Bits divisor, int exponent) {
  Real out = lined_up(x.negative, x.significand / divisor, x.exponent - exponent);
  out.rest = x.significand % divisor != 0;
  return out;
}

// Bit by bit.
Real root_of(Real x) {
  if (x.exponent % 2 != 0) x.significand >>= 1, ++x.exponent;  // the lowest bits are 0
  Bits root = 0, left = x.significand;
  for (Bits bit = Bits{1} << kTop; bit != 0; bit >>= 2) {
    if (left >= root + bit) left -= root + bit, root = (root >> 1) + bit;
    else root >>= 1;
  }
  Real out = lined_up(false, root, x.exponent / 2);
  out.rest = left != 0;
  return out;
}

}  // namespace

bool Format::nan(Code code) const {
  if (!is_float) return false;
  return one_zero ? code == sign() : magnitude(code) >= first_nan;
}
bool Format::signalling(Code code) const { return nan(code) && infinities && (code >> (fraction - 1) & 1) == 0; }
bool Format::infinite(Code code) const { return is_float && infinities && magnitude(code) == first_nan - 1; }
bool Format::zero(Code code) const { return is_float ? magnitude(code) == 0 && !nan(code) : code == 0; }
Code Format::one() const { return is_float ? static_cast<Code>(bias) << fraction : 1; }
Code Format::quiet(Code code) const { return signalling(code) ? code | Code{1} << (fraction - 1) : code; }

std::int64_t Format::place(Code code) const {
  if (!is_float) return static_cast<std::int64_t>(extended(*this, code));
  const auto size = static_cast<std::int64_t>(magnitude(code));
  return negative(code) ? -1 - size : size;
}

const Format& format_of(const std::string& name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  require(found != kFormats.end(), "a number format that is not known");
  return *found;
}

Code added(const Format& format, Code a, Code b, const Mode& mode) {
  if (!format.is_float) return integer(format, whole(format, a) + whole(format, b), mode);
  if (format.nan(a)) return format.quiet(a);
  if (format.nan(b)) return format.quiet(b);
  if (format.infinite(a) && format.infinite(b)) return a == b ? a : nan_of(format, false);
  return sum_with(format, real_of(format, read(format, a, mode)), format.infinite(a), read(format, b, mode), mode);
}

Code multiplied(const Format& format, Code a, Code b, const Mode& mode) {
  if (!format.is_float) return integer(format, whole(format, a) * whole(format, b), mode);
  if (format.nan(a)) return format.quiet(a);
  if (format.nan(b)) return format.quiet(b);
  a = read(format, a, mode), b = read(format, b, mode);
  const bool negative = format.negative(a) != format.negative(b);
  const bool infinite = format.infinite(a) || format.infinite(b), zero = format.zero(a) || format.zero(b);
  if (infinite) return zero ? nan_of(format, false) : infinity_of(format, negative);
  if (zero) return zero_of(format, negative);
  return rounded(format, product_of(format, a, b), mode);
}

Code ratio(const Format& format, std::uint64_t n, std::uint64_t d) {
  return rounded(format, quotient_of(lined_up(false, n, 0), d, 0));
}

Code divided(const Format& format, Code a, Code b) {
  if (format.nan(a)) return format.quiet(a);
  if (format.nan(b)) return format.quiet(b);
  const bool negative = format.negative(a) != format.negative(b);
  if ((format.zero(a) && format.zero(b)) || (format.infinite(a) && format.infinite(b))) return nan_of(format, false);
  if (format.infinite(a) || format.zero(b)) return infinity_of(format, negative);
  if (format.zero(a) || format.infinite(b)) return zero_of(format, negative);
  Real x = real_of(format, a);
  const Real y = real_of(format, b);
  const int down = kTop - static_cast<int>(format.fraction);
  x.negative = negative;
  return rounded(format, quotient_of(x, y.significand >> down, y.exponent + down));
}

Code rooted(const Format& format, Code a) {
  if (format.nan(a)) return format.quiet(a);
  if (format.zero(a)) return a;
  if (format.negative(a)) return nan_of(format, false);
  return format.infinite(a) ? a : rounded(format, root_of(real_of(format, a)));
}

Code fused(const Format& format, Code a, Code b, Code c, const Mode& mode) {
  if (!format.is_float) return integer(format, whole(format, a) * whole(format, b) + whole(format, c), mode);
  if (format.nan(a)) return format.quiet(a);
  if (format.nan(b)) return format.quiet(b);
  a = read(format, a, mode), b = read(format, b, mode);
  const bool infinite = format.infinite(a) || format.infinite(b), zero = format.zero(a) || format.zero(b);
  if (format.nan(c)) return format.quiet(c);
  if (infinite && zero) return nan_of(format, false);
  c = read(format, c, mode);
  const bool negative = format.negative(a) != format.negative(b);
  if (infinite || zero) return sum_with(format, {negative, 0, 0, false}, infinite, c, mode);
  return sum_with(format, product_of(format, a, b), false, c, mode);
}

Code widened(const Format& from, const Format& to, Code code) {
  if (from.name == to.name) return code;
  require(from.is_float == to.is_float, "a conversion of floats into integers");
  if (!from.is_float) {
    require(to.bits >= from.bits && (to.is_signed || !from.is_signed) &&
                (to.bits > from.bits || to.is_signed == from.is_signed),
            "a conversion that loses numbers");
    return wrapped(to, extended(from, code));
  }
  const auto least = [](const Format& f) { return 1 - f.bias - static_cast<int>(f.fraction); };
  // The exponent of the greatest binade in which there are numbers.
  const auto most = [](const Format& f) {
    return (1 << (static_cast<int>(f.bits) - 1 - static_cast<int>(f.fraction))) - f.bias - (f.infinities ? 2 : 1);
  };
  require(to.subnormals && to.infinities && !to.one_zero && to.fraction >= from.fraction && least(to) < least(from) &&
              most(to) >= most(from),
          "a conversion that loses numbers");
  return converted(from, to, code);
}

Code converted(const Format& from, const Format& to, Code code) {
  if (from.name == to.name) return code;
  if (!from.is_float && !to.is_float) return wrapped(to, extended(from, code));
  if (from.zero(code) && !from.is_float) return 0;
  if (!from.is_float) {
    const bool below = from.negative(code);
    return rounded(to, lined_up(below, below ? (Code{0} - code) & from.mask() : code, 0));
  }
  require(to.is_float, "a conversion of a float into an integer");
  const bool negative = from.negative(code);
  if (from.nan(code)) {
    if (!from.infinities || !to.infinities) return nan_of(to, !from.one_zero && negative);
    const Code payload = from.quiet(code) & ((Code{1} << from.fraction) - 1);
    const Code moved = to.fraction >= from.fraction ? payload << (to.fraction - from.fraction)
                                                    : payload >> (from.fraction - to.fraction);
    return (to.first_nan - 1) | moved | (negative ? to.sign() : 0);
  }
  if (from.infinite(code)) return infinity_of(to, negative);
  if (from.zero(code)) return zero_of(to, negative);
  return rounded(to, real_of(from, code));
}

std::optional<Code> cast_to(const Format& from, const Format& to, Code code) {
  if (to.bits == 1) return from.zero(code) ? Code{0} : Code{1};
  if (!from.is_float || to.is_float) return converted(from, to, code);
  if (!from.finite(code)) return std::nullopt;
  const Real real = real_of(from, code);
  if (real.significand == 0 || real.exponent < -kTop) return 0;  // below 1
  if (real.exponent >= 64 - kTop) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(real.significand >> -real.exponent);
  const Code most = to.is_signed ? to.sign() - (real.negative ? 0 : 1) : to.mask();
  if (size > (real.negative && !to.is_signed ? 0 : most)) return std::nullopt;
  return (real.negative ? Code{0} - size : size) & to.mask();
}

MaxRule max_rule_of(const std::string& word) {
  require(word == "nan-wins" || word == "nan-loses" || word == "x86", "a word that is not known");
  return word == "x86" ? MaxRule::X86 : word == "nan-loses" ? MaxRule::NanLoses : MaxRule::NanWins;
}

Code extreme(const Format& format, MaxRule rule, bool max, Code a, Code b) {
  const bool nan_a = format.nan(a), nan_b = format.nan(b);
  if (rule == MaxRule::X86) {
    if (nan_a || nan_b || (format.zero(a) && format.zero(b))) return b;
    return (format.place(a) > format.place(b)) == max && a != b ? a : b;
  }
  if (nan_a || nan_b) {
    if (nan_a && nan_b) return format.quiet(a);
    if (rule == MaxRule::NanLoses) return nan_a ? b : a;
    return format.quiet(nan_a ? a : b);
  }
  return (format.place(a) < format.place(b)) == max ? b : a;
}

Code exponent_of(const Format& format, Code code) { return format.magnitude(code) >> format.fraction; }

Code packed(const Format& format, unsigned width, Code code, Code shared) {
  require(format.name == "bf16" || format.name == "f32", "a block float of another format");
  const Code field = exponent_of(format, code), top = Code{1} << format.fraction;
  const Code by = shared < field ? 0 : shared - field;
  if (field == 0 || by > 23) return 0;
  const Code bits = ((format.magnitude(code) & (top - 1)) | top) << (23 - format.fraction) >> by;
  const unsigned cut = 24 - width;
  Code kept = bits >> cut;
  const Code rest = bits & ((Code{1} << cut) - 1), half = Code{1} << (cut - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  kept = std::min(kept, (Code{1} << width) - 1);
  return kept == 0 ? 0 : kept | (format.negative(code) ? Code{1} << width : 0);
}

Code saturated(const Format& format, Code a, Code b) {
  __extension__ using Sum = __int128;
  const auto number = [&](Code code) -> Sum {
    return format.is_signed ? Sum{static_cast<std::int64_t>(extended(format, code))} : Sum{code};
  };
  const Sum least = format.is_signed ? -Sum{format.sign()} : 0;
  const Sum most = format.is_signed ? Sum{format.sign()} - 1 : Sum{format.mask()};
  return wrapped(format, static_cast<Code>(std::clamp(number(a) + number(b), least, most)));
}

}  // namespace vl::values_kernel
