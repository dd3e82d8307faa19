// The parser of programs: pointwise functions, numbers, and operands of several shapes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "encodings/values/state.h"
#include "verifier/neutral/program/parser.h"

namespace vl::neutral::program {
namespace {

// The decimal number in a type that has not it: rounded to f64, then into the type.
std::optional<Code> rounded(std::string_view text, const Format& type) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!type.is_float() || failed != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  const Code out = values::convert(*values::find_format("f64"), type, std::bit_cast<Code>(number));
  return values::is_finite(type, out) ? std::optional(out) : std::nullopt;
}

}  // namespace

bool Parser::is_number(std::string_view text) const {
  if (text.empty() || names_.contains(text)) return false;
  const char first = text.front();
  return (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' || text == "inf" ||
         text.starts_with("bits:");
}

Code Parser::number(Line& line, const Token& text, const Format& type) {
  const bool braces = !text.text.starts_with("bits:") && text.text != "-0";
  const std::string state = braces ? fmt::format("{{{}}}", text.text) : std::string(text.text);
  const auto value = values::parse_state(state, type, nullptr);
  if (value && value->count() == 1) return value->ranges().front().first;
  if (const auto near = rounded(text.text, type)) return *near;
  const std::string message = value ? "expected one number" : value.error().message;
  const std::size_t at = value ? 0 : value.error().offset - (braces && value.error().offset > 0 ? 1 : 0);
  line.fail(ErrorCode::Value, message, text.offset + std::min(at, text.text.size()));
  return 0;
}

std::size_t Parser::implicit(Line& line, const Node& node, Node made) {
  if (program_.nodes.size() >= kMostNodes)
    line.fail(ErrorCode::Value, fmt::format("more than {} operations", kMostNodes), node.offset);
  if (made.name.empty()) made.name = node.name;
  made.line = node.line;
  made.offset = node.offset;
  made.implicit = true;
  check_size(line, made, node.offset);
  program_.nodes.push_back(std::move(made));
  return program_.nodes.size() - 1;
}

void Parser::take_numbers(Line& line, const std::vector<Token>& tokens, Node& node) {
  // Of `where` the type is that of what is chosen from, and not of the condition.
  const auto first = tokens.begin() + (node.function == Function::Where ? 1 : 0);
  const auto is_named = [&](const Token& token) { return names_.contains(token.text); };
  auto named = std::find_if(first, tokens.end(), is_named);
  if (named == tokens.end()) named = std::ranges::find_if(tokens, is_named);
  if (named == tokens.end())
    return line.fail(ErrorCode::Value, "expected the name of an operand beside a number", tokens.front().offset);
  node.type = node_of(names_.find(named->text)->second).type;
  for (const Token& token : tokens) {
    node.operands_at.push_back(token.offset);
    if (const auto known = names_.find(token.text); known != names_.end()) {
      node.operands.push_back(known->second);
      continue;
    }
    Node made;
    made.name = token.text;
    made.type = node.type;
    made.constant = true;
    made.contents = CodeSet::of(number(line, token, *node.type));
    made.padding = {made.contents};
    if (line.failed()) return;
    node.operands.push_back(implicit(line, node, std::move(made)));
  }
}

void Parser::pointwise(Line& line, const Token& word, Node& node) {
  node.kind = Kind::Pointwise;
  std::vector<Token> tokens;
  while (tokens.size() < arity(node.function) && !line.failed()) {
    const Token token{line.peek(), line.at()};
    if (is_number(token.text)) line.take("a number");
    else operand(line);
    tokens.push_back(token);
  }
  if (line.failed()) return;
  take_numbers(line, tokens, node);
  if (line.failed()) return;
  if (node.function == Function::Where) cast_condition(line, node);
  join(line, node);
  if (line.failed()) return;
  if (!is_defined(node.function, *node.type))
    line.fail(ErrorCode::Value, fmt::format("{} has no meaning for {}", word.text, node.type->name), word.offset);
  if (line.accept("rule")) rule(line, node);
  if (line.peek() == "->") cast_result(line, node);
}

Node Parser::cast_of(std::size_t operand, const Format* type) const {
  Node out;
  out.kind = Kind::Cast;
  out.type = type;
  out.dimensions = node_of(operand).dimensions;
  out.operands = {operand};
  return out;
}

void Parser::cast_condition(Line& line, Node& node) {
  for (const Format* type : {values::find_element_format("i1"), node.type}) {
    if (line.failed() || node_of(node.operands[0]).type == node.type || node_of(node.operands[0]).type == type)
      continue;
    Node made = cast_of(node.operands[0], type);
    made.operands_at = {node.operands_at[0]};
    node.operands[0] = implicit(line, node, std::move(made));
  }
}

void Parser::cast_result(Line& line, Node& node) {
  line.expect("->");
  const Format* to = type(line, line.take("a type"));
  if (line.failed() || to == node.type) return;
  const std::string name = node.name;
  const std::size_t number = node.line, offset = node.offset;
  node = cast_of(implicit(line, node, node), to);
  node.name = name;
  node.line = number;
  node.offset = offset;
  node.operands_at = {offset};  // the line's name for it is none
}

void Parser::negation(Line& line, Node& node) {
  node.kind = Kind::Pointwise;
  node.function = Function::Xor;
  take_operand(line, node);
  if (line.failed()) return;
  node.type = node_of(node.operands[0]).type;
  if (node.type->is_float())
    return line.fail(ErrorCode::Value, fmt::format("not has no meaning for {}", node.type->name), node.operands_at[0]);
  Node ones;
  ones.type = node.type;
  ones.constant = true;
  ones.contents = CodeSet::of(node.type->mask());
  ones.padding = {ones.contents};
  node.operands.push_back(implicit(line, node, std::move(ones)));
  node.operands_at.push_back(node.operands_at[0]);
  join(line, node);
}

// The dimension of the result, counted from the last one: the longest, padded alike in all that are as long. Constants
// have a say about padding only where there is nothing else. `misfit`: the first operand that does not fit.
std::optional<Dimension> Parser::joined(const Node& node, std::size_t from_back, std::size_t& misfit) const {
  std::optional<Dimension> out;
  for (const bool constants : {false, true})
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const Node& of = node_of(node.operands[i]);
      if (of.constant != constants || from_back > of.dimensions.size()) continue;
      const Dimension& own = of.dimensions[of.dimensions.size() - from_back];
      if (!out || (out->size == 1 && own.size > 1)) {
        out = own;
        continue;
      }
      const bool same = own.size == out->size;
      if (same ? !constants && own.padded() != out->padded() : own.size != 1) return misfit = i, std::nullopt;
      if (same && out->name.empty()) out->name = own.name;
    }
  return out;
}

