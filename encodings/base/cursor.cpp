#include "encodings/base/cursor.h"

#include <fmt/format.h>

#include <charconv>

namespace vl {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_word(char c) { return starts_word(c) || is_digit(c); }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Whether 0x and a digit stand at `at`.
bool is_hex(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X') &&
         is_hex_digit(text[at + 2]);
}

}  // namespace

void Cursor::fail(ErrorCode code, std::string message, std::size_t offset) {
  if (!error_) error_ = Error{code, std::move(message), offset};
}

void Cursor::skip_space() {
  while (!failed() && offset_ < text_.size() && is_space(text_[offset_])) ++offset_;
}

bool Cursor::at_end() {
  skip_space();
  return !failed() && offset_ == text_.size();
}

char Cursor::peek() {
  skip_space();
  return failed() || offset_ == text_.size() ? '\0' : text_[offset_];
}

bool Cursor::accept(std::string_view token) {
  skip_space();
  if (failed() || text_.substr(offset_, token.size()) != token) return false;
  const std::size_t end = offset_ + token.size();
  if (in_word(token.back()) && end < text_.size() && in_word(text_[end])) return false;
  offset_ = end;
  return true;
}

void Cursor::expect(std::string_view token) {
  if (!accept(token)) fail(fmt::format("expected '{}', found {}", token, found()));
}

std::string_view Cursor::identifier(std::string_view what) {
  if (!starts_word(peek())) {
    fail(fmt::format("expected {}, found {}", what, found()));
    return {};
  }
  const std::size_t start = offset_;
  while (offset_ < text_.size() && in_word(text_[offset_])) ++offset_;
  return text_.substr(start, offset_ - start);
}

std::string_view Cursor::dotted_name(std::string_view what) {
  skip_space();
  const std::size_t start = offset_;
  identifier(what);
  while (!failed() && offset_ + 1 < text_.size() && text_[offset_] == '.' && starts_word(text_[offset_ + 1])) {
    ++offset_;
    identifier(what);
  }
  return failed() ? std::string_view{} : text_.substr(start, offset_ - start);
}

Index Cursor::integer(std::string_view what) {
  const char first = peek();
  const std::size_t digits = offset_ + (first == '-' || first == '+' ? 1 : 0);
  if (failed() || digits >= text_.size() || !is_digit(text_[digits])) {
    fail(fmt::format("expected {}, found {}", what, found()));
    return 0;
  }
  const bool hex = is_hex(text_, digits);
  std::size_t end = digits + (hex ? 2 : 0);
  while (end < text_.size() && (hex ? is_hex_digit(text_[end]) : is_digit(text_[end]))) ++end;
  Index value = 0;
  const char* begin = text_.data() + (hex ? digits + 2 : first == '+' ? digits : offset_);
  const auto [stop, code] = std::from_chars(begin, text_.data() + end, value, hex ? 16 : 10);
  if (hex && first == '-') value = -value;  // of a number that fits
  if (code != std::errc{} || stop != text_.data() + end) {
    fail(ErrorCode::Overflow, fmt::format("{} does not fit in 64 bits", what), offset_);
    return 0;
  }
  if (end < text_.size() && (in_word(text_[end]) || text_[end] == '.')) {
    offset_ = end;
    fail(fmt::format("expected {}, found {} after the digits", what, found()));
    return 0;
  }
  offset_ = end;
  return value;
}

std::vector<Index> Cursor::integer_list(std::string_view what) {
  const bool round = accept("(");
  const std::string_view close = round ? ")" : "]";
  if (!round && !accept("[")) {
    fail(fmt::format("expected {} as [..] or (..), found {}", what, found()));
    return {};
  }
  std::vector<Index> values;
  while (!failed() && !accept(close)) {
    if (!values.empty()) {
      if (!accept(",")) {
        fail(fmt::format("expected ',' or '{}' in {}, found {}", close, what, found()));
        break;
      }
      if (accept(close)) break;  // a trailing comma, as in (128,)
    }
    values.push_back(integer(fmt::format("an integer in {}", what)));
  }
  return values;
}

std::string_view Cursor::expression(std::string_view what) {
  skip_space();
  const std::size_t start = offset_;
  std::size_t end = offset_;
  std::string open;  // the closing brackets still expected, innermost last
  for (; !failed() && end < text_.size(); ++end) {
    const char c = text_[end];
    if (c == '"' || c == '\'') {
      const std::size_t quote = text_.find(c, end + 1);
      if (quote == std::string_view::npos) fail(ErrorCode::Syntax, "the quote is not closed", end);
      else end = quote;
    } else if (c == '(' || c == '[' || c == '{') {
      open += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty()) break;
      if (open.back() != c) fail(ErrorCode::Syntax, fmt::format("expected '{}', found '{}'", open.back(), c), end);
      open.pop_back();
    } else if (c == ',' && open.empty()) {
      break;
    }
  }
  if (failed()) return {};
  offset_ = end;
  if (!open.empty()) fail(fmt::format("expected '{}', found the end", open.back()));
  while (end > start && is_space(text_[end - 1])) --end;
  if (end == start) fail(fmt::format("expected {}, found {}", what, found()));
  return failed() ? std::string_view{} : text_.substr(start, end - start);
}

void Cursor::expect_end() {
  if (!failed() && !at_end()) fail(fmt::format("expected the end, found {}", found()));
}

std::string Cursor::found() {
  skip_space();
  if (offset_ >= text_.size()) return "the end";
  std::size_t end = offset_ + 1;
  if (in_word(text_[offset_]))
    while (end < text_.size() && end - offset_ < 24 && in_word(text_[end])) ++end;
  const auto byte = static_cast<unsigned char>(text_[offset_]);
  if (byte < 0x20 || byte >= 0x7f) return fmt::format("the byte 0x{:02x}", byte);
  return fmt::format("'{}'", text_.substr(offset_, end - offset_));
}

}  // namespace vl
