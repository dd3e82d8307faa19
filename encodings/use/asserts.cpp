#include "encodings/use/asserts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "encodings/map/rule.h"
#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

constexpr std::size_t kMostAsserted = 16;

// Where a function or class begins, or the file.
struct Scope {
  std::size_t begin = 0;
  bool headed = false;
};

// The innermost one around text[at], by its indentation; nothing if that is not seen, or is one of tabs.
std::optional<Scope> scope_of(std::string_view text, std::size_t at, bool whole) {
  std::size_t level = std::string_view::npos;
  for (std::size_t end = at;;) {
    const std::size_t newline = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    if (begin == 0 && !whole) return std::nullopt;
    const std::string_view line = text.substr(begin, std::max(end, begin) - begin);
    const std::size_t indent = line.find_first_not_of(' ');
    // Closing brackets stand where the line of their opening ones begins.
    const bool said = indent != std::string_view::npos && std::string_view("#\r)]}").find(line[indent]) == line.npos;
    if (said && line[indent] == '\t') return std::nullopt;
    if (said && indent < level) {
      level = indent;
      if (opens_scope(line.substr(indent))) return Scope{begin, true};
    }
    if (begin == 0) return Scope{0, false};
    end = begin - 1;
  }
}

// Whether a comprehension or a lambda in a statement has a name of its own that is called so: between `for` and `in`,
// or between `lambda` and its colon.
bool binds_inside(std::string_view text, std::string_view name) {
  const auto stands_in = [&](std::size_t begin, std::size_t end) {
    return find_word(text.substr(0, std::min(end, text.size())), name, begin) != std::string_view::npos;
  };
  for (std::size_t at = find_word(text, "for"); at != std::string_view::npos; at = find_word(text, "for", at + 1))
    if (stands_in(at, find_word(text, "in", at))) return true;
  for (std::size_t at = find_word(text, "lambda"); at != std::string_view::npos;
       at = find_word(text, "lambda", at + 1)) {
    std::size_t end = at;
    for (int open = 0; end < text.size() && (text[end] != ':' || open > 0); ++end)
      open += std::string_view("([{").find(text[end]) != std::string_view::npos   ? 1
              : std::string_view(")]}").find(text[end]) != std::string_view::npos ? -1
                                                                                  : 0;
    if (stands_in(at, end)) return true;
  }
  return false;
}

// Whether it gives whatever names another file has: from config import *.
bool imports_all(std::string_view text) {
  const std::size_t at = find_word(text, "import");
  return starts_with_word(text, "from") && at != std::string_view::npos && text.find('*', at) != std::string_view::npos;
}

// Whether a statement may give a name another value.
bool binds(std::string_view text, std::string_view name) {
  static constexpr std::array<std::string_view, 6> kBinders = {"import", "from", "del", "global", "nonlocal", "case"};
  if (starts_with_word(text, "async")) text.remove_prefix(std::min(text.find_first_not_of(' ', 5), text.size()));
  if (imports_all(text)) return true;
  const std::size_t first = find_word(text, name);
  if (first == std::string_view::npos) return false;
  if (first < end_of_targets(text)) return true;
  if (std::ranges::any_of(kBinders, [&](std::string_view word) { return starts_with_word(text, word); })) return true;
  if (binds_inside(text, name)) return true;
  if (starts_with_word(text, "def") || starts_with_word(text, "class"))
    return first == text.find_first_not_of(' ', text.find(' '));
  for (std::size_t at = first; at != std::string_view::npos; at = find_word(text, name, at + 1)) {
    const std::size_t behind = text.find_first_not_of(' ', at + name.size());
    if (behind != std::string_view::npos && text.substr(behind).starts_with(":=")) return true;
    if (find_word(text, "as") < at) return true;
  }
  return false;
}

// The condition of an assert, without its message and its parentheses; empty if it is none that is read.
std::string_view condition_of(std::string_view text) {
  text.remove_prefix(std::string_view("assert").size());
  const auto outer_comma = [](std::string_view in) {
    int open = 0;
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (in[k] == '(' || in[k] == '[' || in[k] == '{') ++open;
      if (in[k] == ')' || in[k] == ']' || in[k] == '}') --open;
      if (in[k] == ',' && open == 0) return k;
    }
    return in.size();
  };
  const auto trimmed = [](std::string_view in) {
    in.remove_prefix(std::min(in.find_first_not_of(' '), in.size()));
    return in.substr(0, in.find_last_not_of(' ') + 1);
  };
  text = trimmed(text.substr(0, outer_comma(text)));
  const auto closes_last = [](std::string_view in) {  // the bracket that is first
    int open = 0;
    for (std::size_t k = 0; k < in.size(); ++k) {
      open += in[k] == '(' ? 1 : in[k] == ')' ? -1 : 0;
      if (open == 0) return k + 1 == in.size();
    }
    return false;
  };
  if (text.starts_with('(') && closes_last(text)) {
    const std::string_view inside = text.substr(1, text.size() - 2);
    const bool compares = inside.find_first_of("<>=") != std::string_view::npos;
    if (outer_comma(inside) < inside.size()) return {};  // a tuple, which is true
    if (compares) text = trimmed(inside);
  }
  // In Python these are functions of somebody's; min and max are its own.
  for (const std::string_view function : {"ceil", "align"})
    if (find_word(text, function) != std::string_view::npos) return {};
  return text;
}

