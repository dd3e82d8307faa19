#include "verifier/neutral/program/execute.h"

#include <algorithm>

#include "encodings/values/division.h"
#include "verifier/neutral/neutral.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/question.h"

namespace vl::neutral::program {
namespace {

constexpr Index kStepsOfAnImage = 32;  // an image costs as much as so many sums

}  // namespace

CodeSet Reach::codes(const Format& format) const {
  if (!code) return several;
  return is_nan(format, *code) ? nans(format) : CodeSet::of(*code);
}

// NaN of any kind is one code: what is compared does not depend on which it is.
Reach Execution::reach_of(const Format& format, const CodeSet& set) const {
  if (set.empty()) return {};
  if (set.is_subset_of(nans(format))) return {default_nan(format)};
  if (set.count() == 1) return {set.ranges().front().first};
  return on_sets_ ? Reach{{}, capped(format, set)} : Reach{};
}

Reach Execution::at(std::size_t node, const Point& index) {
  const Point first = boxes_.first_of(node, index);
  const Box box{node, place_of(program_.nodes[node], first)};
  const auto found = known_.find(box);
  if (found != known_.end()) return found->second;
  if (--steps_ < 0) return {};
  Reach out = computed(node, first);
  known_.emplace(box, out);
  return out;
}

Reach Execution::computed(std::size_t at, const Point& index) {
  const Node& node = program_.nodes[at];
  switch (node.kind) {
    case Kind::Input: return {assignment_.inputs[at][region_at(node, index)]};
    case Kind::Pointwise: return pointwise(node, index);
    case Kind::Cast:
      return converted(*program_.nodes[node.operands[0]].type, *node.type, this->at(node.operands[0], index));
    case Kind::Unknown: return {};
    case Kind::Row: return rowed(at, index);
    case Kind::Reduce:
    case Kind::Matmul: return reduced(node, index);
    case Kind::Mask: {
      const Region region = region_at(node, index);
      if (std::ranges::find(node.masked, region) != node.masked.end()) return {node.value};
      return this->at(node.operands[0], index);
    }
    default: return moved(node, index);
  }
}

Reach Execution::converted(const Format& from, const Format& to, const Reach& reach) {
  if (!reach.is_known() || from == to) return reach;
  if (reach.code) {
    const auto code = values::cast(from, to, *reach.code, program_.conversion);
    return code ? Reach{*code} : reach_of(to, CodeSet::all(to));
  }
  steps_ -= kStepsOfAnImage;
  return reach_of(to, conversion_in(program_, from, to, reach.several));
}

Reach Execution::pointwise(const Node& node, const Point& index) {
  Operands operands;
  std::vector<Code> codes;
  for (const std::size_t operand : node.operands) {
    operands.push_back(at(operand, index));
    if (!operands.back().is_known()) return {};
    if (operands.back().code) codes.push_back(*operands.back().code);
  }
  // Which NaN an operation made is no fact, and this function sees its sign.
  const bool sees_nan = node.function == Function::Signbit && codes.size() == 1 && is_nan(*node.type, codes[0]);
  const bool computed = codes.size() == operands.size() && !sees_nan && is_plain(program_);
  if (!computed && is_twice(node)) operands.pop_back();
  if (!computed) return image_of(node.function, *node.type, node.rule, operands);
  if (codes.size() == 3) return operands[values::is_zero(*node.type, codes[0]) ? 2 : 1];
  return reach_of(*node.type, results_of(node.function, *node.type, node.rule, codes));
}

Reach Execution::image_of(Function function, const Format& format, values::MaxRule rule, const Operands& operands) {
  std::vector<CodeSet> sets;
  for (const Reach& operand : operands) {
    if (!operand.is_known()) return {};
    sets.push_back(operand.codes(format));
  }
  if ((steps_ -= kStepsOfAnImage) < 0) return {};
  return reach_of(format, images_.of(program_, function, format, rule, sets));
}

Reach Execution::reduced(const Node& node, const Point& index) {
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
      if (index[axis] > 0) return {assignment_.unwritten & node.type->mask()};
  fold.unstated = open_to_reading(fold.question);
  if (node.start != Start::First) fold.sum = Reach{start_of(fold.question)};
  return add_terms(fold, 0) ? finished(fold) : Reach{};
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
    const Operands term = last ? term_of(fold) : Operands{};
    if (last && term.empty()) return false;
    for (Index left = until - from; left > 0; --left) {
      const std::optional<Reach> before = fold.sum;
      if (!last && !add_terms(fold, level + 1)) return false;
      if (last && --steps_ < 0) return false;
      if (last) fold.sum = next_of(fold, term);
      if (!fold.sum->is_known()) return false;
      if (before == fold.sum) break;
    }
    from = until;
  }
  return true;
}

Execution::Operands Execution::term_of(const Fold& fold) {
  Operands out{at(fold.node.operands[0], fold.left)};
  if (fold.node.kind == Kind::Matmul) out.push_back(at(fold.node.operands[1], fold.right));
  for (const Reach& x : out)
    if (!x.is_known() || !fold.unstated.intersected(x.codes(fold.question.type)).empty()) return {};
  return out;
}

Reach Execution::next_of(const Fold& fold, const Operands& term) {
  const bool codes = std::ranges::all_of(term, [](const Reach& x) { return x.code.has_value(); });
  if (!codes || (fold.sum && !fold.sum->code)) return next_on_sets(fold, term);
  const Term one{*term[0].code, term.size() > 1 ? *term[1].code : 0};
  return {fold.sum ? next(fold.question, *fold.sum->code, one) : leaf(fold.question, one)};
}

// A sum as the node's result.
Reach Execution::finished(const Fold& fold) {
  const Node& node = fold.node;
  Reach out = *fold.sum;
  if (node.operation == Operation::Any || node.operation == Operation::All)
    return {out.code != Code{0} ? values::one(*node.type) : Code{0}};
  if (node.operation == Operation::Mean) {
    const bool all = node.divide == Divide::Padded && with_padding_;
    std::uint64_t count = 1;
    for (const std::size_t axis : node.axes) {
      const Dimension& along = program_.nodes[node.operands[0]].dimensions[axis];
      count *= static_cast<std::uint64_t>(all ? along.padded() : along.size);
    }
    if (!(program_.mode == values::Mode{})) return {};
    const Code divisor = values::count_code(*node.accumulate, count);
    if (out.code) out.code = values::div(*node.accumulate, *out.code, divisor);
    else out = image_of(Function::Div, *node.accumulate, node.rule, {out, {divisor}});
  }
  return converted(*node.accumulate, *node.type, out);
}

Reach Execution::moved(const Node& node, const Point& index) {
  const auto source = source_of(program_, node, index);
  return source ? at(source->node, source->index) : Reach{assignment_.unwritten & node.type->mask()};
}

}  // namespace vl::neutral::program
