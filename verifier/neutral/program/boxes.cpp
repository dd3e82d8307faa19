#include "verifier/neutral/program/boxes.h"

#include <algorithm>

namespace vl::neutral::program {
namespace {

using AllBreaks = std::vector<std::vector<Breaks>>;

Breaks united(Breaks a, const Breaks& b) {
  a.each = a.each || b.each;
  for (const Index index : b.at) a.add(index);
  return a;
}

// What of a part of a dimension is seen after it was moved: [from, end) begins at `to`.
void add_shifted(Breaks& out, const Breaks& of, Index from, Index end, Index to) {
  out.each = out.each || of.each;
  out.add(to);
  for (const Index index : of.at)
    if (index > from && index < end) out.add(index - from + to);
}

bool is_constant(const Dimension& dimension, const Breaks& breaks) {
  return !breaks.each && breaks.after(0).value_or(dimension.size) >= dimension.size;
}

std::vector<Breaks> of_reduction(const Node& node, const std::vector<Breaks>& of) {
  std::vector<Breaks> out;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const bool axis = std::ranges::find(node.axes, i) != node.axes.end();
    if (!axis) out.push_back(of[i]);
    else if (node.keep) out.emplace_back();
  }
  return out;
}

std::vector<Breaks> of_row(const Node& node, std::vector<Breaks> of) {
  const std::size_t axis = node.axes[0];
  const bool constant = node.operation == Operation::Softmax || node.operation == Operation::LayerNorm ||
                        node.operation == Operation::RmsNorm;
  if (constant) return of;
  if (node.dimensions.size() < of.size()) return of.erase(of.begin() + static_cast<std::ptrdiff_t>(axis)), of;
  of[axis] = Breaks{};
  of[axis].each = true;
  return of;
}

// Groups of dimensions of as many elements on both sides: one that is only given another place keeps its breakpoints,
// and of several that are constant the result is constant.
std::vector<Breaks> of_reshape(const Node& node, const Node& source, const std::vector<Breaks>& of) {
  std::vector<Breaks> out(node.dimensions.size());
  const auto sized = [](const std::vector<Dimension>& dimensions) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
      if (dimensions[i].size > 1) places.push_back(i);
    return places;
  };
  const std::vector<std::size_t> from = sized(source.dimensions), to = sized(node.dimensions);
  for (std::size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    const std::size_t first_from = i, first_to = j;
    Index before = source.dimensions[from[i++]].size, after = node.dimensions[to[j++]].size;
    while (before != after)
      if (before < after) before *= source.dimensions[from[i++]].size;
      else after *= node.dimensions[to[j++]].size;
    bool constant = true;
    for (std::size_t k = first_from; k < i; ++k)
      constant = constant && is_constant(source.dimensions[from[k]], of[from[k]]);
    if (i == first_from + 1 && j == first_to + 1) add_shifted(out[to[first_to]], of[from[first_from]], 0, before, 0);
    else
      for (std::size_t k = first_to; k < j; ++k) out[to[k]].each = !constant;
  }
  return out;
}

// Of a function each operand counts where it has the result's size; beside that it is one element.
std::vector<Breaks> of_function(const Program& program, const Node& node, const AllBreaks& of) {
  std::vector<Breaks> out(node.dimensions.size());
  for (const std::size_t operand : node.operands)
    for (std::size_t i = 0; i < out.size() && i < of[operand].size(); ++i) {
      const std::size_t from = of[operand].size() - 1 - i, to = out.size() - 1 - i;
      const Breaks& theirs = of[operand][from];
      if (program.nodes[operand].dimensions[from].size == node.dimensions[to].size) out[to] = united(out[to], theirs);
    }
  return out;
}

