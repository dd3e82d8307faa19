#include "encodings/values/format.h"

#include <algorithm>
#include <array>

#include "encodings/base/check.h"

namespace vl::values {
namespace {

constexpr auto kFormats = std::to_array<Format>({
    {"f16", Kind::Float, 16, Special::Ieee, 10, 15},
    {"bf16", Kind::Float, 16, Special::Ieee, 7, 127},
    {"f32", Kind::Float, 32, Special::Ieee, 23, 127},
    {"f64", Kind::Float, 64, Special::Ieee, 52, 1023},
    {"f8e4m3", Kind::Float, 8, Special::LastIsNan, 3, 7},
    {"f8e5m2", Kind::Float, 8, Special::Ieee, 2, 15},
    {"f8e4m3fnuz", Kind::Float, 8, Special::NegativeZeroIsNan, 3, 8},
    {"f8e5m2fnuz", Kind::Float, 8, Special::NegativeZeroIsNan, 2, 16},
    {"dl16", Kind::Float, 16, Special::NoSubnormals, 9, 31},
    {"i8", Kind::Signed, 8},
    {"u8", Kind::Unsigned, 8},
    {"i16", Kind::Signed, 16},
    {"i32", Kind::Signed, 32},
    {"i64", Kind::Signed, 64},
    {"i1", Kind::Unsigned, 1},
    {"u16", Kind::Unsigned, 16},
    {"u32", Kind::Unsigned, 32},
});

Code magnitude(const Format& format, Code code) { return code & (format.mask() >> 1); }

// The code of +inf where there is one: E all ones, F = 0.
Code infinite_magnitude(const Format& format) {
  return (format.mask() >> 1) & ~((Code{1} << format.fraction_bits) - 1);
}

Code quiet_bit(const Format& format) { return Code{1} << (format.fraction_bits - 1); }

bool is_special(const Format& format, Special special) { return format.is_float() && format.special == special; }

}  // namespace

std::span<const Format> formats() { return std::span(kFormats).first(kFormats.size() - 3); }
std::span<const Format> element_formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  return found == formats().end() ? nullptr : &*found;
}

const Format* find_element_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : &*found;
}

bool has_infinity(const Format& format) { return is_special(format, Special::Ieee); }
bool has_negative_zero(const Format& format) {
  return format.is_float() && format.special != Special::NegativeZeroIsNan;
}
bool has_nan(const Format& format) { return format.is_float(); }
bool has_signalling_nan(const Format& format) { return is_special(format, Special::Ieee); }

bool is_nan(const Format& format, Code code) {
  if (!format.is_float()) return false;
  switch (format.special) {
    case Special::Ieee: return magnitude(format, code) > infinite_magnitude(format);
    case Special::LastIsNan:
    case Special::NoSubnormals: return magnitude(format, code) == format.mask() >> 1;
    case Special::NegativeZeroIsNan: return code == format.sign();
  }
  VL_CHECK(false, "a kind of float without NaN");
  return false;
}

bool is_signalling(const Format& format, Code code) {
  return has_signalling_nan(format) && is_nan(format, code) && (code & quiet_bit(format)) == 0;
}

bool is_infinite(const Format& format, Code code) {
  return has_infinity(format) && magnitude(format, code) == infinite_magnitude(format);
}

bool is_finite(const Format& format, Code code) { return !is_nan(format, code) && !is_infinite(format, code); }

bool is_zero(const Format& format, Code code) {
  return code == 0 || (has_negative_zero(format) && code == format.sign());
}

bool is_negative(const Format& format, Code code) {
  return format.kind != Kind::Unsigned && (code & format.sign()) != 0;
}

Code negative_zero(const Format& format) {
  VL_CHECK(has_negative_zero(format), "a format without -0");
  return format.sign();
}

Code one(const Format& format) {
  return format.is_float() ? static_cast<Code>(format.bias) << format.fraction_bits : Code{1};
}

Code infinity(const Format& format, bool negative) {
  VL_CHECK(has_infinity(format), "a format without infinity");
  return infinite_magnitude(format) | (negative ? format.sign() : 0);
}

Code largest(const Format& format, bool negative) {
  const Code all = format.mask() >> 1;
  if (!format.is_float()) {
    if (format.kind == Kind::Unsigned) return negative ? 0 : format.mask();
    return negative ? format.sign() : all;
  }
  const Code sign = negative ? format.sign() : 0;
  switch (format.special) {
    case Special::Ieee: return (infinite_magnitude(format) - 1) | sign;
    case Special::LastIsNan:
    case Special::NoSubnormals: return (all - 1) | sign;
    case Special::NegativeZeroIsNan: return all | sign;
  }
  VL_CHECK(false, "a kind of float without a largest number");
  return 0;
}

Code default_nan(const Format& format) {
  VL_CHECK(has_nan(format), "a format without NaN");
  switch (format.special) {
    case Special::Ieee: return infinite_magnitude(format) | quiet_bit(format);
    case Special::LastIsNan:
    case Special::NoSubnormals: return format.mask() >> 1;
    case Special::NegativeZeroIsNan: return format.sign();
  }
  VL_CHECK(false, "a kind of float without NaN");
  return 0;
}

Code quieted(const Format& format, Code code) { return is_signalling(format, code) ? code | quiet_bit(format) : code; }

Code negated(const Format& format, Code code) {
  if (!format.is_float()) return (~code + 1) & format.mask();
  if (format.special == Special::NegativeZeroIsNan && magnitude(format, code) == 0) return code;
  return code ^ format.sign();
}

std::int64_t order(const Format& format, Code code) {
  VL_CHECK(!is_nan(format, code), "a NaN has no place among the numbers");
  if (format.kind == Kind::Unsigned) return static_cast<std::int64_t>(code);
  if (format.kind == Kind::Signed)  // sign extension
    return static_cast<std::int64_t>((code ^ format.sign()) - format.sign());
  const auto place = static_cast<std::int64_t>(magnitude(format, code));
  return is_negative(format, code) ? -1 - place : place;
}

std::optional<Code> at_order(const Format& format, std::int64_t place) {
  if (!format.is_float()) {
    const Code code = static_cast<Code>(place) & format.mask();
    return order(format, code) == place ? std::optional(code) : std::nullopt;
  }
  const Code wanted = static_cast<Code>(place < 0 ? -1 - place : place);
  if (wanted > format.mask() >> 1) return std::nullopt;
  const Code code = wanted | (place < 0 ? format.sign() : 0);
  return is_nan(format, code) ? std::nullopt : std::optional(code);
}

}  // namespace vl::values
