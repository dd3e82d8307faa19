#include "verifier/neutral/program/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "encodings/base/printable.h"

namespace vl::neutral::program {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

bool is_name(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  return std::ranges::all_of(text, [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.'; });
}

std::optional<Index> natural(std::string_view text) {
  Index out = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool digits = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!digits || failed != std::errc() || end != text.data() + text.size() || out >= Index{1} << 62)
    return std::nullopt;
  return out;
}

std::vector<Token> split(std::string_view text, char separator, std::size_t offset) {
  std::vector<Token> out;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    std::size_t first = start, last = end;
    while (first < last && is_blank(text[first])) ++first;
    while (last > first && is_blank(text[last - 1])) --last;
    out.push_back({text.substr(first, last - first), offset + first});
    start = end + 1;
  }
  return out;
}

std::string_view without_comment(std::string_view row) {
  bool quoted = false;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at] == '"') quoted = !quoted;
    if (row[at] == '#' && !quoted) return row.substr(0, at);
  }
  return row;
}

Line::Line(std::string_view text, std::size_t offset) : text_(text), offset_(offset) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    int depth = 0;
    bool quoted = false;
    for (; at < text.size() && (quoted || depth > 0 || !is_blank(text[at])); ++at) {
      const char c = text[at];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
    }
    tokens_.push_back({text.substr(start, at - start), offset + start});
  }
  end_ = offset + text.size();
}

void Line::fail(ErrorCode code, std::string message, std::size_t offset) {
  if (!error_) error_ = Error{code, std::move(message), offset};
}

std::string Line::found() const {
  return next_ < tokens_.size() ? fmt::format("'{}'", printable(std::string(tokens_[next_].text.substr(0, 40))))
                                : "the end of the line";
}

Token Line::take(std::string_view what) {
  if (at_end()) {
    fail(fmt::format("expected {}, found {}", what, found()));
    return {};
  }
  return tokens_[next_++];
}

bool Line::accept(std::string_view word) {
  if (peek() != word || at_end()) return false;
  ++next_;
  return true;
}

void Line::expect(std::string_view word) {
  if (!accept(word)) fail(fmt::format("expected '{}', found {}", word, found()));
}

Token Line::name(std::string_view what) {
  if (!is_name(peek())) {
    fail(fmt::format("expected {}, found {}", what, found()));
    return {};
  }
  return take(what);
}

Index Line::integer(std::string_view what) {
  const auto value = natural(peek());
  if (!value) {
    fail(fmt::format("expected {}, found {}", what, found()));
    return 1;
  }
  ++next_;
  return *value;
}

Token Line::until(const std::vector<std::string_view>& words) {
  const std::size_t start = at();
  std::size_t end = start;
  while (!at_end() && std::ranges::find(words, peek()) == words.end()) {
    end = tokens_[next_].offset + tokens_[next_].text.size();
    ++next_;
  }
  return {text_.substr(start - offset_, end - start), start};
}

}  // namespace vl::neutral::program
