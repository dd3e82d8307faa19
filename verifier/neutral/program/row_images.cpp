// The images of rows, as the kernel has them (values_kernel/chain_rows.h).
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/question.h"
#include "verifier/neutral/program/states.h"
#include "verifier/values_kernel/chain_rows.h"

namespace vl::neutral::program {
namespace {

constexpr Code kMostConverted = 1 << 10;

}  // namespace

CodeSet image_of_row(const Question& question, const RowSets& sets) {
  if (is_index(question.operation)) return CodeSet({{0, static_cast<Code>(sets.size - 1)}});
  if (is_ordering(question.operation)) return sets.all;
  const Format& wide = question.accumulate;
  const auto widened = [&](const CodeSet& set) {
    return in_kernel(question.type == wide ? set : image_of_conversion(question.type, wide, set, kMostConverted).codes);
  };
  checker::StepText step;
  step.operation = name(question.operation), step.accumulate = step.type = wide.name;
  step.start = question.start == Start::Zero ? "+0" : "first";
  const values_kernel::RowParts parts{widened(sets.elements), widened(sets.all), widened(sets.here), sets.size};
  return set_of(values_kernel::image_of_row(step, in_kernel(wide), parts));
}

// The row of a region is that of the other dimensions; beside valid elements it is taken without its padding, which
// gives no other result if it is neutral.
CodeSet States::rowed(std::size_t at, Region region) {
  const Node& node = program_.nodes[at];
  const Node& of = program_.nodes[node.operands[0]];
  const Sets read = read_by(at, node.operands[0]);
  const std::size_t axis = node.axes[0];
  const bool per_slot = has_result_per_slot(node), dropped = node.dimensions.size() < of.dimensions.size();
  const Region beyond = Region{1} << axis;
  if (!per_slot && !dropped && (region & beyond) != 0) return alone_ ? CodeSet() : CodeSet::all(*node.type);
  const Region below = region & (beyond - 1);
  const Region from = dropped ? below | (region & ~(beyond - 1)) << 1 : region & ~beyond;
  RowSets sets{read[from], read[from], read[per_slot ? region : from], of.dimensions[axis].size};
  if (reads_padding(at, region) && exists(of, from | beyond)) {
    sets.all = sets.all.united(read[from | beyond]);
    sets.size = of.dimensions[axis].padded();
  }
  if (sets.elements.empty() || sets.here.empty()) return {};  // of masks alone
  if (!has_row_images(program_, node)) return CodeSet::all(*node.type);
  const Question question = question_of(program_, node, sets.all);
  CodeSet out = image_of_row(question, sets);
  if (!is_index(node.operation) && !(question.accumulate == *node.type))
    out = conversion_in(program_, question.accumulate, *node.type, out);
  return closed(program_, *node.type, out);
}

}  // namespace vl::neutral::program
