// torch.fx: the code that print_readable and TORCH_LOGS=aot_graphs print, and graphs, a node a line. Values may be
// views of others: what a call writes in place is gone under each of its names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/fx_call.h"
#include "encodings/program/fx_values.h"

namespace vl::program {
namespace {

using python::Kind;
using python::Node;
using python::Statement;

constexpr const char* kNoShapes =
    "it states no shapes: print_readable() states them, and so does a graph whose nodes have types";

// Names are those of either form, without '%'.
std::string_view bare(std::string_view name) { return name.substr(name.starts_with('%') ? 1 : 0); }

// The source and the number of x[1], or operator.getitem(x, 1); nothing for another expression.
std::optional<std::pair<std::string_view, Index>> item_of(const Node& value) {
  const auto of = [](const Node& source, const Node& index) -> std::optional<std::pair<std::string_view, Index>> {
    const auto number = python::integer_of(index);
    if (source.kind != Kind::Name || !number) return std::nullopt;
    return std::pair(bare(source.text), *number);
  };
  if (value.kind == Kind::Item && value.parts.size() == 2) return of(value.parts[0], value.parts[1]);
  const auto call = fx_call(value);
  if (call && call->callee.ends_with("operator.getitem") && call->given.size() == 2)
    return of(*call->given[0], *call->given[1]);
  return std::nullopt;
}

class Graph {
 public:
  Graph(const PythonText& text, mlir::Function& out) : text_(text), out_(out) {}

  [[nodiscard]] bool has_types() const { return has_types_; }
  [[nodiscard]] bool has_end() const { return has_end_; }

  // A tensor that the graph does not make.
  void parameter(std::string_view name, std::string_view annotation) {
    const std::string_view type = typed(annotation);
    std::string value = values_.fresh(name);
    out_.arguments.push_back({value, type});
    values_.define(name, {std::move(value), type, FxValues::kOutside});
  }

  // What follows says of results that are several which of them are used, and their types.
  void expect(const Statement& statement) {
    if (statement.value.text == "None") return;
    for (const Node& target : statement.targets) ++assigned_[std::string(bare(target.text))];
    if (statement.targets.size() != 1) return;
    constexpr Index kMost = 64;
    if (const auto item = item_of(statement.value); item && item->second >= 0 && item->second < kMost)
      items_[std::string(item->first)].emplace(item->second, &statement);
  }

  void take(const Statement& statement) {
    const Node& value = statement.value;
    if (statement.word == "return") return give_out(statement, value);
    const bool none = value.kind == Kind::Name && value.text == "None" && statement.type.empty();
    if (none || statement.word == "del") return;  // values that are not used again
    const bool simple = statement.targets.size() == 1 && statement.targets[0].kind == Kind::Name &&
                        statement.targets[0].text.find('.') == std::string_view::npos;
    const std::string_view target = simple ? bare(statement.targets[0].text) : std::string_view();
    if (const auto node = fx_node(value); node && node->word != "call_function") {
      if (node->word == "output") {
        const auto call = fx_call(value);
        if (call && call->given.size() == 1) return give_out(statement, *call->given[0]);
      }
      if (simple && (node->word == "placeholder" || node->word == "get_attr")) return parameter(target, statement.type);
    }
    const bool is_part = value.kind == Kind::Name && values_.find(stem(value.text)) != nullptr;
    if (simple && value.kind == Kind::Name && (!is_part || value.text.find('.') == std::string_view::npos)) {
      if (const auto* known = values_.find(bare(value.text))) return values_.define(target, FxValues::Held(*known));
      return parameter(target, statement.type);
    }
    if (const auto item = simple ? item_of(value) : std::nullopt) {
      const auto known = results_.find({std::string(item->first), item->second});
      const auto* source = values_.find(item->first);
      if (known != results_.end() && source != nullptr && source->writer == kSeveral)
        return values_.define(target, FxValues::Held(known->second));
    }
    const auto call = fx_call(value);
    if (call && (simple || statement.targets.empty())) return operation(statement, *call);
    // Whatever it is, it may write what it names, and gives nothing that is known.
    FxCall other{"an expression", &value, {}, {}, false};
    for (const Node& each : statement.targets) other.given.push_back(&each);
    operation(statement, other);
    std::vector<std::string_view> names;
    for (const Node& each : statement.targets) names_in(each, names);
    for (const std::string_view name : names) values_.forget(name);
  }

