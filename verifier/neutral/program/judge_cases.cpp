// Lines that are neutral case by case: for each kind of row that there can be (row_tables.h).
//
// Law. A reduction, row or matmul gives the same with its padding and without if it is neutral for the elements and the
// pads of each case of what it reads; but where NaN is NaN up to the equality, a case with a NaN among its elements
// needs nothing: that makes the result NaN with and without the pads, whatever these are. Rows of infinities are NaN
// behind norms, too.
// Proof: each row is of some case, and the lemma of judge.h is about that row.
#include <algorithm>

#include "verifier/neutral/program/judge.h"

namespace vl::neutral::program {
namespace {

// What a line reads along one dimension of an operand; of several dimensions, one case.
RowTable rows_read(const Program& program, RowTables& tables, std::size_t line, std::size_t operand) {
  const Node& node = program.nodes[line];
  const std::size_t of = node.operands[operand];
  const bool pairs = node.kind == Kind::Matmul;
  if (!pairs && node.axes.size() > 1) {
    const CodeSet elements = tables.set_read_by(line, of, 0);
    CodeSet pads;
    for (const Region region : read_regions(program, node, operand))
      pads = pads.united(tables.set_read_by(line, of, region));
    return {{elements, pads, elements}};
  }
  const std::size_t axis = pairs ? program.nodes[of].dimensions.size() - 1 - operand : node.axes[0];
  return tables.read_by(line, of, axis);
}

// Norms of infinities are inf·0, and exponentials of them inf - inf, if no pad is a number.
bool is_nan_of_infinities(const Node& node, const Format& type, const RowCase& row) {
  using enum Operation;
  const CodeSet finite = finite_codes(type);
  if (!has_infinity(*node.accumulate) || !row.elements.intersected(finite).empty()) return false;
  if (node.operation == LayerNorm || node.operation == RmsNorm) return true;
  return (node.operation == Softmax || node.operation == LogSumExp) && row.pads.intersected(finite).empty();
}

}  // namespace

bool Judge::holds_by_cases(RowTables& tables, std::size_t line, Equality equal) {
  const Node& node = program_.nodes[line];
  if (!is_reader(node) || is_of_other_facts(program_, node)) return false;
  const auto needs_nothing = [&](std::size_t operand, const RowCase& row) {
    const Format& type = *program_.nodes[node.operands[operand]].type;
    if (equal == Equality::Bits || !is_nan_of_nan(node) || !type.is_float()) return false;
    return row.some.is_subset_of(nans(type)) || is_nan_of_infinities(node, type, row);
  };
  const auto is_neutral = [&](const CodeSet& contents, const std::vector<CodeSet>& fills) {
    Question question = question_of(program_, node, contents);
    question.equal = equal;
    return misfit(question).empty() && std::ranges::none_of(fills, &CodeSet::empty) && holds(question, fills);
  };
  const RowTable left = rows_read(program_, tables, line, 0);
  if (node.kind != Kind::Matmul)
    return std::ranges::all_of(
        left, [&](const RowCase& row) { return needs_nothing(0, row) || is_neutral(row.elements, {row.pads}); });
  const RowTable right = rows_read(program_, tables, line, 1);
  for (const RowCase& a : left)
    for (const RowCase& b : right)
      if (!needs_nothing(0, a) && !needs_nothing(1, b) && !is_neutral(a.elements.united(b.elements), {a.pads, b.pads}))
        return false;
  return true;
}

}  // namespace vl::neutral::program
