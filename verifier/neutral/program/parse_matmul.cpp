// The parser of programs: matmul. Which dimensions of its operands go together is said by a broadcast of each, so that
// they have the same batch and one dimension more that is theirs: the operation itself is […,M,K] by […,K,N].
#include <fmt/format.h>

#include <algorithm>

#include "verifier/neutral/program/parser.h"

namespace vl::neutral::program {
namespace {

bool has(const std::vector<std::size_t>& all, std::size_t one) { return std::ranges::find(all, one) != all.end(); }

void clear_repeated_names(std::vector<Dimension>& dimensions) {
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (dimensions[i].name == dimensions[j].name) dimensions[i].name.clear();
}

}  // namespace

std::vector<std::size_t> Parser::dimensions_in(Line& line, const Node& of) {
  std::vector<std::size_t> out;
  const Token token = line.take("dimensions, as (0,1)");
  for (const Token& part : listed(line, token, '(', ')', "dimensions, as (0,1)")) {
    if (part.text.empty() && token.text == "()") continue;
    const std::size_t axis = dimension(line, part, of);
    if (has(out, axis)) line.fail(ErrorCode::Value, fmt::format("dimension {} twice", shown(part)), part.offset);
    out.push_back(axis);
  }
  return out;
}

// […,M,K] and […,K,N], or transposed; vectors are rows or columns, and fewer dimensions or a size of 1 are broadcast.
void Parser::contract_last(Line& line, const Node& a, const Node& b, Contraction& out) {
  const bool turned_a = line.accept("ta"), turned_b = line.accept("tb");
  const std::size_t of_a = a.dimensions.size(), of_b = b.dimensions.size();
  if (of_a == 0 || of_b == 0 || (turned_a && of_a < 2) || (turned_b && of_b < 2)) {
    out.fits = false;
    return;
  }
  out.contracted = {of_a - (turned_a ? 2 : 1), of_b == 1 || turned_b ? of_b - 1 : of_b - 2};
  if (of_a > 1) out.free_a = {of_a - (turned_a ? 1 : 2)};
  if (of_b > 1) out.free_b = {of_b - (turned_b ? 2 : 1)};
  const std::size_t batch_a = of_a > 2 ? of_a - 2 : 0, batch_b = of_b > 2 ? of_b - 2 : 0;
  for (std::size_t back = std::max(batch_a, batch_b); back > 0; --back)
    out.batch.emplace_back(back > batch_a ? kNowhere : batch_a - back, back > batch_b ? kNowhere : batch_b - back);
}

void Parser::contract_said(Line& line, const Node& a, const Node& b, Contraction& out) {
  line.expect("contract");
  const std::size_t at = line.at();
  const auto of_a = dimensions_in(line, a), of_b = dimensions_in(line, b);
  if (!line.failed() && (of_a.size() != 1 || of_b.size() != 1))
    return line.fail(ErrorCode::Shape, "expected one dimension of each to contract", at);
  if (line.failed()) return;
  out.contracted = {of_a[0], of_b[0]};
  std::vector<std::size_t> batch_a, batch_b;
  const bool batched = line.accept("batch");
  const std::size_t place = line.at();
  if (batched) batch_a = dimensions_in(line, a), batch_b = dimensions_in(line, b);
  if (line.failed()) return;
  if (batch_a.size() != batch_b.size() || has(batch_a, of_a[0]) || has(batch_b, of_b[0]))
    return line.fail(ErrorCode::Shape, "expected as many dimensions of each, and none that is contracted", place);
  for (std::size_t i = 0; i < batch_a.size(); ++i) out.batch.emplace_back(batch_a[i], batch_b[i]);
  for (std::size_t i = 0; i < a.dimensions.size(); ++i)
    if (i != of_a[0] && !has(batch_a, i)) out.free_a.push_back(i);
  for (std::size_t i = 0; i < b.dimensions.size(); ++i)
    if (i != of_b[0] && !has(batch_b, i)) out.free_b.push_back(i);
}

// The operand as it is, or broadcast to these dimensions, of which K is at one place and what is its own at the other.
std::size_t Parser::contracted_operand(Line& line, const Node& node, std::size_t i, std::vector<Dimension> dimensions,
                                       std::vector<std::size_t> axes) {
  const Node& of = node_of(node.operands[i]);
  if (axes == all_axes(of) && axes.size() == dimensions.size()) return node.operands[i];
  Node made;
  made.name = of.name;
  made.kind = Kind::Broadcast;
  made.type = of.type;
  made.operands = {node.operands[i]};
  made.operands_at = {node.operands_at[i]};
  made.dimensions = std::move(dimensions);
  clear_repeated_names(made.dimensions);
  made.axes = std::move(axes);
  return implicit(line, node, std::move(made));
}

void Parser::matmul(Line& line, Node& node) {
  node.kind = Kind::Matmul;
  node.operation = Operation::Dot;
  const std::size_t at = line.at();
  take_operand(line, node);
  take_operand(line, node);
  if (line.failed()) return;
  const Node a = node_of(node.operands[0]), b = node_of(node.operands[1]);
  Contraction said;
  if (line.peek() == "contract") contract_said(line, a, b, said);
  else contract_last(line, a, b, said);
  if (line.failed()) return;
  said.fits = said.fits && a.type == b.type && a.type->bits > 1 &&
              same_extents(a.dimensions[said.contracted.first], b.dimensions[said.contracted.second]);
  node.type = a.type;
  if (said.fits) product(line, node, a, b, said);
  if (!said.fits)
    return line.fail(ErrorCode::Shape,
                     fmt::format("matmul takes […,M,K] and […,K,N] of one type, K padded alike; {} is {} and {} is {}",
                                 a.name, shape_in_words(a), b.name, shape_in_words(b)),
                     at);
  if (line.failed()) return;
  arithmetic(line, node);
  if (!line.failed()) in_order(line, node, said);
}

// The batch, those that are free of a and of b but for the last ones, and these.
void Parser::product(Line& line, Node& node, const Node& a, const Node& b, Contraction& said) {
  std::vector<std::size_t> axes_a(a.dimensions.size(), kNowhere), axes_b(b.dimensions.size(), kNowhere);
  std::vector<Dimension> batch;
  for (const auto& [of_a, of_b] : said.batch) {
    const Dimension one_a = of_a == kNowhere ? Dimension{} : a.dimensions[of_a],
                    one_b = of_b == kNowhere ? Dimension{} : b.dimensions[of_b];
    const bool from_a = of_b == kNowhere || (of_a != kNowhere && one_a.size >= one_b.size);
    const Dimension& longer = from_a ? one_a : one_b;
    if (of_a != kNowhere && one_a.size == longer.size) axes_a[of_a] = batch.size();
    if (of_b != kNowhere && one_b.size == longer.size) axes_b[of_b] = batch.size();
    if (of_a != kNowhere && of_b != kNowhere && one_a.size != 1 && one_b.size != 1)
      said.fits = said.fits && same_extents(one_a, one_b);
    if (of_a != kNowhere && of_b != kNowhere && one_a.size == one_b.size)
      said.fits = said.fits && one_a.padded() == one_b.padded();
    batch.push_back(longer);
  }
  const auto add_free = [&](const Node& of, const std::vector<std::size_t>& free, std::vector<std::size_t>& axes) {
    for (std::size_t i = 0; i + 1 < free.size(); ++i)
      axes[free[i]] = batch.size(), batch.push_back(of.dimensions[free[i]]);
  };
  add_free(a, said.free_a, axes_a), add_free(b, said.free_b, axes_b);
  if (!said.fits) return;
  const std::size_t rank = batch.size() + 2;
  const Dimension m = said.free_a.empty() ? Dimension{} : a.dimensions[said.free_a.back()],
                  n = said.free_b.empty() ? Dimension{} : b.dimensions[said.free_b.back()];
  if (!said.free_a.empty()) axes_a[said.free_a.back()] = rank - 2;
  if (!said.free_b.empty()) axes_b[said.free_b.back()] = rank - 1;
  axes_a[said.contracted.first] = rank - 1, axes_b[said.contracted.second] = rank - 2;
  const auto with = [&](const Dimension& one, const Dimension& other) {
    std::vector<Dimension> out = batch;
    out.push_back(one), out.push_back(other);
    return out;
  };
  const std::size_t left = contracted_operand(line, node, 0, with(m, a.dimensions[said.contracted.first]), axes_a);
  const std::size_t right = contracted_operand(line, node, 1, with(b.dimensions[said.contracted.second], n), axes_b);
  node.operands = {left, right};
  node.dimensions = with(m, n);
  clear_repeated_names(node.dimensions);
}

// Those of a before those of b, without M or N where there is none.
void Parser::in_order(Line& line, Node& node, const Contraction& said) {
  const std::size_t batch = said.batch.size(), of_a = said.free_a.size(), of_b = said.free_b.size();
  if (of_a > 0 && of_b == 1) return;
  Node out;
  out.kind = Kind::Broadcast;
  out.type = node.type;
  for (std::size_t i = 0; i < batch; ++i) out.axes.push_back(i);
  for (std::size_t i = 0; i + 1 < of_a; ++i) out.axes.push_back(batch + i);
  for (std::size_t i = 0; i + 1 < of_b; ++i) out.axes.push_back(batch + of_a + i);
  out.axes.push_back(of_a == 0 ? kNowhere : batch + of_a - 1);
  out.axes.push_back(of_b == 0 ? kNowhere : batch + of_a + of_b - 1);
  out.dimensions.resize(batch + of_a + of_b);
  for (std::size_t i = 0; i < out.axes.size(); ++i)
    if (out.axes[i] != kNowhere) out.dimensions[out.axes[i]] = node.dimensions[i];
  out.name = node.name, out.line = node.line, out.offset = node.offset;
  out.operands_at = {node.operands_at[0]};
  out.operands = {implicit(line, out, std::move(node))};
  node = std::move(out);
}

}  // namespace vl::neutral::program
