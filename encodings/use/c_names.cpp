#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "encodings/map/expression.h"
#include "encodings/use/c_declarations.h"
#include "encodings/use/c_text.h"
#include "encodings/use/stated_numbers.h"

namespace vl::use {
namespace {

constexpr int kMostLookupsOfC = 64;   // names by names
constexpr std::size_t kMostOfC = 64;  // declarations of a name in a scope

struct CScope {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t parent = 0;  // the file is scope 0, its own parent
  bool of_enumeration = false;
};

struct CBound {
  std::size_t begin = 0;   // of the statement
  std::string value = {};  // empty: not known
};

class CNames : public NamesOfSource {
 public:
  explicit CNames(std::string_view text) : source_(plain_c(text)) {
    scopes_.push_back({0, text.size(), 0, false});
    read();
    for (const CDefine& define : source_.defines)
      macros_[define.name].push_back({define.offset, c_value(define.value)});
  }

  [[nodiscard]] bool binds() const override { return !bound_.empty() || !macros_.empty(); }

  [[nodiscard]] std::vector<StatedNumber> numbers(std::string_view name, std::size_t at) const override {
    if (broken_ || quoted_at(at) != nullptr) return {};
    int work = kMostLookupsOfC;
    return numbers_of(std::string(name), at, work);
  }

  [[nodiscard]] std::optional<std::size_t> defined(std::string_view name, std::size_t) const override {
    const auto known = functions_.find(std::string(name));
    return broken_ || known == functions_.end() ? std::nullopt : std::optional(known->second);
  }

  [[nodiscard]] bool in_prose(std::size_t at) const override {
    const Quoted* quoted = quoted_at(at);
    return quoted != nullptr && (quoted->comment || !quoted->in_brackets);
  }

  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> statement(std::size_t at) const override {
    if (quoted_at(at) != nullptr) return std::nullopt;
    const std::string_view text = source_.text;
    const std::size_t begin = text.substr(0, at).find_last_of(";{}");
    const std::size_t end = text.find(';', at);
    return std::pair(begin == std::string_view::npos ? 0 : begin + 1, std::min(end, text.size()));
  }

 private:
  [[nodiscard]] const Quoted* quoted_at(std::size_t at) const {
    const auto behind = std::ranges::upper_bound(source_.quoted, at, {}, &Quoted::begin);
    if (behind == source_.quoted.begin() || at >= std::prev(behind)->end) return nullptr;
    return &*std::prev(behind);
  }

  // Cuts the text into scopes and statements.
  void read() {
    const std::string_view text = source_.text;
    struct Open {
      std::size_t scope;
      int depth;
    };
    std::vector<Open> open = {{0, 0}};
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size() && !broken_; ++at) {
      const char c = text[at];
      int& depth = open.back().depth;
      if (c == '(' || c == '[') ++depth;
      else if (c == ')' || c == ']') --depth;
      else if (c == '{' && opens_c_scope(text.substr(start, at - start), text.substr(at), depth)) {
        const std::string_view head = text.substr(start, at - start);
        scopes_.push_back({at, text.size(), open.back().scope, is_enumeration(head)});
        take(head, start, scopes_.size() - 1);
        if (const std::string_view name = function_name(head); !name.empty())
          functions_.try_emplace(std::string(name), at - head.size() + head.find(name));
        open.push_back({scopes_.size() - 1, 0});
        start = at + 1;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && depth > 0) {
        --depth;
      } else if (c == '}') {
        broken_ = open.size() == 1 || depth != 0;
        if (broken_) break;
        const std::size_t scope = open.back().scope;
        take(text.substr(start, at - start), start, scopes_[scope].of_enumeration ? scopes_[scope].parent : scope);
        scopes_[scope].end = at;
        open.pop_back();
        start = at + 1;
      } else if (c == ';' && depth == 0) {
        take(text.substr(start, at - start), start, open.back().scope);
        start = at + 1;
      }
      broken_ = broken_ || open.back().depth < 0;
    }
    broken_ = broken_ || open.size() != 1;
  }

  void take(std::string_view statement, std::size_t begin, std::size_t scope) {
    for (auto& [name, value] : declarations_of(statement)) {
      const std::size_t at = begin + std::min(statement.find_first_not_of(" \t\r\n"), statement.size());
      bound_[name][scope].push_back({at, std::move(value)});
    }
  }

  [[nodiscard]] std::size_t scope_at(std::size_t at) const {
    const auto behind = std::ranges::upper_bound(scopes_, at, {}, &CScope::begin);
    std::size_t out = static_cast<std::size_t>(behind - scopes_.begin()) - 1;
    while (out != 0 && at >= scopes_[out].end) out = scopes_[out].parent;
    return out;
  }

  // The declarations that a place sees, in the innermost scope that has one; null if there is none.
  [[nodiscard]] const std::vector<CBound>* bound_at(const std::string& name, std::size_t at) const {
    const auto known = bound_.find(name);
    const auto macro = macros_.find(name);
    if (macro != macros_.end()) return known == bound_.end() ? &macro->second : nullptr;
    if (known == bound_.end()) return nullptr;
    for (std::size_t scope = scope_at(at);; scope = scopes_[scope].parent) {
      const auto here = known->second.find(scope);
      if (here != known->second.end()) return &here->second;
      if (scope == 0) return nullptr;
    }
  }

  // `work`: how many more names may be looked up.
  [[nodiscard]] std::vector<StatedNumber> numbers_of(const std::string& name, std::size_t at, int& work) const {
    std::vector<StatedNumber> out;
    const std::vector<CBound>* all = --work < 0 ? nullptr : bound_at(name, at);
    if (all == nullptr || all->size() > kMostOfC) return out;
    const std::vector<std::size_t> here = source_.branches_at(at);
    for (const CBound& one : *all) {
      const std::vector<std::size_t> there = source_.branches_at(one.begin);
      if (source_.exclude(here, there)) continue;
      if (one.value.empty() || one.begin > at) return {};
      const auto value = value_of(one.value, one.begin, work);
      if (!value) return {};
      out.push_back({*value, one.begin, there.empty() ? 0 : there.back() + 1});
    }
    return out;
  }

  [[nodiscard]] std::optional<Index> value_of(const std::string& text, std::size_t at, int& work) const {
    Cursor in(text);
    const map::Expression expression = map::take_c_expression(in);
    in.expect_end();
    if (in.failed()) return std::nullopt;
    std::vector<std::string> names;
    map::add_names(expression, names);
    map::Sizes sizes;
    for (const std::string& name : names) {
      const auto numbers = numbers_of(name, at, work);
      if (numbers.size() != 1 || numbers.front().value < 0) return std::nullopt;
      sizes[name] = numbers.front().value;
    }
    const auto value = map::evaluate(expression, sizes);
    constexpr Index kOfInt = 0x7fffffff;  // beyond it the type matters
    return value && *value <= kOfInt && *value >= 0 ? std::optional(*value) : std::nullopt;
  }

  CText source_;
  std::vector<CScope> scopes_;
  std::unordered_map<std::string, std::unordered_map<std::size_t, std::vector<CBound>>> bound_;  // by scopes
  std::unordered_map<std::string, std::vector<CBound>> macros_;
  std::unordered_map<std::string, std::size_t> functions_;
  bool broken_ = false;  // braces that do not match: of no name the scope is known
};

}  // namespace

std::unique_ptr<NamesOfSource> c_names(std::string_view text) { return std::make_unique<CNames>(text); }

}  // namespace vl::use
