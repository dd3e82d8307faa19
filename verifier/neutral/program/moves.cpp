#include "verifier/neutral/program/moves.h"

#include "encodings/base/check.h"

namespace vl::neutral::program {

Index place_of(const Node& node, const Point& index) {
  Index out = 0;
  for (std::size_t i = 0; i < index.size(); ++i) out = out * node.dimensions[i].padded() + index[i];
  return out;
}

Region region_at(const Node& node, const Point& index) {
  Region out = 0;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] >= node.dimensions[i].size) out |= Region{1} << i;
  return out;
}

std::optional<Source> source_of(const Program& program, const Node& node, const Point& index) {
  const Node& of = program.nodes[node.operands[0]];
  Source out{node.operands[0], index};
  const auto is_beyond = [&](std::size_t axis) { return index[axis] >= node.dimensions[axis].size; };
  switch (node.kind) {
    case Kind::Transpose:
      for (std::size_t i = 0; i < index.size(); ++i) out.index[node.axes[i]] = index[i];
      return out;
    case Kind::Broadcast:
      out.index.assign(of.dimensions.size(), 0);
      for (std::size_t i = 0; i < out.index.size(); ++i)
        if (node.axes[i] != kNowhere) out.index[i] = index[node.axes[i]];
      return out;
    case Kind::Slice:
      if (is_beyond(node.axes[0])) return std::nullopt;
      out.index[node.axes[0]] = node.first + index[node.axes[0]] * node.step;
      return out;
    case Kind::Reverse:
      for (const std::size_t axis : node.axes) {
        if (is_beyond(axis)) return std::nullopt;
        out.index[axis] = node.dimensions[axis].size - 1 - index[axis];
      }
      return out;
    case Kind::Concat: {
      if (is_beyond(node.axes[0])) return std::nullopt;
      Index& place = out.index[node.axes[0]];
      for (const std::size_t operand : node.operands) {
        const Index size = program.nodes[operand].dimensions[node.axes[0]].size;
        if (place < size) return Source{operand, out.index};
        place -= size;
      }
      break;
    }
    case Kind::Reshape: {
      if (region_at(node, index) != 0) return std::nullopt;
      Index place = 0;
      for (std::size_t i = 0; i < index.size(); ++i) place = place * node.dimensions[i].size + index[i];
      out.index.assign(of.dimensions.size(), 0);
      for (std::size_t i = out.index.size(); i-- > 0;) {
        out.index[i] = place % of.dimensions[i].size;
        place /= of.dimensions[i].size;
      }
      return out;
    }
    default: break;
  }
  VL_CHECK(false, "an operation that moves nothing");
  return std::nullopt;
}

}  // namespace vl::neutral::program
