#include "verifier/checker/rules.h"

#include <algorithm>
#include <limits>

namespace vl::checker {
namespace {

using Polynomials = std::vector<Polynomial>;

Polynomial product(const Polynomials& factors) {
  Polynomial out = 1;
  for (const Polynomial& factor : factors) out = out * factor;
  return out;
}

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

// Digits of such extents are known where the rows Σ size·digit are: one after the other, as its size exceeds what those
// that are not known reach together. Sizes may have any sign.
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

// floor(number / weight) for each weight, each below its place's extent.
class GreedySplit {
 public:
  GreedySplit(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) : sizes_(sizes) {
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
      if (sizes.decides(weight - 1)) insert({weight, extent});
      else sizes.needs(Polynomial(-1) - weight, "a weight that may be 0"), left_out_.push_back(extent);
    }
  }

  void all_land() const {
    for (const Polynomial& extent : left_out_) sizes_.needs(extent - 1, "a place that is empty");
    std::vector<Part> rest;  // of the number: Σ size·x, 0 <= x < extent, each x by itself
    for (std::size_t i = 0; i < strides_.size(); ++i) rest.push_back({strides_[i], extents_[i]});
    for (const Part& level : kept_) divide(level, rest);
    for (const Part& part : rest) sizes_.needs(Polynomial(1) - part.extent, "a rest that no weight takes");
  }
  void none_collide() const { peel(sizes_, {strides_}, extents_); }

 private:
  struct Part {
    Polynomial size, extent;
  };

  void insert(Part level) {
    auto at = kept_.end();
    while (at != kept_.begin() && !sizes_.decides(std::prev(at)->size - level.size)) --at;
    kept_.insert(at, std::move(level));
  }

  void divide(const Part& level, std::vector<Part>& rest) const {
    Polynomial greatest = 0, reach = 0;  // of the digit, of what is left
    std::vector<Part> left;
    for (const Part& part : rest) {
      if (const auto times = part.size.over(level.size)) {
        greatest = greatest + *times * (part.extent - 1);
        continue;
      }
      const auto steps = level.size.over(part.size);
      if (!steps || sizes_.shows(*steps - part.extent) || !sizes_.decides(part.extent - *steps - 1)) {
        left.push_back(part);
        continue;
      }
      greatest = greatest + sizes_.quotient(part.extent - 1, *steps);
      left.push_back({part.size, *steps});
    }
    for (const Part& part : left) reach = reach + part.size * (part.extent - 1);
    sizes_.needs(level.size - 1 - reach, "digits that carry");
    sizes_.needs(level.extent - 1 - greatest, "a coordinate beyond the box");
    rest = std::move(left);
  }

  const SizeSet& sizes_;
  Polynomials strides_, extents_, left_out_;
  std::vector<Part> kept_;  // weight and extent, by descending weight
};

// Places as forms of independent digits.
class RadixForms {
 public:
  RadixForms(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical, const Polynomials& replicas)
      : sizes_(sizes) {
    Polynomial number = 1, weight = 1;
    for (std::size_t i = logical.size(); i-- > 0; number = number * logical[i])
      require(sizes.value(rule.strides[i]) == number, "a host that is not row-major");
    digits_.resize(rule.levels.size());
    for (std::size_t k = digits_.size(); k-- > 0; weight = weight * digits_[k]) {
      digits_[k] = sizes.value(rule.levels[k].extent);
      sizes.needs(digits_[k] - 1, "an extent below 1");
      require(sizes.value(rule.levels[k].weight) == weight, "levels that are no mixed radix");
    }
    require(weight == number, "levels of another number");
    digits_.insert(digits_.end(), replicas.begin(), replicas.end());
    for (const RuleText::Place& said : rule.places) {
      Place& place = places_.emplace_back(Place{sizes.value(said.constant), sizes.value(said.extent), {}, {}});
      require(said.filled.has_value() == rule.named, "places that are filled in part");
      if (said.filled) place.filled = sizes.value(*said.filled);
      place.sizes.resize(digits_.size());
      for (const RuleText::Term& term : said.terms) {
        require(term.input < digits_.size(), "an input that is none");
        place.sizes[term.input] = place.sizes[term.input] + sizes.value(term.coefficient);
      }
    }
    if (!rule.swizzle || rule.swizzle->bits == 0) return;
    const RuleText::Swizzle& said = *rule.swizzle;
    for (const std::int64_t number_of_bits : {said.base, said.bits, said.shift})
      require(number_of_bits >= 0 && number_of_bits <= 62, "a swizzle of too many bits");
    require(said.shift >= 1 && said.base + said.bits + said.shift <= 62 && said.place < places_.size(),
            "a swizzle that is none");
    swizzled_ = said.place;
    swizzle_.kind = Stage::Kind::Swizzle, swizzle_.up = said.up;
    swizzle_.base = static_cast<int>(said.base), swizzle_.bits = static_cast<int>(said.bits);
    swizzle_.shift = static_cast<int>(said.shift);
  }

