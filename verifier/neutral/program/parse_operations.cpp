#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/values/state.h"
#include "verifier/neutral/program/parser.h"
#include "verifier/neutral/program/question.h"

namespace vl::neutral::program {
namespace {

std::vector<std::size_t> all_axes(const Node& node) {
  std::vector<std::size_t> out(node.dimensions.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

bool same_extents(const Dimension& a, const Dimension& b) { return a.size == b.size && a.padded() == b.padded(); }

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
      {"cast", &Parser::cast},           {"matmul", &Parser::matmul}, {"transpose", &Parser::transpose},
      {"reshape", &Parser::reshape},     {"concat", &Parser::concat}, {"slice", &Parser::slice},
      {"broadcast", &Parser::broadcast}, {"mask", &Parser::mask},     {"fill", &Parser::mask},
      {"unknown", &Parser::unknown},     {"not", &Parser::negation}};
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

void Parser::matmul(Line& line, Node& node) {
  node.kind = Kind::Matmul;
  node.operation = Operation::Dot;
  const std::size_t at = line.at();
  take_operand(line, node);
  take_operand(line, node);
  if (line.failed()) return;
  const Node &a = node_of(node.operands[0]), &b = node_of(node.operands[1]);
  const std::size_t rank = a.dimensions.size();
  bool fits = rank >= 2 && b.dimensions.size() == rank && a.type == b.type && a.type->bits > 1;
  for (std::size_t i = 0; fits && i + 2 < rank; ++i) fits = same_extents(a.dimensions[i], b.dimensions[i]);
  if (!fits || !same_extents(a.dimensions[rank - 1], b.dimensions[rank - 2]))
    return line.fail(ErrorCode::Shape,
                     fmt::format("matmul takes […,M,K] and […,K,N] of one type, K padded alike; {} is {} and {} is {}",
                                 a.name, shape_in_words(a), b.name, shape_in_words(b)),
                     at);
  node.type = a.type;
  node.dimensions = a.dimensions;
  node.dimensions[rank - 1] = b.dimensions[rank - 1];
  if (node.dimensions[rank - 1].name == node.dimensions[rank - 2].name) node.dimensions[rank - 1].name.clear();
  arithmetic(line, node);
}

void Parser::transpose(Line& line, Node& node) {
  node.kind = Kind::Transpose;
  take_operand(line, node);
  const Token order = line.take("an order of dimensions, as (1,0)");
  const auto parts = listed(line, order, '(', ')', "an order of dimensions, as (1,0)");
  if (line.failed()) return;
  const Node& of = node_of(node.operands[0]);
  node.type = of.type;
  for (const Token& part : parts) {
    const std::size_t from = dimension(line, part, of);
    if (line.failed()) return;
    node.axes.push_back(from);
    node.dimensions.push_back(of.dimensions[from]);
  }
  std::vector<std::size_t> sorted = node.axes;
  std::ranges::sort(sorted);
  const bool all = sorted.size() == of.dimensions.size() && std::ranges::adjacent_find(sorted) == sorted.end();
  if (!all) line.fail(ErrorCode::Shape, fmt::format("expected each dimension of {} once", of.name), order.offset);
}

void Parser::reshape(Line& line, Node& node) {
  node.kind = Kind::Reshape;
  take_operand(line, node);
  const Token token = line.take("sizes, as [1056]");
  const std::vector<Index> size = sizes(line, token, '[', ']', "sizes, as [1056]");
  if (line.failed()) return;
  const Node& of = node_of(node.operands[0]);
  node.type = of.type;
  Index before = 1, after = 1;
  for (const Dimension& dimension : of.dimensions) before *= dimension.size;  // below 2^62, as it is padded
  for (const Index extent : size) {
    node.dimensions.push_back({"", extent, 1});
    const auto product = checked_mul(after, extent);
    if (!product) return line.fail(ErrorCode::Overflow, "too many elements", token.offset);
    after = *product;
  }
  if (before != after)
    return line.fail(ErrorCode::Shape, fmt::format("{} has {} elements, and the shape {}", of.name, before, after),
                     token.offset);
  check_rank(line, node, token.offset);
  const std::string_view next = line.peek();
  if (next.starts_with("tile") || next.starts_with("stick")) tiled(line, node);
}

void Parser::concat(Line& line, Node& node) {
  node.kind = Kind::Concat;
  const std::size_t at = line.at();
  do take_operand(line, node);
  while (!line.at_end() && line.peek() != "over");
  line.expect("over");
  if (line.failed()) return;
  const Node& first = node_of(node.operands[0]);
  const Token where{line.peek(), line.at()};
  node.axes = {dimension(line, where, first)};
  if (line.failed()) return;
  line.take("a dimension");
  node.type = first.type;
  node.dimensions = first.dimensions;
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const Node& other = node_of(node.operands[i]);
    bool fits = other.type == first.type && other.dimensions.size() == first.dimensions.size();
    for (std::size_t d = 0; fits && d < first.dimensions.size(); ++d)
      fits = d == node.axes[0] ? other.dimensions[d].granule == first.dimensions[d].granule
                               : same_extents(other.dimensions[d], first.dimensions[d]);
    if (!fits)
      return line.fail(ErrorCode::Shape,
                       fmt::format("{} is {} and {} is {}; all but that dimension have to agree", first.name,
                                   shape_in_words(first), other.name, shape_in_words(other)),
                       at);
    node.dimensions[node.axes[0]].size += other.dimensions[node.axes[0]].size;  // of at most 2000 sizes up to 2^32
  }
}

void Parser::slice(Line& line, Node& node) {
  node.kind = Kind::Slice;
  take_operand(line, node);
  line.expect("over");
  if (line.failed()) return;
  const Node& of = node_of(node.operands[0]);
  node.axes = {dimension(line, {line.peek(), line.at()}, of)};
  if (line.failed()) return;
  line.take("a dimension");
  line.expect("at");
  const Token range = line.take("FIRST..END, as 0..16");
  if (line.failed()) return;
  const std::size_t dots = range.text.find("..");
  const auto first = natural(range.text.substr(0, dots));
  const auto end = dots == std::string_view::npos ? std::nullopt : natural(range.text.substr(dots + 2));
  const Index size = of.dimensions[node.axes[0]].size;
  if (!first || !end || *first >= *end || *end > size)
    return line.fail(ErrorCode::Value,
                     fmt::format("expected FIRST..END with FIRST < END <= {}, found '{}'", size, shown(range)),
                     range.offset);
  node.type = of.type;
  node.dimensions = of.dimensions;
  node.first = *first;
  node.dimensions[node.axes[0]].size = *end - *first;
}

void Parser::broadcast(Line& line, Node& node) {
  node.kind = Kind::Broadcast;
  take_operand(line, node);
  if (line.failed()) return;
  const Node& of = node_of(node.operands[0]);
  node.type = of.type;
  node.axes = all_axes(of);
  if (line.accept("to")) return broadcast_to(line, node);
  line.expect("over");
  const Token where{line.peek(), line.at()};
  const std::size_t axis = dimension(line, where, of);
  if (line.failed()) return;
  line.take("a dimension");
  line.expect("to");
  const Token size{line.peek(), line.at()};
  const Index extent = line.integer("a size");
  if (line.failed()) return;
  if (extent < 1 || extent > Index{1} << 32)
    return line.fail(ErrorCode::Value, fmt::format("expected a size from 1 to 2^32, found '{}'", shown(size)),
                     size.offset);
  if (of.dimensions[axis].size != 1)
    return line.fail(
        ErrorCode::Shape,
        fmt::format("dimension {} of {} has the size {}, and not 1", shown(where), of.name, of.dimensions[axis].size),
        where.offset);
  node.axes[axis] = kNowhere;
  node.dimensions = of.dimensions;
  node.dimensions[axis].size = extent;
}

// The sizes, then the places of the operand's dimensions, then a tile for the others.
void Parser::broadcast_to(Line& line, Node& node) {
  const Token token = line.take("sizes, as [4,33]");
  const std::vector<Index> size = sizes(line, token, '[', ']', "sizes, as [4,33]");
  const Node& of = node_of(node.operands[0]);
  for (const Index extent : size) node.dimensions.push_back({"", extent, 1});
  check_rank(line, node, token.offset);
  std::vector<std::size_t> places;
  const Token where{line.peek(), line.at()};
  if (where.text.starts_with('('))
    for (const Token& part : listed(line, line.take(""), '(', ')', "dimensions, as (0,1)"))
      places.push_back(dimension(line, part, node));
  else
    for (std::size_t i = 0; i < of.dimensions.size(); ++i) places.push_back(size.size() + i - of.dimensions.size());
  if (!line.at_end()) tiled(line, node);
  if (line.failed()) return;
  std::vector<std::size_t> sorted = places;
  std::ranges::sort(sorted);
  bool fits = places.size() == of.dimensions.size() && std::ranges::adjacent_find(sorted) == sorted.end();
  for (std::size_t i = 0; fits && i < places.size(); ++i) {
    fits = places[i] < size.size() && (of.dimensions[i].size == size[places[i]] || of.dimensions[i].size == 1);
    if (!fits) break;
    const bool longer = of.dimensions[i].size != size[places[i]];
    if (!longer) node.dimensions[places[i]] = of.dimensions[i];
    node.axes[i] = longer ? kNowhere : places[i];
  }
  if (!fits)
    line.fail(ErrorCode::Shape,
              fmt::format("{} is {}: each of its dimensions needs one of the result, of the same size or from 1",
                          of.name, shape_in_words(of)),
              token.offset);
}

void Parser::mask(Line& line, Node& node) {
  node.kind = Kind::Mask;
  take_operand(line, node);
  if (line.failed()) return;
  const Node& of = node_of(node.operands[0]);
  node.type = of.type;
  node.dimensions = of.dimensions;
  if (line.peek() != "with") {
    for (const Token& part : split(line.peek(), ',', line.at())) {
      const Region found = region(line, part, of);
      if (!line.failed()) node.masked.push_back(found);
    }
    if (!line.failed()) line.take("a region");
  } else
    for (Region region = 1; region < of.regions(); ++region)
      if (exists(of, region)) node.masked.push_back(region);
  line.expect("with");
  const Token number = line.until({});
  if (line.failed()) return;
  node.value = this->number(line, number, *node.type);
}

void Parser::unknown(Line& line, Node& node) {
  node.kind = Kind::Unknown;
  node.elementwise = line.accept("pointwise");
  const Token words = line.take("what the operation is called, in quotes");
  if (words.text.size() < 3 || words.text.front() != '"' || words.text.back() != '"')
    line.fail(ErrorCode::Syntax,
              fmt::format("expected what the operation is called, in quotes, found '{}'", shown(words)), words.offset);
  if (line.failed()) return;
  node.words = printable(std::string(words.text.substr(1, words.text.size() - 2)));
  while (!line.at_end() && line.peek() != "->") take_operand(line, node);
  line.expect("->");
  if (node.elementwise) {
    node.type = type(line, line.take("a type"));
    return line.failed() ? void() : join(line, node);
  }
  tensor(line, node);
  if (!line.at_end()) placement(line, node);
}

}  // namespace vl::neutral::program
