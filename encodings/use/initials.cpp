#include "encodings/use/initials.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kLongestWord = 200;  // bytes of a value that is no list
constexpr std::size_t kDeepestScope = 64;  // braces or functions within each other, outwards from a place
constexpr std::size_t kMostClosed = 4096;  // scopes that end before a place, each within the next

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

// What both languages do: scopes, what they bind, and what changes it.
class Initials::Reading {
 public:
  Reading(Initials& out, std::string_view code, const Brackets& brackets, std::string_view reader)
      : out_(out), code_(code), brackets_(brackets), reader_(reader) {
    out_.scopes_.push_back({0, code.size(), 0, false});
  }

 protected:
  void open(std::size_t at, std::size_t end, bool loop) {
    out_.scopes_.push_back({at, end, scope_, loop});
    scope_ = out_.scopes_.size() - 1;
  }
  void bind(std::string_view name, std::string_view value, std::size_t at) {
    auto& scopes = out_.bound_[name];
    const auto [found, is_new] = scopes.try_emplace(scope_, Bound{value, at});
    if (is_new) return;
    found->second.changed = std::min(found->second.changed, at);
    found->second.rebound = std::min(found->second.rebound, at);
  }
  void change(std::string_view name, std::size_t at) {
    std::size_t in = scope_;
    if (const Bound* bound = out_.find(name, scope_, in)) {
      auto& kept = out_.bound_[name][in].changed;
      if (at > bound->begin) kept = std::min(kept, at);
    }
  }

  [[nodiscard]] char letter(std::size_t at) const { return at < code_.size() ? code_[at] : '\0'; }
  [[nodiscard]] std::size_t next(std::size_t at) const {
    while (at < code_.size() && std::string_view(" \t\r\n").find(code_[at]) != kNowhere) ++at;
    return at;
  }
  // The place after the last letter before `at` that is not blank; 0 if all are.
  [[nodiscard]] std::size_t before(std::size_t at) const {
    while (at > 0 && std::string_view(" \t\r\n").find(code_[at - 1]) != kNowhere) --at;
    return at;
  }
  [[nodiscard]] std::string_view word_before(std::size_t end) const {
    std::size_t begin = end;
    while (begin > 0 && is_word(code_[begin - 1])) --begin;
    return code_.substr(begin, end - begin);
  }
  // After the brackets with which the letters from `at` on begin: the [1][2] of x[1][2]. Nowhere if one is open.
  [[nodiscard]] std::size_t after_subscripts(std::size_t at) const {
    while (letter(at) == '[') {
      const std::size_t end = brackets_.closing(at);
      if (end == kNowhere) return kNowhere;
      at = next(end + 1);
    }
    return at;
  }
  // Whether = or += stands at a place, and no comparison.
  [[nodiscard]] bool assigns(std::size_t at) const {
    const char c = letter(at), then = letter(at + 1);
    if (c == '=') return then != '=';
    if ((c == '<' || c == '>') && then == c) return letter(at + 2) == '=';
    return std::string_view("+-*/%&|^").find(c) != kNowhere && c != '\0' && then == '=';
  }

  Initials& out_;
  std::string_view code_;
  const Brackets& brackets_;
  std::string_view reader_;
  std::size_t scope_ = 0;
  std::size_t reader_ends_ = 0;  // of the arguments of a call of the reader
};

class Initials::CReading : Reading {
 public:
  using Reading::Reading;

