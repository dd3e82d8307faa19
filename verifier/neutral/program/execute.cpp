#include "verifier/neutral/program/execute.h"

#include <algorithm>

#include "encodings/base/check.h"
#include "encodings/values/division.h"
#include "verifier/neutral/neutral.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/question.h"

namespace vl::neutral::program {
namespace {

// Indices of a reduction in row-major order: of the axes, each to its end.
bool advance(Point& counter, const std::vector<Index>& ends) {
  for (std::size_t i = counter.size(); i-- > 0;) {
    if (++counter[i] < ends[i]) return true;
    counter[i] = 0;
  }
  return false;
}

// The only result that a function can have. NaN of any kind is one: what is compared does not depend on it, unless the
// program says bits.
std::optional<Code> result_code(const Node& node, std::span<const Code> operands) {
  const CodeSet out = results_of(node.function, *node.type, node.rule, operands);
  if (out.is_subset_of(nans(*node.type))) return default_nan(*node.type);
  return out.count() == 1 ? std::optional(out.ranges().front().first) : std::nullopt;
}

}  // namespace

Index place_of(const Node& node, const Point& index) {
  Index out = 0;
  for (std::size_t i = 0; i < index.size(); ++i) out = out * node.dimensions[i].padded() + index[i];
  return out;
}

Region region_at(const Node& node, const Point& index) {
  Region out = 0;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] >= node.dimensions[i].size) out |= Region{1} << i;
  return out;
}

std::optional<Code> Execution::at(std::size_t node, const Point& index) {
  const Index place = place_of(program_.nodes[node], index);
  const auto found = known_[node].find(place);
  if (found != known_[node].end()) return found->second;
  if (--steps_ < 0) return std::nullopt;
  const auto out = computed(node, index);
  known_[node].emplace(place, out);
  return out;
}

std::optional<Code> Execution::computed(std::size_t at, const Point& index) {
  const Node& node = program_.nodes[at];
  switch (node.kind) {
    case Kind::Input: return assignment_.inputs[at][region_at(node, index)];
    case Kind::Pointwise: return pointwise(node, index);
    case Kind::Cast: {
      const auto x = this->at(node.operands[0], index);
      if (!x) return std::nullopt;
      return convert(*program_.nodes[node.operands[0]].type, *node.type, *x, program_.conversion);
    }
    case Kind::Row: return rowed(at, index);
    case Kind::Reduce:
    case Kind::Matmul: return reduced(node, index);
    case Kind::Mask: {
      const Region region = region_at(node, index);
      if (std::ranges::find(node.masked, region) != node.masked.end()) return node.value;
      return this->at(node.operands[0], index);
    }
    default: return transported(node, index);
  }
}

std::optional<Code> Execution::pointwise(const Node& node, const Point& index) {
  std::vector<Code> x;
  for (const std::size_t operand : node.operands) {
    const auto code = at(operand, index);
    if (!code) return std::nullopt;
    x.push_back(*code);
  }
  if (!is_plain(program_)) return only_result(node, x);
  return x.size() == 3 ? values::is_zero(*node.type, x[0]) ? x[2] : x[1] : result_code(node, x);
}

std::optional<Code> Execution::only_result(const Node& node, const std::vector<Code>& x) {
  const auto [known, fresh] = only_results_.try_emplace({&node, x});
  if (!fresh) return known->second;
  std::vector<CodeSet> operands;
  operands.reserve(x.size());
  for (const Code code : x) operands.push_back(CodeSet::of(code));
  const CodeSet results = image_in(program_, node.function, *node.type, node.rule, operands);
  if (results.is_subset_of(nans(*node.type))) known->second = default_nan(*node.type);
  else if (results.count() == 1) known->second = results.ranges().front().first;
  return known->second;
}

