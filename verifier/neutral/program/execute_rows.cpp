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

Reach Execution::rowed(std::size_t at, const Point& index) {
  const Node& node = program_.nodes[at];
  const Node& of = program_.nodes[node.operands[0]];
  const std::size_t axis = node.axes[0];
  const bool per_slot = has_result_per_slot(node), dropped = node.dimensions.size() < of.dimensions.size();
  const Index size = of.dimensions[axis].size, end = with_padding_ ? of.dimensions[axis].padded() : size;
  const Index wanted = dropped ? 0 : index[axis];
  if (!per_slot && !dropped && wanted >= node.dimensions[axis].size) return {assignment_.unwritten & node.type->mask()};
  if (end > kMostInARow || (steps_ -= 4 * end) < 0 || (per_slot && wanted >= end)) return {};
  if (!has_row_images(program_, node)) return {};
  Point from = index;
  if (dropped) from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  const std::vector<Part> parts = parts_of(node, from, end);
  if (parts.empty()) return {};
  std::vector<Reach> results = row_of_codes(node, parts);
  const auto place = static_cast<std::size_t>(wanted);
  if (on_sets_ && (results.empty() || !results[place].is_known())) results = row_on_sets(node, parts);
  if (results.empty()) return {};
  for (Reach& result : results)
    if (!is_index(node.operation)) result = converted(*node.accumulate, *node.type, result);
  if (per_slot) {
    Point other = index;
    for (std::optional<Index> next = 0; next && *next < end; next = boxes_.breaks(at, axis).after(*next)) {
      other[axis] = *next;
      known_.emplace(Box{at, place_of(node, other)}, results[static_cast<std::size_t>(*next)]);
    }
  }
  return results[place];
}

std::vector<Execution::Part> Execution::parts_of(const Node& node, Point index, Index end) {
  const std::size_t axis = node.axes[0];
  const Index size = program_.nodes[node.operands[0]].dimensions[axis].size;
  std::vector<Part> out;
  for (index[axis] = 0; index[axis] < end;) {
    const Index from = index[axis];
    const Index until = std::min(end, boxes_.breaks(node.operands[0], axis).after(from).value_or(end));
    out.push_back({at(node.operands[0], index), until - from, from >= size});
    if (!out.back().x.is_known()) return {};
    index[axis] = until;
  }
  return out;
}

std::vector<Reach> Execution::row_of_codes(const Node& node, const std::vector<Part>& parts) const {
  Evaluation row;
  for (const Part& part : parts) {
    if (!part.x.code) return {};
    const auto count = static_cast<std::size_t>(part.count);
    row.shape.append(count, part.pad ? 'p' : 'c');
    auto& terms = part.pad ? row.pads : row.valid;
    terms.resize(terms.size() + count, {*part.x.code, 0});
  }
  const Results which = has_result_per_slot(node) ? Results::Everywhere : Results::AtElements;
  std::vector<Reach> out;
  for (const auto& result : outcomes(question_of(program_, node, {}), row, with_padding_, which))
    out.push_back({result});
  return out;
}

}  // namespace vl::neutral::program
