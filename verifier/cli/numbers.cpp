#include "verifier/cli/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace vl::cli {
namespace {

constexpr std::size_t kMostPower = 19;  // 10^20 exceeds 2^64

template <class Number>
std::optional<Number> whole_text(std::string_view text) {
  Number value = 0;
  const auto [stopped, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && stopped == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// "2.5e3" as "2500": digits, maybe a point with more digits, maybe e and a power of ten.
std::optional<std::string> without_power(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  std::string digits(text.substr(0, e));
  const auto power =
      e == std::string_view::npos ? std::optional<std::size_t>(0) : whole_text<std::size_t>(text.substr(e + 1));
  if (!power || *power > kMostPower || digits.empty()) return std::nullopt;
  if (digits.size() > 1 && digits[0] == '0' && digits[1] != '.') return std::nullopt;
  const std::size_t point = digits.find('.');
  if (point == std::string::npos) return digits.append(*power, '0');
  const std::size_t behind = digits.size() - point - 1;
  if (behind == 0 || point == 0 || behind > *power) return std::nullopt;
  digits.erase(point, 1).append(*power - behind, '0');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return digits;
}

}  // namespace

std::string spell_whole_number(std::string& text) {
  const auto digits = without_power(text);
  const auto value = digits ? whole_text<std::uint64_t>(*digits) : std::nullopt;
  if (!value) return fmt::format("'{}' is not a whole number below 2^64, as in 1000000 or 1e6", text);
  text = fmt::format("{}", *value);
  return {};
}

std::string spell_seconds(std::string& text) {
  static const std::map<char, double> kUnits{{'s', 1}, {'m', 60}, {'h', 3600}};
  const auto unit = text.empty() ? kUnits.end() : kUnits.find(text.back());
  const std::string number = unit == kUnits.end() ? text : text.substr(0, text.size() - 1);
  const bool plain = number.find_first_not_of("0123456789.") == std::string::npos;
  const auto value = plain ? whole_text<double>(number) : std::nullopt;
  if (!value) return fmt::format("'{}' is not a time, as in 90, 0.5, 90s, 5m or 1h", text);
  text = fmt::format("{}", *value * (unit == kUnits.end() ? 1.0 : unit->second));
  return {};
}

}  // namespace vl::cli