std::optional<Code> Execution::reduced(const Node& node, const Point& index) {
  const Node& a = program_.nodes[node.operands[0]];
  const bool pairs = node.kind == Kind::Matmul;
  const std::size_t rank = a.dimensions.size();
  Point left = index, right = index;  // of matmul as they are, but for K
  std::vector<std::size_t> axes = pairs ? std::vector<std::size_t>{rank - 1} : node.axes;
  if (!pairs && !node.keep) {
    left.assign(rank, 0);
    for (std::size_t i = 0, next = 0; i < rank; ++i)
      if (std::ranges::find(axes, i) == axes.end()) left[i] = index[next++];
  }
  if (node.keep)
    for (const std::size_t axis : axes)
      if (index[axis] > 0) return assignment_.unwritten & node.type->mask();
  std::ranges::sort(axes);
  std::vector<Index> ends;
  ends.reserve(axes.size());
  for (const std::size_t axis : axes)
    ends.push_back(with_padding_ ? a.dimensions[axis].padded() : a.dimensions[axis].size);
  const Question question = question_of(program_, node, {});
  const CodeSet unstated = open_to_reading(question);  // max, any and the like may read them in more than one way
  std::optional<Code> sum;
  if (node.start != Start::First) sum = start_of(question);
  Point counter(axes.size(), 0);
  do {
    for (std::size_t i = 0; i < axes.size(); ++i) left[axes[i]] = counter[i];
    const auto x = at(node.operands[0], left);
    if (!x || unstated.contains(*x)) return std::nullopt;
    Term term{*x, 0};
    if (pairs) {
      right = index;
      right[rank - 2] = counter[0];
      const auto y = at(node.operands[1], right);
      if (!y) return std::nullopt;
      term.b = *y;
    }
    sum = sum ? next(question, *sum, term) : leaf(question, term);
  } while (advance(counter, ends));
  if (node.operation == Operation::Any || node.operation == Operation::All)
    return *sum != 0 ? values::one(*node.type) : Code{0};
  if (node.operation == Operation::Mean) {
    const bool all = node.divide == Divide::Padded && with_padding_;
    std::uint64_t count = 1;
    for (const std::size_t axis : node.axes)
      count *= static_cast<std::uint64_t>(all ? a.dimensions[axis].padded() : a.dimensions[axis].size);
    if (!(program_.mode == values::Mode{})) return std::nullopt;
    sum = values::div(*node.accumulate, *sum, values::count_code(*node.accumulate, count));
  }
  return node.accumulate == node.type ? *sum : convert(*node.accumulate, *node.type, *sum, program_.conversion);
}

std::optional<Code> Execution::transported(const Node& node, const Point& index) {
  const Node& of = program_.nodes[node.operands[0]];
  const Code unwritten = assignment_.unwritten & node.type->mask();
  Point from = index;
  switch (node.kind) {
    case Kind::Transpose:
      from.resize(of.dimensions.size());
      for (std::size_t i = 0; i < index.size(); ++i) from[node.axes[i]] = index[i];
      return at(node.operands[0], from);
    case Kind::Broadcast: from[node.axes[0]] = 0; return at(node.operands[0], from);
    case Kind::Slice:
      if (index[node.axes[0]] >= node.dimensions[node.axes[0]].size) return unwritten;
      from[node.axes[0]] += node.first;
      return at(node.operands[0], from);
    case Kind::Concat: {
      Index& place = from[node.axes[0]];
      if (place >= node.dimensions[node.axes[0]].size) return unwritten;
      for (const std::size_t operand : node.operands) {
        const Index size = program_.nodes[operand].dimensions[node.axes[0]].size;
        if (place < size) return at(operand, from);
        place -= size;
      }
      break;
    }
    case Kind::Reshape: {
      if (region_at(node, index) != 0) return unwritten;
      Index place = 0;
      for (std::size_t i = 0; i < index.size(); ++i) place = place * node.dimensions[i].size + index[i];
      from.assign(of.dimensions.size(), 0);
      for (std::size_t i = from.size(); i-- > 0;) {
        from[i] = place % of.dimensions[i].size;
        place /= of.dimensions[i].size;
      }
      return at(node.operands[0], from);
    }
    default: break;
  }
  VL_CHECK(false, "an operation that moves nothing");
  return std::nullopt;
}

}  // namespace vl::neutral::program
