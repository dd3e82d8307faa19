#include "encodings/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace vl {
namespace {

struct CodePoint {
  unsigned value = 0;
  std::size_t bytes = 0;
};

// The code point at the start of a text; nothing if no UTF-8 stands there.
std::optional<CodePoint> code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const unsigned first = byte(0);
  if (first < 0x80) return CodePoint{first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return std::nullopt;
  unsigned value = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return std::nullopt;
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr unsigned kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < kLeast[bytes] || surrogate || value > 0x10ffff ? std::nullopt : std::optional(CodePoint{value, bytes});
}

bool acts(unsigned c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string blanked(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; at < text.size();) {
    const auto point = code_point(text.substr(at));
    const std::size_t bytes = point ? point->bytes : 1;
    if (!point || acts(point->value)) out.replace(at, bytes, bytes, ' ');
    at += bytes;
  }
  return out;
}

std::string printable(std::string_view text) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::ranges::all_of(text, plain)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const auto point = code_point(text);
    const std::size_t bytes = point ? point->bytes : 1;
    if (!point) out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
    else if (point->value == '\n') out += "\\n";
    else if (point->value == '\t') out += "\\t";
    else if (acts(point->value)) out += fmt::format("\\u{:04x}", point->value);
    else out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    out += printable(text.substr(0, end)) + '\n';
    text.remove_prefix(end + 1);
  }
  return out + printable(text);
}

}  // namespace vl
