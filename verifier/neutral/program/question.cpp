#include "verifier/neutral/program/question.h"

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
  return out;
}

Index divisor_of(const Program& program, const Node& node) {
  Index out = 1;
  for (const std::size_t axis : node.axes) {
    const Dimension& along = program.nodes[node.operands[0]].dimensions[axis];
    out *= node.divide == Divide::Padded ? along.padded() : along.size;
  }
  return out;
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
