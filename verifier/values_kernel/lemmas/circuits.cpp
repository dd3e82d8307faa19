#include "verifier/values_kernel/lemmas/circuits.h"

namespace vl::values_kernel {
namespace {

std::size_t fraction_of(const Format& format) { return format.fraction; }
std::size_t exponents_of(const Format& format) { return format.bits - 1 - format.fraction; }

// Bits of an exponent that no operation here leaves: those of the codes and of three times the fraction, and room.
std::size_t room(const Format& format) {
  std::size_t bits = exponents_of(format);
  while (std::size_t{1} << bits < 3 * fraction_of(format) + 16) ++bits;
  return bits + 3;
}

Word signed_word(std::int64_t value, std::size_t bits) {
  return Words::constant(static_cast<std::uint64_t>(value), bits);
}

}  // namespace

int Circuits::nan(const Format& format, const Word& code) {
  if (!format.is_float) return -1;
  if (format.one_zero) return equal(code, constant(format.sign(), format.bits));
  return -less(magnitude(format, code), constant(format.first_nan, format.bits - 1));
}
int Circuits::signalling(const Format& format, const Word& code) {
  if (!format.is_float || !format.infinities) return -1;
  return both(nan(format, code), -code[fraction_of(format) - 1]);
}
int Circuits::infinite(const Format& format, const Word& code) {
  if (!format.is_float || !format.infinities) return -1;
  return equal(magnitude(format, code), constant(format.first_nan - 1, format.bits - 1));
}
int Circuits::zero(const Format& format, const Word& code) {
  if (!format.is_float) return -any(code);
  return both(-any(magnitude(format, code)), format.one_zero ? -code.back() : 1);
}
int Circuits::negative(const Format& format, const Word& code) { return format.is_signed ? code.back() : -1; }

// Ascending with the numbers: the magnitudes of negative floats turned round, the sign's bit flipped.
Word Circuits::key(const Format& format, Word code) {
  if (format.is_float)
    code = joined(choose(code.back(), flipped(magnitude(format, code)), magnitude(format, code)), {code.back()});
  if (format.is_signed) code.back() = -code.back();
  return code;
}
int Circuits::before(const Format& format, const Word& a, const Word& b) {
  return less(key(format, a), key(format, b));
}

Word Circuits::quiet(const Format& format, Word code) {
  if (format.is_float && format.infinities)
    code[fraction_of(format) - 1] = either(code[fraction_of(format) - 1], nan(format, code));
  return code;
}
Word Circuits::disjunction(const Word& a, const Word& b) {
  Word out;
  for (std::size_t k = 0; k < a.size(); ++k) out.push_back(either(a[k], b[k]));
  return out;
}
Word Circuits::conjunction(const Word& a, const Word& b) { return flipped(disjunction(flipped(a), flipped(b))); }
Word Circuits::nan_of(const Format& format, int negative) {
  if (format.one_zero) return constant(format.sign(), format.bits);
  const Code code = format.infinities ? (format.first_nan - 1) | Code{1} << (format.fraction - 1) : format.first_nan;
  return joined(constant(code, format.bits - 1), {negative});
}
Word Circuits::infinity_of(const Format& format, int negative) {
  if (!format.infinities) return nan_of(format, negative);
  return joined(constant(format.first_nan - 1, format.bits - 1), {negative});
}
Word Circuits::zero_of(const Format& format, int negative) {
  return joined(constant(0, format.bits - 1), {format.one_zero ? -1 : negative});
}

Circuits::Real Circuits::real_of(const Format& format, const Word& code) {
  const Word fraction = part(code, 0, fraction_of(format));
  const Word field = part(code, fraction_of(format), exponents_of(format));
  const int normal = format.subnormals ? any(field) : any(magnitude(format, code));
  Word exponent = resized(field, room(format));
  if (format.subnormals) exponent[0] = either(exponent[0], -normal);  // E = 0 means what E = 1 means
  return {code.back(), exponent, joined(fraction, {normal})};
}

// More low bits, and a highest one that is 1, unless the significand is 0; then the exponent is the least there is.
Circuits::Real Circuits::widened_to(Real real, std::size_t bits) {
  const std::size_t more = bits - real.significand.size(), size = real.exponent.size();
  real.significand = joined(constant(0, more), real.significand);
  const int nothing = -any(real.significand);
  const Word by = normalised(real.significand);
  real.exponent = difference(difference(real.exponent, constant(more, size)), resized(by, size));
  real.exponent = choose(nothing, joined(constant(0, size - 1), {1}), real.exponent);
  return real;
}

Circuits::Real Circuits::product_of(const Format& format, const Word& a, const Word& b) {
  const Real x = real_of(format, a), y = real_of(format, b);
  const Word down = signed_word(format.bias + static_cast<int>(format.fraction), x.exponent.size());
  return {exclusive(x.negative, y.negative), difference(sum(x.exponent, y.exponent), down),
          product(x.significand, y.significand)};
}

// Requires: significands of one width, with at least three low bits that are 0; the one of the lower exponent is the
// lower number. A sum of 0 is negative if both numbers are.
Circuits::Real Circuits::sum_of(const Real& a, const Real& b) {
  const int swap = either(signed_less(a.exponent, b.exponent),
                          both(equal(a.exponent, b.exponent), less(a.significand, b.significand)));
  const Real high{choose(swap, b.negative, a.negative), choose(swap, b.exponent, a.exponent),
                  choose(swap, b.significand, a.significand)};
  const Real low{choose(swap, a.negative, b.negative), choose(swap, a.exponent, b.exponent),
                 choose(swap, a.significand, b.significand)};
  int more = -1;
  Word shifted = shifted_right(low.significand, difference(high.exponent, low.exponent), more);
  shifted[0] = either(shifted[0], more);
  const std::size_t bits = shifted.size() + 1;
  const int subtract = exclusive(a.negative, b.negative);
  shifted = resized(shifted, bits);
  for (int& literal : shifted) literal = exclusive(literal, subtract);
  Real out{high.negative, high.exponent, sum(resized(high.significand, bits), shifted, subtract)};
  out.negative = choose(any(out.significand), out.negative, both(a.negative, b.negative));
  return out;
}

Word Circuits::rounded(const Format& format, Real real) {
  const std::size_t f = fraction_of(format), size = real.exponent.size();
  if (real.significand.size() < f + 3) {
    const std::size_t more = f + 3 - real.significand.size();
    real.significand = joined(constant(0, more), real.significand);
    real.exponent = difference(real.exponent, constant(more, size));
  }
  Word bits = real.significand;
  const int something = any(bits);
  const Word by = normalised(bits);
  Word exponent = difference(sum(real.exponent, constant(bits.size() - 1 - f, size)), resized(by, size));
  const Word least = constant(format.subnormals ? 1 : 0, size);
  const int below = signed_less(exponent, least);
  int more = -1;
  if (format.subnormals) {
    bits = shifted_right(bits, choose(below, difference(least, exponent), constant(0, size)), more);
    exponent = choose(below, least, exponent);
  }
  const std::size_t cut = bits.size() - f - 1;
  const Word kept = part(bits, cut, f + 1);
  const int rest = either(more, any(part(bits, 0, cut - 1)));
  const int up = both(bits[cut - 1], either(rest, kept[0]));
  const Word field = difference(exponent, constant(1, size));  // the highest bit that is kept adds 1
  Word magnitude = sum(joined(constant(0, f), field), resized(kept, f + size), up);
  const int some = format.subnormals ? something : both(something, -below);
  magnitude = choose(some, magnitude, constant(0, f + size));
  const Code last = format.infinities ? format.first_nan - 2 : format.first_nan - 1;
  const int over = less(constant(last, f + size), magnitude);
  Word out = joined(part(magnitude, 0, format.bits - 1), {real.negative});
  if (format.one_zero) out.back() = both(out.back(), any(part(out, 0, format.bits - 1)));
  return choose(over, infinity_of(format, real.negative), out);
}

Word Circuits::added(const Format& format, const Word& a, const Word& b) {
  if (!format.is_float) return sum(a, b);
  Real x = real_of(format, a), y = real_of(format, b);
  for (Real* real : {&x, &y}) {
    real->significand = joined(constant(0, 3), real->significand);
    real->exponent = difference(real->exponent, constant(3, real->exponent.size()));
  }
  const int infinite_a = infinite(format, a), infinite_b = infinite(format, b);
  Word out = rounded(format, sum_of(x, y));
  out = choose(infinite_b, b, out);
  out = choose(infinite_a, choose(both(infinite_b, exclusive(a.back(), b.back())), nan_of(format, -1), a), out);
  return choose(nan(format, a), quiet(format, a), choose(nan(format, b), quiet(format, b), out));
}

Word Circuits::multiplied(const Format& format, const Word& a, const Word& b) {
  if (!format.is_float) return part(product(a, b), 0, format.bits);
  const int negative = exclusive(a.back(), b.back());
  const int none = either(zero(format, a), zero(format, b));
  Word out = choose(none, zero_of(format, negative), rounded(format, product_of(format, a, b)));
  const int infinities = either(infinite(format, a), infinite(format, b));
  out = choose(infinities, choose(none, nan_of(format, -1), infinity_of(format, negative)), out);
  return choose(nan(format, a), quiet(format, a), choose(nan(format, b), quiet(format, b), out));
}

Word Circuits::fused(const Format& format, const Word& a, const Word& b, const Word& c) {
  if (!format.is_float) return sum(part(product(a, b), 0, format.bits), c);
  const std::size_t bits = 2 * fraction_of(format) + 5;
  const Real product = product_of(format, a, b);
  Word out = rounded(format, sum_of(widened_to(product, bits), widened_to(real_of(format, c), bits)));
  const int none = either(zero(format, a), zero(format, b)), zero_c = zero(format, c);
  const Word sign = zero_of(format, both(product.negative, c.back()));
  out = choose(none, choose(zero_c, sign, c), choose(zero_c, rounded(format, product), out));
  const int infinities = either(infinite(format, a), infinite(format, b)), infinite_c = infinite(format, c);
  const int against = both(infinite_c, exclusive(product.negative, c.back()));
  out = choose(infinite_c, c, out);
  out =
      choose(infinities, choose(either(none, against), nan_of(format, -1), infinity_of(format, product.negative)), out);
  out = choose(nan(format, c), quiet(format, c), out);
  return choose(nan(format, a), quiet(format, a), choose(nan(format, b), quiet(format, b), out));
}

Word Circuits::extreme(const Format& format, MaxRule rule, bool max, const Word& a, const Word& b) {
  const int nan_a = nan(format, a), nan_b = nan(format, b), below = before(format, a, b);
  if (rule == MaxRule::X86) {
    const int zeros = both(zero(format, a), zero(format, b));
    const int second = either(either(nan_a, nan_b), zeros);
    const int beyond = max ? before(format, b, a) : below;
    return choose(second, b, choose(beyond, a, b));
  }
  Word out = choose(max ? below : -below, b, a);
  const Word quiet_a = quiet(format, a), quiet_b = quiet(format, b);
  out = choose(nan_a, rule == MaxRule::NanLoses ? b : quiet_a,
               choose(nan_b, rule == MaxRule::NanLoses ? a : quiet_b, out));
  return choose(both(nan_a, nan_b), quiet_a, out);
}

Word Circuits::exponent_of(const Format& format, const Word& code) {
  return resized(part(code, fraction_of(format), exponents_of(format)), format.bits);
}

Word Circuits::packed(const Format& format, unsigned width, const Word& code, const Word& shared) {
  require(format.name == "bf16" || format.name == "f32", "a block float of another format");
  const Word field = exponent_of(format, code);
  const Word by = choose(less(shared, field), constant(0, format.bits), difference(shared, field));
  Word bits = joined(constant(0, 23 - fraction_of(format)), joined(part(code, 0, fraction_of(format)), {1}));
  int lost = -1;  // the shift truncates
  bits = shifted_right(bits, by, lost);
  const std::size_t cut = 24 - width;
  const Word kept = part(bits, cut, width);
  const int up = both(bits[cut - 1], either(any(part(bits, 0, cut - 1)), kept[0]));
  const Word raised = sum(resized(kept, width + 1), constant(0, width + 1), up);
  Word out = choose(raised.back(), Word(width, 1), part(raised, 0, width));
  out.push_back(both(code.back(), any(out)));
  return choose(any(field), resized(out, format.bits), constant(0, format.bits));
}

Word Circuits::saturated(const Format& format, const Word& a, const Word& b) {
  const int fill_a = negative(format, a), fill_b = negative(format, b);
  const std::size_t bits = format.bits;
  const Word total = sum(resized(a, bits + 1, fill_a), resized(b, bits + 1, fill_b));
  if (!format.is_signed) return choose(total.back(), constant(format.mask(), bits), part(total, 0, bits));
  const int over = exclusive(total[bits], total[bits - 1]);
  return choose(over, joined(Word(bits - 1, -total.back()), {total.back()}), part(total, 0, bits));
}

Word Circuits::converted(const Format& from, const Format& to, const Word& code) {
  if (from.name == to.name) return code;
  if (!from.is_float) return resized(code, to.bits, negative(from, code));
  Real real = real_of(from, code);
  const std::size_t size = std::max(room(from), room(to)) + 1;
  real.exponent = resized(real.exponent, size, real.exponent.back());
  const std::int64_t shift = (to.bias + static_cast<int>(to.fraction)) - (from.bias + static_cast<int>(from.fraction));
  real.exponent = sum(real.exponent, signed_word(shift, size));
  const int negative = code.back();
  Word out = choose(zero(from, code), zero_of(to, negative), rounded(to, real));
  out = choose(infinite(from, code), infinity_of(to, negative), out);
  const int sign = from.one_zero ? -1 : negative;
  Word payload = nan_of(to, sign);
  if (from.infinities && to.infinities) {
    const Word fraction = part(quiet(from, code), 0, fraction_of(from));
    const std::size_t f = fraction_of(to), g = fraction_of(from);
    const Word moved = f >= g ? joined(constant(0, f - g), fraction) : part(fraction, g - f, f);
    payload = joined(joined(moved, Word(exponents_of(to), 1)), {sign});
  }
  return choose(nan(from, code), payload, out);
}

}  // namespace vl::values_kernel
