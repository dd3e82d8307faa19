#include "encodings/use/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/cursor.h"
#include "encodings/map/expression.h"

namespace vl::use {

Result<Definition> read_definition(std::string_view text) {
  Cursor in(text);
  Definition definition;
  definition.name = in.dotted_name("a name, as in BM=128");
  if (std::string why = map::why_no_name(definition.name); !why.empty()) in.fail(ErrorCode::Syntax, std::move(why), 0);
  in.expect("=");
  definition.value = in.integer("an integer, as in BM=128");
  in.expect_end();
  if (in.failed()) return in.error();
  return definition;
}

std::string bound(std::string_view text, std::span<const Definition> definitions) {
  if (definitions.empty()) return std::string(text);
  std::string out;
  char before = '\0';  // the last character that is not blank
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t close = std::min(text.find(c, at + 1), text.size() - 1);
      out += text.substr(at, close + 1 - at);
      at = close + 1;
      before = c;
      continue;
    }
    if (!is_word(c)) {
      out += c;
      if (c != ' ') before = c;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
    const std::string_view name = text.substr(at, end - at);
    const std::size_t next = std::min(text.find_first_not_of(' ', end), text.size());
    const char after = next < text.size() ? text[next] : '\0';
    const bool keyword = after == '=' && text.substr(next, 2) != "==";
    const bool member = at > 1 && text[at - 1] == ':' && text[at - 2] == ':';  // of a class or a namespace
    const bool stays = member || before == '@' || after == '(' || after == '[' || keyword;
    const auto known = std::ranges::find(definitions, name, &Definition::name);
    if (stays || known == definitions.end()) out += name;
    else out += known->value < 0 ? fmt::format("({})", known->value) : fmt::format("{}", known->value);
    before = text[end - 1];
    at = end;
  }
  return out;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

bool is_declared(std::string_view text, std::size_t at) {
  const std::size_t last = text.substr(0, at).find_last_not_of(" \t");
  if (last == std::string_view::npos) return false;
  if (text[last] == '~') return true;
  if (last + 1 == at) return false;
  for (const std::string_view word : {"class", "def", "struct", "explicit"}) {
    const std::string_view before = text.substr(0, last + 1);
    const bool starts = before.size() == word.size() ||
                        (before.size() > word.size() && !is_word(before[before.size() - word.size() - 1]));
    if (before.ends_with(word) && starts) return true;
  }
  return false;
}

bool has_parameters(std::string_view call) {
  static constexpr std::array<std::string_view, 10> kOperators = {"for", "in", "if",  "else",   "or",
                                                                  "and", "is", "not", "lambda", "await"};
  int brackets = 0;
  bool type_before = false;  // a word that can be a type, then a blank
  for (std::size_t at = std::min(call.find('('), call.size()); at < call.size();) {
    const char c = call[at];
    if (c == '"' || c == '\'') at = std::min(call.find(c, at + 1), call.size() - 1);
    brackets += c == '[' || c == '{' ? 1 : (c == ']' || c == '}' ? -1 : 0);
    if (call.substr(at).starts_with("::") || c == '&' || (c == ':' && brackets == 0)) return true;
    if (!is_word(c)) {
      if (c != ' ') type_before = c == '>';
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < call.size() && is_word(call[end])) ++end;
    const std::string_view word = call.substr(at, end - at);
    const bool joins = std::ranges::find(kOperators, word) != kOperators.end();
    if (type_before && !joins && (word[0] < '0' || word[0] > '9')) return true;
    type_before = !joins;
    at = end;
  }
  return false;
}

bool ends_argument(std::string_view text, std::size_t end) {
  while (end < text.size()) {
    if (text[end] == '#') end = std::min(text.find('\n', end), text.size());
    else if (text[end] == ' ' || text[end] == '\t' || text[end] == '\r' || text[end] == '\n') ++end;
    else break;
  }
  return end < text.size() && (text[end] == ',' || text[end] == ')');
}

bool is_abbreviated(std::string_view text) {
  return text.find("...") != std::string_view::npos || text.find("\xE2\x80\xA6") != std::string_view::npos;
}

}  // namespace vl::use
