#include "encodings/values/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include "encodings/values/arithmetic.h"

namespace vl::values {
namespace {

const Format& f64() { return *values::find_format("f64"); }

// A text from left to right; the first error stays.
class Reader {
 public:
  Reader(std::string_view text, const Format& format, const CodeSet* valid)
      : text_(text), format_(format), valid_(valid) {}

  Result<CodeSet> state() {
    CodeSet out = part();
    while (!error_ && accept("|")) out = out.united(part());
    skip_space();
    if (!error_ && at_ < text_.size()) fail(fmt::format("expected '|' or the end, found '{}'", rest()));
    if (error_) return *error_;
    return out;
  }

 private:
  void fail(std::string message, std::optional<std::size_t> at = {}) {
    if (!error_) error_ = Error{ErrorCode::Value, std::move(message), std::min(at.value_or(at_), text_.size())};
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool accept(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  // The text up to a separator, at most 20 bytes of it: for messages.
  [[nodiscard]] std::string rest() const { return std::string(text_.substr(at_, 20)); }

  // A word or a number: up to white space, '|', ',', '}', ']' or "..".
  std::string_view word() {
    skip_space();
    const std::size_t start = at_;
    while (at_ < text_.size() && std::string_view(" \t|,}]{[").find(text_[at_]) == std::string_view::npos &&
           !text_.substr(at_).starts_with(".."))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  CodeSet part() {
    skip_space();
    const std::size_t start = at_;
    if (accept("{")) return braces();
    if (accept("[")) return interval();
    if (accept("bits:")) return bits();
    const std::string_view text = word();
    if (auto found = named(text, start)) return *found;
    const std::string what = text.empty() ? "nothing" : fmt::format("'{}'", text);
    fail(fmt::format("expected any, unwritten, 0, +0, -0, inf, -inf, NaN, finite, {{1, -1}}, [lo..hi], bits:0x7FFF or "
                     "valid, found {}",
                     what),
         start);
    return {};
  }

  std::optional<CodeSet> named(std::string_view text, std::size_t start) {
    const CodeSet all = CodeSet::all(format_);
    if (text == "any" || text == "unwritten") return all;
    if (text == "0") return zeros(format_);
    if (text == "+0") return CodeSet::of(0);
    if (text == "-0") {
      if (!has_negative_zero(format_)) fail(fmt::format("{} has no -0; its zero is 0", format_.name), start);
      return error_ ? CodeSet() : CodeSet::of(negative_zero(format_));
    }
    if (text == "inf" || text == "+inf" || text == "-inf") {
      if (!has_infinity(format_))
        fail(fmt::format("{} has no infinity; its largest numbers are {} and {}", format_.name,
                         in_words(format_, largest(format_, true)), in_words(format_, largest(format_, false))),
             start);
      return error_ ? CodeSet() : CodeSet::of(infinity(format_, text == "-inf"));
    }
    if (text == "NaN" || text == "nan") {
      if (!has_nan(format_)) fail(fmt::format("{} has no NaN", format_.name), start);
      return nans(format_);
    }
    if (text == "finite") return finite_codes(format_);
    if (text == "valid" && valid_ != nullptr) return *valid_;
    if (valid_ == nullptr && text == "non-nan") return nans(format_).complement(format_);
    if (valid_ == nullptr && text == "no-negative-zero")
      return has_negative_zero(format_) ? all.without(CodeSet::of(negative_zero(format_)), format_) : all;
    return std::nullopt;
  }

  CodeSet bits() {
    const std::size_t start = at_;
    std::string_view digits = word();
    const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    if (hexadecimal) digits.remove_prefix(2);
    Code code = 0;
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
    if (digits.empty() || failed == std::errc::invalid_argument || end != digits.data() + digits.size())
      fail("expected a code as in bits:0x7FFF", start);
    else if (failed != std::errc() || code > format_.mask())
      fail(fmt::format("{} has {} bits; its largest code is {}", format_.name, format_.bits,
                       in_digits(format_, format_.mask())),
           start);
    return CodeSet::of(error_ ? 0 : code);
  }

  CodeSet braces() {
    CodeSet out;
    do {
      skip_space();
      const std::size_t start = at_;
      if (const auto code = number(word(), start)) out = out.united(CodeSet::of(*code));
    } while (!error_ && accept(","));
    if (!error_ && !accept("}")) fail(fmt::format("expected ',' or '}}', found '{}'", rest()));
    return out;
  }

  // A number of the type. Nothing: an error.
  std::optional<Code> number(std::string_view text, std::size_t start) {
    if (text == "inf" || text == "+inf" || text == "-inf" || text == "-0" || text == "NaN" || text == "nan") {
      const auto set = named(text, start);
      if (error_ || !set) return std::nullopt;
      return text == "NaN" || text == "nan" ? default_nan(format_) : set->ranges().front().first;
    }
    if (!format_.is_float()) return integer(text, start);
    const auto value = real(text, start, true);
    if (!value) return std::nullopt;
    const Code code = convert(f64(), format_, *value);
    if (!is_nan(format_, code) && compare(f64(), convert(format_, f64(), code), *value) == values::Order::Equal)
      return code;
    fail(fmt::format("{} is no number of {}{}", text, format_.name,
                     is_nan(format_, code) ? "" : "; the nearest is " + in_words(format_, code)),
         start);
    return std::nullopt;
  }

  std::optional<Code> integer(std::string_view text, std::size_t start) {
    std::int64_t value = 0;
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || failed == std::errc::invalid_argument || end != digits.data() + digits.size()) {
      fail(fmt::format("expected an integer of {}, found '{}'", format_.name, text), start);
      return std::nullopt;
    }
    const auto code = failed == std::errc() ? at_order(format_, value) : std::nullopt;
    if (!code) fail(fmt::format("{} is no integer of {}", text, format_.name), start);
    return code;
  }

  // A decimal number as the code of the nearest f64. Nothing: an error.
  std::optional<Code> real(std::string_view text, std::size_t start, bool exact) {
    double value = 0;
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    const bool number = !digits.empty() && std::string_view("-.0123456789").find(digits.front()) != digits.npos;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (!number || failed == std::errc::invalid_argument || end != digits.data() + digits.size() || digits == "-inf" ||
        digits == "-nan" || digits == "-infinity") {
      fail(fmt::format("expected a number, found '{}'", text), start);
      return std::nullopt;
    }
    if (failed != std::errc()) {
      fail(fmt::format("{} is out of the range of f64", text), start);
      return std::nullopt;
    }
    if (!is_meant(digits, value, exact)) {
      fail(fmt::format("{} is no number of f64; the nearest is {:.17g}", text, value), start);
      return std::nullopt;
    }
    return std::bit_cast<std::uint64_t>(value);
  }

  // Whether a decimal names its nearest f64. An integer has to be it, also one with a point or an exponent if `exact`;
  // others do with 17 digits or less, and with more where these are the f64's own.
  static bool is_meant(std::string_view digits, double value, bool exact) {
    if (value == 0) return true;
    const std::string_view mantissa = digits.substr(0, digits.find_first_of("eE"));
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t places = point < mantissa.size() ? mantissa.size() - point - 1 : 0;
    std::string significant;
    for (const char c : mantissa)
      if (c >= '0' && c <= '9' && (c != '0' || !significant.empty())) significant += c;
    const bool plain = mantissa.size() == digits.size();
    std::int64_t power = 0;
    std::string_view exponent = plain ? "0" : digits.substr(mantissa.size() + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    power -= static_cast<std::int64_t>(places);
    while (significant.ends_with('0')) significant.pop_back(), ++power;
    if (power >= 0 && power < 400 && (exact || (plain && places == 0)))
      return fmt::format("{:.0f}", std::abs(value)) == significant + std::string(static_cast<std::size_t>(power), '0');
    if (significant.size() <= 17) return true;
    if (!plain) return false;
    std::string_view own = digits.substr(digits.starts_with('-') ? 1 : 0);
    while (own.size() > 1 && own[0] == '0' && own[1] != '.') own.remove_prefix(1);
    return fmt::format("{:.{}f}", std::abs(value), places) == own;
  }

  // The place of an end of an interval: of the least number that is not below it, or of the greatest not above it.
  std::optional<std::int64_t> end_of(std::string_view text, std::size_t start, bool low) {
    if (!format_.is_float()) {
      const auto code = integer(text, start);
      return code ? std::optional(order(format_, *code)) : std::nullopt;
    }
    // In a format without infinities no number is at least inf, and every number is at most inf.
    const int beyond_all = has_infinity(format_) ? 0 : 1;
    if (text == "inf" || text == "+inf") return highest_order(format_) + (low ? beyond_all : 0);
    if (text == "-inf") return lowest_order(format_) - (low ? 0 : beyond_all);
    const auto value = real(text, start, false);
    if (!value) return std::nullopt;
    if (is_zero(f64(), *value)) return low && has_negative_zero(format_) ? -1 : 0;
    const auto beyond = [&](std::int64_t place) {
      const auto code = at_order(format_, place);
      const Code there = code ? convert(format_, f64(), *code) : 0;  // the place of a -0 that is missing
      const values::Order found = compare(f64(), there, *value);
      return low ? found != values::Order::Less : found == values::Order::Greater;
    };
    // beyond() is false up to some place and true behind it.
    std::int64_t none = lowest_order(format_) - 1, some = highest_order(format_) + 1;
    const auto apart = [&] { return static_cast<Code>(some) - static_cast<Code>(none); };  // of f64 more than 2^63
    while (apart() > 1) {
      const std::int64_t middle = none + static_cast<std::int64_t>(apart() / 2);
      (beyond(middle) ? some : none) = middle;
    }
    return low ? some : none;
  }

  CodeSet interval() {
    const std::size_t open = at_;
    skip_space();
    std::size_t start = at_;
    const auto low = end_of(word(), start, true);
    if (!error_ && !accept("..")) fail(fmt::format("expected '..', found '{}'", rest()));
    skip_space();
    start = at_;
    const auto high = error_ ? std::nullopt : end_of(word(), start, false);
    if (!error_ && !accept("]")) fail(fmt::format("expected ']', found '{}'", rest()));
    if (error_) return {};
    CodeSet out = *low <= *high ? numbers_between(format_, *low, *high) : CodeSet();
    if (out.empty()) fail(fmt::format("no number of {} lies in the interval", format_.name), open);
    return out;
  }

  std::string_view text_;
  const Format& format_;
  const CodeSet* valid_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<CodeSet> parse_state(std::string_view text, const Format& format, const CodeSet* valid) {
  return Reader(text, format, valid).state();
}

std::optional<CodeSet> codes_of_fill(std::string_view fill, const Format& format) {
  if (fill == "zero") return CodeSet::of(0);
  if (fill == "one") {
    auto one = parse_state("{1}", format, nullptr);
    return one ? std::optional(std::move(*one)) : std::nullopt;
  }
  const bool negative = fill == "neginf";
  VL_CHECK(negative || fill == "inf", "a fill of another name");
  if (!format.is_float()) return CodeSet::of(largest(format, negative));
  return has_infinity(format) ? std::optional(CodeSet::of(infinity(format, negative))) : std::nullopt;
}

std::string in_digits(const Format& format, Code code) { return fmt::format("0x{:0{}x}", code, format.bits / 4); }

std::string in_words(const Format& format, Code code) {
  std::string number;
  if (!format.is_float()) number = fmt::format("{}", order(format, code));
  else if (is_nan(format, code)) number = is_signalling(format, code) ? "signalling NaN" : "NaN";
  else if (is_infinite(format, code)) number = is_negative(format, code) ? "-inf" : "inf";
  else if (is_zero(format, code)) number = is_negative(format, code) ? "-0" : "0";
  else number = fmt::format("{:g}", std::bit_cast<double>(convert(format, f64(), code)));
  return fmt::format("{} ({})", in_digits(format, code), number);
}

}  // namespace vl::values
