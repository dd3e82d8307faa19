#include "encodings/use/c_declarations.h"

#include <algorithm>
#include <array>
#include <span>

#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool begins_name(char c) { return is_word(c) && !(c >= '0' && c <= '9'); }

std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// The first '=' outside of brackets that gives an initial value; npos if there is none.
std::size_t initial(std::string_view text) {
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c != '=' || open != 0) continue;
    if (at + 1 < text.size() && text[at + 1] == '=') {
      ++at;
      continue;
    }
    if (at == 0 || std::string_view("!<>=+-*/%&|^").find(text[at - 1]) == std::string_view::npos) return at;
    return std::string_view::npos;
  }
  return std::string_view::npos;
}

// A word declares a name if a type stands in front of it and a declarator can end behind it.
bool is_declarator(std::string_view text, std::size_t begin, std::size_t end) {
  static constexpr std::array<std::string_view, 17> kNoTypes = {
      "return",   "case",     "goto", "new",      "delete",  "else", "sizeof", "throw", "co_return",
      "co_await", "co_yield", "do",   "operator", "alignof", "and",  "or",     "not"};
  const std::size_t last = begin == 0 ? std::string_view::npos : text.find_last_not_of(kBlanks, begin - 1);
  if (last == std::string_view::npos) return false;
  const char before = text[last];
  const std::size_t next = std::min(text.find_first_not_of(kBlanks, end), text.size());
  const char after = next < text.size() ? text[next] : ';';
  const bool then = next + 1 < text.size() && text[next + 1] == after;  // == and ::
  if (std::string_view("=;,)({[:>").find(after) == std::string_view::npos || (then && (after == '=' || after == ':')))
    return false;
  if (before == ',') return after == '=';
  if (is_word(before)) return last + 1 < begin && !is_one_of(kNoTypes, word_before(text, last + 1));
  return before == '*' || before == '&' || before == '>' || (before == '.' && text.substr(0, last).ends_with(".."));
}

using Declared = std::vector<std::pair<std::string, std::string>>;

// auto [a, b] = …
void add_structured(Declared& out, std::string_view text) {
  for (std::size_t at = find_word(text, "auto"); at != std::string_view::npos; at = find_word(text, "auto", at + 1)) {
    std::size_t open = text.find_first_not_of(" \t\r\n&", at + 4);
    if (open == std::string_view::npos || text[open] != '[') continue;
    const std::size_t close = std::min(text.find(']', open), text.size());
    while (++open < close) {
      std::size_t end = open;
      while (end < close && is_word(text[end])) ++end;
      if (end > open) out.emplace_back(text.substr(open, end - open), "");
      open = end;
    }
  }
}

// Whether what stands in front of a name is the type of an integer or `auto`, and whether it is constant.
bool is_integral(std::string_view type, bool& constant) {
  static constexpr std::array<std::string_view, 20> kWords = {
      "static",    "inline",  "int",      "unsigned",  "long",    "size_t",     "std",
      "int32_t",   "int64_t", "uint32_t", "uint64_t",  "auto",    "__device__", "__host__",
      "constexpr", "const",   "signed",   "ptrdiff_t", "index_t", "extern"};
  bool typed = false;
  for (std::size_t at = 0; at < type.size();) {
    if (!is_word(type[at])) {
      if (kBlanks.find(type[at]) == std::string_view::npos && type[at] != ':') return false;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < type.size() && is_word(type[end])) ++end;
    const std::string_view word = type.substr(at, end - at);
    if (!is_one_of(kWords, word)) return false;
    constant = constant || word == "const" || word == "constexpr";
    typed = typed || (word != "static" && word != "inline" && word != "extern" && !word.starts_with("__"));
    at = end;
  }
  return typed;
}

// Text without `public:` and the like in front.
std::string_view without_labels(std::string_view text) {
  for (const std::string_view label : {"public", "private", "protected", "default"}) {
    const std::size_t at = find_word(text, label);
    if (at == std::string_view::npos) continue;
    const std::size_t colon = text.find_first_not_of(kBlanks, at + label.size());
    if (colon != std::string_view::npos && text[colon] == ':') return without_labels(text.substr(colon + 1));
  }
  return text;
}

// NAME = VALUE, or NAME{VALUE}; the name is empty if it is neither.
std::pair<std::string_view, std::string_view> declarator_of(std::string_view text) {
  std::size_t end = initial(text);
  std::string_view value;
  if (end != std::string_view::npos) {
    value = text.substr(end + 1);
  } else if (text.ends_with('}')) {
    end = text.find('{');
    value = text.substr(end + 1, text.size() - end - 2);
  } else {
    return {};
  }
  const std::string_view front = trimmed(text.substr(0, end));
  return {word_before(front, front.size()), value};
}

// The constants that a statement declares.
Declared constants_of(std::string_view statement) {
  statement = trimmed(without_labels(statement));
  std::vector<std::string_view> parts;
  int open = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= statement.size(); ++at) {
    const char c = at < statement.size() ? statement[at] : ',';
    const bool bracket = std::string_view("([{<").find(c) != std::string_view::npos;
    open += bracket ? 1 : std::string_view(")]}>").find(c) != std::string_view::npos ? -1 : 0;
    if (c != ',' || (open != 0 && at < statement.size())) continue;
    parts.push_back(trimmed(statement.substr(begin, at - begin)));
    begin = at + 1;
  }
  Declared out;
  bool constant = false;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto [name, text] = declarator_of(parts[k]);
    if (name.empty() || !begins_name(name.front())) return {};
    const auto front = static_cast<std::size_t>(name.data() - parts[k].data());
    if (k == 0 && !is_integral(parts[k].substr(0, front), constant)) return {};
    if (k > 0 && front != 0) return {};
    const std::string_view of = trimmed(text);
    const bool has_type =
        of.find("Int<") != std::string_view::npos || of.find("C<") != std::string_view::npos || of.starts_with('_');
    if (constant || has_type) out.emplace_back(name, c_value(of));
  }
  return out;
}

