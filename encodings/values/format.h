// Formats: which number each code of a type means. A code is the bits of one element as an unsigned integer.
//
// A float format has a sign bit, e exponent bits E and f fraction bits F, in this order. With the bias b,
//
//   E > 0:  ± (2^f + F)·2^(E - b - f)          E = 0:  ± F·2^(1 - b - f)   (zero and the subnormals)
//
// and the formats differ in what they do with their outermost codes (`Special`). An integer is two's complement.
//
// Worked example: f16 has e = 5, f = 10, b = 15. 0x3C00 is E = 15, F = 0: 2^10·2^(15 - 15 - 10) = 1. 0x0001 is 2^-24.
//
// Sources: IEEE 754-2019 3.4 (f16, f32, f64); bf16 is the upper half of f32; OCP "8-bit floating point" 1.0 5.1 and 5.2
// (f8e4m3, which others name e4m3fn, and f8e5m2); arXiv 2206.02915 (the fnuz formats); dl16, IBM's NNP-data-type-1, by
// the conversion that onnx-mlir has for it (DLF16Conversion.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vl::values {

using Code = std::uint64_t;

enum class Kind { Float, Signed, Unsigned };

/// What the outermost codes of a float format mean.
enum class Special {
  Ieee,               // E all ones: F = 0 is an infinity, any other F a NaN, quiet if the highest bit of F is set
  LastIsNan,          // E and F all ones is NaN; no infinity (f8e4m3)
  NegativeZeroIsNan,  // the code of -0 is the only NaN; no infinity, one zero (the fnuz formats)
  NoSubnormals,       // E and F all ones is NaN; E = 0 is as E > 0, but E = F = 0 is zero; no infinity (dl16)
};

struct Format {
  std::string_view name;
  Kind kind = Kind::Float;
  unsigned bits = 0;
  Special special = Special::Ieee;  // of a float, as what follows
  unsigned fraction_bits = 0;
  int bias = 0;

  [[nodiscard]] constexpr bool is_float() const { return kind == Kind::Float; }
  /// All bits of a code. f16: 0xFFFF.
  [[nodiscard]] constexpr Code mask() const { return bits == 64 ? ~Code{0} : (Code{1} << bits) - 1; }
  /// The sign's bit. f16: 0x8000.
  [[nodiscard]] constexpr Code sign() const { return Code{1} << (bits - 1); }

  bool operator==(const Format& other) const { return name == other.name; }
};

/// f16 bf16 f32 f64 f8e4m3 f8e5m2 f8e4m3fnuz f8e5m2fnuz dl16 i8 u8 i16 i32 i64.
[[nodiscard]] std::span<const Format> formats();
/// Nothing: there is no format of that name.
[[nodiscard]] const Format* find_format(std::string_view name);
/// Those and i1 (unsigned: 0 and 1), u16 and u32, which tensors of programs may have.
[[nodiscard]] std::span<const Format> element_formats();
[[nodiscard]] const Format* find_element_format(std::string_view name);

/// Whether the format has such a code. No integer has one. dl16: no infinity, both zeros.
[[nodiscard]] bool has_infinity(const Format& format);
[[nodiscard]] bool has_negative_zero(const Format& format);
[[nodiscard]] bool has_nan(const Format& format);
/// Only formats of `Special::Ieee` tell signalling NaNs from quiet ones.
[[nodiscard]] bool has_signalling_nan(const Format& format);

/// Requires (all below): the code lies in the mask.
[[nodiscard]] bool is_nan(const Format& format, Code code);
[[nodiscard]] bool is_signalling(const Format& format, Code code);
[[nodiscard]] bool is_infinite(const Format& format, Code code);
[[nodiscard]] bool is_finite(const Format& format, Code code);
/// Either zero. f16: 0x0000 and 0x8000.
[[nodiscard]] bool is_zero(const Format& format, Code code);
/// The sign bit of a float, also of a zero and a NaN; of an integer whether it is below 0.
[[nodiscard]] bool is_negative(const Format& format, Code code);

/// +0, or the integer 0, is code 0 in every format. Requires of negative_zero: has_negative_zero.
[[nodiscard]] Code negative_zero(const Format& format);
/// The number 1. f16: 0x3C00.
[[nodiscard]] Code one(const Format& format);
/// Requires: has_infinity. f16: 0x7C00, 0xFC00.
[[nodiscard]] Code infinity(const Format& format, bool negative);
/// The greatest finite magnitude. f16: 0x7BFF = 65504; f8e4m3: 0x7E = 448; dl16: 0x7FFE = 8573157376.
[[nodiscard]] Code largest(const Format& format, bool negative);
/// The NaN that an operation makes from operands that are none. Requires: has_nan. f16: 0x7E00; dl16: 0x7FFF.
[[nodiscard]] Code default_nan(const Format& format);
/// The NaN with its quiet bit set, which keeps the payload and the sign. Other codes and formats stay.
[[nodiscard]] Code quieted(const Format& format, Code code);
/// The number of the opposite sign; an integer wraps. The only zero or NaN of a format stays.
[[nodiscard]] Code negated(const Format& format, Code code);

/// The place of a code that is no NaN in the order of the numbers, where -0 is just before +0. Strictly monotone:
/// order(+0) = 0, order(-0) = -1, order(-x) = -1 - order(x) of a float; an integer is its own place.
/// Example: f16 order(0x0001) = 1, order(0x8001) = -2.
[[nodiscard]] std::int64_t order(const Format& format, Code code);
/// The inverse. Nothing: no code that is not NaN has that place.
[[nodiscard]] std::optional<Code> at_order(const Format& format, std::int64_t place);

}  // namespace vl::values