 private:
  static constexpr std::string_view kSeveral = "a call with several results";

  std::string_view typed(std::string_view annotation) {
    std::string type = fx_type(annotation);
    if (type.empty()) return {};
    has_types_ = true;
    return text_.kept->keep(std::move(type));
  }

  mlir::Operation& made(const Statement& statement, std::string_view name) {
    mlir::Operation& out = out_.body.operations.emplace_back();
    out.name = name, out.offset = statement.offset, out.length = statement.length;
    return out;
  }

  // "x" of "x.T".
  static std::string_view stem(std::string_view name) { return bare(name.substr(0, name.find('.'))); }

  // The tensors that an expression names, and what else it does.
  void names_in(const Node& node, std::vector<std::string_view>& out) const {
    const bool is_part = node.kind == Kind::Name && values_.find(stem(node.text)) != nullptr;
    if (node.kind == Kind::Name && !is_word(node.text)) out.push_back(is_part ? stem(node.text) : bare(node.text));
    for (const Node& part : node.parts) names_in(part, out);
  }

  // Whether a name is no tensor's.
  static bool is_word(std::string_view name) {
    constexpr std::array<std::string_view, 6> kWords{"None", "True", "False", "inf", "nan", "device"};
    return name.starts_with("torch.") || std::ranges::find(kWords, name) != kWords.end();
  }

  void give_out(const Statement& statement, const Node& value) {
    mlir::Operation& given = made(statement, "return");
    give_out(value, given);
    has_end_ = true;
  }
  void give_out(const Node& value, mlir::Operation& given) {
    const bool several = value.kind == Kind::Tuple || value.kind == Kind::List;
    if (several)
      for (const Node& part : value.parts) give_out(part, given);
    else if (value.kind == Kind::Name && value.text != "None")
      given.operands.push_back(values_.value_of(bare(value.text)));
    else if (value.kind != Kind::Name) given.operands.emplace_back("expression?");
  }

  void operation(const Statement& statement, const FxCall& call) {
    mlir::Operation& out = made(statement, call.callee);
    const bool writes = may_write(call);
    const AtenRow* row = call.whole && !writes ? find_aten(call.callee) : nullptr;
    std::vector<std::string_view> names;
    if (is_foreign(call)) names_in(*call.called, names);  // x of x.add_(1)
    for (const Node* node : call.given) names_in(*node, names);
    for (const auto& [key, node] : call.named) names_in(*node, names);
    if (row != nullptr) fill(out, *row, call, statement.type);
    if (row == nullptr || !out.refused.empty()) {
      out.operands.clear();
      for (const std::string_view name : names) out.operands.push_back(values_.value_of(name));
      if (is_foreign(call)) out.operands.emplace_back("?");  // it may read what it does not name
    }
    const std::size_t memory = values_.fresh_memory();
    const bool apart = row != nullptr && !is_view(row->row.form);
    for (const std::string_view name : names)
      if (const auto* known = values_.find(name); known != nullptr && !apart) values_.join(memory, known->memory);
    if (is_foreign(call)) values_.join(memory, FxValues::kOutside);
    if (writes) values_.write(memory, call.callee);
    give_results(statement, out, memory);
  }

  static bool is_view(Form form) {
    return form == Form::Same || form == Form::Reshape || form == Form::Transpose || form == Form::Permute ||
           form == Form::Slice || form == Form::Broadcast || form == Form::Cast;
  }

