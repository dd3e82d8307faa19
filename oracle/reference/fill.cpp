#include "oracle/reference/fill.h"

#include <fmt/format.h>
#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace vl::oracle {
namespace {

using map::ElementType;

/// The meaning of a type's bits. Integers have no exponent; bool is the unsigned integer of one bit.
struct Kind {
  int value_bits = 0;  // integers: their width without the sign; floats: 0
  bool is_signed = false;
  int exponent = 0;  // floats: bits of the exponent and of the mantissa
  int mantissa = 0;
  bool has_infinity = true;
  std::uint64_t nan = 0;
};

std::optional<Kind> kind_of(ElementType type) {
  switch (type) {
    case ElementType::Bool: return Kind{1, false};
    case ElementType::I8: return Kind{7, true};
    case ElementType::U8: return Kind{8, false};
    case ElementType::I16: return Kind{15, true};
    case ElementType::U16: return Kind{16, false};
    case ElementType::I32: return Kind{31, true};
    case ElementType::U32: return Kind{32, false};
    case ElementType::I64: return Kind{63, true};
    case ElementType::F8E4M3: return Kind{0, true, 4, 3, false, 0x7f};
    case ElementType::F8E5M2: return Kind{0, true, 5, 2, true, 0x7e};
    case ElementType::F16: return Kind{0, true, 5, 10, true, 0x7e00};
    case ElementType::Bf16: return Kind{0, true, 8, 7, true, 0x7fc0};
    case ElementType::F32: return Kind{0, true, 8, 23, true, 0x7fc00000};
    case ElementType::F64: return Kind{0, true, 11, 52, true, 0x7ff8000000000000};
    case ElementType::I4:
    case ElementType::Bfp8:
    case ElementType::Bfp4: return std::nullopt;
  }
  VL_CHECK(false, "an element type without a kind");
}

Error no_value(std::string_view text, ElementType type) {
  return Error{ErrorCode::Value, fmt::format("the fill {} is not a value of {}", text, name(type))};
}

Error no_number(std::string_view text, ElementType type) {
  return Error{ErrorCode::Syntax,
               fmt::format("the fill '{}' is not a number of {}, nan, inf, -inf or bits:0x…", text, name(type))};
}

/// The exponent of the smallest normal value, and of all below.
int least_exponent(const Kind& kind) { return 2 - (1 << (kind.exponent - 1)); }

/// The first code that is not a finite value. e4m3fn uses the all-ones exponent; only its last code is not a number.
std::uint64_t first_infinite(const Kind& kind) {
  return kind.has_infinity ? ((std::uint64_t{1} << kind.exponent) - 1) << kind.mantissa : kind.nan;
}

/// The largest finite value. f16: 65504.
double largest(const Kind& kind) {
  const std::uint64_t code = first_infinite(kind) - 1;
  const std::uint64_t one = std::uint64_t{1} << kind.mantissa;
  const auto field = static_cast<int>(code >> kind.mantissa);
  return std::ldexp(static_cast<double>(one | (code & (one - 1))), field - 1 + least_exponent(kind) - kind.mantissa);
}

/// The bits of the value of a float type that is nearest to `value`, ties to even. Nothing for a finite value that
/// rounds beyond the largest one, and for an infinity where the type has none. Requires: value is not NaN. f16:
/// 1 -> 3c00, 65519 -> 7bff, 65520 -> nothing, 2^-25 -> 0 (a tie), 3·2^-25 -> 2 (a tie).
std::optional<std::uint64_t> round_to(const Kind& kind, double value) {
  const int least = least_exponent(kind);
  const std::uint64_t infinity = first_infinite(kind);
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (kind.exponent + kind.mantissa);
  const double size = std::fabs(value);
  std::uint64_t code = infinity;
  if (!std::isinf(value)) {
    const int exponent = size == 0 ? least : std::max(std::ilogb(size), least);
    // In units of its last mantissa bit the value is below 2^(mantissa+1) and, being scaled by a power of
    // two, exact.
    const double units = std::ldexp(size, kind.mantissa - exponent);
    // The leading bit of a normal value adds one to the exponent field; a carry out of the mantissa does too.
    code = (static_cast<std::uint64_t>(exponent - least) << kind.mantissa) +
           static_cast<std::uint64_t>(std::nearbyint(units));
  }
  if (code >= infinity && !(std::isinf(value) && kind.has_infinity)) return std::nullopt;
  return sign | code;
}

Result<std::uint64_t> parse_bits(std::string_view text, ElementType type) {
  const std::string_view digits = text.substr(std::min(text.size(), std::string_view("bits:0x").size()));
  std::uint64_t bits = 0;
  const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (!text.starts_with("bits:0x") || stop != digits.data() + digits.size() || code == std::errc::invalid_argument)
    return no_number(text, type);
  const int width = map::bits(type);
  if (code != std::errc{} || (width < 64 && bits >> width != 0)) return no_value(text, type);
  return bits;
}

Result<std::uint64_t> parse_integer(std::string_view text, const Kind& kind, ElementType type) {
  if (kind.value_bits == 1 && text == "true") return 1;
  if (kind.value_bits == 1 && text == "false") return 0;
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  Index value = 0;
  const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::invalid_argument || stop != digits.data() + digits.size() ||
      (digits.size() < text.size() && digits.starts_with('-')))
    return no_number(text, type);
  const Index least = kind.is_signed ? -(Index{1} << (kind.value_bits - 1)) * 2 : 0;
  const Index most = static_cast<Index>((std::uint64_t{1} << kind.value_bits) - 1);
  if (code != std::errc{} || value < least || value > most) return no_value(text, type);
  return static_cast<std::uint64_t>(value);
}

// A library's caller may have set another decimal point.
locale_t c_locale() {
  static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
  return c;
}

Result<std::uint64_t> parse_float(std::string_view text, const Kind& kind, ElementType type) {
  if (text == "nan") return kind.nan;
  if (text == "inf" || text == "-inf") {
    const auto bits = round_to(kind, text == "inf" ? HUGE_VAL : -HUGE_VAL);
    if (!bits) return no_value(text, type);
    return *bits;
  }
  // strtod and not from_chars, which does not tell too large from too small; hexadecimal and words stay out.
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return no_number(text, type);
  const std::string copy(text);
  char* stop = nullptr;
  const double value = strtod_l(copy.c_str(), &stop, c_locale());
  if (stop != copy.c_str() + copy.size()) return no_number(text, type);
  const auto bits = std::isinf(value) ? std::nullopt : round_to(kind, value);
  if (!bits)
    return Error{ErrorCode::Value,
                 fmt::format("the fill {} is beyond {}, whose largest value is {}", text, name(type), largest(kind))};
  return *bits;
}

}  // namespace

Result<std::vector<std::byte>> parse_fill(std::string_view text, ElementType type) {
  const auto kind = kind_of(type);
  if (!kind)
    return Error{ErrorCode::Value, fmt::format("a fill of {} is not supported: its elements are not whole bytes of "
                                               "their own",
                                               name(type))};
  const auto bits = text.starts_with("bits:") ? parse_bits(text, type)
                    : kind->value_bits > 0    ? parse_integer(text, *kind, type)
                                              : parse_float(text, *kind, type);
  if (!bits) return bits.error();
  std::vector<std::byte> bytes;
  for (int at = 0; at < map::bits(type); at += 8) bytes.push_back(static_cast<std::byte>(*bits >> at & 0xff));
  return bytes;
}

}  // namespace vl::oracle
