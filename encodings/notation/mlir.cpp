// The reader of operations. A place in the text moves forward only.
#include "encodings/notation/mlir.h"

#include <algorithm>

#include "encodings/notation/mlir_text.h"

namespace vl::mlir {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text, std::size_t* operations) : text_(text), operations_(operations) {}

  // A function whose word `func.func` stands at `at`. Its end is where the reader stands then.
  Function function(std::size_t at, std::size_t& end) {
    Function out;
    out.offset = at_ = at;
    if (text_[at] == '"') {
      in_generic_form(out);
    } else {
      at_ += std::string_view("func.func").size();
      signature(out);
      skip();
      out.declared = !failed_.empty() || at_ >= text_.size() || text_[at_] != '{';
      if (!out.declared) out.body = region();
    }
    if (!failed_.empty()) {
      out.refused = failed_, out.refused_at = failed_at_;
      out.body = {};
    }
    end = std::max(at_, at + 1);
    return out;
  }

 private:
  void fail(std::string why) {
    if (!failed_.empty()) return;
    failed_ = std::move(why), failed_at_ = std::min(at_, text_.size());
  }
  void skip() { at_ = after_blank(text_, at_); }
  [[nodiscard]] bool next_is(std::string_view token) const { return text_.substr(at_, token.size()) == token; }
  bool accept(std::string_view token) {
    skip();
    if (!next_is(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view word() {
    skip();
    const std::size_t start = at_;
    at_ = end_of_word(text_, at_);
    return text_.substr(start, at_ - start);
  }
  // What stands between the bracket here and the one that closes it.
  std::string_view bracketed() {
    const std::size_t start = at_;
    const auto end = behind_bracket(text_, at_);
    if (!end) return fail("a bracket is not closed"), at_ = text_.size(), std::string_view();
    at_ = *end;
    return text_.substr(start + 1, at_ - start - 2);
  }

  static std::vector<Argument> arguments_in(std::string_view text) {
    std::vector<Argument> out;
    for (const std::string_view part : listed(text)) {
      const std::size_t colon = part.find(':');
      if (colon == std::string_view::npos) {
        out.push_back({"", part});
        continue;
      }
      std::string_view type = trimmed(part.substr(colon + 1));
      type = type.substr(0, end_of_type(type));  // attributes and a location follow
      out.push_back({std::string(trimmed(part.substr(0, colon))), type});
    }
    return out;
  }

  // "func.func"() <{function_type = (A) -> B, sym_name = "f"}> ({ ^bb0(%a: A): … }) : () -> ()
  void in_generic_form(Function& out) {
    Operation read = operation();
    const auto name = read.attribute("sym_name"), type = read.attribute("function_type");
    if (!name || name->size() < 3 || !type || read.regions.size() > 1)
      return fail("expected a function's name and type");
    out.name = "@" + std::string(name->substr(1, name->size() - 2));
    const std::size_t arrow = type->rfind("->");
    if (arrow != std::string_view::npos) out.results = types_in(type->substr(arrow + 2));
    out.declared = read.regions.empty() || read.regions[0].operations.empty();
    if (!out.declared) out.arguments = read.regions[0].arguments, out.body = std::move(read.regions[0]);
  }

  void signature(Function& out) {
    std::string_view visibility = word();
    if (visibility.empty() || visibility == "private" || visibility == "public" || visibility == "nested") skip();
    skip();
    if (at_ >= text_.size() || text_[at_] != '@') return fail("expected a function's name");
    const std::size_t start = at_++;
    if (at_ < text_.size() && text_[at_] == '"') at_ = behind_string(text_, at_);
    else at_ = end_of_word(text_, at_);
    out.name = text_.substr(start, at_ - start);
    skip();
    if (!next_is("(")) return fail("expected the function's arguments");
    out.arguments = arguments_in(bracketed());
    if (accept("->")) {
      skip();
      if (next_is("(")) {
        // Each may have attributes behind it.
        for (const std::string_view each : listed(bracketed()))
          out.results.push_back(each.substr(0, end_of_type(each)));
      } else {
        const std::size_t from = at_;
        at_ += end_of_type(text_.substr(at_));
        out.results.push_back(text_.substr(from, at_ - from));
      }
    }
    skip();
    if (next_is("attributes")) {
      word(), skip();
      if (next_is("{")) bracketed();
    }
    if (accept("loc")) {
      skip();
      if (next_is("(")) bracketed();
    }
  }

  // Operations between braces.
  Region region() {
    Region out;
    if (++depth_ > kDeepestRegion) fail("too many regions within each other");
    ++at_;
    for (std::size_t blocks = 0; failed_.empty();) {
      skip();
      if (at_ >= text_.size()) return fail("a function is not closed"), out;
      if (text_[at_] == '}') break;
      if (text_[at_] == '^') {
        out.blocks = std::max<std::size_t>(++blocks, 1);
        block(out, blocks == 1 && out.operations.empty());
        continue;
      }
      if (text_[at_] == '#' || text_[at_] == '!') {  // a name that is defined here
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (blocks == 0) blocks = 1;
      const std::size_t before = at_;
      out.operations.push_back(operation());
      if (at_ == before) fail("expected an operation");
    }
    ++at_, --depth_;
    return out;
  }

  void block(Region& out, bool first) {
    ++at_;
    word(), skip();
    if (next_is("(")) {
      auto arguments = arguments_in(bracketed());
      if (first) out.arguments = std::move(arguments);
    }
    accept(":");
  }

  Operation operation() {
    Operation out;
    if (++*operations_ > kMostOperations) fail("more than 200,000 operations");
    out.offset = at_;
    results(out);
    skip();
    if (next_is("\"")) {
      const std::size_t start = at_;
      at_ = behind_string(text_, at_);
      out.name = text_.substr(start + 1, at_ >= start + 2 ? at_ - start - 2 : 0);
      out.generic = true;
      generic(out);
    } else {
      out.name = word();
      if (out.name.empty()) return fail("expected an operation"), out;
      pretty(out);
    }
    out.length = at_ - out.offset;
    return out;
  }

  // %0 = , %a, %b = , %0:2 =
  void results(Operation& out) {
    if (!next_is("%")) return;
    do {
      skip();
      if (!next_is("%")) return fail("expected a result's name");
      const std::size_t start = at_++;
      at_ = end_of_word(text_, at_);
      const std::string name(text_.substr(start, at_ - start));
      skip();
      if (next_is(":")) {
        ++at_;
        const auto count = integers_of(word());
        if (!count || count->size() != 1 || (*count)[0] < 1 || (*count)[0] > 4096)
          return fail("expected a number of results");
        for (Index i = 0; i < (*count)[0]; ++i) out.results.push_back(name + "#" + std::to_string(i));
      } else out.results.push_back(name);
    } while (accept(","));
    if (!accept("=")) fail("expected '='");
  }

  void generic(Operation& out) {
    skip();
    if (!next_is("(")) return fail("expected the operands of an operation");
    for (const std::string_view operand : listed(bracketed())) out.operands.emplace_back(operand);
    while (failed_.empty()) {
      skip();
      if (next_is("<{")) out.properties = inner_of(bracketed());
      else if (next_is("[")) bracketed();  // successors
      else if (next_is("({")) regions(out);
      else if (next_is("{")) out.attributes = bracketed();
      else break;
    }
    if (!accept(":")) return fail("expected the types of an operation");
    skip();
    if (next_is("(")) out.inputs = listed(bracketed());
    if (!accept("->")) return fail("expected '->'");
    skip();
    if (next_is("(")) {
      out.outputs = listed(bracketed());
    } else {
      const std::size_t from = at_;
      at_ += end_of_type(text_.substr(at_));
      out.outputs.push_back(text_.substr(from, at_ - from));
    }
    location();
  }

  // `{a = 1}` within `<{a = 1}>`: the outer bracket is the angle.
  static std::string_view inner_of(std::string_view braces) {
    return braces.size() < 2 ? std::string_view() : braces.substr(1, braces.size() - 2);
  }

  void regions(Operation& out) {
    ++at_;
    do {
      skip();
      if (!next_is("{")) return fail("expected a region");
      out.regions.push_back(region());
    } while (failed_.empty() && accept(","));
    if (!accept(")")) fail("expected ')'");
  }

  void location() {
    skip();
    if (!next_is("loc(")) return;
    at_ += 3;
    bracketed();
  }

  // Up to the end of the operation, with its regions; then the types are what stands behind the last colon.
  void pretty(Operation& out) {
    const std::size_t start = at_;
    std::size_t colon = std::string_view::npos, arrow = std::string_view::npos, region_at = std::string_view::npos;
    std::vector<Argument> given;  // of regions, in front of them: of a reducer, or names of a loop
    bool reducer = false;
    while (failed_.empty() && at_ < text_.size()) {
      const std::size_t before = at_;
      at_ = after_blank(text_, at_);
      if (at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ')') break;
      if (text_.substr(before, at_ - before).find('\n') != std::string_view::npos && begins_operation(text_, at_))
        break;
      const char c = text_[at_];
      if (c == '{' && begins_region(text_, at_)) {
        if (region_at == std::string_view::npos) region_at = at_;
        out.regions.push_back(region());
        if (out.regions.back().arguments.empty()) out.regions.back().arguments = given;
      } else if (c == '(' || c == '[' || c == '{' || c == '<') {
        const std::size_t open = at_;
        const std::string_view inside = bracketed();
        if (c == '{' && colon == std::string_view::npos) out.attributes = inside;
        if (colon == std::string_view::npos && (c == '(' || c == '['))
          names_in(text_.substr(open, at_ - open), out, given);
        if (reducer && c == '(') std::ranges::move(arguments_in(inside), std::back_inserter(given));
      } else if (c == '"') {
        at_ = behind_string(text_, at_);
      } else if (c == '%') {
        const std::size_t from = at_++;
        at_ = end_of_word(text_, at_);
        if (at_ < text_.size() && text_[at_] == '#') at_ = end_of_word(text_, at_ + 1);
        if (colon == std::string_view::npos) out.operands.emplace_back(text_.substr(from, at_ - from));
      } else if (next_is("->")) {
        arrow = at_, at_ += 2;
      } else if (c == ':' && !next_is("::")) {
        colon = at_, arrow = std::string_view::npos, ++at_;
      } else if (next_is("loc(")) {
        if (region_at == std::string_view::npos) region_at = at_;
        location();
      } else {
        const std::size_t end = end_of_word(text_, at_);
        reducer = reducer || (colon != std::string_view::npos && text_.substr(at_, end - at_) == "reducer");
        if (reducer) region_at = std::min(region_at, at_);
        at_ = end > at_ ? end : at_ + 1;
      }
    }
    const std::size_t types = std::min(colon, arrow);
    const std::size_t stop =
        region_at != std::string_view::npos && types != std::string_view::npos && region_at > types ? region_at : at_;
    out.custom = text_.substr(start, std::min(types, at_) - start);
    if (colon != std::string_view::npos) {
      const std::size_t left = arrow != std::string_view::npos && arrow > colon ? arrow : stop;
      out.inputs = types_in(text_.substr(colon + 1, left - colon - 1));
      out.outputs = left == arrow ? types_in(text_.substr(arrow + 2, stop - arrow - 2)) : out.inputs;
      // Of `select %c, %a, %b : C, T` the last type is the result's.
      if (left != arrow && out.results.size() == 1 && out.outputs.size() > 1) out.outputs = {out.outputs.back()};
    } else if (arrow != std::string_view::npos) {
      out.outputs = types_in(text_.substr(arrow + 2, stop - arrow - 2));
    }
  }

  // Of `%i = %a` the first is a name that regions have for the second.
  static void names_in(std::string_view text, Operation& out, std::vector<Argument>& given) {
    for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at)) {
      std::size_t end = end_of_word(text, at + 1);
      if (end < text.size() && text[end] == '#') end = end_of_word(text, end + 1);
      const std::string_view name = text.substr(at, end - at);
      if (text.substr(after_blank(text, end), 1) == "=") given.push_back({std::string(name), {}});
      else out.operands.emplace_back(name);
      at = end;
    }
  }

  static constexpr int kDeepestRegion = 64;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t* operations_;
  int depth_ = 0;
  std::string failed_;
  std::size_t failed_at_ = 0;
};

// Names that a module defines: at the beginning of a line, with '='.
Names names_of(std::string_view module) {
  Names out;
  for (std::size_t at = 0; at < module.size(); at = std::min(module.find('\n', at), module.size() - 1) + 1) {
    const std::size_t start = std::min(module.find_first_not_of(" \t", at), module.size());
    if (start == module.size() || (module[start] != '#' && module[start] != '!')) continue;
    const std::size_t end = end_of_word(module, start + 1);
    const std::size_t equals = after_blank(module, end);
    if (end == start + 1 || module.substr(equals, 1) != "=") continue;
    const std::size_t value = after_blank(module, equals + 1);
    const std::size_t length = end_of_type(module.substr(value));
    const auto [known, is_new] = out.emplace(module.substr(start, end - start), module.substr(value, length));
    // Of two modules in one text, or of one that is wrong: which is meant is not known.
    if (!is_new && known->second != module.substr(value, length)) known->second = {};
    at = value + length;
    if (at >= module.size()) break;
  }
  std::erase_if(out, [](const auto& each) { return each.second.empty(); });
  return out;
}

// Where modules begin: at the start, and behind lines that part them.
std::vector<std::size_t> modules_of(std::string_view text) {
  std::vector<std::size_t> out{0};
  for (std::size_t at = text.find("// -----"); at != std::string_view::npos; at = text.find("// -----", at + 1))
    if (at == 0 || text[at - 1] == '\n') out.push_back(at);
  return out;
}

}  // namespace

bool has_functions(std::string_view text) { return text.find("func.func") != std::string_view::npos; }

std::vector<Function> functions_of(std::string_view text) {
  std::vector<Function> out;
  const std::vector<std::size_t> starts = modules_of(text);
  std::size_t operations = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : text.size();
    const std::string_view until = text.substr(0, end);
    std::shared_ptr<const Names> names;
    for (std::size_t at = next_function(until, starts[i]); at != std::string_view::npos;) {
      if (names == nullptr) names = std::make_shared<const Names>(names_of(until.substr(starts[i])));
      std::size_t behind = at + 1;
      Function function = Reader(until, &operations).function(at, behind);
      function.names = names, function.module = until.substr(starts[i]), function.module_offset = starts[i];
      // A function that is not closed may have swallowed those behind it.
      if (!function.refused.empty()) behind = at + 1;
      out.push_back(std::move(function));
      at = next_function(until, behind);
    }
  }
  return out;
}

}  // namespace vl::mlir
