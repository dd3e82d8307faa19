// The execution of rows: a row is computed as a whole, with its padding behind its elements or without it.
#include <algorithm>

#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/execute.h"
#include "verifier/neutral/program/question.h"
#include "verifier/neutral/rows.h"

namespace vl::neutral::program {
namespace {

constexpr Index kMostInARow = Index{1} << 14;

}  // namespace

std::optional<Code> Execution::rowed(std::size_t at, const Point& index) {
  const Node& node = program_.nodes[at];
  const Node& of = program_.nodes[node.operands[0]];
  const std::size_t axis = node.axes[0];
  const bool per_slot = has_result_per_slot(node), dropped = node.dimensions.size() < of.dimensions.size();
  const Index size = of.dimensions[axis].size, end = with_padding_ ? of.dimensions[axis].padded() : size;
  const Index wanted = dropped ? 0 : index[axis];
  if (!per_slot && !dropped && wanted >= node.dimensions[axis].size) return assignment_.unwritten & node.type->mask();
  if (end > kMostInARow || (steps_ -= 4 * end) < 0 || (per_slot && wanted >= end)) return std::nullopt;
  Point from = index;
  if (dropped) from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  if (!has_row_images(program_, node)) return std::nullopt;
  const Question question = question_of(program_, node, {});
  Evaluation row;
  for (from[axis] = 0; from[axis] < end;) {
    const auto code = this->at(node.operands[0], from);
    if (!code) return std::nullopt;
    const bool pad = from[axis] >= size;
    const Index until = std::min(end, boxes_.breaks(node.operands[0], axis).after(from[axis]).value_or(end));
    const auto count = static_cast<std::size_t>(until - from[axis]);
    row.shape.append(count, pad ? 'p' : 'c');
    (pad ? row.pads : row.valid).resize((pad ? row.pads : row.valid).size() + count, {*code, 0});
    from[axis] = until;
  }
  const Outcomes results = outcomes(question, row, with_padding_, per_slot ? Results::Everywhere : Results::AtElements);
  const auto result_at = [&](std::size_t place) {
    const bool converts = results[place] && !is_index(node.operation) && node.accumulate != node.type;
    return converts ? std::optional(convert(*node.accumulate, *node.type, *results[place], program_.conversion))
                    : results[place];
  };
  if (per_slot) {
    Point other = index;
    for (std::optional<Index> next = 0; next && *next < end; next = boxes_.breaks(at, axis).after(*next)) {
      other[axis] = *next;
      known_.emplace(Box{at, place_of(node, other)}, result_at(static_cast<std::size_t>(*next)));
    }
  }
  return result_at(static_cast<std::size_t>(wanted));
}

}  // namespace vl::neutral::program
