#include "encodings/use/clip.h"

#include <algorithm>

#include "encodings/use/scan.h"

namespace vl::use {
namespace {

constexpr std::size_t kDeepestBrackets = 12;
constexpr std::size_t kLongestComment = 1000;
constexpr std::size_t kShortestStamp = 8;  // a shorter prefix with a number may be a part of the expression's own text

bool is_clip_blank(char c) { return c == ' ' || c == '\t'; }
bool is_clip_digit(char c) { return c >= '0' && c <= '9'; }

char closer_of(char c) {
  switch (c) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    default: return '\0';
  }
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_clip_blank(text[at])) ++at;
  return at;
}

// Whether a part of a line is a prefix by its look: a sign of comments, quotes and patches, or a stamp with a number.
bool looks_like_prefix(std::string_view prefix) {
  const std::size_t first = prefix.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  if (std::string_view("#/*>|").find(prefix[first]) != std::string_view::npos) return true;
  if (first == 0 && (prefix[0] == '+' || prefix[0] == '-')) return true;
  return prefix.size() >= kShortestStamp && std::ranges::any_of(prefix, is_clip_digit) &&
         prefix.find_first_of(":]|") != std::string_view::npos;
}

}  // namespace

std::size_t before_colours(std::string_view text, std::size_t end) {
  while (end > 0 && text[end - 1] == 'm') {
    std::size_t at = end - 1;
    while (at > 0 && end - at < 20 && (is_clip_digit(text[at - 1]) || text[at - 1] == ';')) --at;
    if (at < 2 || text[at - 1] != '[' || text[at - 2] != '\x1b') break;
    end = at - 2;
  }
  return end;
}

Clip::Clip(std::string_view text, std::size_t at)
    : text_(text.substr(0, std::min(text.size(), at + kAhead))), begin_(at), at_(at), end_(at) {}

// How much of a further line, which starts at `line`, is the prefix of the expression's line: the same characters, and
// numbers where it has numbers, up to a blank or a bracket.
std::size_t Clip::prefix_at(std::size_t line) const {
  const std::size_t before = begin_ == 0 ? std::string_view::npos : text_.rfind('\n', begin_ - 1);
  const std::size_t own_line = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view own = text_.substr(own_line, begin_ - own_line);
  const std::string_view other = text_.substr(line);
  const std::size_t prompt = skip_blanks(own, 0);
  const std::size_t dots = skip_blanks(other, 0);
  if (own.substr(prompt).starts_with(">>>") && other.substr(dots).starts_with("...")) return dots + 3;
  std::size_t i = 0;
  std::size_t j = 0;
  std::size_t boundary = 0;
  std::size_t own_boundary = 0;
  while (i < own.size() && j < other.size()) {
    if (is_clip_digit(own[i]) && is_clip_digit(other[j])) {
      while (i < own.size() && is_clip_digit(own[i])) ++i;
      while (j < other.size() && is_clip_digit(other[j])) ++j;
      continue;
    }
    if (own[i] != other[j] || own[i] == '\n') break;
    const char c = own[i];
    ++i;
    ++j;
    if (is_clip_blank(c) || std::string_view("#/*>|+-]").find(c) != std::string_view::npos) {
      boundary = j;
      own_boundary = i;
    }
  }
  return looks_like_prefix(own.substr(0, own_boundary)) ? boundary : 0;
}

// at_ is at a line break: goes to the first character behind it that is neither blank nor prefix.
void Clip::skip_break() {
  while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r' || is_clip_blank(text_[at_]))) {
    const bool starts_line = text_[at_] == '\n';
    ++at_;
    if (starts_line) at_ += prefix_at(at_);
  }
  while (!taken_.empty() && taken_.back() == ' ') taken_.pop_back();  // in front of the break, or of a comment
  broken_ = !taken_.empty() && closer_of(taken_.back()) == '\0';
}

