#include "encodings/smt/obligation.h"

namespace vl::smt {
namespace {

Formula combine(Formula::Kind kind, std::vector<Formula> operands) { return Formula{kind, {}, std::move(operands)}; }

}  // namespace

Formula all_of(std::vector<Formula> operands) { return combine(Formula::Kind::And, std::move(operands)); }
Formula any_of(std::vector<Formula> operands) { return combine(Formula::Kind::Or, std::move(operands)); }
Formula negate(Formula formula) { return combine(Formula::Kind::Not, {std::move(formula)}); }
Formula at_most_zero(Linear linear) { return Formula{Formula::Kind::AtMostZero, std::move(linear), {}}; }
Formula is_zero(Linear linear) { return Formula{Formula::Kind::IsZero, std::move(linear), {}}; }
Formula equals(TermId a, TermId b) { return is_zero(Linear{0, {{a, 1}, {b, -1}}}); }
Formula equals_constant(TermId a, Index value) { return is_zero(Linear{-value, {{a, 1}}}); }

Formula within(TermId a, Index low, Index high) {
  return all_of({at_most_zero(Linear{low, {{a, -1}}}), at_most_zero(Linear{-high, {{a, 1}}})});
}

TermId Obligation::variable(map::Range range) {
  VL_CHECK(range.low <= range.high, "a variable without a value");
  variables_.push_back(ranges_.size());
  ranges_.push_back(range);
  return variables_.back();
}

std::vector<TermId> Obligation::point_of(const map::Space& space) {
  std::vector<TermId> point;
  for (const map::Dim& dim : space.dims()) point.push_back(variable({0, dim.extent - 1}));
  return point;
}

std::vector<TermId> Obligation::apply(const map::Map& map, std::vector<TermId> arguments) {
  VL_CHECK(arguments.size() == map.domain().rank(), "a map applied to a point of another rank");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const map::Range& range = ranges_[arguments[i]];
    VL_CHECK(range.low >= 0 && range.high < map.domain().extent(i), "a map applied outside its domain");
  }
  const TermId first = ranges_.size();
  std::vector<TermId> outputs;
  for (const map::Range& range : map.ranges(map.stages().size())) {
    outputs.push_back(ranges_.size());
    ranges_.push_back(range);
  }
  applications_.push_back(Application{map, std::move(arguments), first});
  return outputs;
}

}  // namespace vl::smt
