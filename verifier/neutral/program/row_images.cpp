// The images of rows.
//
// Softmax. x - m is at most 0, for fl(a - b) is monotone, and the sum of exponentials has exp(0) = 1 among terms of
// which none is below 0, so it is at least 1. A quotient of [0 .. 1] by that lies in [+0 .. 1]. NaN comes of NaN, of
// +inf (inf - inf), and of a row whose maximum is -inf: an element that is none of these, in each row, excludes that.
// Where p - m is so low that exp vanishes for the greatest p and the least element, the result is +0.
//
// Cumulative sums are sums of at most as many leaves; orders move codes, or give places. Of what divides or takes a
// root any code is taken.
#include "encodings/values/division.h"
#include "verifier/neutral/exponential.h"
#include "verifier/neutral/pieces.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/question.h"
#include "verifier/neutral/program/states.h"

namespace vl::neutral::program {
namespace {

constexpr Code kMostConverted = 1 << 10;

CodeSet widened_set(const Question& question, const CodeSet& set) {
  if (question.type == question.accumulate) return set;
  return image_of_conversion(question.type, question.accumulate, set, kMostConverted).codes;
}

bool meets(const CodeSet& a, const CodeSet& b) { return !a.intersected(b).empty(); }

CodeSet image_of_softmax(const Question& question, const RowSets& sets) {
  const Format& wide = question.accumulate;
  if (!has_infinity(wide)) return CodeSet::all(wide);
  const CodeSet all = widened_set(question, sets.all), elements = widened_set(question, sets.elements);
  const bool nan =
      meets(all, nans(wide)) || all.contains(infinity(wide, false)) || elements.contains(infinity(wide, true));
  const auto top = extent(wide, widened_set(question, sets.here)), least = extent(wide, elements);
  if (!nan && top && least &&
      exp_vanishes(wide, values::sub(wide, code_at(wide, top->high), code_at(wide, least->low))))
    return CodeSet::of(0);
  const CodeSet numbers = numbers_between(wide, 0, order(wide, values::one(wide)));
  return nan ? numbers.united(quiet_nans(wide)) : numbers;
}

}  // namespace

CodeSet image_of_row(const Question& question, const RowSets& sets) {
  switch (question.operation) {
    case Operation::Softmax: return image_of_softmax(question, sets);
    case Operation::ArgMax:
    case Operation::ArgMin:
    case Operation::TopKIndices: return CodeSet({{0, static_cast<Code>(sets.size - 1)}});
    case Operation::TopK:
    case Operation::Sort:
    case Operation::SortDescending: return sets.all;
    case Operation::CumSum:
    case Operation::CumSumReverse: {
      Question sum = question;
      sum.operation = Operation::Sum;
      return image_of_reduction(sum, widened_set(question, sets.all), sets.size);
    }
    default: break;
  }
  return CodeSet::all(question.accumulate);
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
  if (region != 0 && exists(of, from | beyond)) {
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
