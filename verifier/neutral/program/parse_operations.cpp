#include <fmt/format.h>

#include <algorithm>

#include "encodings/values/state.h"
#include "verifier/neutral/program/parser.h"
#include "verifier/neutral/program/question.h"

namespace vl::neutral::program {
namespace {

// Trees of one element per term.
bool is_reduction(std::optional<Operation> operation) {
  return operation && (*operation <= Operation::SumOfSquares || *operation == Operation::Mean);
}
bool is_of_rows(std::optional<Operation> operation) {
  return operation && is_row(*operation) && *operation < Operation::Pointwise;
}

}  // namespace

void Parser::operation(Line& line, const Token& word, Node& node) {
  static const std::vector<std::pair<std::string_view, void (Parser::*)(Line&, Node&)>> kWords{
      {"cast", &Parser::cast},
      {"matmul", &Parser::matmul},
      {"transpose", &Parser::transpose},
      {"reshape", &Parser::reshape},
      {"concat", &Parser::concat},
      {"slice", &Parser::slice},
      {"broadcast", &Parser::broadcast},
      {"mask", &Parser::mask},
      {"fill", &Parser::mask},
      {"unknown", &Parser::unknown},
      {"not", &Parser::negation},
      {"reverse", &Parser::reverse},
      {"pad", &Parser::pad}};
  if (line.failed()) return;
  const auto found = std::ranges::find(kWords, word.text, &decltype(kWords)::value_type::first);
  if (found != kWords.end()) return (this->*found->second)(line, node);
  const auto reduced = find_operation(word.text);
  const auto function = find_function(word.text);
  // max and min are both; a function has a second operand.
  const std::string_view second = line.peek_second();
  const bool has_second = is_number(second) || names_.contains(second);
  if (is_of_rows(reduced) || (is_reduction(reduced) && (!function || !has_second))) {
    node.operation = *reduced;
    take_operand(line, node);
    return reduction(line, node);
  }
  if (function && *function != Function::Cast) {
    node.function = *function;
    return pointwise(line, word, node);
  }
  if (reduced && *reduced != Operation::Dot)
    return line.fail(ErrorCode::Value,
                     fmt::format("a program has no {}: its reductions are sum, prod, max, min, any, all, sumsq, mean, "
                                 "rows (softmax, layernorm, argmax, …) and matmul",
                                 shown(word)),
                     word.offset);
  line.fail(ErrorCode::Value, fmt::format("'{}' is no operation here", shown(word)), word.offset);
}

void Parser::rule(Line& line, Node& node) {
  const Token word = line.take("nan-wins, nan-loses or x86");
  node.said.push_back(values::Entry::Max);
  if (word.text == "nan-wins") node.rule = values::MaxRule::NanWins;
  else if (word.text == "nan-loses") node.rule = values::MaxRule::NanLoses;
  else if (word.text == "x86") node.rule = values::MaxRule::X86;
  else
    line.fail(ErrorCode::Value, fmt::format("expected nan-wins, nan-loses or x86, found '{}'", shown(word)),
              word.offset);
}

void Parser::cast(Line& line, Node& node) {
  node.kind = Kind::Cast;
  take_operand(line, node);
  const Token word = line.take("a type");
  node.type = type(line, word);
  if (line.failed()) return;
  node.dimensions = node_of(node.operands[0]).dimensions;
}

// How a reduction or matmul accumulates: what every option says, and what does not fit together.
void Parser::arithmetic(Line& line, Node& node) {
  const std::size_t start = line.at();
  node.accumulate = node.type;
  std::vector<std::string_view> said;
  while (!line.at_end()) {
    const Token option{line.peek(), line.at()};
    if (std::ranges::find(said, option.text) != said.end())
      return line.fail(ErrorCode::Value, fmt::format("'{}' is said twice", shown(option)), option.offset);
    said.push_back(option.text);
    if (line.accept("accumulate")) {
      node.accumulate = type(line, line.take("a type"));
      node.said.push_back(values::Entry::Accumulate);
    } else if (line.accept("from")) {
      const Token word = line.take("first or +0");
      if (word.text != "first" && word.text != "+0")
        line.fail(ErrorCode::Value, fmt::format("expected first or +0, found '{}'", shown(word)), word.offset);
      node.start = word.text == "+0" ? Start::Zero : Start::First;
      node.said.push_back(values::Entry::Start);
    } else if (line.accept("order")) {
      const Token word = line.take("any or seq");
      if (word.text != "any" && word.text != "seq")
        line.fail(ErrorCode::Value, fmt::format("expected any or seq, found '{}'", shown(word)), word.offset);
      node.tree = word.text == "seq" ? Tree::Sequential : Tree::Any;
      node.said.push_back(values::Entry::Order);
    } else if (line.accept("rule")) rule(line, node);
    else if (node.kind != Kind::Row && line.accept("fused")) {
      node.fused = true;
      node.said.push_back(values::Entry::Fused);
    } else if (node.kind == Kind::Reduce && line.accept("keep")) node.keep = true;
    else if (row_option(line, node)) continue;
    else
      line.fail(fmt::format("expected accumulate, from, order, rule{}{}{}, found {}",
                            node.kind == Kind::Row ? "" : ", fused", node.kind == Kind::Reduce ? ", keep" : "",
                            node.kind == Kind::Row ? fmt::format(" or an option of {}", name(node.operation)) : "",
                            line.found()));
  }
  if (line.failed()) return;
  Question question = question_of(program_, node, CodeSet::all(*node.type));
  question.equal = Equality::AnyNan;  // what it is, the whole program says
  if (std::string message = misfit(question); !message.empty()) line.fail(ErrorCode::Value, std::move(message), start);
}

void Parser::reduction(Line& line, Node& node) {
  node.kind = is_row(node.operation) ? Kind::Row : Kind::Reduce;
  if (line.failed()) return;
  const Node& of = node_of(node.operands[0]);
  const bool all = node.kind == Kind::Reduce && line.peek() != "over";
  if (!all) line.expect("over");
  if (line.failed()) return;
  const std::size_t at = line.at();
  if (all) node.axes = all_axes(of);
  else node.axes = axes(line, of);
  if (!line.failed() && node.axes.empty())
    return line.fail(ErrorCode::Shape, fmt::format("{} has no dimension to reduce", of.name), node.operands_at[0]);
  node.type = of.type;
  using enum Operation;
  const bool of_truths =
      node.operation == Any || node.operation == All || node.operation == Max || node.operation == Min;
  if (!line.failed() && of.type->bits == 1 && !of_truths)
    return line.fail(ErrorCode::Value, fmt::format("{} has no meaning for i1", name(node.operation)),
                     node.operands_at[0]);
  if (!line.failed() && node.kind == Kind::Row && node.axes.size() != 1)
    return line.fail(ErrorCode::Shape, fmt::format("a row of {} is along one dimension", name(node.operation)), at);
  arithmetic(line, node);
  if (!line.failed() && node.kind == Kind::Row) result_of_row(line, node, at);
  if (!line.failed()) shape_of_reduction(node);
}

void Parser::unknown(Line& line, Node& node) {
  node.kind = Kind::Unknown;
  if (line.accept("pointwise")) node.reads = Reads::Place;
  else if (line.accept("elements")) node.reads = Reads::Elements;
  else if (line.accept("numbers")) node.reads = Reads::Numbers;
  const Token words = line.take("what the operation is called, in quotes");
  if (words.text.size() < 3 || words.text.front() != '"' || words.text.back() != '"')
    line.fail(ErrorCode::Syntax,
              fmt::format("expected what the operation is called, in quotes, found '{}'", shown(words)), words.offset);
  if (line.failed()) return;
  node.words = printable(std::string(words.text.substr(1, words.text.size() - 2)));
  while (!line.at_end() && line.peek() != "->") take_operand(line, node);
  line.expect("->");
  if (node.reads == Reads::Place) {
    node.type = type(line, line.take("a type"));
    return line.failed() ? void() : join(line, node);
  }
  tensor(line, node);
  if (!line.at_end()) placement(line, node);
}

}  // namespace vl::neutral::program
