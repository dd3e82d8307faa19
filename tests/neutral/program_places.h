// Slots of tensors of programs, and where an operation that only moves numbers takes each from.
#pragma once

#include <algorithm>
#include <optional>

#include "encodings/base/integer.h"
#include "verifier/neutral/program/judge.h"

namespace vl::test {

namespace chain = neutral::program;

struct Places {
  [[nodiscard]] static Index slots(const chain::Node& node) {
    Index out = 1;
    for (const auto& dimension : node.dimensions) out *= dimension.padded();
    return out;
  }
  [[nodiscard]] static Point index_of(const chain::Node& node, Index place) {
    Point out(node.dimensions.size());
    for (std::size_t i = out.size(); i-- > 0;) {
      out[i] = place % node.dimensions[i].padded();
      place /= node.dimensions[i].padded();
    }
    return out;
  }
  [[nodiscard]] static Index place_of(const chain::Node& node, const Point& index) {
    Index out = 0;
    for (std::size_t i = 0; i < index.size(); ++i) out = out * node.dimensions[i].padded() + index[i];
    return out;
  }
  [[nodiscard]] static chain::Region region_of(const chain::Node& node, const Point& index) {
    chain::Region out = 0;
    for (std::size_t i = 0; i < index.size(); ++i)
      if (index[i] >= node.dimensions[i].size) out |= chain::Region{1} << i;
    return out;
  }

  struct Slot {
    std::size_t node = 0;
    Index place = 0;
  };
  /// Nothing of a slot that the operation leaves as it is.
  [[nodiscard]] static std::optional<Slot> moved_from(const chain::Program& program, const chain::Node& node,
                                                      const Point& index) {
    const auto of = [&](std::size_t i) -> const chain::Node& { return program.nodes[node.operands[i]]; };
    const auto inside = [&](std::size_t axis) { return index[axis] < node.dimensions[axis].size; };
    Point from = index;
    std::size_t operand = 0;
    switch (node.kind) {
      case chain::Kind::Transpose:
        for (std::size_t i = 0; i < index.size(); ++i) from[node.axes[i]] = index[i];
        break;
      case chain::Kind::Broadcast:
        from.assign(of(0).dimensions.size(), 0);
        for (std::size_t i = 0; i < from.size(); ++i)
          if (node.axes[i] != chain::kNowhere) from[i] = index[node.axes[i]];
        break;
      case chain::Kind::Slice:
        if (!inside(node.axes[0])) return std::nullopt;
        from[node.axes[0]] = node.first + index[node.axes[0]] * node.step;
        break;
      case chain::Kind::Reverse:
        if (!std::ranges::all_of(node.axes, inside)) return std::nullopt;
        for (const std::size_t axis : node.axes) from[axis] = node.dimensions[axis].size - 1 - index[axis];
        break;
      case chain::Kind::Concat:
        if (!inside(node.axes[0])) return std::nullopt;
        while (from[node.axes[0]] >= of(operand).dimensions[node.axes[0]].size)
          from[node.axes[0]] -= of(operand++).dimensions[node.axes[0]].size;
        break;
      case chain::Kind::Reshape:
        if (region_of(node, index) != 0) return std::nullopt;
        from = reshaped(node, of(0), index);
        break;
      default: break;
    }
    return Slot{node.operands[operand], place_of(of(operand), from)};
  }

 private:
  // Of elements alone, in row-major order.
  [[nodiscard]] static Point reshaped(const chain::Node& node, const chain::Node& of, const Point& index) {
    Index number = 0;
    for (std::size_t i = 0; i < index.size(); ++i) number = number * node.dimensions[i].size + index[i];
    Point from(of.dimensions.size(), 0);
    for (std::size_t i = from.size(); i-- > 0;) {
      from[i] = number % of.dimensions[i].size;
      number /= of.dimensions[i].size;
    }
    return from;
  }
};

}  // namespace vl::test