std::vector<Breaks> of_concat(const Program& program, const Node& node, const AllBreaks& of) {
  const std::size_t axis = node.axes[0];
  std::vector<Breaks> out(node.dimensions.size());
  Index place = 0;
  for (const std::size_t operand : node.operands) {
    const Index size = program.nodes[operand].dimensions[axis].size;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (i == axis) add_shifted(out[i], of[operand][i], 0, size, place);
      else out[i] = united(out[i], of[operand][i]);
    place += size;
  }
  return out;
}

std::vector<Breaks> breaks_of(const Program& program, std::size_t at, const AllBreaks& of) {
  const Node& node = program.nodes[at];
  const auto operand = [&](std::size_t i) -> const std::vector<Breaks>& { return of[node.operands[i]]; };
  std::vector<Breaks> out(node.dimensions.size());
  switch (node.kind) {
    case Kind::Input:
    case Kind::Unknown:
      return node.reads == Reads::Place ? of_function(program, node, of) : out;  // no run knows a slot of it
    case Kind::Pointwise: return of_function(program, node, of);
    case Kind::Cast:
    case Kind::Mask: return operand(0);
    case Kind::Reduce: return of_reduction(node, operand(0));
    case Kind::Row: return of_row(node, operand(0));
    case Kind::Matmul: {
      const std::size_t rank = out.size();
      for (std::size_t i = 0; i < rank; ++i) {
        if (i != rank - 1) out[i] = united(out[i], operand(0)[i]);
        if (i != rank - 2) out[i] = united(out[i], operand(1)[i]);
      }
      return out;
    }
    case Kind::Transpose:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = operand(0)[node.axes[i]];
      return out;
    case Kind::Reverse:
      out = operand(0);
      for (const std::size_t axis : node.axes) {
        out[axis] = Breaks{};
        out[axis].each = operand(0)[axis].each;
        for (const Index index : operand(0)[axis].at)
          if (index > 0 && index < node.dimensions[axis].size) out[axis].add(node.dimensions[axis].size - index);
      }
      return out;
    case Kind::Reshape: return of_reshape(node, program.nodes[node.operands[0]], operand(0));
    case Kind::Concat: return of_concat(program, node, of);
    case Kind::Slice: {
      out = operand(0);
      Breaks& along = out[node.axes[0]];
      along = Breaks{};
      along.each = node.step > 1;
      add_shifted(along, operand(0)[node.axes[0]], node.first, node.first + node.dimensions[node.axes[0]].size, 0);
      return out;
    }
    case Kind::Broadcast:
      for (std::size_t i = 0; i < node.axes.size(); ++i)
        if (node.axes[i] != kNowhere) out[node.axes[i]] = operand(0)[i];
      return out;
  }
  return out;
}

}  // namespace

void Breaks::add(Index index) {
  const auto place = std::ranges::lower_bound(at, index);
  if (place == at.end() || *place != index) at.insert(place, index);
}

Index Breaks::before(Index index) const { return each ? index : *(std::ranges::upper_bound(at, index) - 1); }

std::optional<Index> Breaks::after(Index index) const {
  if (each) return index + 1;
  const auto found = std::ranges::upper_bound(at, index);
  return found == at.end() ? std::nullopt : std::optional(*found);
}

Boxes::Boxes(const Program& program) : program_(program) {
  for (std::size_t at = 0; at < program.nodes.size(); ++at) {
    const Node& node = program.nodes[at];
    std::vector<Breaks> next = breaks_of(program, at, of_);
    for (std::size_t i = 0; i < next.size(); ++i)
      if (node.dimensions[i].is_padded()) next[i].add(node.dimensions[i].size);
    of_.push_back(std::move(next));
  }
}

Point Boxes::first_of(std::size_t node, Point index) const {
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = of_[node][i].before(index[i]);
  return index;
}

bool Boxes::advance(std::size_t node, Point& index) const {
  for (std::size_t i = index.size(); i-- > 0;) {
    const auto next = of_[node][i].after(index[i]);
    if (next && *next < program_.nodes[node].dimensions[i].size) return index[i] = *next, true;
    index[i] = 0;
  }
  return false;
}

}  // namespace vl::neutral::program
