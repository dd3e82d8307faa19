#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "encodings/map/expression.h"
#include "encodings/use/python_bindings.h"
#include "encodings/use/stated_numbers.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

constexpr int kOfFile = -1;               // the scope that is no function and no class
constexpr int kMostLookups = 64;          // names by names
constexpr std::size_t kMostStars = 16;    // from m import *
constexpr std::size_t kMostNumbers = 64;  // numbers of a name

struct Node {
  Statement of;
  int parent = kOfFile;  // the head of the block in which it stands
  int scope = kOfFile;   // the function or class around it
  int last = 0;          // the last statement of its own blocks, or itself
  std::size_t position = 0;
  std::vector<int> children = {};
  std::vector<std::string> parameters = {};
  bool opens = false;  // a scope
  bool of_class = false;
  std::string_view keyword = {};  // of a compound statement
};

struct PythonBound {
  int statement = 0;
  PythonBinding binding;
};

// What may have reached a place.
struct Reached {
  std::vector<const PythonBound*> values = {};
  bool unknown = false;

  void add(const PythonBound& one) {
    if (one.binding.value.empty()) unknown = true;
    else values.push_back(&one);
    if (values.size() > kMostNumbers) unknown = true;
  }
};

using Bindings = std::span<const PythonBound>;  // of one name in one scope, by their statements

// Those of statements first to last.
Bindings between(Bindings all, int first, int last) {
  const auto begin = std::ranges::lower_bound(all, first, {}, &PythonBound::statement);
  const auto end = std::ranges::upper_bound(all, last, {}, &PythonBound::statement);
  return begin < end ? Bindings(begin, end) : Bindings();
}

bool continues(std::string_view keyword) {
  static constexpr std::array<std::string_view, 5> kClauses = {"elif", "else", "except", "finally", "case"};
  return std::ranges::find(kClauses, keyword) != kClauses.end();
}

// Whether a statement makes symbols, which are as open as parameters: n = T.int32(), m = Var("m").
bool makes_symbol(std::string_view statement) {
  static constexpr std::array<std::string_view, 8> kMakers = {"int32", "int64",    "Var",     "SizeVar",
                                                              "var",   "size_var", "sym_int", "symbols"};
  const std::size_t equal = statement.find('=');
  return equal != std::string_view::npos && std::ranges::any_of(kMakers, [&](std::string_view maker) {
           const std::size_t at = find_word(statement, maker, equal);
           return at != std::string_view::npos && statement.substr(at + maker.size()).starts_with('(');
         });
}