void Parser::join(Line& line, Node& node) {
  std::size_t rank = 0, wrong = 0;
  for (const std::size_t operand : node.operands) rank = std::max(rank, node_of(operand).dimensions.size());
  node.dimensions.assign(rank, {});
  bool fits = true;
  for (std::size_t i = 0; i < node.operands.size() && fits; ++i)
    if (node.kind == Kind::Pointwise && node_of(node.operands[i]).type != node.type) fits = false, wrong = i;
  for (std::size_t from_back = 1; from_back <= rank && fits; ++from_back) {
    const auto dimension = joined(node, from_back, wrong);
    fits = dimension.has_value();
    if (!fits) break;
    const bool taken = std::ranges::find(node.dimensions, dimension->name, &Dimension::name) != node.dimensions.end();
    node.dimensions[rank - from_back] = *dimension;
    if (taken) node.dimensions[rank - from_back].name.clear();
  }
  if (!fits) {
    wrong = std::max<std::size_t>(wrong, 1);
    const Node &one = node_of(node.operands.front()), &other = node_of(node.operands[wrong]);
    return line.fail(ErrorCode::Shape,
                     fmt::format("{} is {} and {} is {}; operands have to agree", one.name, shape_in_words(one),
                                 other.name, shape_in_words(other)),
                     node.operands_at[wrong]);
  }
  for (std::size_t i = 0; i < node.operands.size() && !line.failed(); ++i)
    node.operands[i] = joined_operand(line, node, i);
}

std::size_t Parser::joined_operand(Line& line, const Node& node, std::size_t i) {
  std::size_t operand = node.operands[i];
  const std::size_t missing = node.dimensions.size() - node_of(operand).dimensions.size();
  bool longer = missing > 0, padded_alike = true;
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < node_of(operand).dimensions.size(); ++d) {
    const Dimension &own = node_of(operand).dimensions[d], &joined = node.dimensions[missing + d];
    const bool same = own.size == joined.size;
    longer = longer || !same;
    padded_alike = padded_alike && (!same || own.padded() == joined.padded());
    axes.push_back(same ? missing + d : kNowhere);
  }
  if (!padded_alike) {  // a constant
    Node made = node_of(operand);
    CodeSet padding;
    for (Region region = 1; region < made.regions(); ++region) padding = padding.united(made.padding[region]);
    made.padding.assign(made.regions(), padding);
    for (std::size_t d = 0; d < axes.size(); ++d)
      if (axes[d] != kNowhere) made.dimensions[d] = node.dimensions[axes[d]];
    operand = implicit(line, node, std::move(made));
  }
  if (!longer || line.failed()) return operand;
  Node made;
  made.kind = Kind::Broadcast;
  made.type = node_of(operand).type;
  made.operands = {operand};
  made.operands_at = {node.operands_at[i]};
  made.dimensions = node.dimensions;
  made.axes = std::move(axes);
  return implicit(line, node, std::move(made));
}

}  // namespace vl::neutral::program
