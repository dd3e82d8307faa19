#include "encodings/base/json_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vl {
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
  const bool hex =
      digits + 1 < text.size() && text[digits] == '0' && (text[digits + 1] == 'x' || text[digits + 1] == 'X');
  if (first == '+' || zero || hex)
    in_.fail(fmt::format("expected {}, found {}", what,
                         first == '+' ? "'+'"
                         : zero       ? "a leading zero"
                                      : "a hexadecimal number"));
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
  if (const auto value = nlohmann::json::parse(quoted, nullptr, false); value.is_string())
    return value.get<std::string>();
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
    // Also numbers that are not 64-bit integers: only whether they are 0 matters.
    const std::string_view rest = in_.text().substr(in_.offset());
    const std::size_t size = std::min(rest.find_first_not_of("+-0123456789.eE"), rest.size());
    if (size == 0) in_.fail(fmt::format("expected a value, found {}", in_.found()));
    else in_.move_to(in_.offset() + size);
    nothing = rest.substr(0, size) == "0";
  }
  return nothing;
}

}  // namespace vl