// Without what makes a literal long or unsigned, and without the marks between its digits.
std::string plain_numbers(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool in_number = !out.empty() && out.back() >= '0' && out.back() <= '9';
    if (in_number && c == '\'') continue;
    const std::string_view word = word_before(text, at);
    if (in_number && !word.empty() && !begins_name(word.front()) &&
        std::string_view("uUlL").find(c) != std::string_view::npos) {
      while (at + 1 < text.size() && std::string_view("uUlL").find(text[at + 1]) != std::string_view::npos) ++at;
      continue;
    }
    out += c;
  }
  return out;
}

}  // namespace

std::string c_value(std::string_view text) {
  text = trimmed(text);
  std::string_view inner = text;
  if (inner.starts_with("cute::")) inner.remove_prefix(6);
  for (const std::string_view ending : {"{}", "()"})
    if (inner.ends_with(ending)) {
      const std::string_view type = trimmed(inner.substr(0, inner.size() - 2));
      for (const std::string_view name : {"Int", "C"}) {
        if (!type.starts_with(name) || !type.ends_with('>')) continue;
        const std::string_view in = trimmed(type.substr(name.size()));
        if (in.starts_with('<')) return c_value(in.substr(1, in.size() - 2));
      }
      if (type.starts_with('_') && type.size() > 1 &&
          std::ranges::all_of(type.substr(1), [](char c) { return c >= '0' && c <= '9'; }))
        return std::string(type.substr(1));
      return {};
    }
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!is_word(c) && std::string_view(" +-*/%()'").find(c) == std::string_view::npos) return {};
    const bool begins = at == 0 || !(is_word(text[at - 1]) || text[at - 1] == '\'');
    if (c == '0' && begins && at + 1 < text.size() && is_word(text[at + 1])) return {};  // octal, or hexadecimal
    const std::size_t last = text.substr(0, at).find_last_not_of(' ');
    if (c == '(' && last != std::string_view::npos && (is_word(text[last]) || text[last] == ')')) return {};
  }
  return plain_numbers(text);
}

std::vector<std::pair<std::string, std::string>> declarations_of(std::string_view statement) {
  Declared out = constants_of(statement);
  const std::size_t constants = out.size();
  for (std::size_t at = 0; at < statement.size();) {
    std::size_t end = at;
    while (end < statement.size() && is_word(statement[end])) ++end;
    const std::string_view word = statement.substr(at, end - at);
    const bool known = std::ranges::any_of(out, [&](const auto& one) { return one.first == word; });
    if (end > at && begins_name(word.front()) && !(known && constants > 0) && is_declarator(statement, at, end))
      out.emplace_back(word, "");
    at = end + (end == at ? 1 : 0);
  }
  add_structured(out, statement);
  return out;
}

bool opens_c_scope(std::string_view head, std::string_view rest, int depth) {
  static constexpr std::array<std::string_view, 6> kKeywords = {"struct", "class",     "enum",
                                                                "union",  "namespace", "extern"};
  head = trimmed(head);
  if (head.empty()) return depth == 0;
  const char last = head.back();
  if (last == ')' || last == ']') return true;
  const std::string_view word = word_before(head, head.size());
  for (const std::string_view ending : {"const", "noexcept", "override", "final", "mutable", "else", "do", "try"})
    if (word == ending) return true;
  const std::size_t arrow = head.rfind("->");
  if (arrow != std::string_view::npos && trimmed(head.substr(0, arrow)).ends_with(')')) return true;
  if (depth > 0 || initial(head) != std::string_view::npos || starts_with_word(head, "return")) return false;
  if (std::ranges::any_of(kKeywords,
                          [&](std::string_view one) { return find_word(head, one) != std::string_view::npos; }))
    return true;
  // int x{3};
  const std::size_t close = rest.find('}');
  const std::size_t next = close == std::string_view::npos ? close : rest.find_first_not_of(kBlanks, close + 1);
  const bool value = next != std::string_view::npos && (rest[next] == ';' || rest[next] == ',' || rest[next] == '(');
  return !(value && (is_word(last) || last == '>') && rest.substr(0, close).find(';') == std::string_view::npos);
}

bool is_enumeration(std::string_view head) {
  return find_word(head, "enum") != std::string_view::npos && initial(head) == std::string_view::npos;
}

std::string_view function_name(std::string_view head) {
  static constexpr std::array<std::string_view, 6> kControl = {"if", "for", "while", "switch", "catch", "constexpr"};
  const std::size_t open = head.find('(');
  if (open == std::string_view::npos || initial(head.substr(0, open)) != std::string_view::npos) return {};
  const std::string_view before = trimmed(head.substr(0, open));
  const std::string_view name = word_before(before, before.size());
  if (name.empty() || !begins_name(name.front()) || is_one_of(kControl, name)) return {};
  const std::string_view type = trimmed(before.substr(0, before.size() - name.size()));
  const bool typed =
      !type.empty() && (is_word(type.back()) || type.back() == '>' || type.back() == '*' || type.back() == '&');
  return typed ? name : std::string_view();
}

}  // namespace vl::use
