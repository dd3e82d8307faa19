#include "verifier/neutral/classes.h"

#include "encodings/base/check.h"

namespace vl::neutral {
namespace {

constexpr Classes kNan = kQuietNan | kSignallingNan;
constexpr Classes kInfinite = kNegativeInfinity | kPositiveInfinity;
constexpr Classes kZero = kNegativeZero | kPositiveZero;
constexpr Classes kBelow = kNegativeInfinity | kNegative | kNegativeZero;

Classes joined_classes(Classes a, Classes b) { return static_cast<Classes>(a | b); }

Classes signed_zero(const Format& format, bool negative) {
  return negative && has_negative_zero(format) ? kNegativeZero : kPositiveZero;
}
Classes too_large(const Format& format, bool negative) {
  if (!has_infinity(format)) return kQuietNan;
  return negative ? kNegativeInfinity : kPositiveInfinity;
}

// The sum of two operands of one class each.
Classes sum_of_two(const Format& format, Classes a, Classes b) {
  if (((a | b) & kNan) != 0) return kQuietNan;
  if ((a & kInfinite) != 0) return (b & kInfinite) != 0 && a != b ? Classes{kQuietNan} : a;
  if ((b & kInfinite) != 0) return b;
  if ((a & kZero) != 0 && (b & kZero) != 0) return a == b ? a : Classes{kPositiveZero};
  if ((a & kZero) != 0) return b;
  if ((b & kZero) != 0) return a;
  if (a == b) return joined_classes(a, too_large(format, a == kNegative));
  // Both are multiples of the least subnormal, and so is their sum: it is no smaller, unless there are no subnormals.
  const Classes out = kNegative | kPositive | kPositiveZero;
  return format.special == values::Special::NoSubnormals ? joined_classes(out, kNegativeZero) : out;
}

Classes product_of_two(const Format& format, Classes a, Classes b) {
  if (((a | b) & kNan) != 0) return kQuietNan;
  const bool negative = ((a & kBelow) != 0) != ((b & kBelow) != 0);
  if (((a | b) & kInfinite) != 0) return ((a | b) & kZero) != 0 ? Classes{kQuietNan} : too_large(format, negative);
  if (((a | b) & kZero) != 0) return signed_zero(format, negative);
  return joined_classes(joined_classes(negative ? kNegative : kPositive, signed_zero(format, negative)),
                        too_large(format, negative));
}

// The sum of an exact product, finite and not zero, and a code.
Classes fused_of_two(const Format& format, bool negative, Classes c) {
  if ((c & kNan) != 0) return kQuietNan;
  if ((c & kInfinite) != 0) return c;
  const Classes sign = negative ? kNegative : kPositive;
  const Classes same = joined_classes(sign, too_large(format, negative));
  if (c == sign) return same;
  if ((c & kZero) != 0) return joined_classes(same, signed_zero(format, negative));
  return joined_classes(joined_classes(too_large(format, true), too_large(format, false)),
                        joined_classes(kNegative | kPositive | kPositiveZero, signed_zero(format, true)));
}

template <class Operation>
Classes over_pairs(Classes a, Classes b, Operation operation) {
  Classes out = 0;
  for (unsigned x = 1; x < 256; x *= 2)
    for (unsigned y = 1; y < 256; y *= 2)
      if ((a & x) != 0 && (b & y) != 0)
        out = joined_classes(out, operation(static_cast<Classes>(x), static_cast<Classes>(y)));
  return out;
}

// Where numbers may be flushed.
Classes with_zeros(const Format& format, Classes classes) {
  Classes out = classes;
  if ((classes & kNegative) != 0) out = joined_classes(out, signed_zero(format, true));
  if ((classes & kPositive) != 0) out = joined_classes(out, signed_zero(format, false));
  return out;
}
Classes as_operands(const Format& format, values::Flush flush, Classes classes) {
  return flush == values::Flush::Both ? with_zeros(format, classes) : classes;
}
Classes as_results(const Format& format, values::Flush flush, Classes classes) {
  return flush == values::Flush::None ? classes : with_zeros(format, classes);
}

// No product of two numbers of the type is less than the least subnormal of the accumulator, unless it is zero.
bool products_do_not_underflow(const Question& question) {
  const Format &type = question.type, &wide = question.accumulate;
  if (wide.special == values::Special::NoSubnormals) return false;
  const values::Number least = values::unpack(type, 1);
  return values::compare(values::product(least, least), values::unpack(wide, 1)) >= 0;
}

}  // namespace

Class class_of(const Format& format, Code code) {
  if (is_nan(format, code)) return is_signalling(format, code) ? kSignallingNan : kQuietNan;
  const bool negative = is_negative(format, code);
  if (is_infinite(format, code)) return negative ? kNegativeInfinity : kPositiveInfinity;
  if (is_zero(format, code)) return negative ? kNegativeZero : kPositiveZero;
  return negative ? kNegative : kPositive;
}

Classes classes_of(const Format& format, const CodeSet& codes) {
  Classes out = 0;
  if (!codes.intersected(signalling_nans(format)).empty()) out |= kSignallingNan;
  if (!codes.intersected(nans(format).without(signalling_nans(format), format)).empty()) out |= kQuietNan;
  const auto add = [&](std::int64_t low, std::int64_t high, Class found) {
    if (low <= high && !codes.intersected(numbers_between(format, low, high)).empty()) out |= found;
  };
  const std::int64_t lowest = order(format, largest(format, true)), highest = order(format, largest(format, false));
  const bool two = has_negative_zero(format);
  add(lowest_order(format), lowest - 1, kNegativeInfinity);
  add(lowest, format.is_float() ? -2 : -1, kNegative);
  if (two) add(-1, -1, kNegativeZero);
  add(0, 0, kPositiveZero);
  add(1, highest, kPositive);
  add(highest + 1, highest_order(format), kPositiveInfinity);
  return out;
}

Classes sum_of(const Format& format, values::Flush flush, Classes a, Classes b) {
  return as_results(format, flush,
                    over_pairs(as_operands(format, flush, a), as_operands(format, flush, b),
                               [&](Classes x, Classes y) { return sum_of_two(format, x, y); }));
}

Classes product_of(const Format& format, values::Flush flush, Classes a, Classes b) {
  return as_results(format, flush,
                    over_pairs(as_operands(format, flush, a), as_operands(format, flush, b),
                               [&](Classes x, Classes y) { return product_of_two(format, x, y); }));
}

Classes fused_of(const Format& format, values::Flush flush, Classes a, Classes b, Classes c, bool exact) {
  constexpr Classes kFinite = kNegative | kPositive;
  const Classes addends = as_operands(format, flush, c);
  const Classes sums =
      over_pairs(as_operands(format, flush, a), as_operands(format, flush, b), [&](Classes x, Classes y) {
        const bool finite = (x & kFinite) != 0 && (y & kFinite) != 0;
        const Classes product = product_of_two(format, x, y);
        if (!finite) return sum_of(format, flush, product, addends);
        if (exact) return sum_of(format, flush, static_cast<Classes>(product & ~kZero), addends);
        return over_pairs(1, addends, [&](Classes, Classes z) { return fused_of_two(format, x != y, z); });
      });
  return as_results(format, flush, sums);
}

Classes partial_sums(const Question& question) {
  const Format& wide = question.accumulate;
  const values::Flush flush = flush_of(question);
  VL_CHECK(wide.is_float() && is_additive(question.operation), "classes are those of sums of floats");
  Classes elements = classes_of(question.type, question.contents);
  const bool converted = !(question.type == wide);
  if (converted && (elements & kSignallingNan) != 0)  // a conversion quiets
    elements = static_cast<Classes>((elements & ~kSignallingNan) | kQuietNan);
  Classes leaves = elements;
  if (question.operation == Operation::Dot) leaves = product_of(wide, flush, elements, elements);
  if (is_square(question.operation)) {
    leaves = 0;
    for (unsigned x = 1; x < 256; x *= 2)
      if ((elements & x) != 0)
        leaves = joined_classes(
            leaves, as_results(wide, flush, product_of_two(wide, static_cast<Classes>(x), static_cast<Classes>(x))));
  }
  // Sums without the start, closed under adding: of the leaves alone where evaluations are sequential.
  const bool exact = products_do_not_underflow(question);
  const bool tree = question.tree == Tree::Any;
  const auto step = [&](Classes sums, Classes others) {
    const Classes plain = joined_classes(sum_of(wide, flush, sums, others), sum_of(wide, flush, others, sums));
    if (!question.fused) return plain;
    Classes out = tree ? plain : Classes{0};
    if (question.operation == Operation::Dot)
      return joined_classes(out, fused_of(wide, flush, elements, elements, sums, exact));
    for (unsigned x = 1; x < 256; x *= 2)
      if ((elements & x) != 0) {
        const auto one = static_cast<Classes>(x);
        out = joined_classes(out, fused_of(wide, flush, one, one, sums, exact));
      }
    return out;
  };
  const auto closed = [&](Classes sums, Classes others, bool among_themselves) {
    for (Classes before = 0; before != sums;) {
      before = sums;
      sums = joined_classes(sums, step(sums, among_themselves ? sums : others));
    }
    return sums;
  };
  const Classes free = closed(leaves, leaves, tree);
  if (question.start == Start::First) return free;
  return closed(class_of(wide, start_of(question)), tree ? free : leaves, false);
}

}  // namespace vl::neutral
