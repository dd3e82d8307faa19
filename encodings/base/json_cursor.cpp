#include "encodings/base/json_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace vl {
namespace {

// The number that four hexadecimal digits at the start of a text are.
std::optional<std::uint32_t> code_unit(std::string_view text) {
  std::uint32_t out = 0;
  if (text.size() < 4) return std::nullopt;
  for (const char c : text.substr(0, 4)) {
    const bool digit = c >= '0' && c <= '9';
    const char letter = static_cast<char>(c | 0x20);
    if (!digit && (letter < 'a' || letter > 'f')) return std::nullopt;
    out = out * 16 + static_cast<std::uint32_t>(digit ? c - '0' : letter - 'a' + 10);
  }
  return out;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) byte(0xc0 | point >> 6);
  else if (point < 0x10000) byte(0xe0 | point >> 12);
  else byte(0xf0 | point >> 18);
  if (point >= 0x10000) byte(0x80 | (point >> 12 & 0x3f));
  if (point >= 0x800) byte(0x80 | (point >> 6 & 0x3f));
  byte(0x80 | (point & 0x3f));
}

// Takes the escape \uXXXX whose digits `rest` starts with, or two of them that are one character.
bool take_unicode(std::string_view& rest, std::string& out) {
  auto point = code_unit(rest);
  if (!point || (*point >= 0xdc00 && *point < 0xe000)) return false;
  rest.remove_prefix(4);
  if (*point >= 0xd800 && *point < 0xdc00) {
    const auto low = rest.starts_with("\\u") ? code_unit(rest.substr(2)) : std::nullopt;
    if (!low || *low < 0xdc00 || *low >= 0xe000) return false;
    rest.remove_prefix(6);
    point = 0x10000 + ((*point & 0x3ff) << 10 | (*low & 0x3ff));
  }
  append_utf8(out, *point);
  return true;
}

// What stands between the quotes of a JSON string, without its escapes; nothing when one of them is not JSON's.
std::optional<std::string> unescaped(std::string_view rest) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  std::string out;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '\\') {
      out += c;
      continue;
    }
    if (rest.empty()) return std::nullopt;
    const char escape = rest.front();
    rest.remove_prefix(1);
    const std::size_t known = kEscapes.find(escape);
    if (known != std::string_view::npos) out += kMeant[known];
    else if (escape != 'u' || !take_unicode(rest, out)) return std::nullopt;
  }
  return out;
}

}  // namespace

std::string shown(std::string_view name) {
  constexpr std::size_t kMost = 40;
  std::string out;
  for (const char c : name.substr(0, kMost)) out += c >= 0x20 && c < 0x7f ? c : '?';
  return fmt::format("'{}{}'", out, name.size() > kMost ? "..." : "");
}

Index JsonCursor::integer(std::string_view what) {
  const char first = in_.peek();
  const std::size_t at = in_.offset();
  const std::size_t digits = at + (first == '-' ? 1 : 0);
  const std::string_view text = in_.text();
  const bool zero =
      digits + 1 < text.size() && text[digits] == '0' && text[digits + 1] >= '0' && text[digits + 1] <= '9';
  if (first == '+' || zero)
    in_.fail(fmt::format("expected {}, found {}", what, first == '+' ? "'+'" : "a leading zero"));
  return in_.integer(what);
}

std::string JsonCursor::string(std::string_view what) {
  if (in_.peek() != '"') {
    in_.fail(fmt::format("expected {}, found {}", what, in_.found()));
    return {};
  }
  const std::string_view text = in_.text();
  const std::size_t start = in_.offset();
  std::size_t end = start + 1;
  while (end < text.size() && text[end] != '"' && static_cast<unsigned char>(text[end]) >= 0x20)
    end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size() || text[end] != '"') {
    in_.fail(ErrorCode::Syntax, "this string does not end", start);
    return {};
  }
  const std::string_view quoted = text.substr(start, end + 1 - start);
  in_.move_to(in_.offset() + quoted.size());
  if (quoted.find('\\') == std::string_view::npos) return std::string(quoted.substr(1, quoted.size() - 2));
  if (auto value = unescaped(quoted.substr(1, quoted.size() - 2))) return std::move(*value);
  in_.fail(ErrorCode::Syntax, "this string has an escape that is not JSON's", start);
  return {};
}

bool JsonCursor::begin(char open, std::string_view what) {
  if (in_.peek() != open) in_.fail(fmt::format("expected {}, found {}", what, in_.found()));
  else if (++depth_ > kMostDepth)
    in_.fail(fmt::format("expected at most {} lists and objects in one another", kMostDepth));
  else in_.move_to(in_.offset() + 1);
  return !failed();
}

bool JsonCursor::more(char close, bool first) {
  if (in_.peek() == close && !failed()) {
    in_.move_to(in_.offset() + 1);
    return false;
  }
  if (!first && !in_.accept(",")) in_.fail(fmt::format("expected ',' or '{}', found {}", close, in_.found()));
  if (!first && !failed() && in_.peek() == close)
    in_.fail(fmt::format("expected another value after ',', found '{}'", close));
  return !failed();
}

bool JsonCursor::skip_value() {
  bool nothing = true;
  const char first = in_.peek();
  if (first == '{') {
    object("an object", [&](std::string_view, std::size_t) { nothing = skip_value() && nothing; });
  } else if (first == '[') {
    array("a list", [&] { nothing = skip_value() && nothing; });
  } else if (first == '"') {
    nothing = string("a string").empty();
  } else if (in_.accept("true")) {
    nothing = false;
  } else if (!in_.accept("false") && !in_.accept("null")) {
    // Numbers that are no 64-bit integers too: only whether they are 0 matters.
    const std::string_view rest = in_.text().substr(in_.offset());
    const std::size_t size = std::min(rest.find_first_not_of("+-0123456789.eE"), rest.size());
    if (size == 0) in_.fail(fmt::format("expected a value, found {}", in_.found()));
    else in_.move_to(in_.offset() + size);
    nothing = rest.substr(0, size) == "0";
  }
  return nothing;
}

}  // namespace vl