  void read() {
    for (std::size_t at = 0; at < code_.size();) {
      const char c = code_[at];
      if (c == '{') open(at, brackets_.closing(at), loops_.contains(at));
      if (c == '}' && scope_ != 0 && out_.scopes_[scope_].end == at) scope_ = out_.scopes_[scope_].parent;
      if (!is_word(c)) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < code_.size() && is_word(code_[end])) ++end;
      if (c < '0' || c > '9') word(at, end);
      at = end;
    }
  }

 private:
  void word(std::size_t begin, std::size_t end) {
    const std::string_view name = code_.substr(begin, end - begin);
    const std::size_t after = next(end), last = before(begin);
    if (is_one_of(name, {"for", "while"}) && letter(after) == '(' && brackets_.closing(after) != kNowhere)
      loops_.insert(next(brackets_.closing(after) + 1));
    if (name == "do") loops_.insert(after);
    if (name.find(reader_) != kNowhere) {
      const std::size_t call = letter(after) == ')' ? next(after + 1) : after;
      if (letter(call) == '(' && brackets_.closing(call) != kNowhere) reader_ends_ = brackets_.closing(call);
      return;
    }
    if (last > 0 && (code_[last - 1] == '.' || code_.substr(0, last).ends_with("->"))) return;
    if (declares(begin, after)) declare(name, begin, after);
    else if (changes(begin, after)) change(name, begin);
  }

  // Whether a type stands in front of a name, and a declarator can go on after it.
  [[nodiscard]] bool declares(std::size_t begin, std::size_t after) const {
    const std::size_t last = before(begin);
    if (last == 0) return false;
    const char c = code_[last - 1];
    if (std::string_view("=;,)({[:").find(letter(after)) == kNowhere || code_.substr(after, 2) == "==") return false;
    if (c == ',') return is_list_or_value(after) && reader_ends_ < begin;
    if (is_word(c))
      return !is_one_of(word_before(last), {"return", "case", "goto", "new", "delete", "else", "throw", "sizeof",
                                            "co_return", "and", "or", "not"});
    if (c == '>') return last > 1 && letter(after) != '(';
    return (c == '*' || c == '&') && letter(after) != '(' && letter(after) != '[' && begins_with_type(before(last - 1));
  }
  // Whether what ends at `end` is a type at the begin of a statement or of a parameter, and no factor.
  [[nodiscard]] bool begins_with_type(std::size_t end) const {
    if (end > 0 && code_[end - 1] == '>') return true;
    const std::string_view type = word_before(end);
    const std::size_t start = before(end - type.size());
    return !type.empty() &&
           (start == 0 || is_word(code_[start - 1]) || std::string_view(";{}(,:").find(code_[start - 1]) != kNowhere);
  }
  // The rest of `uint64_t a[2] = {1, 2}, b[2] = {3, 4};`.
  [[nodiscard]] bool is_list_or_value(std::size_t after) const {
    const std::size_t sign = after_subscripts(after);
    return sign != kNowhere &&
           ((letter(sign) == '=' && letter(sign + 1) != '=') || (sign != after && letter(sign) == '{'));
  }

  void declare(std::string_view name, std::size_t begin, std::size_t after) {
    std::size_t at = after_subscripts(after);
    if (at == kNowhere) return bind(name, {}, begin);
    const bool given = letter(at) == '=';
    if (given) at = next(at + 1);
    if (letter(at) == '{' && brackets_.closing(at) - at < kLongestInitial)
      return bind(name, code_.substr(at, brackets_.closing(at) + 1 - at), begin);
    std::size_t end = at;
    const std::size_t most = std::min(code_.size(), at + kLongestWord);
    while (given && end < most && std::string_view(",;){}").find(code_[end]) == kNowhere)
      end = std::string_view("([").find(code_[end]) != kNowhere && brackets_.closing(end) != kNowhere
                ? brackets_.closing(end) + 1
                : end + 1;
    bind(name, given && end < most ? trimmed(code_.substr(at, end - at)) : std::string_view(), begin);
  }

  [[nodiscard]] bool changes(std::size_t begin, std::size_t after) const {
    const std::size_t last = before(begin), sign = after_subscripts(after);
    if (sign == kNowhere) return true;
    const std::string_view front = code_.substr(0, last), back = code_.substr(sign);
    if (assigns(sign) || back.starts_with("++") || back.starts_with("--") || front.ends_with("++") ||
        front.ends_with("--"))
      return true;
    if (begin < reader_ends_) return false;
    if (sign == after && (letter(sign) == '.' || code_.substr(sign, 2) == "->")) return true;
    const bool address = front.ends_with('&') && !front.ends_with("&&") && (last < 2 || !is_operand(before(last - 1)));
    const bool argument =
        (front.ends_with('(') || front.ends_with(',')) && (letter(sign) == ',' || letter(sign) == ')');
    return address || (argument && sign == after && !is_sizeof(last));
  }
  [[nodiscard]] bool is_operand(std::size_t end) const {
    return end > 0 && (is_word(code_[end - 1]) || code_[end - 1] == ')' || code_[end - 1] == ']');
  }
  [[nodiscard]] bool is_sizeof(std::size_t open) const { return word_before(before(open - 1)) == "sizeof"; }

  std::unordered_set<std::size_t> loops_;  // places of their braces
};

class Initials::PythonReading : Reading {
 public:
  using Reading::Reading;

  void read() {
    Statements statements(code_, 0);
    std::vector<std::pair<std::size_t, std::size_t>> open_at;  // indents and scopes
    while (const auto statement = statements.next()) {
      while (!open_at.empty() && statement->indent <= open_at.back().first) {
        out_.scopes_[open_at.back().second].end = statement->begin;
        scope_ = out_.scopes_[open_at.back().second].parent;
        open_at.pop_back();
      }
      const std::string_view text = code_.substr(statement->begin, statement->end - statement->begin);
      const bool loop = starts_with_word(text, "for") || starts_with_word(text, "while");
      if (opens_scope(text) || loop) {
        // A loop is a scope here only so that what changes in it is found; its names are the function's.
        open(statement->begin, code_.size(), loop);
        open_at.emplace_back(statement->indent, scope_);
      }
      take(statement->begin, statement->end, opens_scope(text) || loop);
    }
  }

