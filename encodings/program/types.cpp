// Types and numbers in the language.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "encodings/program/translator.h"

namespace vl::program {

std::string_view type_in_language(std::string_view element) {
  constexpr std::array kTypes =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"f32", "f32"},
                                                                    {"f16", "f16"},
                                                                    {"bf16", "bf16"},
                                                                    {"dl16", "dl16"},
                                                                    {"f64", "f64"},
                                                                    {"i1", "i1"},
                                                                    {"i8", "i8"},
                                                                    {"si8", "i8"},
                                                                    {"ui8", "u8"},
                                                                    {"i16", "i16"},
                                                                    {"si16", "i16"},
                                                                    {"ui16", "u16"},
                                                                    {"i32", "i32"},
                                                                    {"si32", "i32"},
                                                                    {"ui32", "u32"},
                                                                    {"i64", "i64"},
                                                                    {"si64", "i64"},
                                                                    {"ui64", "u64"},
                                                                    {"f8E4M3FN", "f8e4m3"},
                                                                    {"f8E5M2", "f8e5m2"},
                                                                    {"f8E4M3FNUZ", "f8e4m3fnuz"},
                                                                    {"f8E5M2FNUZ", "f8e5m2fnuz"}});
  const auto found = std::ranges::find(kTypes, element, [](const auto& each) { return each.first; });
  return found == kTypes.end() ? std::string_view() : found->second;
}

std::string number_in_language(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  if (text == "true" || text == "false") return text == "true" ? "1" : "0";
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const bool digits = text.size() > 2 && std::all_of(text.begin() + 2, text.end(),
                                                       [](unsigned char c) { return std::isxdigit(c) != 0; });
    return digits ? "bits:0x" + std::string(text.substr(2)) : std::string();
  }
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  // The shortest words for the numbers that operations ask about.
  if (value == 0) return text.front() == '-' ? "-0" : "0";
  if (value == 1) return "1";
  return std::string(text);
}

}  // namespace vl::program
