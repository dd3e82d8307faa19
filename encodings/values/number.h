// Numbers: a code taken apart into an exact number, and an exact number rounded into a code. Every operation on floats
// goes this way (arithmetic.h): unpack, compute exactly with integers, pack. There is one rounding per operation, and
// the host's floating-point unit, its modes and the compiler's rules for it have no part in a result.
#pragma once

#include "encodings/values/format.h"

namespace vl::values {

/// Wide enough for the product of two significands of f64 (106 bits).
__extension__ using Wide = unsigned __int128;

/// A finite number that is not zero: (negative ? -1 : 1)·significand·2^exponent.
///
/// A significand of at least 2^108 may be jammed: an odd one then means some number strictly between its even
/// neighbours. Rounding to at most 64 bits cannot tell the difference.
struct Number {
  bool negative = false;
  Wide significand = 0;
  int exponent = 0;

  bool operator==(const Number&) const = default;
};

enum class Rounding { NearestEven, NearestAway, TowardZero };

/// Requires: the code is finite and not zero; it may be an integer's.
/// Example: f16 0x3C01 is 1025·2^-10.
[[nodiscard]] Number unpack(const Format& format, Code code);

/// The code nearest to a number. Half way between two it is the even code, or the one of larger magnitude. Or the last
/// code that is not beyond the number, seen from zero; that is finite.
/// - Above the largest number (after rounding as if there were larger ones): infinity; in a format without infinity
/// NaN.
/// - Below the least number it is zero, of the number's sign where the format has two zeros.
/// - dl16 (a model: the document states only conversions): rounded as if exponents had no lower end, then zero if the
///   result is less than the least number, (2^9 + 1)·2^-40.
/// Requires: a float format, and a significand that is not 0 and below 2^126.
/// Example: in f16, 2049 rounds to 2048 = 0x6800 and 65520 to infinity = 0x7C00; in f8e4m3, 464 rounds to 448 and 465
/// to NaN.
/// `flushed`: rounded as if exponents had no lower end, then zero if the result would be subnormal. f32, of
/// 2^-126·(1 - 2^-24): zero, where the subnormal numbers have a tie, 2^-126.
[[nodiscard]] Code pack(const Format& format, const Number& number, Rounding rounding = Rounding::NearestEven,
                        bool flushed = false);

/// Zero of that sign; +0 where the format has only one.
[[nodiscard]] Code zero(const Format& format, bool negative);

/// The exact product. Requires: both significands have at most 64 bits, and their product less than 126.
[[nodiscard]] Number product(const Number& a, const Number& b);

/// The sum, jammed where it has to be. It is the caller's to look for a sum of zero: it has significand 0.
/// Requires: significands below 2^107.
/// Example: 1·2^0 + (-1)·2^-200 is jammed to (2^124 - 1)·2^-124, which rounds to 1 in every format.
[[nodiscard]] Number sum(const Number& a, const Number& b);

/// -1, 0 or 1: the order of two exact numbers. Requires: as for sum.
[[nodiscard]] int compare(const Number& a, const Number& b);

}  // namespace vl::values