 private:
  // A name that is assigned belongs to the function, and not to the loop.
  void bind_here(std::string_view name, std::string_view value, std::size_t at) {
    const std::size_t kept = scope_;
    while (out_.scopes_[scope_].loop) scope_ = out_.scopes_[scope_].parent;
    bind(name, value, at);
    scope_ = kept;
  }

  void take(std::size_t begin, std::size_t end, bool head) {
    const std::string_view text = code_.substr(begin, end - begin);
    const std::size_t sign = head ? 0 : end_of_targets(text);
    if (starts_with_word(text, "for")) end = begin + std::min(find_word(text, "in"), text.size());
    if (starts_with_word(text, "while")) return;
    for (std::size_t at = begin; at < end;) {
      std::size_t stop = at;
      while (stop < end && is_word(code_[stop])) ++stop;
      if (stop == at) {
        ++at;
        continue;
      }
      const bool is_name = code_[at] < '0' || code_[at] > '9';
      if (is_name && (at == begin || code_[at - 1] != '.')) word(at, stop, begin + sign, end, head);
      at = stop;
    }
  }

  // `sign`: where the statement's last '=' stands, or its begin.
  void word(std::size_t begin, std::size_t end, std::size_t sign, std::size_t last, bool head) {
    const std::string_view name = code_.substr(begin, end - begin);
    std::size_t whole = end;  // of self.encode
    while (whole < last && (is_word(code_[whole]) || code_[whole] == '.')) ++whole;
    const std::size_t after = next(end), call = next(whole);
    if (code_.substr(begin, whole - begin).find(reader_) != kNowhere) {
      if (letter(call) == '(' && brackets_.closing(call) != kNowhere) reader_ends_ = brackets_.closing(call);
      return;
    }
    if (head) return bind_here(name, {}, begin);  // a parameter, what a loop counts, or a word that nobody asks for
    if (begin < sign) {
      const bool plain =
          after == sign && letter(sign - 1) != ':' && std::string_view("+-*/%&|^@").find(letter(sign - 1)) == kNowhere;
      const bool typed = letter(after) == ':';
      if (letter(after) == '[') change(name, begin);
      else
        bind_here(name,
                  (plain || typed) && last - sign <= kLongestInitial ? trimmed(code_.substr(sign + 1, last - sign - 1))
                                                                     : std::string_view(),
                  begin);
    } else if (begin >= reader_ends_) {
      const std::size_t start = before(begin);
      const char front = start > 0 ? code_[start - 1] : '\0';
      const bool argument = (front == '(' || front == ',') && (letter(after) == ',' || letter(after) == ')');
      const bool method = letter(after) == '.';
      if (method || (argument && !is_one_of(word_before(before(start > 0 ? start - 1 : 0)), {"len", "print", "range"})))
        change(name, begin);
    }
  }
};

Initials::Initials(SourceLanguage language, std::string_view code, const Brackets& brackets, std::string_view reader) {
  if (language == SourceLanguage::C) CReading(*this, code, brackets, reader).read();
  else PythonReading(*this, code, brackets, reader).read();
}

std::optional<std::size_t> Initials::scope_at(std::size_t place) const {
  const auto after = std::ranges::upper_bound(scopes_, place, {}, &Scope::begin);
  std::size_t out = static_cast<std::size_t>(after - scopes_.begin()) - 1;
  for (std::size_t k = 0; k < kMostClosed; ++k) {
    if (out == 0 || place < scopes_[out].end) return out;
    out = scopes_[out].parent;
  }
  return std::nullopt;
}

const Initials::Bound* Initials::find(std::string_view name, std::size_t scope, std::size_t& in) const {
  const auto known = bound_.find(name);
  if (known == bound_.end()) return nullptr;
  for (std::size_t deep = 0; deep < kDeepestScope; ++deep, scope = scopes_[scope].parent) {
    const auto here = known->second.find(scope);
    if (here != known->second.end()) return in = scope, &here->second;
    if (scope == 0) break;
  }
  return nullptr;
}

std::variant<std::string_view, NoInitial> Initials::at(std::string_view name, std::size_t place, bool kept) const {
  std::size_t in = 0;
  const auto scope = scope_at(place);
  const Bound* bound = scope ? find(name, *scope, in) : nullptr;
  if (bound == nullptr || bound->begin > place) return NoInitial{fmt::format("the text gives '{}' no value", name)};
  if (bound->value.empty())
    return NoInitial{fmt::format("'{}' is declared without a value, or by what is not read", name)};
  std::size_t limit = place;
  for (std::size_t each = *scope; each != in; each = scopes_[each].parent)
    if (scopes_[each].loop) limit = scopes_[each].end;
  if ((kept ? bound->rebound : bound->changed) < limit)
    return NoInitial{fmt::format("'{}' is bound twice, or may be changed before the call", name)};
  return bound->value;
}

}  // namespace vl::use
