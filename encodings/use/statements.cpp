#include "encodings/use/statements.h"

#include <algorithm>

#include "encodings/use/scan.h"

namespace vl::use {

std::optional<Statement> Statements::next() {
  skip_empty();
  if (at_ >= text_.size()) return std::nullopt;
  const std::size_t line = at_ == 0 ? std::string_view::npos : text_.rfind('\n', at_ - 1);
  Statement out{at_, at_, at_ - (line == std::string_view::npos ? 0 : line + 1)};
  int open = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n' && open == 0) break;
    if (c == '#') {
      skip_comment(open > 0);
      continue;
    }
    if (c == '"' || c == '\'') {
      out.text += c;
      skip_string(open > 0);
      continue;
    }
    open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    out.text += c == '\n' || c == '\\' || c == '\r' ? ' ' : c;
    ++at_;
  }
  out.end = at_;
  return out;
}

bool Statements::in_string(std::size_t place) const {
  return std::ranges::any_of(quoted_, [&](const Quoted& s) { return !s.comment && s.begin <= place && place < s.end; });
}

void Statements::skip_empty() {
  while (at_ < text_.size()) {
    if (text_[at_] == '#') skip_comment(false);
    else if (std::string_view(" \r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    else break;
  }
}

void Statements::skip_comment(bool in_brackets) {
  const std::size_t begin = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  quoted_.push_back({begin, at_, true, in_brackets});
}

void Statements::skip_string(bool in_brackets) {
  const std::size_t begin = at_;
  const char quote = text_[at_];
  const bool three = text_.substr(at_, 3) == std::string(3, quote);
  at_ += three ? 3 : 1;
  while (at_ < text_.size()) {
    if (text_[at_] == '\\') ++at_;
    else if (!three && text_[at_] == '\n') break;
    else if (text_[at_] == quote && (!three || text_.substr(at_, 3) == std::string(3, quote))) {
      at_ += three ? 3 : 1;
      break;
    }
    ++at_;
  }
  at_ = std::min(at_, text_.size());
  quoted_.push_back({begin, at_, false, in_brackets});
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_word(text[word.size()]));
}

bool opens_scope(std::string_view line) {
  if (starts_with_word(line, "async")) line.remove_prefix(std::min(line.find_first_not_of(' ', 5), line.size()));
  return starts_with_word(line, "def") || starts_with_word(line, "class");
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return at;
  }
  return std::string_view::npos;
}

std::size_t end_of_targets(std::string_view text) {
  std::size_t out = 0;
  int open = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    open += std::string_view("([{").find(text[k]) != std::string_view::npos ? 1 : 0;
    open -= std::string_view(")]}").find(text[k]) != std::string_view::npos ? 1 : 0;
    if (open != 0 || text[k] != '=' || k == 0) continue;
    if (k + 1 < text.size() && text[k + 1] == '=') {
      ++k;
      continue;
    }
    const char before = text[k - 1];
    const bool shifts = k > 1 && text[k - 2] == before;  // <<=, >>=
    if (before != '!' && ((before != '<' && before != '>') || shifts)) out = k;
  }
  return out;
}

}  // namespace vl::use
