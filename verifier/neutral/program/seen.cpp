#include "verifier/neutral/program/seen.h"

#include <algorithm>
#include <set>

#include "verifier/neutral/program/boxes.h"
#include "verifier/neutral/program/moves.h"

namespace vl::neutral::program {
namespace {

constexpr Index kMostBoxes = Index{1} << 16;

class Seen {
 public:
  explicit Seen(const Program& program) : program_(program), boxes_(program), of_(program.nodes.size()) {
    for (const std::size_t output : program.outputs) all_of(output);
    for (std::size_t at = of_.size(); at-- > 0;)
      for (const Point& index : of_[at])
        if (left_ > 0) read_by(program.nodes[at], index);
  }

  [[nodiscard]] bool has_ended() const { return left_ > 0; }
  [[nodiscard]] bool has(std::size_t node) const { return !of_[node].empty(); }

 private:
  void take(std::size_t node, const Point& index) {
    --left_;
    of_[node].insert(boxes_.first_of(node, index));
  }

  void all_of(std::size_t node) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < program_.nodes[node].dimensions.size(); ++i) all.push_back(i);
    along(node, Point(all.size(), 0), all);
  }

  // The elements that have an index in common but for some dimensions.
  void along(std::size_t node, Point index, const std::vector<std::size_t>& dimensions, std::size_t level = 0) {
    if (left_ <= 0) return;
    if (level == dimensions.size()) return take(node, index);
    const std::size_t dimension = dimensions[level];
    const Index size = program_.nodes[node].dimensions[dimension].size;
    for (std::optional<Index> next = 0; next && *next < size && left_ > 0;
         next = boxes_.breaks(node, dimension).after(*next)) {
      index[dimension] = *next;
      along(node, index, dimensions, level + 1);
    }
  }

  void read_by(const Node& node, const Point& index) {
    switch (node.kind) {
      case Kind::Input: return;
      case Kind::Unknown:
        for (const std::size_t operand : node.operands)
          if (node.reads == Reads::Place) take(operand, index);
          else all_of(operand);
        return;
      case Kind::Pointwise:
      case Kind::Cast:
      case Kind::Mask:
        for (const std::size_t operand : node.operands) take(operand, index);
        return;
      case Kind::Reduce:
      case Kind::Row: return along(node.operands[0], with_axes(node, index), node.axes);
      case Kind::Matmul: {
        const std::size_t rank = index.size();
        along(node.operands[0], index, {rank - 1});
        return along(node.operands[1], index, {rank - 2});
      }
      default:
        if (const auto source = source_of(program_, node, index)) take(source->node, source->index);
    }
  }

  // An index of the operand: with the dimensions that the result has not.
  [[nodiscard]] Point with_axes(const Node& node, Point index) const {
    if (index.size() == program_.nodes[node.operands[0]].dimensions.size()) return index;
    std::vector<std::size_t> axes = node.axes;
    std::ranges::sort(axes);
    for (const std::size_t axis : axes) index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    return index;
  }

  const Program& program_;
  Boxes boxes_;
  std::vector<std::set<Point>> of_;  // by node: the first index of each box of elements
  Index left_ = kMostBoxes;
};

}  // namespace

void mark_unseen(Program& program) {
  const Seen seen(program);
  for (std::size_t at = 0; at < program.nodes.size(); ++at)
    program.nodes[at].unseen = seen.has_ended() && !seen.has(at);
}

}  // namespace vl::neutral::program
