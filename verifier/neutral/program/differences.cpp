#include "verifier/neutral/program/differences.h"

#include <algorithm>

#include "verifier/neutral/program/arithmetic.h"

namespace vl::neutral::program {
namespace {

class Differences {
 public:
  Differences(const Program& program, const States& states, Images& images)
      : program_(program), states_(states), images_(images) {}

  std::vector<CodeSet> of_all(const std::vector<std::size_t>& leaks) {
    for (std::size_t at = 0; at < program_.nodes.size(); ++at) {
      const bool leaks_here = std::ranges::find(leaks, at) != leaks.end();
      out_.push_back(leaks_here ? of_leak(at) : of_line(at));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool differs(std::size_t node) const { return !out_[node].empty(); }

  [[nodiscard]] CodeSet of_leak(std::size_t at) const {
    const Node& node = program_.nodes[at];
    CodeSet all = states_.of(at)[0];
    const bool maximum = node.operation == Operation::Max, minimum = node.operation == Operation::Min;
    const Format& type = *node.type;
    if (node.kind != Kind::Reduce || (!maximum && !minimum) || node.rule != values::MaxRule::NanWins) return all;
    if (differs(node.operands[0]) || !(*node.accumulate == type) || !type.is_float() || !is_plain(program_)) return all;
    CodeSet pads;
    const Sets sets = states_.read_by(at, node.operands[0]);
    for (const Region region : read_regions(program_, node, 0)) pads = pads.united(sets[region]);
    const auto ends = extent(type, pads);
    if (!ends || !pads.intersected(nans(type)).empty()) return all;
    return all.intersected(maximum ? numbers_between(type, lowest_order(type), ends->high)
                                   : numbers_between(type, ends->low, highest_order(type)));
  }

  [[nodiscard]] CodeSet of_line(std::size_t at) const {
    const Node& node = program_.nodes[at];
    if (std::ranges::none_of(node.operands, [&](std::size_t operand) { return differs(operand); })) return {};
    switch (node.kind) {
      case Kind::Pointwise: return of_function(at);
      case Kind::Cast: {
        const std::size_t from = node.operands[0];
        return undone(*node.type, conversion_in(program_, *program_.nodes[from].type, *node.type, out_[from]));
      }
      case Kind::Input:
      case Kind::Reduce:
      case Kind::Row:
      case Kind::Matmul: return states_.of(at)[0];
      case Kind::Unknown: return CodeSet::all(*node.type);
      case Kind::Transpose:
      case Kind::Reshape:
      case Kind::Concat:
      case Kind::Slice:
      case Kind::Broadcast:
      case Kind::Mask:
      case Kind::Reverse: break;
    }
    CodeSet out;
    for (const std::size_t operand : node.operands) out = out.united(out_[operand]);
    return out;
  }

  // One operand differs, and the others are any that they can be.
  [[nodiscard]] CodeSet of_function(std::size_t at) const {
    const Node& node = program_.nodes[at];
    CodeSet out;
    for (const std::size_t differing : node.operands) {
      if (!differs(differing)) continue;
      std::vector<CodeSet> operands;
      for (const std::size_t operand : node.operands)
        operands.push_back(operand == differing ? out_[operand] : states_.read_by(at, operand)[0]);
      if (is_twice(node)) operands.pop_back();
      out = out.united(images_.of(program_, node.function, *node.type, node.rule, operands));
    }
    return undone(*node.type, out);
  }

  // Nothing, if all codes of a set are equal.
  [[nodiscard]] CodeSet undone(const Format& format, const CodeSet& set) const {
    const bool nan = program_.equal != Equality::Bits && set.is_subset_of(nans(format));
    const bool zero = program_.equal == Equality::AnyNanAndZero && set.is_subset_of(zeros(format));
    return set.count() == 1 || nan || (zero && format.is_float()) ? CodeSet() : set;
  }

  const Program& program_;
  const States& states_;
  Images& images_;
  std::vector<CodeSet> out_;
};

}  // namespace

std::vector<CodeSet> differences(const Program& program, const States& states, Images& images,
                                 const std::vector<std::size_t>& leaks) {
  return Differences(program, states, images).of_all(leaks);
}

}  // namespace vl::neutral::program
