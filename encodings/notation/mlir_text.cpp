#include "encodings/notation/mlir_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "encodings/notation/mlir.h"

namespace vl::mlir {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

bool is_comment(std::string_view text, std::size_t at) { return text.substr(at, 2) == "//"; }

char closes(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>'; }

// Whether a dictionary's key, a name and '=' or ',' or '}', stands at `at`.
bool is_key(std::string_view text, std::size_t at) {
  std::size_t end = text.substr(at, 1) == "\"" ? behind_string(text, at) : end_of_word(text, at);
  if (end == at) return false;
  end = after_blank(text, end);
  return end < text.size() && (text[end] == '=' || text[end] == ',' || text[end] == '}');
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t after_blank(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) ++at;
    else if (is_comment(text, at)) at = std::min(text.find('\n', at), text.size());
    else break;
  }
  return std::min(at, text.size());
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return std::min(at, text.size());
}

std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

std::optional<std::size_t> behind_bracket(std::string_view text, std::size_t at) {
  std::vector<char> open;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    if (is_comment(text, at)) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const std::string_view two = text.substr(at, 2);
    if (two == "->" || two == ">=" || two == "<=" || two == "==") {
      at += 2;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (open.size() == kDeepestBracket) return std::nullopt;
      open.push_back(closes(c));
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (c != '>')
        while (!open.empty() && open.back() == '>' && c != '>') open.pop_back();  // it was a comparison
      if (open.empty()) return std::nullopt;
      if (open.back() == c) {
        open.pop_back();
        if (open.empty()) return at + 1;
      } else if (c != '>') return std::nullopt;
    }
    ++at;
  }
  return std::nullopt;
}

std::size_t end_of_type(std::string_view text) {
  std::size_t at = 0, start = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (is_word(c) || c == '#' || c == '!' || c == '@' || c == '-' || c == '?' || c == '*' || c == '+') {
      if (text.substr(at, 2) == "->") break;
      ++at;
    } else if (c == '"') {
      at = behind_string(text, at);
    } else if (c == '<' || c == '[' || c == '(' || (c == '{' && at == start)) {
      // A list in parentheses is a part only of a function's type, where an arrow follows.
      const auto end = behind_bracket(text, at);
      if (!end) return text.size();
      const bool begins = at == start;
      at = *end;
      const std::size_t next = after_blank(text, at);
      if (c == '(' && begins && text.substr(next, 2) == "->") {
        at = after_blank(text, next + 2);  // the type of a function goes on behind its arrow
        start = at;
        continue;
      }
      if (c != '<' && begins) break;
    } else break;
  }
  return at;
}

bool begins_operation(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  const char c = text[at];
  if (c == '}' || c == '^' || c == '#' || c == '!') return true;
  if (c == '"') {
    const std::size_t end = behind_string(text, at);
    return end < text.size() && text[end] == '(';
  }
  if (c == '%') {
    constexpr int kMostResults = 256;
    for (int i = 0; i < kMostResults && at < text.size() && text[at] == '%'; ++i) {
      at = after_blank(text, end_of_word(text, at + 1));
      if (text.substr(at, 1) == ":") at = after_blank(text, end_of_word(text, after_blank(text, at + 1)));
      if (text.substr(at, 1) != ",") break;
      at = after_blank(text, at + 1);
    }
    return text.substr(at, 1) == "=" && text.substr(at, 2) != "==";
  }
  const std::size_t end = end_of_word(text, at);
  const std::string_view word = text.substr(at, end - at);
  if (word == "return" || word == "module" || word == "call") return true;
  if (word.find('.') == std::string_view::npos || (word[0] >= '0' && word[0] <= '9')) return false;
  const std::size_t next = after_blank(text, end);
  return text.substr(next, 1) != "=" && text.substr(next, 1) != ",";
}

bool begins_region(std::string_view text, std::size_t at) {
  const std::size_t next = after_blank(text, at + 1);
  if (next >= text.size() || text[next] == '}') return false;
  if (text[next] == '^' || text[next] == '%') return true;
  return !is_key(text, next);
}

std::size_t next_function(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "func.func", kQuoted = "\"func.func\"";
  while (at < text.size()) {
    const std::size_t found = text.find(kWord, at);
    if (found == std::string_view::npos) return found;
    // It is looked for at the beginning of a line, and not far behind.
    constexpr std::size_t kFarthest = 1024;
    const std::size_t least = found - std::min(found, kFarthest);
    const std::size_t newline = text.substr(least, found - least).rfind('\n');
    const std::size_t line = newline == std::string_view::npos ? least : least + newline + 1;
    std::string_view before = trimmed(text.substr(line, found - line));
    const std::size_t behind = found + kWord.size();
    const bool quoted = found > std::max(line, at) && text.substr(found - 1, kQuoted.size()) == kQuoted;
    const bool whole = (found == 0 || (!is_word(text[found - 1]) && (quoted || text[found - 1] != '"'))) &&
                       (behind == text.size() || !is_word(text[behind]));
    if (least > 0 && newline == std::string_view::npos) {
      at = behind;
      continue;
    }
    if (quoted) before = trimmed(before.substr(0, before.size() - 1));
    const bool first = before.empty() || ((before.back() == '{' || before.back() == '}') && !is_comment(before, 0));
    if (whole && first) return quoted ? found - 1 : found;
    at = behind;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> listed(std::string_view text) {
  std::vector<std::string_view> out;
  if (after_blank(text, 0) == text.size()) return out;
  std::size_t start = 0, stop = text.size();  // comments in front of a part and behind it are none of it
  const auto part = [&](std::size_t end) { return trimmed(text.substr(start, std::min(stop, end) - start)); };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (is_comment(text, at)) {
      stop = std::min(stop, at);
      at = std::min(text.find('\n', at), text.size());
      if (part(at).empty()) start = at, stop = text.size();
      continue;
    }
    if (c != ',' && !is_blank(c)) stop = text.size();
    if (c == '"') at = behind_string(text, at);
    else if (text.substr(at, 2) == "->") at += 2;
    else if (c == '(' || c == '[' || c == '{' || c == '<') at = behind_bracket(text, at).value_or(text.size());
    else if (c == ',') {
      out.push_back(part(at));
      start = ++at, stop = text.size();
    } else ++at;
  }
  out.push_back(part(text.size()));
  return out;
}

std::vector<std::string_view> types_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('(')) {
    const auto end = behind_bracket(text, 0);
    if (end && trimmed(text.substr(*end)).empty()) return listed(text.substr(1, *end - 2));
  }
  std::vector<std::string_view> out;
  for (std::string_view part : listed(text)) {
    while (!part.empty()) {
      const std::size_t end = end_of_type(part);
      if (end == 0) break;
      out.push_back(part.substr(0, end));
      part = trimmed(part.substr(end));
      if (!part.starts_with("into ")) break;
      part = trimmed(part.substr(5));
    }
  }
  return out;
}

