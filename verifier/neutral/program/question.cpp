#include "verifier/neutral/program/question.h"

#include "encodings/values/division.h"

namespace vl::neutral::program {

Question question_of(const Program& program, const Node& node, const CodeSet& contents) {
  Question out;
  out.operation = node.operation;
  out.type = *program.nodes[node.operands[0]].type;
  out.accumulate = *node.accumulate;
  out.start = node.start;
  out.tree = node.tree;
  out.max = node.rule;
  out.fused = node.fused;
  out.divide = node.divide;
  out.ties = node.ties;
  out.k = node.k;
  // A row is along one dimension, whose padding is behind its elements.
  const bool placed =
      is_ordering(node.operation) || node.operation == Operation::CumSum || node.operation == Operation::CumSumReverse;
  if (placed) out.pads = Pads::After;
  out.equal = program.equal;
  out.contents = contents;
  if (program.mode == values::Mode{}) return out;
  const bool floats = out.type.is_float();
  const bool computes =
      !is_ordering(out.operation) && out.operation != Operation::Max && out.operation != Operation::Min;
  const bool truth = out.operation == Operation::Any || out.operation == Operation::All;
  if (floats && computes && !truth) out.mode.rounding = program.mode.rounding;
  if (!floats && computes && !truth) out.mode.integers = program.mode.integers;
  out.mode.flush = program.mode.flush;
  out.mode.flush = flush_of(out);
  return out;
}

CodeSet divisors_of(const Program& program, const Node& node) {
  Index elements = 1, slots = 1;
  for (const std::size_t axis : node.axes) {
    const Dimension& along = program.nodes[node.operands[0]].dimensions[axis];
    elements *= along.size;
    slots *= along.padded();
  }
  const auto code = [&](Index count) {
    return CodeSet::of(values::count_code(*node.accumulate, static_cast<std::uint64_t>(count)));
  };
  return node.divide == Divide::Padded ? code(elements).united(code(slots)) : code(elements);
}

CodeSet closed(const Program& program, const Format& format, const CodeSet& set) {
  CodeSet out = set;
  if (!format.is_float() || program.equal == Equality::Bits) return out;
  if (!set.intersected(nans(format)).empty()) out = out.united(quiet_nans(format));
  if (program.equal == Equality::AnyNanAndZero && !set.intersected(zeros(format)).empty())
    out = out.united(zeros(format));
  return out;
}

}  // namespace vl::neutral::program
