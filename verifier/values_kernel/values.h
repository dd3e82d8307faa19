// Values: what codes of number formats mean, and the operations of reductions on them, in integers alone. The checker's
// own second implementation of what encodings/values states; both round once, to nearest, ties to even, if
// a Mode says nothing else.
//
// A code of a float format has a sign bit, exponent bits E and f fraction bits F; its magnitude is
//   E > 0:  (2^f + F)·2^(E - bias - f)        E = 0:  F·2^(1 - bias - f)
// dl16 has no E = 0 case: code 0 is zero, and E = 0 means what other E do. Integers are two's complement and wrap.
//
// Example: f16 0x3C00 + 0x1000 (1 + 2^-11) is a tie, 0x3C00; f32 fma(2^-149, -2^-149, +0) is -0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {

using Code = std::uint64_t;

struct Format {
  std::string name;
  unsigned bits = 0;
  bool is_float = true, is_signed = true;
  unsigned fraction = 0;
  int bias = 0;
  bool infinities = true, subnormals = true;
  bool one_zero = false;  // the code of -0 is NaN
  Code first_nan = 0;     // magnitudes from here on are NaN; of formats with one zero none is

  [[nodiscard]] Code mask() const { return bits == 64 ? ~Code{0} : (Code{1} << bits) - 1; }
  [[nodiscard]] Code sign() const { return Code{1} << (bits - 1); }
  [[nodiscard]] Code magnitude(Code code) const { return code & (sign() - 1); }
  [[nodiscard]] bool negative(Code code) const { return is_signed && (code & sign()) != 0; }
  [[nodiscard]] bool nan(Code code) const;
  [[nodiscard]] bool signalling(Code code) const;
  [[nodiscard]] bool infinite(Code code) const;
  [[nodiscard]] bool zero(Code code) const;
  [[nodiscard]] bool finite(Code code) const { return !nan(code) && !infinite(code); }
  [[nodiscard]] Code one() const;
  [[nodiscard]] Code quiet(Code code) const;
  /// A strictly monotone number of a code that is no NaN: -0 is -1, +0 is 0. An integer is itself.
  [[nodiscard]] std::int64_t place(Code code) const;
};

/// Rejects another name than f16 bf16 f32 f64 f8e4m3 f8e5m2 f8e4m3fnuz f8e5m2fnuz dl16 i8 u8 i16 i32 i64 i1 u16 u32.
[[nodiscard]] const Format& format_of(const std::string& name);

/// What else operations do: how they round; whether they flush subnormal results (rounded as if exponents had no lower
/// end) to zeros of their sign, and read subnormal operands as such; whether integers saturate.
struct Mode {
  enum class Rounding { NearestEven, NearestAway, TowardZero } rounding = Rounding::NearestEven;
  bool flush_results = false, flush_operands = false, saturate = false;
};

/// Requires (all below): codes within the mask. NaN operands: the first of them, quieted; of fma the factors come
/// first, unless their product is invalid and the addend NaN.
[[nodiscard]] Code added(const Format& format, Code a, Code b, const Mode& mode = {});
[[nodiscard]] Code multiplied(const Format& format, Code a, Code b, const Mode& mode = {});
[[nodiscard]] Code fused(const Format& format, Code a, Code b, Code c, const Mode& mode = {});
/// a / b and the square root, rounded once, and n / d of two integers. Requires: a float format; n, d > 0.
[[nodiscard]] Code divided(const Format& format, Code a, Code b);
[[nodiscard]] Code rooted(const Format& format, Code a);
[[nodiscard]] Code ratio(const Format& format, std::uint64_t n, std::uint64_t d);
/// The same number in a format that has it; rejects a pair of formats of which the second does not have all numbers.
[[nodiscard]] Code widened(const Format& from, const Format& to, Code code);
/// The number, rounded once. A NaN becomes quiet and keeps its sign and as many high bits of its payload as fit; what
/// has no code becomes an infinity or NaN. Integers wrap. Rejects a float into an integer.
[[nodiscard]] Code converted(const Format& from, const Format& to, Code code);
/// The same, but a float is cut toward zero to an integer, and into i1 everything but zeros, NaN too, is 1. Nothing:
/// the integer does not have it. Example: f16 -1.5 into i8 is -1; into u8 nothing, and 0x3800 (0.5) is 0.
[[nodiscard]] std::optional<Code> cast_to(const Format& from, const Format& to, Code code);

/// Which operand an extremum takes beside a NaN: the NaN, the other one, or (as of two zeros) the second one.
enum class MaxRule { NanWins, NanLoses, X86 };
/// Rejects a word that is none of nan-wins, nan-loses and x86.
[[nodiscard]] MaxRule max_rule_of(const std::string& word);
[[nodiscard]] Code extreme(const Format& format, MaxRule rule, bool max, Code a, Code b);

/// The exponent's field of a float.
[[nodiscard]] Code exponent_of(const Format& format, Code code);
/// A lane of a block float of `width` bits of magnitude under the shared exponent field S, as tt-metal packs it: with
/// E > 0 the 24 bits of the significand are shifted right by S - E, which truncates; then the highest `width` of them
/// are kept, ties to even, at most all ones; above them the sign. What is 0 then, or has E = 0, has no sign.
/// Requires: bf16 or f32. Of S < E it is as of S = E. Example: bf16 1 (E = 127), 7 bits: 0x40 under 127, 1 under 133.
[[nodiscard]] Code packed(const Format& format, unsigned width, Code code, Code shared);

/// a + b, or the end of the range that is next to it. Requires: an integer format.
[[nodiscard]] Code saturated(const Format& format, Code a, Code b);

}  // namespace vl::values_kernel
