#include "encodings/use/python_bindings.h"

#include <algorithm>
#include <array>

#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

using Out = std::vector<std::pair<std::string, PythonBinding>>;

bool is_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::ranges::all_of(text, is_word);
}

// The parts between signs that stand in no bracket.
std::vector<std::string_view> split(std::string_view text, char sign) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c != sign || open != 0) continue;
    out.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  out.push_back(text.substr(begin));
  return out;
}

// Where the bracket closes with which a text begins; npos if it does not.
std::size_t closing(std::string_view text) {
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (open == 0) return at;
  }
  return std::string_view::npos;
}

// Whether it is made of integers, names and signs alone; a quotient is //.
bool is_arithmetic(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!is_word(c) && std::string_view(" +-*/%()").find(c) == std::string_view::npos) return false;
    if (c == '/' && (at + 1 == text.size() || text[at + 1] != '/')) return false;
    if (c == '/') ++at;
    const std::size_t last = text.substr(0, at).find_last_not_of(' ');
    if (c == '(' && last != std::string_view::npos && (is_word(text[last]) || text[last] == ')')) return false;
  }
  return !text.empty();
}

// T.S of a module.
bool is_member(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  return dot != std::string_view::npos && is_name(text.substr(dot + 1)) &&
         std::ranges::all_of(text, [](char c) { return is_word(c) || c == '.'; });
}

void bind(Out& out, std::string_view name, std::string_view value) {
  const std::string_view known = trimmed(value);
  out.push_back({std::string(name), {is_arithmetic(known) || is_member(known) ? std::string(known) : std::string()}});
}

// Binds every word to what is not known.
void bind_words(Out& out, std::string_view text, PythonBinding as) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (const std::string_view word = text.substr(at, end - at); is_name(word)) out.push_back({std::string(word), as});
    at = end + 1;
  }
}

// A target: a name, a list of them, or a part of something, which binds nothing.
void bind_target(Out& out, std::string_view target, std::string_view value) {
  target = trimmed(target);
  const bool closed = target.size() > 1 && (target[0] == '(' || target[0] == '[');
  if (closed && closing(target) + 1 == target.size())
    return bind_target(out, target.substr(1, target.size() - 2), value);
  auto names = split(target, ',');
  if (names.size() == 1) {
    if (is_name(target)) return bind(out, target, value);
    if (target.starts_with('*')) bind_words(out, target, {});
    return;
  }
  value = trimmed(value);
  if (value.starts_with('(') && closing(value) + 1 == value.size()) value = value.substr(1, value.size() - 2);
  const auto values = split(value, ',');
  const bool pairs = names.size() == values.size() &&
                     std::ranges::none_of(names, [](std::string_view n) { return trimmed(n).starts_with('*'); });
  for (std::size_t k = 0; k < names.size(); ++k) bind_target(out, names[k], pairs ? values[k] : std::string_view("\""));
}

// The places of the signs = that assign, outside of brackets; the last of `augmented` is one of +=.
std::vector<std::size_t> assignments(std::string_view text, bool& augmented) {
  std::vector<std::size_t> out;
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c != '=' || open != 0 || at == 0) continue;
    const char before = text[at - 1];
    const bool shift = (before == '<' || before == '>') && at > 1 && text[at - 2] == before;
    if (at + 1 < text.size() && text[at + 1] == '=') ++at;
    else if (std::string_view("!<>:").find(before) == std::string_view::npos || shift) {
      augmented = augmented || shift || std::string_view("+-*/%&|^@").find(before) != std::string_view::npos;
      out.push_back(at);
    }
  }
  return out;
}

void bind_assignment(Out& out, std::string_view text) {
  bool augmented = false;
  const auto signs = assignments(text, augmented);
  if (signs.empty()) return;
  if (augmented) {  // BM += 1: the sign is not a part of the name
    std::string_view target = trimmed(text.substr(0, signs.front()));
    target = trimmed(target.substr(0, target.find_last_not_of("+-*/%&|^@<> ") + 1));
    if (is_name(target)) out.push_back({std::string(target), {}});
    return;
  }
  const std::string_view value = text.substr(signs.back() + 1);
  std::size_t begin = 0;
  for (const std::size_t sign : signs) {
    std::string_view target = text.substr(begin, sign - begin);
    if (begin == 0) target = split(target, ':').front();  // the type behind it
    bind_target(out, target, value);
    begin = sign + 1;
  }
}

