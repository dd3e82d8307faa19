// Arithmetic: the scalar operations of reductions as total functions on codes, in integer arithmetic alone.
//
// The laws are those of IEEE 754-2019 with rounding to nearest, ties to even, and without flushing of subnormals,
// unless a Mode says otherwise. Where that standard leaves a choice, or a format is not its own, this is what the
// functions do (a profile, not a claim about a device):
// - NaN: an operation with NaN operands gives the first of them, quieted, with its payload and sign (as x86's SSE).
// From
//   operands that are none it makes default_nan(). Where the product of fma is invalid and the addend NaN, it is the
//   addend.
// - Formats without infinity: what is too large is NaN, of the number's sign where there are two NaNs; dl16's 7FFF and
//   FFFF ("NINF") are NaN in every respect.
// - dl16: each result is the exact one, rounded once as pack() says. The rounding of the device is not known.
// - Integers wrap: they are computed modulo 2^bits; or they saturate.
//
// Requires (of every function): the codes lie in the format's mask.
#pragma once

#include "encodings/values/number.h"

namespace vl::values {

/// What becomes of subnormal numbers. A format without subnormals has nothing to flush.
enum class Flush {
  None,
  Results,  // x86's FTZ: a result that is less than the least normal number, rounded as if exponents had no lower end,
            // is a zero of its sign
  Both,     // FTZ and DAZ: an operand that is subnormal is a zero of its sign, too
};

/// What becomes of an integer result that the type does not have: it is taken modulo 2^bits, or the nearest that is
/// one.
enum class Integers { Wrap, Saturate };

/// How operations round, and what else they do to numbers. Conversions and comparisons have no part in it.
struct Mode {
  Rounding rounding = Rounding::NearestEven;
  Flush flush = Flush::None;
  Integers integers = Integers::Wrap;

  bool operator==(const Mode&) const = default;
};

/// A number of the format that is not zero, and less than all those of full precision. No integer is; dl16 has none.
/// Example: f32 0x007FFFFF and 0x80000001.
[[nodiscard]] bool is_subnormal(const Format& format, Code code);

/// a + b, rounded once. x + -0 = x for each x that is no signalling NaN; an exact sum of 0 is +0, but -0 + -0 = -0.
/// Example: f16 0x3C00 + 0x1000 (1 + 2^-11) is a tie: 0x3C00.
[[nodiscard]] Code add(const Format& format, Code a, Code b, const Mode& mode = {});

/// a·b, rounded once. Its sign is the exclusive or of the signs, also of a zero and of what underflows to one.
/// Example: f16 0x0001·0xB800 (2^-24·-0.5) is 0x8000, -0: a tie between 0 and the least subnormal.
[[nodiscard]] Code mul(const Format& format, Code a, Code b, const Mode& mode = {});

/// a·b + c with one rounding. Integers: the same modulo 2^bits, or saturated once, at the end.
/// Example: f32 fma(2^-149, -2^-149, +0) is -0, where the rounded product, -0, plus +0 is +0.
[[nodiscard]] Code fma(const Format& format, Code a, Code b, Code c, const Mode& mode = {});

/// What maximum and minimum do with NaN and with two zeros.
enum class MaxRule {
  NanWins,   // IEEE 754-2019 maximum: a NaN operand is the result, quieted; -0 < +0
  NanLoses,  // IEEE 754-2019 maximumNumber: a number, if there is one, signalling NaN or not; -0 < +0
  X86,       // MAXPS, MINPS: a > b ? a : b (a < b ? a : b), so b with any NaN and of two zeros
};

/// Example: f16 maximum(0x7E00, 0x3C00) is 0x7E00 by NanWins, 0x3C00 by NanLoses and by X86.
[[nodiscard]] Code maximum(const Format& format, MaxRule rule, Code a, Code b);
[[nodiscard]] Code minimum(const Format& format, MaxRule rule, Code a, Code b);

/// Unordered with NaN; two zeros are equal.
enum class Order { Less, Equal, Greater, Unordered };
[[nodiscard]] Order compare(const Format& format, Code a, Code b);

/// The same number in another format, rounded once. A NaN is quieted and keeps its sign and as many of its payload's
/// highest bits as fit; an infinity becomes NaN in a format without. An integer into an integer wraps.
/// Requires: no float into an integer.
/// Example: f32 0x477FF000 (65520) is 0x7C00 in f16 and 0x4780 in bf16; dl16 0x7FFF is 0x7FC00000 in f32.
[[nodiscard]] Code convert(const Format& from, const Format& to, Code code, Rounding rounding = Rounding::NearestEven);

/// The same, but a float is cut toward zero to an integer, and into i1 everything but zeros, NaN too, is 1. Nothing:
/// the integer does not have it. Example: f16 0xBE00 (-1.5) into i8 is -1, and into u8 nothing.
[[nodiscard]] std::optional<Code> cast(const Format& from, const Format& to, Code code,
                                       Rounding rounding = Rounding::NearestEven);

/// Whether convert() is the identity on numbers: another format has every number of this one, both zeros included.
/// Example: f16 into f32 and bf16 into f32, not f16 into bf16; i8 into i32.
[[nodiscard]] bool is_exact(const Format& from, const Format& to);

}  // namespace vl::values
