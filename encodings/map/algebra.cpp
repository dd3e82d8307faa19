#include "encodings/map/algebra.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::map {
namespace {

Error not_invertible(std::string why) { return Error{ErrorCode::NotInvertible, std::move(why)}; }

// The inverse of one row of an affine stage: a split by the row's coefficients, largest first, whose digits are the
// row's inputs.
struct RowInverse {
  Index constant = 0;          // subtracted from the output before the split
  std::vector<Index> weights;  // of the split; ends in 1
  std::vector<Term> terms;     // in the order of the weights; an extra last weight 1 has no term
};

Result<RowInverse> invert_row(const Row& row, const std::vector<Range>& inputs) {
  RowInverse out;
  out.constant = row.constant;
  for (const Term& term : row.terms) {
    const Range& in = inputs[term.input];
    if (in.low == in.high) {  // a fixed input carries no information
      if (!accumulate(out.constant, term.coefficient, in.low)) return not_invertible("a constant leaves 64 bits");
      continue;
    }
    if (!accumulate(out.constant, term.coefficient, term.coefficient > 0 ? in.low : in.high))
      return not_invertible("a constant leaves 64 bits");
    out.terms.push_back(term);
  }
  const auto weight = [](const Term& term) { return term.coefficient < 0 ? -term.coefficient : term.coefficient; };
  std::ranges::stable_sort(out.terms, [&](const Term& a, const Term& b) { return weight(a) > weight(b); });
  Index reach = 0;  // the largest sum of the terms to the right
  for (std::size_t i = out.terms.size(); i-- > 0;) {
    if (weight(out.terms[i]) <= reach)
      return not_invertible(fmt::format("the coefficient {} does not exceed {}, the reach of the smaller ones",
                                        weight(out.terms[i]), reach));
    const Range& in = inputs[out.terms[i].input];
    Index steps = 0;
    if (__builtin_sub_overflow(in.high, in.low, &steps) || !accumulate(reach, weight(out.terms[i]), steps))
      return not_invertible("what the row reaches leaves 64 bits");
  }
  for (const Term& term : out.terms) out.weights.push_back(weight(term));
  if (out.weights.empty() || out.weights.back() != 1) out.weights.push_back(1);
  return out;
}

// x = low + digit for a positive coefficient, x = high - digit for a negative one; fixed inputs are constants.
Result<std::vector<Stage>> undo_of(const Affine& affine, const std::vector<Range>& inputs) {
  Affine shift;               // output r minus its constant
  std::vector<Stage> splits;  // applied from the last row to the first, so that positions to the left stay put
  Affine gather;              // digits back to inputs
  std::vector<std::optional<Row>> source(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].low == inputs[i].high) source[i] = Row{inputs[i].low, {}};

  std::size_t position = 0;
  for (std::size_t r = 0; r < affine.rows.size(); ++r) {
    auto inverse = invert_row(affine.rows[r], inputs);
    if (!inverse) return Error{inverse.error().code, fmt::format("row {}: {}", r, inverse.error().message)};
    const auto minus = checked_mul(inverse->constant, -1);
    if (!minus) return not_invertible("a constant leaves 64 bits");
    shift.rows.push_back(Row{*minus, {Term{r, 1}}});
    for (std::size_t k = 0; k < inverse->terms.size(); ++k) {
      const Term& term = inverse->terms[k];
      if (source[term.input]) return not_invertible(fmt::format("input x{} appears in two rows", term.input));
      const Range& in = inputs[term.input];
      source[term.input] =
          term.coefficient > 0 ? Row{in.low, {Term{position + k, 1}}} : Row{in.high, {Term{position + k, -1}}};
    }
    position += inverse->weights.size();
    splits.insert(splits.begin(), Split{r, std::move(inverse->weights)});
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!source[i]) return not_invertible(fmt::format("input x{} has no effect", i));
    gather.rows.push_back(*source[i]);
  }
  std::vector<Stage> stages{std::move(shift)};
  stages.insert(stages.end(), splits.begin(), splits.end());
  stages.emplace_back(std::move(gather));
  return stages;
}