// What is bound inside of expressions: in comprehensions, lambdas and by :=.
void bind_inside(Out& out, std::string_view text) {
  const PythonBinding inner{{}, false, true, false};
  for (std::size_t at = find_word(text, "for"); at != std::string_view::npos; at = find_word(text, "for", at + 1)) {
    const std::size_t in = find_word(text, "in", at);
    if (in == std::string_view::npos) break;  // a sentence of a log: "allocating buf0 for …"
    bind_words(out, text.substr(at + 3, in - at - 3), inner);
  }
  for (std::size_t at = find_word(text, "lambda"); at != std::string_view::npos; at = find_word(text, "lambda", at + 1))
    bind_words(out, text.substr(at + 6, split(text.substr(at), ':').front().size() - 6), inner);
  for (std::size_t at = text.find(":="); at != std::string_view::npos; at = text.find(":=", at + 1)) {
    const std::string_view before = trimmed(text.substr(0, at));
    std::size_t begin = before.size();
    while (begin > 0 && is_word(before[begin - 1])) --begin;
    bind_words(out, before.substr(begin), inner);
  }
}

void bind_as(Out& out, std::string_view text) {
  for (std::size_t at = find_word(text, "as"); at != std::string_view::npos; at = find_word(text, "as", at + 1)) {
    const std::string_view rest = trimmed(text.substr(at + 2));
    bind_words(out, rest.substr(0, rest.starts_with('(') ? rest.find(')') : rest.find_first_of(",:) ")), {});
  }
}

bool bind_import(Out& out, std::string_view text) {
  const bool from = starts_with_word(text, "from");
  const std::size_t import = find_word(text, "import");
  if (import == std::string_view::npos || (!from && import != 0)) return false;
  const std::string_view names = text.substr(import + 6);
  if (names.find('*') != std::string_view::npos) out.push_back({"*", {{}, true}});
  for (std::string_view one : split(names.substr(std::min(names.find_first_not_of(" ("), names.size())), ',')) {
    const std::size_t as = find_word(one, "as");
    // An imported name that is given another one is what it is called there: `from m import f as S` is no S of ours.
    const bool renamed = as != std::string_view::npos && trimmed(one.substr(0, as)) != trimmed(one.substr(as + 2));
    bind_words(out, as == std::string_view::npos ? one : one.substr(as + 2), {{}, !renamed});
  }
  return true;
}

void bind_simple(Out& out, std::string_view text) {
  static constexpr std::array<std::string_view, 2> kGlobal = {"global", "nonlocal"};
  text = trimmed(text);
  if (bind_import(out, text)) return;
  for (const std::string_view word : kGlobal)
    if (starts_with_word(text, word)) return bind_words(out, text.substr(word.size()), {{}, false, false, true});
  if (starts_with_word(text, "del")) return bind_words(out, text.substr(3), {});
  bind_inside(out, text);
  bind_assignment(out, text);
}

std::string_view without_async(std::string_view text) {
  if (starts_with_word(text, "async")) text.remove_prefix(std::min(text.find_first_not_of(' ', 5), text.size()));
  return text;
}

}  // namespace

std::string_view compound_keyword(std::string_view text) {
  static constexpr std::array<std::string_view, 11> kWords = {"if",     "elif",    "else", "for",   "while", "try",
                                                              "except", "finally", "with", "match", "case"};
  text = without_async(text);
  for (const std::string_view word : kWords) {
    if (!starts_with_word(text, word)) continue;
    return split(text, ':').size() > 1 && trimmed(text.substr(word.size())).find_first_of("=.,") != 0 ? word : "";
  }
  return {};
}

std::vector<std::pair<std::string, PythonBinding>> bindings_of(std::string_view text) {
  Out out;
  text = without_async(text);
  if (opens_scope(text)) {
    std::string_view rest = trimmed(text.substr(std::min(text.find(' '), text.size())));
    bind_words(out, rest.substr(0, std::min(rest.find_first_of("([:"), rest.size())), {});
    return out;
  }
  const std::string_view keyword = compound_keyword(text);
  if (keyword.empty()) {
    for (const std::string_view one : split(text, ';')) bind_simple(out, one);
    return out;
  }
  const std::string_view head = split(text, ':').front();
  if (const std::size_t in = find_word(head, "in"); keyword == "for" && in != std::string_view::npos)
    bind_words(out, head.substr(3, in - 3), {});
  if (keyword == "case") bind_words(out, head.substr(4), {});
  bind_as(out, head);
  bind_inside(out, keyword == "for" ? head.substr(3) : head);
  Out inside;  // of a block on the same line, which may not be executed
  for (const std::string_view one : split(text.substr(head.size() + 1), ';')) bind_simple(inside, one);
  for (auto& [name, binding] : inside) {
    binding.value.clear();
    out.push_back({std::move(name), std::move(binding)});
  }
  return out;
}

std::vector<std::string> parameters_of(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return {};
  text = text.substr(open);
  std::vector<std::string> out;
  for (std::string_view one : split(text.substr(1, std::min(closing(text), text.size()) - 1), ',')) {
    one = trimmed(one);
    one.remove_prefix(std::min(one.find_first_not_of("* "), one.size()));
    std::size_t end = 0;
    while (end < one.size() && is_word(one[end])) ++end;
    if (end > 0) out.emplace_back(one.substr(0, end));
  }
  return out;
}

}  // namespace vl::use