  void all_land(bool filled) const {
    for (std::size_t j = 0; j < places_.size(); ++j) {
      const Place& place = places_[j];
      const Polynomial& extent = filled ? place.filled : place.extent;
      Polynomial least = place.constant, most = place.constant;  // both in a corner
      for (std::size_t k = 0; k < digits_.size(); ++k)
        if (const Polynomial reach = place.sizes[k] * (digits_[k] - 1); sizes_.decides(place.sizes[k]))
          most = most + reach;
        else least = least + reach;
      sizes_.needs(least, "a coordinate below 0");
      sizes_.needs(extent - 1 - most, "a coordinate beyond the box");
      if (swizzled_ == j) swizzle_keeps(extent);
    }
  }
  // A swizzle is one to one, so places are compared before it.
  void none_collide() const {
    std::vector<Polynomials> rows;
    for (const Place& place : places_) rows.push_back(place.sizes);
    peel(sizes_, std::move(rows), digits_);
  }
  [[nodiscard]] Polynomial filled_slots() const {
    Polynomial out = 1;
    for (const Place& place : places_) out = out * place.filled;
    return out;
  }

 private:
  struct Place {
    Polynomial constant, extent, filled;
    Polynomials sizes;  // one a digit
  };

  // σ takes [0, extent) into itself. It permutes each aligned block, so a last block that is not whole is left, and
  // what σ does there depends on its numbers below the period.
  void swizzle_keeps(const Polynomial& extent) const {
    constexpr int kMostBits = 14;
    const int within = swizzle_.base + swizzle_.bits, all = within + swizzle_.shift;
    const Wide block = 1LL << (swizzle_.up ? all : within), period = 1LL << all;
    if (extent.split(block).second.terms().empty()) return;
    require(all <= kMostBits, "a swizzle whose period is too long");
    const Polynomial rest = extent.split(period).second;
    const auto end = rest.number();
    if (!end) {
      const Polynomial::Term& term = rest.terms().front();
      const auto v = std::ranges::find_if(term.powers, [](std::uint8_t power) { return power > 0; });
      throw Undecided({"residue", {}, v - term.powers.begin(), (period / gcd(term.coefficient, period)).narrow()});
    }
    for (Wide x = *end - *end % block; x < *end; x += 1)
      require(swizzle_.swizzled(x) < *end, "a last block out of which the swizzle leads");
  }