Result<std::vector<Stage>> undo_of(const Split& split, const std::vector<Range>& inputs) {
  Affine affine;
  const std::size_t digits = split.weights.size();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i < split.input) affine.rows.push_back(pick(i));
    if (i > split.input) affine.rows.push_back(pick(i + digits - 1));
    if (i != split.input) continue;
    Row row;
    for (std::size_t k = 0; k < digits; ++k) row.terms.push_back(Term{i + k, split.weights[k]});
    affine.rows.push_back(std::move(row));
  }
  return std::vector<Stage>{std::move(affine)};
}

// A swizzle is I + N over GF(2), N the shifted field. N^m is the field of bits - (m-1)·shift bits shifted m times, so
// (I+N)^-1 = (I+N)(I+N^2)(I+N^4)… is a chain of swizzles with doubled shifts; one for shift >= bits.
Result<std::vector<Stage>> undo_of(const Swizzle& swizzle, const std::vector<Range>&) {
  std::vector<Stage> stages;
  for (int power = 1; swizzle.bits - (power - 1) * swizzle.shift > 0; power *= 2) {
    Swizzle factor = swizzle;
    factor.bits = swizzle.bits - (power - 1) * swizzle.shift;
    factor.shift = power * swizzle.shift;
    stages.emplace_back(factor);
  }
  return stages;
}

}  // namespace

Result<Map> compose(const Map& g, const Map& f) {
  if (f.outputs() != g.domain().rank())
    return Error{ErrorCode::NotComposable,
                 fmt::format("the inner map has {} outputs, the outer one {} inputs", f.outputs(), g.domain().rank())};
  const std::vector<Range>& produced = f.ranges(f.stages().size());
  for (std::size_t i = 0; f.domain().volume() > 0 && i < produced.size(); ++i)
    if (produced[i].low < 0 || produced[i].high >= g.domain().extent(i))
      return Error{ErrorCode::NotComposable,
                   fmt::format("output {} of the inner map may be in [{}, {}], input {} of the outer one is below {}",
                               i, produced[i].low, produced[i].high, i, g.domain().extent(i))};
  std::vector<Stage> stages = f.stages();
  stages.insert(stages.end(), g.stages().begin(), g.stages().end());
  return Map::create(f.domain(), std::move(stages));
}

Result<std::vector<Stage>> undo(const Stage& stage, const std::vector<Range>& inputs) {
  return std::visit([&](const auto& s) { return undo_of(s, inputs); }, stage);
}

Result<Map> invert(const Map& f) {
  if (f.domain().volume() == 0) return not_invertible("the domain is empty");
  std::vector<Stage> stages;
  for (std::size_t i = f.stages().size(); i-- > 0;) {
    auto undone = undo(f.stages()[i], f.ranges(i));
    if (!undone) return Error{undone.error().code, fmt::format("stage {}: {}", i + 1, undone.error().message)};
    stages.insert(stages.end(), undone->begin(), undone->end());
  }
  std::vector<Index> extents;
  for (const Range& range : f.ranges(f.stages().size())) {
    const auto extent = checked_add(range.high, 1);
    if (range.low != 0 || !extent)
      return not_invertible(
          fmt::format("an output lies in [{}, {}], which is not a box from 0", range.low, range.high));
    extents.push_back(*extent);
  }
  auto domain = Space::create(Space::dims("y", extents));
  if (!domain) return not_invertible(domain.error().message);
  auto inverse = Map::create(std::move(*domain), std::move(stages));
  if (!inverse) return not_invertible(inverse.error().message);
  return inverse;
}

std::vector<Stage> carried(std::vector<Stage> stages, std::size_t columns) {
  for (Stage& stage : stages)
    std::visit(
        overloaded{[&](Affine& affine) {
                     for (Row& row : affine.rows)
                       for (Term& term : row.terms) term.input += columns;
                     for (std::size_t j = columns; j-- > 0;) affine.rows.insert(affine.rows.begin(), pick(j));
                   },
                   [&](Split& split) { split.input += columns; }, [&](Swizzle& swizzle) { swizzle.input += columns; }},
        stage);
  return stages;
}

}  // namespace vl::map
