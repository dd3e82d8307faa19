#include "verifier/neutral/program/execute.h"

#include <algorithm>

#include "encodings/base/check.h"
#include "encodings/values/division.h"
#include "verifier/neutral/neutral.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/question.h"

namespace vl::neutral::program {
namespace {

constexpr Index kStepsOfAnImage = 64;  // an image costs as much as so many sums

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
  const Point first = boxes_.first_of(node, index);
  const Box box{node, place_of(program_.nodes[node], first)};
  const auto found = known_.find(box);
  if (found != known_.end()) return found->second;
  if (--steps_ < 0) return std::nullopt;
  const auto out = computed(node, first);
  known_.emplace(box, out);
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
    case Kind::Unknown: return std::nullopt;
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
    // Which NaN an operation made is no fact, and this function sees its sign.
    if (!code || (node.function == Function::Signbit && is_nan(*node.type, *code))) return std::nullopt;
    x.push_back(*code);
  }
  if (!is_plain(program_)) return only_result(node, x);
  return x.size() == 3 ? values::is_zero(*node.type, x[0]) ? x[2] : x[1] : result_code(node, x);
}

std::optional<Code> Execution::only_result(const Node& node, const std::vector<Code>& x) {
  const auto [known, fresh] = only_results_.try_emplace({&node, x});
  if (!fresh) return known->second;
  steps_ -= kStepsOfAnImage;
  std::vector<CodeSet> operands;
  operands.reserve(x.size());
  for (const Code code : x) operands.push_back(CodeSet::of(code));
  const CodeSet results = image_in(program_, node.function, *node.type, node.rule, operands);
  if (results.is_subset_of(nans(*node.type))) known->second = default_nan(*node.type);
  else if (results.count() == 1) known->second = results.ranges().front().first;
  return known->second;
}

std::optional<Code> Execution::reduced(const Node& node, const Point& index) {
  const std::size_t rank = program_.nodes[node.operands[0]].dimensions.size();
  const bool pairs = node.kind == Kind::Matmul;
  Fold fold{node, question_of(program_, node, {}), {}, node.axes, index, index};
  if (pairs) fold.axes = {rank - 1};
  std::ranges::sort(fold.axes);
  if (!pairs && !node.keep) {
    fold.left.assign(rank, 0);
    for (std::size_t i = 0, next = 0; i < rank; ++i)
      if (!std::ranges::binary_search(fold.axes, i)) fold.left[i] = index[next++];
  }
  if (node.keep)
    for (const std::size_t axis : fold.axes)
      if (index[axis] > 0) return assignment_.unwritten & node.type->mask();
  fold.unstated = open_to_reading(fold.question);
  if (node.start != Start::First) fold.sum = start_of(fold.question);
  return add_terms(fold, 0) ? finished(fold) : std::nullopt;
}

bool Execution::add_terms(Fold& fold, std::size_t level) {
  const Node& node = fold.node;
  const std::size_t axis = fold.axes[level];
  const bool pairs = node.kind == Kind::Matmul, last = level + 1 == fold.axes.size();
  const Dimension& along = program_.nodes[node.operands[0]].dimensions[axis];
  const Index end = with_padding_ ? along.padded() : along.size;
  for (Index& from = fold.left[axis] = 0; from < end;) {
    if (pairs) fold.right[axis - 1] = from;
    Index until = std::min(end, boxes_.breaks(node.operands[0], axis).after(from).value_or(end));
    if (pairs) until = std::min(until, boxes_.breaks(node.operands[1], axis - 1).after(from).value_or(end));
    const auto term = last ? term_of(fold) : std::optional(Term{});
    if (!term) return false;
    for (Index left = until - from; left > 0; --left) {
      const std::optional<Code> before = fold.sum;
      if (!last && !add_terms(fold, level + 1)) return false;
      if (last && --steps_ < 0) return false;
      if (last) fold.sum = before ? next(fold.question, *before, *term) : leaf(fold.question, *term);
      if (before == fold.sum) break;
    }
    from = until;
  }
  return true;
}

std::optional<Term> Execution::term_of(const Fold& fold) {
  const auto a = at(fold.node.operands[0], fold.left);
  if (!a || fold.unstated.contains(*a)) return std::nullopt;
  if (fold.node.kind != Kind::Matmul) return Term{*a, 0};
  const auto b = at(fold.node.operands[1], fold.right);
  return b ? std::optional(Term{*a, *b}) : std::nullopt;
}

// A sum as the node's result.
std::optional<Code> Execution::finished(const Fold& fold) {
  const Node& node = fold.node;
  Code out = *fold.sum;
  if (node.operation == Operation::Any || node.operation == Operation::All)
    return out != 0 ? values::one(*node.type) : Code{0};
  if (node.operation == Operation::Mean) {
    const bool all = node.divide == Divide::Padded && with_padding_;
    std::uint64_t count = 1;
    for (const std::size_t axis : node.axes) {
      const Dimension& along = program_.nodes[node.operands[0]].dimensions[axis];
      count *= static_cast<std::uint64_t>(all ? along.padded() : along.size);
    }
    if (!(program_.mode == values::Mode{})) return std::nullopt;
    out = values::div(*node.accumulate, out, values::count_code(*node.accumulate, count));
  }
  return node.accumulate == node.type ? out : convert(*node.accumulate, *node.type, out, program_.conversion);
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
    case Kind::Broadcast:
      from.assign(of.dimensions.size(), 0);
      for (std::size_t i = 0; i < from.size(); ++i)
        if (node.axes[i] != kNowhere) from[i] = index[node.axes[i]];
      return at(node.operands[0], from);
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
