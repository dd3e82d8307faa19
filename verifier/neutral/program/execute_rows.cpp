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
  if (end > kMostInARow || (steps_ -= end) < 0 || (per_slot && wanted >= end)) return std::nullopt;
  Point from = index;
  if (dropped) from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  if (!has_row_images(program_, node)) return std::nullopt;
  const Question question = question_of(program_, node, {});
  Evaluation row;
  for (from[axis] = 0; from[axis] < end; ++from[axis]) {
    const auto code = this->at(node.operands[0], from);
    if (!code) return std::nullopt;
    const bool pad = from[axis] >= size;
    row.shape += pad ? 'p' : 'c';
    (pad ? row.pads : row.valid).push_back({*code, 0});
  }
  const Outcomes results = outcomes(question, row, with_padding_, per_slot ? Results::Everywhere : Results::AtElements);
  const auto result_at = [&](std::size_t place) {
    const bool converts = results[place] && !is_index(node.operation) && node.accumulate != node.type;
    return converts ? std::optional(convert(*node.accumulate, *node.type, *results[place], program_.conversion))
                    : results[place];
  };
  if (per_slot) {
    Point other = index;
    for (other[axis] = 0; other[axis] < end; ++other[axis])
      known_[at].emplace(place_of(node, other), result_at(static_cast<std::size_t>(other[axis])));
  }
  return result_at(static_cast<std::size_t>(wanted));
}

}  // namespace vl::neutral::program