  void give_results(const Statement& statement, mlir::Operation& out, std::size_t memory) {
    if (statement.targets.size() != 1) return;
    const std::string target(bare(statement.targets[0].text));
    const auto several = items_.find(target);
    if (const std::string_view type = typed(statement.type);
        !type.empty() || several == items_.end() || assigned_[target] != 1) {
      out.results.push_back(values_.fresh(target));
      if (!type.empty()) out.outputs.push_back(type);
      return values_.define(target, {out.results[0], type, memory});
    }
    for (Index i = 0; i <= several->second.rbegin()->first; ++i) {
      const auto used = several->second.find(i);
      const bool is_used = used != several->second.end();
      const std::string_view name = is_used ? bare(used->second->targets[0].text) : std::string_view(target);
      out.results.push_back(values_.fresh(name));
      out.outputs.push_back(is_used ? typed(used->second->type) : std::string_view());
      results_[{target, i}] = {out.results.back(), out.outputs.back(), memory};
    }
    values_.define(target, {"", {}, memory, kSeveral});
  }

  [[nodiscard]] std::optional<mlir::TensorType> type_of(const Node& node) const {
    const auto* known = node.kind == Kind::Name ? values_.find(bare(node.text)) : nullptr;
    return known == nullptr ? std::nullopt : mlir::tensor_type(known->type);
  }

  void fill(mlir::Operation& out, const AtenRow& row, const FxCall& call, std::string_view annotation) {
    FxBound given = bound(row, call);
    out.refused = given.why;
    for (const Node* node : given.operands)
      if (out.refused.empty()) operand(*node, row.row, given, out);
    if (out.refused.empty() && row.row.form == Form::Pointwise) out.refused = other_types(row.row, given, annotation);
    if (!out.refused.empty()) return;
    const auto from = given.operands.empty() ? std::nullopt : type_of(*given.operands[0]);
    if (out.refused.empty() && row.row.form == Form::Slice) out.refused = given.slice(from);
    if (out.refused.empty() && row.row.form == Form::Pad) out.refused = given.pad(from);
    const std::string result = fx_type(annotation);
    const auto type = mlir::tensor_type(result);
    for (const char* key : {"value", "fill_value", "min", "max"})
      if (const std::string* number = given.attribute(key))
        if (!type || !has_number(type->element, *number)) out.refused = fmt::format("{} is rounded", *number);
    std::string properties;
    for (const auto& [key, value] : given.attributes)
      properties += fmt::format("{}{} = {}", properties.empty() ? "" : ", ", key, value);
    out.properties = text_.kept->keep(std::move(properties));
  }

  void operand(const Node& node, const Row& row, const FxBound& given, mlir::Operation& out) {
    const bool truth = node.text == "True" || node.text == "False";
    if ((node.kind == Kind::Number || truth) && row.form == Form::Pointwise) {
      const std::string number = number_in_language(truth ? node.text == "True" ? "true" : "false" : node.text);
      const std::string element = element_of(row, given);
      if (number.empty() || !has_number(element, number)) out.refused = fmt::format("{} is rounded", node.text);
      out.operands.push_back(fmt::format("={} {}", element, number));
      return;
    }
    const auto* known = node.kind == Kind::Name ? values_.find(bare(node.text)) : nullptr;
    if (known == nullptr) out.refused = fmt::format("its operand {} is not known", node.text.substr(0, 40));
    else if (known->value.empty()) out.refused = fmt::format("{} may have written {}", known->writer, node.text);
    else out.operands.push_back(known->value);
  }

  // The type in which it computes: `where` does in that of what it chooses from.
  [[nodiscard]] std::string element_of(const Row& row, const FxBound& given) const {
    for (std::size_t i = row.word == "where" ? 1 : 0; i < given.operands.size(); ++i)
      if (const auto type = type_of(*given.operands[i])) return std::string(type->element);
    return {};
  }

  // torch converts operands to a type of all, and integers to floats where it divides; programs do not.
  [[nodiscard]] std::string other_types(const Row& row, const FxBound& given, std::string_view annotation) const {
    constexpr std::array<std::string_view, 10> kTruths{"eq", "ne", "lt", "le", "gt", "ge", "eqz", "and", "or", "xor"};
    const std::string element = element_of(row, given);
    for (std::size_t i = row.word == "where" ? 1 : 0; i < given.operands.size(); ++i)
      if (const auto type = type_of(*given.operands[i]); type && type->element != element)
        return fmt::format("it converts {} to {}", type->element, element);
    const std::string whole = fx_type(annotation);
    const auto type = mlir::tensor_type(whole);
    if (!type) return "its result has no type";
    const bool truth = type->element == "i1" && std::ranges::find(kTruths, row.word) != kTruths.end();
    return type->element == element || truth ? "" : fmt::format("it converts {} to {}", element, type->element);
  }