// "P == 72" of P = 72, also with a type; empty for any other statement.
std::string constant_of(std::string_view text) {
  const std::size_t sign = end_of_targets(text);
  if (sign == 0) return {};
  std::string_view name = text.substr(0, sign);
  name = name.substr(0, name.find_first_of(": "));
  const bool is_name = !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::ranges::all_of(name, is_word);
  const std::string_view rest = text.substr(name.size(), sign - name.size());
  if (!is_name || rest.find_first_of("=,+-*/%&|^<>@[(") != rest.npos) return {};
  const auto value = map::parse_expression(text.substr(sign + 1));
  if (!value || !value->number()) return {};
  return std::string(name) + " == " + map::print(*value);
}

// The constants that a file gives its functions: a name that one statement outside of all functions binds, and no other
// statement, and no parameter.
std::vector<map::Condition> constants_of(std::string_view file, std::span<const std::string> names) {
  std::vector<Statement> all;
  for (Statements in(file, 0); auto statement = in.next();) all.push_back(std::move(*statement));
  std::vector<map::Condition> out;
  for (const std::string& name : names) {
    const auto gives = [&](const Statement& one) {
      return binds(one.text, name) || (opens_scope(one.text) && find_word(one.text, name) != std::string_view::npos);
    };
    const auto only = std::ranges::find_if(all, gives);
    if (only == all.end() || only->indent != 0 || std::any_of(only + 1, all.end(), gives)) continue;
    const std::string constant = constant_of(only->text);
    if (auto said = map::parse_conditions(constant); said && constant.starts_with(name + " =="))
      out.push_back(std::move(said->front()));
  }
  return out;
}

// Whether it says no more than that a size is at least 1.
bool is_usual(const map::Condition& condition) {
  using Relation = map::Condition::Relation;
  const auto bound = condition.right.number();
  if (condition.left.kind() != map::Expression::Kind::Name || !bound) return false;
  return (condition.relation == Relation::AtLeast && *bound <= 1) ||
         (condition.relation == Relation::Greater && *bound <= 0);
}

// The condition with numbers in the place of names that are defined; false if it then has no names.
bool with_numbers(map::Condition& condition, std::span<const Definition> definitions) {
  auto read = map::parse_conditions(bound(condition.text, definitions));
  if (!read || read->size() != 1) return false;
  condition = std::move(read->front());
  std::vector<std::string> names;
  map::add_names(condition.left, names);
  map::add_names(condition.right, names);
  return !names.empty();
}

}  // namespace

std::string asserted(std::string_view text, std::size_t at, bool whole, std::span<const std::string> names,
                     std::span<const Definition> definitions) {
  const auto scope = scope_of(text, at, whole);
  if (!scope) return {};
  Statements all(text, scope->begin);
  std::vector<Statement> before, after;
  while (auto statement = all.next()) {
    if (scope->headed && !before.empty() && statement->indent <= before.front().indent) break;
    (statement->begin <= at ? before : after).push_back(std::move(*statement));
  }
  if (before.empty() || before.back().end <= at || all.in_string(at)) return {};
  std::string out;
  std::vector<map::Condition> kept;
  std::size_t open = std::string_view::npos;  // the least indentation behind a statement
  for (std::size_t k = before.size(); k-- > 0; open = std::min(open, before[k].indent)) {
    if (k + 1 == before.size() || before[k].indent > open) continue;
    const bool asserts = starts_with_word(before[k].text, "assert");
    const auto conditions =
        map::parse_conditions(asserts ? std::string(condition_of(before[k].text)) : constant_of(before[k].text));
    if (!conditions) continue;
    for (std::size_t back = conditions->size(); back-- > 0;) {
      map::Condition condition = (*conditions)[back];
      std::vector<std::string> of;
      map::add_names(condition.left, of);
      map::add_names(condition.right, of);
      const auto changed = [&](const std::string& name) {
        const auto binding = [&](const Statement& statement) { return binds(statement.text, name); };
        return std::any_of(before.begin() + static_cast<std::ptrdiff_t>(k) + 1, before.end(), binding) ||
               std::ranges::any_of(after, binding) ||
               (std::ranges::find(names, name) == names.end() &&
                std::ranges::find(definitions, name, &Definition::name) == definitions.end());
      };
      if (of.empty() || std::ranges::any_of(of, changed) || !with_numbers(condition, definitions)) continue;
      if (is_usual(condition)) continue;
      const auto same = [&](const map::Condition& other) { return other.text == condition.text; };
      if (kept.size() < kMostAsserted && std::ranges::none_of(kept, same)) kept.push_back(condition);
    }
  }
  // A passage that begins and ends as its file does says all that binds a name.
  if (scope->headed && whole && text.size() - at < kAhead)
    for (map::Condition& constant : constants_of(text, names))
      if (kept.size() < kMostAsserted) kept.push_back(std::move(constant));
  if (!map::with_conditions({}, kept)) return {};
  std::ranges::reverse(kept);
  for (const map::Condition& condition : kept) out += (out.empty() ? "" : ", ") + condition.text;
  return out;
}

}  // namespace vl::use
