// The parser of programs: operations that only move elements.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/values/state.h"
#include "verifier/neutral/program/parser.h"

namespace vl::neutral::program {

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
  const bool strided = line.accept("step");
  const Token step{line.peek(), line.at()};
  const Index by = strided ? line.integer("how far elements are apart") : 1;
  if (line.failed()) return;
  if (by < 1 || by > Index{1} << 32)
    return line.fail(ErrorCode::Value, fmt::format("expected a step from 1 to 2^32, found '{}'", shown(step)),
                     step.offset);
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
  node.step = by;
  node.dimensions[node.axes[0]].size = (*end - *first + by - 1) / by;
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

void Parser::reverse(Line& line, Node& node) {
  node.kind = Kind::Reverse;
  take_operand(line, node);
  const auto parts = listed(line, line.take("dimensions, as (0,1)"), '(', ')', "dimensions, as (0,1)");
  if (line.failed()) return;
  const Node& of = node_of(node.operands[0]);
  node.type = of.type;
  node.dimensions = of.dimensions;
  for (const Token& part : parts) {
    const std::size_t axis = dimension(line, part, of);
    if (std::ranges::find(node.axes, axis) != node.axes.end())
      line.fail(ErrorCode::Value, fmt::format("dimension {} twice", shown(part)), part.offset);
    node.axes.push_back(axis);
  }
}

std::vector<Index> Parser::amounts(Line& line, std::string_view word, const Node& of) {
  line.expect(word);
  const Token token = line.take("numbers, as (0,1)");
  std::vector<Index> out;
  for (const Token& part : listed(line, token, '(', ')', "numbers, as (0,1)")) {
    const bool negative = part.text.starts_with('-');
    const auto value = natural(part.text.substr(negative ? 1 : 0));
    if (!value || *value > Index{1} << 32) {
      line.fail(ErrorCode::Value, fmt::format("expected a number up to 2^32, found '{}'", shown(part)), part.offset);
      return {};
    }
    out.push_back(negative ? -*value : *value);
  }
  if (!line.failed() && out.size() != of.dimensions.size())
    line.fail(ErrorCode::Shape, fmt::format("{} has {} dimensions", of.name, of.dimensions.size()), token.offset);
  return out;
}

// What is put beside elements: a constant, or the element of a tensor that has no other.
std::size_t Parser::beside(Line& line, const Node& node, const Token& value, const Node& shape) {
  const auto named = names_.find(value.text);
  Node made;
  made.type = shape.type;
  made.dimensions = shape.dimensions;
  if (named != names_.end() && !node_of(named->second).constant) {
    if (!node_of(named->second).dimensions.empty() || node_of(named->second).type != made.type)
      line.fail(
          ErrorCode::Shape,
          fmt::format("expected a number or {}[], found {}", made.type->name, shape_in_words(node_of(named->second))),
          value.offset);
    made.kind = Kind::Broadcast;
    made.operands = {named->second};
    made.operands_at = {value.offset};
  } else {
    made.constant = true;
    made.contents =
        named != names_.end() ? node_of(named->second).contents : CodeSet::of(number(line, value, *made.type));
    made.padding.assign(made.regions(), CodeSet::all(*made.type));
    if (named != names_.end() && node_of(named->second).type != made.type)
      line.fail(ErrorCode::Shape, fmt::format("expected a number of {}", made.type->name), value.offset);
  }
  return line.failed() ? 0 : implicit(line, node, std::move(made));
}

// As slices that cut and concatenations that put something before and behind; the last one is what the line names.
void Parser::pad(Line& line, Node& node) {
  take_operand(line, node);
  if (line.failed()) return;
  const std::size_t source = node.operands[0], place = node.operands_at[0];
  const std::vector<Index> low = amounts(line, "low", node_of(source)), high = amounts(line, "high", node_of(source));
  line.expect("with");
  const Token value = line.take("a number or a name");
  Node made;  // all that is there, so far; at first the operand as it is
  made.kind = Kind::Broadcast;
  if (line.failed()) return;
  made.type = node_of(source).type;
  made.dimensions = node_of(source).dimensions;
  made.operands = {source};
  made.operands_at = {place};
  made.axes = all_axes(made);
  for (std::size_t axis = 0; axis < low.size() && !line.failed(); ++axis) {
    const Index cut_low = std::max<Index>(-low[axis], 0), cut_high = std::max<Index>(-high[axis], 0);
    const Index left = made.dimensions[axis].size - cut_low - cut_high;
    if (left < 1)
      return line.fail(ErrorCode::Shape,
                       fmt::format("nothing is left of dimension {} of {}", axis, node_of(source).name), place);
    if (cut_low + cut_high > 0) made = moved(line, node, std::move(made), Kind::Slice, axis);
    made.first = cut_low;
    made.dimensions[axis].size = left;
    const Index before = std::max<Index>(low[axis], 0), behind = std::max<Index>(high[axis], 0);
    if (before + behind == 0 || line.failed()) continue;
    Node shape = made;
    made = moved(line, node, std::move(made), Kind::Concat, axis);
    const auto add = [&](Index count, bool first) {
      if (count == 0 || line.failed()) return;
      shape.dimensions[axis].size = count;
      const std::size_t added = beside(line, node, value, shape);
      made.operands.insert(first ? made.operands.begin() : made.operands.end(), added);
      made.operands_at.push_back(place);
      made.dimensions[axis].size += count;
    };
    add(before, true), add(behind, false);
  }
  made.name = node.name, made.line = node.line, made.offset = node.offset;
  node = std::move(made);
}

// An operation along an axis of what was there, which becomes a node of its own, unless that is an operand as it is.
Node Parser::moved(Line& line, const Node& node, Node before, Kind kind, std::size_t axis) {
  Node out;
  out.kind = kind;
  out.type = before.type;
  out.dimensions = before.dimensions;
  out.axes = {axis};
  out.operands_at = before.operands_at;
  out.operands_at.resize(1);
  if (before.kind == Kind::Broadcast) out.operands = before.operands;
  else out.operands = {implicit(line, node, std::move(before))};
  return out;
}

}  // namespace vl::neutral::program