std::string_view without_type(std::string_view value) {
  for (std::size_t at = 0; at < value.size();) {
    const char c = value[at];
    if (c == '"') at = behind_string(value, at);
    else if (c == '(' || c == '[' || c == '{' || c == '<') at = behind_bracket(value, at).value_or(value.size());
    else if (c == ':') return trimmed(value.substr(0, at));
    else ++at;
  }
  return trimmed(value);
}

std::optional<std::vector<Index>> integers_of(std::string_view text) {
  text = without_type(trimmed(text));
  for (const std::string_view word : {"array<", "dense<"}) {
    if (!text.starts_with(word) || !text.ends_with('>')) continue;
    text = trimmed(text.substr(word.size(), text.size() - word.size() - 1));
    if (word == "array<") {
      const std::size_t colon = text.find(':');
      text = colon == std::string_view::npos ? std::string_view() : trimmed(text.substr(colon + 1));
    }
    break;
  }
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<Index> out;
  for (std::string_view part : listed(text)) {
    part = without_type(part);
    Index value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
    out.push_back(value);
  }
  return out;
}

std::optional<TensorType> tensor_type(std::string_view text) {
  text = trimmed(text);
  constexpr std::string_view kWord = "tensor<";
  if (!text.starts_with(kWord) || !text.ends_with('>')) return std::nullopt;
  const std::vector<std::string_view> parts = listed(text.substr(kWord.size(), text.size() - kWord.size() - 1));
  if (parts.empty() || parts.size() > 2) return std::nullopt;
  TensorType out;
  std::string_view rest = parts[0];
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    Index size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc() || rest.empty() || rest[0] != 'x') return std::nullopt;
    rest.remove_prefix(1);
    out.shape.push_back(size);
  }
  if (rest.empty() || rest[0] == '?' || rest[0] == '*') return std::nullopt;
  out.element = rest;
  if (parts.size() == 2) out.encoding = parts[1];
  return out;
}

namespace {

constexpr std::size_t kDeepestName = 64;

// `steps`: how many letters may still be read.
bool write_out(std::string_view text, const Names& names, std::vector<std::string_view>& within, std::string& out,
               std::size_t& steps) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (out.size() > kLongestWritten || steps-- == 0) return false;
    if (c != '#' && c != '!') {
      out += c, ++at;
      continue;
    }
    const std::size_t end = end_of_word(text, at + 1);
    const std::string_view name = text.substr(at, end - at);
    const auto known = names.find(name);
    if (known == names.end()) {
      out += name;
    } else {
      if (within.size() == kDeepestName || std::ranges::find(within, name) != within.end()) return false;
      within.push_back(name);
      if (!write_out(known->second, names, within, out, steps)) return false;
      within.pop_back();
    }
    at = end;
  }
  return out.size() <= kLongestWritten;
}

// The value of a key in a dictionary's entries.
std::optional<std::string_view> entry(std::string_view dictionary, std::string_view key) {
  for (std::string_view part : listed(dictionary)) {
    part = part.substr(after_blank(part, 0));
    if (!part.starts_with(key)) continue;
    const std::string_view rest = trimmed(part.substr(key.size()));
    if (rest.empty()) return rest;
    if (rest[0] == '=') return trimmed(rest.substr(1));
  }
  return std::nullopt;
}

// The value of `key = value` between other words.
std::optional<std::string_view> between_words(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      at = behind_bracket(text, at).value_or(text.size());
    } else if (const std::size_t end = end_of_word(text, at); end > at) {
      const std::size_t equals = after_blank(text, end);
      if (text.substr(at, end - at) == key && text.substr(equals, 1) == "=") {
        const std::size_t value = after_blank(text, equals + 1);
        return text.substr(value, end_of_type(text.substr(value)));
      }
      at = end;
    } else ++at;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> written_out(std::string_view text, const Names& names) {
  std::string out;
  std::vector<std::string_view> within;
  std::size_t steps = 4 * kLongestWritten;
  return write_out(text, names, within, out, steps) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string_view> Operation::attribute(std::string_view key) const {
  if (auto found = entry(properties, key)) return found;
  if (auto found = entry(attributes, key)) return found;
  return between_words(custom, key);
}

}  // namespace vl::mlir