  const PythonText& text_;
  mlir::Function& out_;
  FxValues values_;
  std::map<std::pair<std::string, Index>, FxValues::Held> results_;
  std::map<std::string, std::map<Index, const Statement*>> items_;  // of a value with several results, by number
  std::map<std::string, int> assigned_;
  bool has_types_ = false, has_end_ = false;
};

// Whether a statement is a node of a printed graph.
bool is_node(const Statement& statement) {
  const auto node = fx_node(statement.value);
  return node && statement.read && statement.targets.size() == 1;
}

// Where the statements of a function or a graph end that begins at `first`: behind its return.
std::size_t end_of(const std::vector<Statement>& all, std::size_t first, bool graph) {
  std::size_t at = graph ? first : first + 1;
  while (at < all.size()) {
    const Statement& each = all[at];
    if (!graph && each.indent <= all[first].indent) break;
    if (each.word == "return") return at + 1;
    if (graph && !is_node(each)) break;
    if (graph && fx_node(each.value)->word == "output") return at + 1;
    ++at;
  }
  return at;
}

// What of a function is not a graph; empty: it is one.
std::string why_no_graph(std::span<const Statement> body) {
  for (const Statement& each : body) {
    if (!each.read) return "a line cannot be read";
    if (!each.word.empty() && each.word != "return" && each.word != "del")
      return fmt::format("which way it goes is not known: `{}`", each.word);
  }
  return {};
}

std::optional<mlir::Function> function_at(const PythonText& text, std::size_t first, std::size_t end, bool graph) {
  const Statement& head = text.statements[first];
  const std::span<const Statement> body =
      std::span(text.statements).subspan(graph ? first : first + 1, end - first - (graph ? 0 : 1));
  const bool calls = std::ranges::any_of(body, [](const Statement& each) {
    const auto call = fx_call(each.value);
    return call && call->callee.starts_with("torch.ops.");
  });
  mlir::Function out = text.function(graph ? "@graph" : "@forward", head.offset);
  if (!graph && head.value.kind == Kind::Call) out.name = fmt::format("@{}", head.value.parts[0].text);
  Graph read(text, out);
  if (!graph)
    for (std::size_t i = 1; i < head.value.parts.size(); ++i) {
      const Node& each = head.value.parts[i];
      if (const std::string_view name = each.key.empty() ? each.text : each.key; name != "self")
        read.parameter(name, each.type);
    }
  out.refused = head.read ? why_no_graph(body) : "its arguments cannot be read";
  for (const Statement& each : body) read.expect(each);
  if (out.refused.empty())
    for (const Statement& each : body) read.take(each);
  if (!calls && !(graph && end > first + 1) && !read.has_types()) return std::nullopt;
  if (out.refused.empty() && !read.has_types()) out.refused = kNoShapes;
  if (out.refused.empty() && !read.has_end()) out.refused = "it has no return";
  out.refused_at = head.offset;
  if (!out.refused.empty()) out.body = {};
  return out;
}

}  // namespace

std::vector<mlir::Function> fx_functions_of(const PythonText& text) {
  std::vector<mlir::Function> out;
  const std::vector<Statement>& all = text.statements;
  for (std::size_t at = 0; at < all.size();) {
    const bool graph = is_node(all[at]);
    if (!graph && (all[at].word != "def" || all[at].value.kind != Kind::Call)) {
      ++at;
      continue;
    }
    const std::size_t end = end_of(all, at, graph);
    if (auto function = function_at(text, at, end, graph)) out.push_back(std::move(*function));
    // A function may stand within another one.
    at = graph ? std::max(end, at + 1) : at + 1;
  }
  return out;
}

}  // namespace vl::program
