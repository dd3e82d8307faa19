#include "verifier/checker/rule_digits.h"

#include <algorithm>

namespace vl::checker {
namespace {

// Of a lower degree, or of the same one and with fewer terms.
bool simpler(const Polynomial& a, const Polynomial& b) {
  const auto rank = [](const Polynomial& p) {
    int degree = 0;
    for (const Polynomial::Term& term : p.terms()) {
      int sum = 0;
      for (const auto power : term.powers) sum += power;
      degree = std::max(degree, sum);
    }
    return std::pair(degree, p.terms().size());
  };
  return rank(a) < rank(b);
}

// Whether a condition holds for all sizes of the set, or for none.
bool holds(const RuleText::Condition& condition, const SizeSet& sizes) {
  const Polynomial p = sizes.value(condition.left) - sizes.value(condition.right);
  const std::string& is = condition.relation;
  if (is == ">=") return sizes.decides(p);
  if (is == ">") return sizes.decides(p - 1);
  if (is == "<=") return sizes.decides(p * -1);
  if (is == "<") return sizes.decides(Polynomial(-1) - p);
  require(is == "==", "a relation that is not known");
  return sizes.decides(p) && sizes.decides(p * -1);
}

}  // namespace

Polynomial product(const Polynomials& factors) {
  Polynomial out = 1;
  for (const Polynomial& factor : factors) out = out * factor;
  return out;
}

void peel(const SizeSet& sizes, std::vector<Polynomials> rows, const Polynomials& extents) {
  std::vector<bool> known;
  for (const Polynomial& extent : extents) known.push_back(sizes.shows(Polynomial(1) - extent));
  for (Polynomials& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k)
      if (!known[k] && !sizes.decides(row[k])) row[k] = row[k] * -1;
  std::optional<Polynomial> open;  // what would tell one more digit
  for (bool again = true; again;) {
    again = false, open.reset();
    for (const Polynomials& row : rows)
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (known[k]) continue;
        Polynomial p = row[k] - 1;
        for (std::size_t j = 0; j < row.size(); ++j)
          if (j != k && !known[j]) p = p - row[j] * (extents[j] - 1);
        if (sizes.shows(p)) known[k] = again = true;
        else if (!sizes.shows(Polynomial(-1) - p) && (!open || simpler(p, *open))) open = p;
      }
  }
  for (std::size_t k = 0; k < known.size(); ++k)
    if (!known[k]) static_cast<void>(sizes.decides(extents[k] - 2));
  if (std::ranges::find(known, false) == known.end()) return;
  if (open) static_cast<void>(sizes.decides(*open));
  throw Rejected("digits that nothing tells apart");
}

std::optional<RuleExtents> extents_of(const RuleText& rule, const SizeSet& sizes) {
  for (const RuleText::Condition& condition : rule.where)
    if (!holds(condition, sizes)) return std::nullopt;
  require(rule.strides.size() == rule.logical.size(), "another number of strides");
  RuleExtents out;
  for (const ExpressionText& said : rule.logical) out.logical.push_back(sizes.value(said));
  for (const ExpressionText& said : rule.replicas) out.replicas.push_back(sizes.value(said));
  for (const Polynomials* extents : {&out.logical, &out.replicas})
    for (const Polynomial& extent : *extents) out.any = sizes.decides(extent - 1) && out.any;
  return out;
}

Polynomial slots_of(const RuleText& rule, const SizeSet& sizes) {
  Polynomial out = 1;
  for (const RuleText::Place& place : rule.places) out = out * sizes.value(place.extent);
  return out;
}

GreedySplit::GreedySplit(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) : sizes_(sizes) {
  require(rule.replicas.empty() && !rule.swizzle && !rule.named && rule.levels.size() == rule.places.size(),
          "digits that are no places");
  for (std::size_t i = 0; i < logical.size(); ++i) {
    if (sizes.shows(Polynomial(1) - logical[i])) continue;
    strides_.push_back(sizes.value(rule.strides[i])), extents_.push_back(logical[i]);
    sizes.needs(strides_.back() - 1, "a stride below 1");
  }
  for (std::size_t j = 0; j < rule.places.size(); ++j) {
    const RuleText::Place& place = rule.places[j];
    const std::vector<RuleText::Term> itself{{j, ExpressionText{{}, 1}}};
    require(place.extent == rule.levels[j].extent && place.constant == ExpressionText{} && place.terms == itself,
            "places that are not the digits");
    const Polynomial extent = sizes.value(place.extent);
    if (!sizes.decides(extent - 2)) {
      left_out_.push_back(extent);
      continue;
    }
    const Polynomial weight = sizes.value(rule.levels[j].weight);
    if (sizes.decides(weight - 1)) insert({weight, extent, j});
    else sizes.needs(Polynomial(-1) - weight, "a weight that may be 0"), left_out_.push_back(extent);
  }
}

void GreedySplit::insert(Level level) {
  auto at = kept_.end();
  while (at != kept_.begin() && !sizes_.decides(std::prev(at)->weight - level.weight)) --at;
  kept_.insert(at, std::move(level));
}

void GreedySplit::places_are_not_empty() const {
  for (const Polynomial& extent : left_out_) sizes_.needs(extent - 1, "a place that is empty");
}

void GreedySplit::all_land() const {
  places_are_not_empty();
  std::vector<SplitPart> rest;
  for (std::size_t i = 0; i < strides_.size(); ++i) rest.push_back({strides_[i], extents_[i]});
  for (const Level& level : kept_) divide(level, rest);
  for (const SplitPart& part : rest) sizes_.needs(Polynomial(1) - part.extent, "a rest that no weight takes");
}

void GreedySplit::divide(const Level& level, std::vector<SplitPart>& rest) const {
  Polynomial greatest = 0, reach = 0;  // of the digit, of what is left
  std::vector<SplitPart> left;
  for (const SplitPart& part : rest) {
    if (const auto times = part.size.over(level.weight)) {
      greatest = greatest + *times * (part.extent - 1);
      continue;
    }
    const auto steps = level.weight.over(part.size);
    if (!steps || sizes_.shows(*steps - part.extent) || !sizes_.decides(part.extent - *steps - 1)) {
      left.push_back(part);
      continue;
    }
    greatest = greatest + sizes_.quotient(part.extent - 1, *steps);
    left.push_back({part.size, *steps});
  }
  for (const SplitPart& part : left) reach = reach + part.size * (part.extent - 1);
  sizes_.needs(level.weight - 1 - reach, "digits that carry");
  sizes_.needs(level.extent - 1 - greatest, "a coordinate beyond the box");
  rest = std::move(left);
}

}  // namespace vl::checker
