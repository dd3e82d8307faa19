// Case tables of functions, rows and reductions (row_tables.h).
#include <algorithm>

#include "encodings/values/division.h"
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/question.h"
#include "verifier/neutral/program/row_factors.h"
#include "verifier/neutral/program/row_tables.h"
#include "verifier/neutral/statistics.h"

namespace vl::neutral::program {
namespace {

constexpr std::size_t kMostChoices = 512;  // cases of one line's operands

CodeSet infinity_of(const Format& format, bool negative) {
  return has_infinity(format) ? CodeSet::of(infinity(format, negative)) : CodeSet();
}

CodeSet numbers(const Format& format, std::int64_t low, std::int64_t high) {
  return numbers_between(format, low, high);
}

// The numbers of a set up to the greatest one of another.
CodeSet at_most(const Format& format, const CodeSet& set, const CodeSet& other) {
  const auto most = extent(format, other);
  return most ? set.intersected(numbers(format, lowest_order(format), most->high)) : CodeSet();
}

// Whether each of some pads is at most each number of a set of elements.
bool are_below(const Format& format, const CodeSet& pads, const CodeSet& elements) {
  if (!pads.intersected(nans(format)).empty()) return false;
  const auto high = extent(format, pads), low = extent(format, elements);
  return !high || (low && high->high <= low->low);
}

// What sums with a normal number can be: zero, or not less than half of its last place, as they are exact where the two
// nearly cancel.
CodeSet without_less(const Format& format, Code normal, const CodeSet& sums) {
  const Code exponent = normal >> format.fraction_bits;
  if (exponent < Code{format.fraction_bits} + 2) return sums;
  const Code half = (exponent - format.fraction_bits - 1) << format.fraction_bits;
  const std::int64_t least = order(format, half);
  const CodeSet near = numbers(format, -least, least - 1).without(zeros(format), format);
  return sums.without(near, format);
}

// Numbers whose squares are finite: at most 2^64 in f32.
CodeSet of_finite_squares(const Format& format) {
  const auto power = static_cast<Code>(format.bias) + (static_cast<Code>(format.bias) + 2) / 2;
  const Code most = std::min(power << format.fraction_bits, largest(format, false));
  return numbers(format, order(format, values::negated(format, most)), order(format, most));
}

}  // namespace

bool never_cancels(const Format& format, Code epsilon, Index n) {
  if (!format.is_float() || !is_finite(format, epsilon) || values::is_subnormal(format, epsilon)) return false;
  const Code implicit = Code{1} << format.fraction_bits;
  Code odd = (epsilon & (implicit - 1)) | implicit;
  const Code exponent = epsilon >> format.fraction_bits;
  while (odd % 2 == 0) odd /= 2;
  // Far from the least numbers: underflow is nothing beside 2^t.
  const bool far = exponent > 2 * Code{format.fraction_bits} + 10;
  return far && n < (Index{1} << 30) && 4 * (static_cast<Code>(n) + 4) < odd;
}

CodeSet RowTables::image(const Node& node, Function function, const std::vector<CodeSet>& operands) {
  if (std::ranges::any_of(operands, &CodeSet::empty)) return {};
  return capped(*node.type, images_.of(program_, function, *node.type, node.rule, operands));
}

RowCase RowTables::converted_case(const Format& from, const Format& to, const RowCase& row) const {
  const auto each = [&](const CodeSet& set) { return converted(program_, from, to, set); };
  return {each(row.elements), each(row.pads), each(row.some)};
}

RowTable RowTables::cases_of_operand(std::size_t at, std::size_t operand, std::size_t dimension, Region others) {
  return is_constant(operand, dimension) ? classes(operand, dimension, others)
                                         : read_by(at, operand, dimension, others);
}

RowTable RowTables::of_function(std::size_t at, std::size_t dimension, Region others) {
  const Node& node = program_.nodes[at];
  if (RowTable found = of_distance(at, dimension, others); !found.empty()) return found;
  std::vector<std::size_t> distinct;
  std::vector<RowTable> tables;
  std::size_t choices = 1, varying = SIZE_MAX;  // the operand one of whose elements is known
  for (const std::size_t operand : node.operands) {
    if (std::ranges::find(distinct, operand) != distinct.end()) continue;
    const auto tells_nothing = [](const RowCase& row) { return row.some == row.elements; };
    const bool better = varying == SIZE_MAX || std::ranges::all_of(tables[varying], tells_nothing);
    if (better && !is_constant(operand, dimension)) varying = distinct.size();
    distinct.push_back(operand);
    tables.push_back(cases_of_operand(at, operand, dimension, others));
    choices *= tables.back().size();
  }
  if (choices == 0 || choices > kMostChoices) return {};
  const std::optional<CodeSet> bound = bound_of(node, dimension, others);
  const auto result = [&](std::vector<CodeSet> operands) {
    if (is_twice(node)) operands.pop_back();
    CodeSet all = image(node, node.function, operands);
    return bound ? all.intersected(*bound) : all;
  };
  RowTable out;
  for (std::size_t choice = 0; choice < choices; ++choice) {
    std::vector<CodeSet> elements, pads, some;
    for (const std::size_t operand : node.operands) {
      const auto number = static_cast<std::size_t>(std::ranges::find(distinct, operand) - distinct.begin());
      std::size_t left = choice;
      for (std::size_t i = 0; i < number; ++i) left /= tables[i].size();
      const RowCase& row = tables[number][left % tables[number].size()];
      elements.push_back(row.elements), pads.push_back(row.pads);
      some.push_back(number == varying ? row.some : row.elements);
    }
    out.push_back({result(elements), result(pads), result(some)});
  }
  return out;
}

// x times or over a factor that norms it.
std::optional<CodeSet> RowTables::bound_of(const Node& node, std::size_t dimension, Region others) const {
  if (!is_plain(program_) || (node.function != Function::Mul && node.function != Function::Div)) return std::nullopt;
  const bool divides = node.function == Function::Div;
  for (const std::size_t x : {std::size_t{0}, std::size_t{1}}) {
    if (x == 1 && divides) break;
    const std::size_t of = node.operands[x], factor = node.operands[1 - x];
    if (is_constant(factor, dimension) &&
        is_scale_along(program_, states_, of, factor, dimension, others != 0, divides))
      return normed(*node.type, program_.nodes[of].dimensions[dimension].size);
  }
  return std::nullopt;
}

// x - max(x): a maximum that is no NaN has no NaN below it, and is one of the elements if no pad is above them all.
RowTable RowTables::of_distance(std::size_t at, std::size_t dimension, Region others) {
  const Node& node = program_.nodes[at];
  const Format& type = *node.type;
  if (node.function != Function::Sub || !type.is_float() || !is_plain(program_)) return {};
  const std::size_t x = node.operands[0], factor = node.operands[1];
  if (!is_constant(factor, dimension) || !is_maximum_along(program_, states_, x, factor, dimension, others != 0))
    return {};
  const CodeSet nan = nans(type), below = numbers(type, lowest_order(type), order(type, Code{0})).united(nan);
  RowTable out;
  for (const RowCase& row : of(x, dimension, others))
    for (const CodeSet& maximum : classes_of(type, set(factor, others))) {
      RowCase read = row;
      const bool is_number = maximum.intersected(nan).empty();
      if (is_number) read = {at_most(type, row.elements, maximum), at_most(type, row.pads, maximum), {}};
      if (read.elements.empty() || (read.pads.empty() && !row.pads.empty())) continue;
      const auto distance = [&](const CodeSet& set) {
        CodeSet all = image(node, Function::Sub, {set, maximum});
        return is_number ? all.intersected(below) : all;
      };
      RowCase next{distance(read.elements), distance(read.pads), {}};
      next.some = next.elements;
      if (is_number && are_below(type, row.pads, row.elements)) {
        const bool finite = maximum.is_subset_of(finite_codes(type));
        next.some = next.elements.intersected(finite ? zeros(type) : nan);
        if (next.some.empty()) continue;  // no such row has that maximum
      }
      out.push_back(std::move(next));
    }
  return out;
}

RowTable RowTables::of_row(std::size_t at, Region others) {
  const Node& node = program_.nodes[at];
  const bool softmax = node.operation == Operation::Softmax;
  const bool norm = node.operation == Operation::LayerNorm || node.operation == Operation::RmsNorm;
  if ((!softmax && !norm) || !has_row_images(program_, node)) return {};
  RowTable wide;
  for (const RowCase& row : read_by(at, node.operands[0], node.axes[0], others)) {
    const RowCase read = converted_case(*program_.nodes[node.operands[0]].type, *node.accumulate, row);
    if (softmax) add_softmax(node, read, wide);
    else add_norm(node, read, wide);
  }
  RowTable out;
  for (const RowCase& row : wide) out.push_back(converted_case(*node.accumulate, *node.type, row));
  return out;
}

// Dead are rows with a NaN or +inf, and of -inf alone. All others have a finite element or pad.
void RowTables::add_softmax(const Node& node, const RowCase& row, RowTable& out) const {
  const Format& wide = *node.accumulate;
  const CodeSet finite = finite_codes(wide), low = infinity_of(wide, true), nan = nans(wide);
  const CodeSet usual = finite.united(low), every = row.elements.united(row.pads);
  const bool all_low = !row.some.intersected(low).empty() && (row.pads.empty() || !row.pads.intersected(low).empty());
  if (all_low || !every.is_subset_of(usual)) out.push_back({nan, row.pads.empty() ? CodeSet() : nan, nan});
  const RowCase live{row.elements.intersected(usual), row.pads.intersected(usual), row.some.intersected(finite)};
  if (live.elements.empty() || live.pads.empty() != row.pads.empty()) return;
  CodeSet anchor = live.some;  // of the finite codes in the row
  if (!row.some.is_subset_of(finite)) anchor = live.elements.united(live.pads).intersected(finite);
  if (anchor.empty()) return;
  const Dimension& along = program_.nodes[node.operands[0]].dimensions[node.axes[0]];
  Question question = question_of(program_, node, live.elements);
  question.type = wide;
  const auto results = [&](const CodeSet& here) {
    if (here.empty()) return CodeSet();
    return image_of_row(question, {anchor, live.elements.united(live.pads), here, along.padded()});
  };
  const CodeSet elements = results(live.elements);
  out.push_back({elements, results(live.pads), elements});
}

// The steps of rows.h, each class of the mean and of the scale by itself.
void RowTables::add_norm(const Node& of, const RowCase& row, RowTable& out) {
  Node node = of;  // whose functions are in the accumulator
  node.type = of.accumulate, node.rule = values::MaxRule::NanWins;
  const Format& wide = *of.accumulate;
  const bool centred = of.operation == Operation::LayerNorm;
  const Dimension& along = program_.nodes[of.operands[0]].dimensions[of.axes[0]];
  const Index all = row.pads.empty() ? along.size : along.padded();
  const Index n = of.divide == Divide::Padded ? all : along.size;
  const CodeSet count = CodeSet::of(values::count_code(wide, static_cast<std::uint64_t>(n)));
  Question sum = question_of(program_, of, row.elements);
  sum.operation = Operation::Sum;
  const auto mean = [&](const CodeSet& leaves) {
    return image(node, Function::Div, {image_of_reduction(sum, leaves, all), count});
  };
  const CodeSet leaves = row.elements.united(row.pads), nan = nans(wide);
  const CodeSet squares = mean(image(node, Function::Square, {leaves}));
  const CodeSet epsilon = CodeSet::of(epsilon_of(wide)), one = CodeSet::of(values::one(wide));
  const auto bound = normed(wide, n);
  const bool cancels = !row.pads.is_subset_of(zeros(wide)) || !never_cancels(wide, epsilon_of(wide), n);
  for (const CodeSet& middle : centred ? classes_of(wide, mean(leaves)) : std::vector{CodeSet::of(0)}) {
    CodeSet spread = squares;
    if (centred) spread = image(node, Function::Sub, {squares, image(node, Function::Square, {middle})});
    spread = image(node, Function::Add, {spread, epsilon});
    spread = without_less(wide, epsilon_of(wide), spread);
    if (!cancels) spread = spread.without(zeros(wide), wide);
    for (const CodeSet& scale :
         classes_of(wide, image(node, Function::Div, {one, image(node, Function::Sqrt, {spread})}))) {
      // A NaN in the row makes each sum NaN, and the scale.
      const bool is_number = scale.intersected(nan).empty();
      // So does a mean whose square is infinite.
      const CodeSet mean_here = is_number && has_infinity(wide) ? middle.intersected(of_finite_squares(wide)) : middle;
      if (mean_here.empty()) continue;
      const auto results = [&](const CodeSet& set) {
        CodeSet here = is_number ? set.without(nan, wide) : set;
        if (centred) here = image(node, Function::Sub, {here, mean_here});
        const CodeSet found = image(node, Function::Mul, {here, scale});
        return bound && !centred && is_number ? found.intersected(*bound) : found;
      };
      RowCase next{results(row.elements), results(row.pads), results(row.some)};
      if (next.pads.empty() == row.pads.empty()) out.push_back(std::move(next));
    }
  }
}

// A sum of what is not below 0 is at least each of its terms, and a maximum is at least each of its elements.
CodeSet RowTables::of_reduction(std::size_t at, Region region) {
  const Node& node = program_.nodes[at];
  const Node& of = program_.nodes[node.operands[0]];
  const std::size_t axis = node.axes[0];
  if (node.keep && (region & beyond(axis)) != 0) return CodeSet::all(*node.type);
  const Region below = region & (beyond(axis) - 1);
  const Region from = node.keep ? region : below | (region & ~(beyond(axis) - 1)) << 1;
  const Format &type = *node.type, &wide = *node.accumulate;
  CodeSet out;
  for (const RowCase& row : read_by(at, node.operands[0], axis, from)) {
    CodeSet read = row.elements;
    if (states_.reads_padding(at, region)) read = read.united(row.pads);
    CodeSet found = image_of_fold(program_, images_, node, read);
    const CodeSet nan = nans(wide), some = converted(program_, *of.type, wide, row.some);
    const auto known = extent(wide, some), lowest = extent(wide, converted(program_, *of.type, wide, read));
    const std::int64_t zero = wide.is_float() ? order(wide, Code{0}) : 0;
    if (is_nan_of_nan(node) && wide.is_float() && wide == type && !known) {
      found = found.intersected(nan);
    } else if (is_nan_of_nan(node) && wide.is_float() && wide == type && is_plain(program_)) {
      const bool grows = node.operation == Operation::Sum && lowest->low >= zero && known->low > zero;
      if (grows || node.operation == Operation::Max)
        found = found.intersected(numbers(wide, known->low, highest_order(wide)).united(nan));
    }
    out = out.united(found);
  }
  return out;
}

}  // namespace vl::neutral::program