// at_ is at a quote: the place behind the same quote on the next line, or 0 if the text is not continued there.
std::size_t Clip::continued_quote() const {
  std::size_t at = skip_blanks(text_, at_ + 1);
  if (at < text_.size() && text_[at] == '\r') ++at;
  if (at >= text_.size() || text_[at] != '\n') return 0;
  at = skip_blanks(text_, at + 1);
  if (at < text_.size() && text_[at] == 'f') ++at;
  return at < text_.size() && text_[at] == text_[at_] ? at + 1 : 0;
}

void Clip::skip_hidden() {
  escaped_ = false;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\x1b') {
      std::size_t end = at_ + 1;
      if (end >= text_.size() || text_[end] != '[') return;
      ++end;
      while (end < text_.size() && (is_clip_digit(text_[end]) || text_[end] == ';')) ++end;
      if (end >= text_.size() || (text_[end] != 'm' && text_[end] != 'K')) return;
      at_ = end + 1;
    } else if (inside() && quote_ == '\0' && (c == '\n' || c == '\r')) {
      skip_break();
    } else if (inside() && quote_ == '\0' && c == '#') {
      const std::size_t length = text_.substr(at_, kLongestComment).find('\n');
      if (length == std::string_view::npos) return;
      at_ += length;
    } else if ((c == '"' || c == '\'') && inside() && continued_quote() != 0) {
      at_ = continued_quote();
    } else if (c == '\\' && at_ + 1 < text_.size()) {
      const char next = text_[at_ + 1];
      if (next != '\n' && next != '\r') {
        escaped_ = std::string_view("nrt\"'").find(next) != std::string_view::npos;
        return;
      }
      ++at_;
      skip_break();
    } else {
      return;
    }
  }
}

char Clip::peek() {
  skip_hidden();
  if (broken_) return ' ';
  if (at_ >= text_.size()) return '\0';
  const char c = text_[at_];
  if (escaped_) return text_[at_ + 1] == '"' || text_[at_ + 1] == '\'' ? text_[at_ + 1] : ' ';
  if (c == '\t') return ' ';
  if (c == '\n' || c == '\r') return quote_ == '\0' ? '\n' : '\0';
  const bool foreign = c == ';' || c == '\\' || c == '\x7f' || (c >= 0 && c < ' ');
  return foreign || closers_.size() > kDeepestBrackets ? '\0' : c;
}

void Clip::take() {
  const char c = peek();
  if (broken_) {
    broken_ = false;
    // A space in front of a closing bracket is left out, as behind an opening one.
    const bool closes = at_ < text_.size() && !closers_.empty() && text_[at_] == closers_.back();
    if (!closes) taken_ += ' ';
    return;
  }
  at_ += escaped_ ? 2 : 1;
  end_ = at_;
  taken_ += c;
  if (quote_ != '\0') {
    if (c == quote_) quote_ = '\0';
  } else if (inside() && (c == '"' || c == '\'')) {
    quote_ = c;
  } else if (const char closer = closer_of(c); closer != '\0') {
    closers_ += closer;
  } else if (inside() && c == closers_.back()) {
    closers_.pop_back();
  }
}

bool Clip::take_brackets() {
  const std::size_t outside = closers_.size();
  do {
    const char c = peek();
    if (c == '\0') return false;
    const bool closes = quote_ == '\0' && (c == ')' || c == ']' || c == '}');
    if (closes && (closers_.size() == outside || c != closers_.back())) return false;
    take();
  } while (closers_.size() > outside);
  return true;
}

void Clip::take_blanks() {
  while (peek() == ' ') take();
}

std::string_view Clip::take_word() {
  const std::size_t start = taken_.size();
  for (char c = peek(); is_word(c) || c == '.'; c = peek()) {
    if (c == '.' && (at_ + 1 >= text_.size() || !is_word(text_[at_ + 1]))) break;  // the end of a sentence
    take();
  }
  return std::string_view(taken_).substr(start);
}

}  // namespace vl::use