  const SizeSet& sizes_;
  Polynomials digits_;  // their extents; each choice of values is a point
  std::vector<Place> places_;
  std::optional<std::size_t> swizzled_;
  Stage swizzle_;
};

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

// Of sizes without an instance: nothing.
struct Extents {
  Polynomials logical, replicas;
  bool any = true;  // whether there is an element
};
std::optional<Extents> extents_of(const RuleText& rule, const SizeSet& sizes) {
  for (const RuleText::Condition& condition : rule.where)
    if (!holds(condition, sizes)) return std::nullopt;
  require(rule.strides.size() == rule.logical.size(), "another number of strides");
  Extents out;
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

template <class Digits>
void show(const std::string& claim, const RuleText& rule, const SizeSet& sizes, const Polynomial& points,
          const Digits& digits) {
  constexpr bool kDecodes = std::same_as<Digits, GreedySplit>;
  // The digits, and no rest, make the number of an element that has a slot.
  if (kDecodes && claim == "offset-identity") return;
  if (claim == "injective") return digits.none_collide();
  if constexpr (kDecodes) digits.all_land();
  else digits.all_land(false);
  if (claim == "in-bounds") return;
  digits.none_collide();
  if (claim == "padding") return;
  if (claim == "onto") return sizes.needs(points - slots_of(rule, sizes), "fewer elements than slots");
  require(claim == "bijective", "a claim that is not known of rules");
  if constexpr (!kDecodes) {  // else the digits of the number, by the strides, are the element
    if (!rule.named) return;
    digits.all_land(true);
    sizes.needs(points - digits.filled_slots(), "a slot to be filled that holds nothing");
  }
}

}  // namespace

void check_sizes(const std::string& claim, const RuleText& rule, const std::optional<ExpressionText>& value,
                 const SizeSet& sizes) {
  const auto extents = extents_of(rule, sizes);
  if (!extents) return;
  const Polynomial points = product(extents->logical) * product(extents->replicas);
  require(value.has_value() == (claim == "padding"), "a number that nothing asks of");
  if (value) require(slots_of(rule, sizes) - points == sizes.value(*value), "another number of slots");
  if (!extents->any) return require(claim != "onto", "slots of a tensor without elements");
  if (rule.decodes) show(claim, rule, sizes, points, GreedySplit(rule, sizes, extents->logical));
  else show(claim, rule, sizes, points, RadixForms(rule, sizes, extents->logical, extents->replicas));
}

void check_instance(const RuleText& rule, const Integers& at) {
  const SizeSet sizes(rule.symbols, at);
  const auto extents = extents_of(rule, sizes);
  require(extents && extents->any, "sizes that have no element");
  const auto exists = [&](const ExpressionText& said) { static_cast<void>(sizes.value(said).number()->narrow()); };
  std::ranges::for_each(rule.logical, exists);
  std::ranges::for_each(rule.strides, exists);
  for (const RuleText::Level& level : rule.levels) exists(level.weight), exists(level.extent);
  for (const RuleText::Place& place : rule.places) {
    exists(place.extent), exists(place.constant);
    for (const RuleText::Term& term : place.terms) exists(term.coefficient);
  }
}

void check_for_all_sizes(const std::string& claim, Statement& statement, Evidence& evidence) {
  const RuleText rule = take(statement.rule);
  const CasesProof proof = take(evidence.cases);
  const auto value = std::exchange(statement.value_expression, std::nullopt);
  Polynomial::count();
  check_instance(rule, proof.sizes);
  if (claim == "well-formed")  // the family's rules do not depend on sizes
    return require(proof.steps.empty() && !value, "steps that show nothing");
  std::vector<SizeSet> open{SizeSet(rule.symbols)};
  for (const CaseStep& step : proof.steps) {
    require(!open.empty(), "a step of no case");
    const SizeSet sizes = std::move(open.back());
    open.pop_back();
    if (step.step == "holds") {
      require(!step.polynomial && !step.variable && !step.by, "a step of another kind");
      check_sizes(claim, rule, value, sizes);
      continue;
    }
    auto branches = sizes.branches(step);
    std::ranges::move(branches.rbegin(), branches.rend(), std::back_inserter(open));
    require(open.size() <= kMostCases, "too many cases");
  }
  require(open.empty(), "a case that nothing is shown of");
}

}  // namespace vl::checker