class PythonNames : public NamesOfSource {
 public:
  explicit PythonNames(std::string_view text) : text_(text) {
    if (text.starts_with('\t') || text.find("\n\t") != std::string_view::npos) return;  // tabs are not counted
    Statements all(text, 0);
    std::vector<int> open;
    while (auto statement = all.next()) add(std::move(*statement), open);
    quoted_ = all.quoted();
    take_stars();
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      nodes_[k].last = std::max(nodes_[k].last, static_cast<int>(k));
      if (nodes_[k].parent != kOfFile) {
        int& last = node(nodes_[k].parent).last;
        last = std::max(last, nodes_[k].last);
      }
    }
  }

  [[nodiscard]] bool binds() const override { return !bound_.empty(); }

  [[nodiscard]] std::vector<StatedNumber> numbers(std::string_view name, std::size_t at) const override {
    const int statement = statement_at(at);
    if (statement == kOfFile || node(statement).opens || quoted_at(at) != nullptr) return {};
    int work = kMostLookups;
    return numbers_of(std::string(name), statement, work);
  }

  [[nodiscard]] std::optional<std::size_t> defined(std::string_view name, std::size_t at) const override {
    int place = statement_at(at);
    if (place == kOfFile || quoted_at(at) != nullptr) return std::nullopt;
    const std::string key(name);
    if (node(place).opens && is_parameter(key, place)) return node(place).of.begin;  // def f(x): …, on one line
    for (bool direct = true;;) {
      const int scope = node(place).scope;
      const bool seen = scope == kOfFile || direct || !node(scope).of_class;
      if (seen && is_parameter(key, scope)) return node(scope).of.begin;
      bool bound = false;
      for (const PythonBound& one : seen ? bound_in(key, scope) : Bindings()) {
        bound = true;
        const std::string& value = one.binding.value;
        const bool alias = value.size() > key.size() && value.ends_with("." + key);
        if (!one.binding.imported && !alias) return node(one.statement).of.begin;
      }
      if (bound || scope == kOfFile) return std::nullopt;
      direct = false;  // what a class binds, only its own block sees
      place = scope;
    }
  }

  [[nodiscard]] std::optional<std::size_t> computed(std::string_view name, std::size_t at) const override {
    int place = statement_at(at);
    if (place == kOfFile || quoted_at(at) != nullptr) return std::nullopt;
    const std::string key(name);
    const int statement = place;
    for (bool direct = true;;) {
      const int scope = node(place).scope;
      const bool seen = scope == kOfFile || direct || !node(scope).of_class;
      for (const PythonBound& one : seen ? bound_in(key, scope) : Bindings())
        if ((!one.binding.inner || one.statement == statement) && !makes_symbol(node(one.statement).of.text))
          return node(one.statement).of.begin;
      if (seen && is_parameter(key, scope)) return parametrized(key, scope);
      if (scope == kOfFile) return std::nullopt;
      direct = false;  // what a class binds, only its own block sees
      place = scope;
    }
  }

  [[nodiscard]] bool in_prose(std::size_t at) const override {
    const Quoted* quoted = quoted_at(at);
    return quoted != nullptr && (quoted->comment || !quoted->in_brackets);
  }

  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> statement(std::size_t at) const override {
    const int found = statement_at(at);
    if (found == kOfFile) return std::nullopt;
    return std::pair(node(found).of.begin, node(found).of.end);
  }

 private:
  Node& node(int k) { return nodes_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const Node& node(int k) const { return nodes_[static_cast<std::size_t>(k)]; }

  void add(Statement statement, std::vector<int>& open) {
    while (!open.empty() && node(open.back()).of.indent >= statement.indent) open.pop_back();
    Node out;
    out.parent = open.empty() ? kOfFile : open.back();
    if (out.parent != kOfFile) out.scope = node(out.parent).opens ? out.parent : node(out.parent).scope;
    out.keyword = compound_keyword(statement.text);
    out.opens = opens_scope(statement.text);
    out.of_class = out.opens && find_word(statement.text, "class") == 0;
    if (out.opens && !out.of_class) out.parameters = parameters_of(statement.text);
    const int here = static_cast<int>(nodes_.size());
    for (auto& [name, binding] : bindings_of(statement.text)) {
      if (binding.declared_global) globals_.insert(name);
      if (name == "*") stars_.push_back(here);
      else bound_[name][out.scope].push_back({here, std::move(binding)});
    }
    std::vector<int>& siblings = out.parent == kOfFile ? top_ : node(out.parent).children;
    out.position = siblings.size();
    siblings.push_back(here);
    out.of = std::move(statement);
    nodes_.push_back(std::move(out));
    open.push_back(here);
  }

  // What a file of that name gives, no one sees: any name may be among it.
  void take_stars() {
    if (stars_.size() > kMostStars) bound_.clear();
    for (auto& [name, scopes] : bound_)
      for (const int star : stars_) {
        const auto here = scopes.find(node(star).scope);
        if (here == scopes.end()) continue;
        const auto at = std::ranges::upper_bound(here->second, star, {}, &PythonBound::statement);
        here->second.insert(at, {star, {{}, true}});
      }
  }

  [[nodiscard]] int statement_at(std::size_t at) const {
    const auto behind = std::ranges::upper_bound(nodes_, at, {}, [](const Node& one) { return one.of.begin; });
    if (behind == nodes_.begin() || at >= std::prev(behind)->of.end) return kOfFile;
    return static_cast<int>(behind - nodes_.begin()) - 1;
  }

  [[nodiscard]] const Quoted* quoted_at(std::size_t at) const {
    const auto behind = std::ranges::upper_bound(quoted_, at, {}, &Quoted::begin);
    if (behind == quoted_.begin() || at >= std::prev(behind)->end) return nullptr;
    return &*std::prev(behind);
  }

  // Where a scope binds a name. What `import *` gives, no one sees.
  [[nodiscard]] Bindings bound_in(const std::string& name, int scope) const {
    const auto known = bound_.find(name);
    if (known == bound_.end()) return {};
    const auto here = known->second.find(scope);
    return here == known->second.end() ? Bindings() : Bindings(here->second);
  }

  [[nodiscard]] bool is_parameter(const std::string& name, int scope) const {
    return scope != kOfFile && std::ranges::find(node(scope).parameters, name) != node(scope).parameters.end();
  }

  // The decorator that lists what a parameter is: @pytest.mark.parametrize("n", [32, 64]).
  [[nodiscard]] std::optional<std::size_t> parametrized(std::string_view name, int scope) const {
    const int parent = node(scope).parent;
    const std::vector<int>& siblings = parent == kOfFile ? top_ : node(parent).children;
    for (std::size_t k = node(scope).position; k-- > 0;) {
      const Statement& of = node(siblings[k]).of;
      const std::string_view text = text_.substr(of.begin, of.end - of.begin);  // with its strings
      if (!text.starts_with('@')) break;
      if (text.find("parametrize") != std::string_view::npos && find_word(text, name) != std::string_view::npos)
        return node(siblings[k]).of.begin;
    }
    return std::nullopt;
  }

  static void add_all(Bindings all, int first, int last, Reached& out) {
    for (const PythonBound& one : between(all, first, last))
      if (!out.unknown) out.add(one);
  }
  static bool binds_at(Bindings all, int statement) { return !between(all, statement, statement).empty(); }

  // What the first `count` of these statements leave; true if one of them binds the name whatever is executed.
  bool walk_back(Bindings all, std::span<const int> statements, std::size_t count, Reached& out) const {
    while (count > 0 && !out.unknown) {
      const Bindings before = between(all, statements.front(), node(statements[count - 1]).last);
      if (before.empty()) return false;
      const auto next = std::ranges::upper_bound(statements.first(count), before.back().statement);
      std::size_t first = static_cast<std::size_t>(next - statements.begin()) - 1, last = first;  // of its clauses
      while (first > 0 && continues(node(statements[first]).keyword)) --first;
      while (last + 1 < count && continues(node(statements[last + 1]).keyword)) ++last;
      if (take_back(all, statements.subspan(first, last + 1 - first), out)) return true;
      count = first;
    }
    return out.unknown;
  }

  // The same of one statement, with its clauses.
  bool take_back(Bindings all, std::span<const int> clauses, Reached& out) const {
    const int here = clauses.front();
    const std::string_view keyword = node(here).keyword;
    if (keyword == "if") {
      bool always = node(clauses.back()).keyword == "else";
      for (const int clause : clauses) {
        if (binds_at(all, clause)) out.unknown = true;  // in its condition
        const auto& inside = node(clause).children;
        if (!walk_back(all, inside, inside.size(), out)) always = false;
      }
      return always;
    }
    if (keyword == "with" && !binds_at(all, here))
      return walk_back(all, node(here).children, node(here).children.size(), out);
    const Bindings own = between(all, here, here);
    if (keyword.empty() && !own.empty()) {
      out.add(own.back());
      return true;
    }
    add_all(all, here, node(clauses.back()).last, out);
    return false;
  }

  // What reaches the statement `place` of the scope; true if its beginning is not reached back to.
  bool reach(Bindings all, int place, Reached& out) const {
    const int scope = node(place).scope;
    // What a statement binds is bound when all of it was executed, if it is one assignment.
    const bool several = !node(place).keyword.empty() || node(place).of.text.find(';') != std::string::npos;
    for (const PythonBound& one : between(all, place, place))
      if (one.binding.inner || several) out.unknown = true;
    for (int here = place; !out.unknown;) {
      const int parent = node(here).parent;
      const std::vector<int>& siblings = parent == kOfFile ? top_ : node(parent).children;
      std::size_t count = node(here).position;
      if (continues(node(here).keyword)) {
        std::size_t first = count;
        while (first > 0 && continues(node(siblings[first]).keyword)) --first;
        const bool exclusive = node(siblings[first]).keyword == "if";
        for (std::size_t clause = first; clause < count; ++clause) {
          const int head = siblings[clause];
          if (exclusive ? binds_at(all, head) : false) out.unknown = true;
          if (!exclusive) add_all(all, head, node(head).last, out);
        }
        count = first;
      }
      if (here != place && binds_at(all, here)) out.unknown = true;  // in the head of a block around it
      if (walk_back(all, siblings, count, out)) return true;
      if (parent == scope) return false;
      if (node(parent).keyword == "for" || node(parent).keyword == "while")
        add_all(all, parent, node(parent).last, out);
      here = parent;
    }
    return true;
  }

  // From where on a scope's statements can be executed after the function at `place` is defined.
  [[nodiscard]] int first_after(int place) const {
    int out = node(place).last + 1;
    for (int here = node(place).parent; here != kOfFile && here != node(place).scope; here = node(here).parent)
      if (node(here).keyword == "for" || node(here).keyword == "while") out = here;
    return out;
  }

  // What a name may be at a statement; unknown, or without values, where that is not known.
  [[nodiscard]] Reached reached(const std::string& name, int place) const {
    Reached out;
    if (!bound_.contains(name) || globals_.contains(name)) return out;
    bool direct = true, later = false;
    for (;;) {
      const int scope = node(place).scope;
      const bool of_class = scope != kOfFile && node(scope).of_class;
      const Bindings all = of_class && !direct ? Bindings() : bound_in(name, scope);
      const bool parameter = is_parameter(name, scope);
      if (parameter || !all.empty()) {
        const bool always = reach(all, place, out);
        if (later) add_all(all, first_after(place), static_cast<int>(nodes_.size()), out);
        if (!always && (parameter || of_class)) out.unknown = true;
        return out;
      }
      if (scope == kOfFile) return out;
      if (!of_class) later = true;
      direct = false;  // what a class binds, only its own block sees
      place = scope;
    }
  }

  // `work`: how many more names may be looked up.
  [[nodiscard]] std::vector<StatedNumber> numbers_of(const std::string& name, int place, int& work) const {
    std::vector<StatedNumber> out;
    if (--work < 0) return out;
    Reached found = reached(name, place);
    if (found.unknown) return out;
    std::ranges::sort(found.values, {}, [](const PythonBound* one) { return one->statement; });
    for (const PythonBound* one : found.values) {
      const auto value = value_of(one->binding.value, one->statement, work);
      if (!value) return {};
      const Node& at = node(one->statement);
      const StatedNumber number{*value, at.of.begin, static_cast<std::size_t>(at.parent + 1)};
      const bool again = std::ranges::any_of(
          out, [&](const StatedNumber& other) { return other.value == number.value && other.offset == number.offset; });
      if (!again) out.push_back(number);
    }
    return out;
  }

  [[nodiscard]] std::optional<Index> value_of(const std::string& text, int place, int& work) const {
    const auto expression = map::parse_expression(text);
    if (!expression) return std::nullopt;
    std::vector<std::string> names;
    map::add_names(*expression, names);
    map::Sizes sizes;
    for (const std::string& name : names) {
      const auto numbers = numbers_of(name, place, work);
      if (numbers.size() != 1) return std::nullopt;
      sizes[name] = numbers.front().value;
    }
    const auto value = map::evaluate(*expression, sizes);
    return value ? std::optional(*value) : std::nullopt;
  }

  std::string_view text_;
  std::vector<Node> nodes_;
  std::vector<int> top_;  // statements of the file in no block
  std::unordered_map<std::string, std::unordered_map<int, std::vector<PythonBound>>> bound_;  // by scopes
  std::unordered_set<std::string> globals_;  // names that a function binds outside of itself
  std::vector<int> stars_;                   // from config import *
  std::vector<Quoted> quoted_;
};

}  // namespace

std::optional<std::size_t> NamesOfSource::computed(std::string_view /*name*/, std::size_t /*at*/) const {
  return std::nullopt;
}

std::unique_ptr<NamesOfSource> python_names(std::string_view text) { return std::make_unique<PythonNames>(text); }

}  // namespace vl::use
