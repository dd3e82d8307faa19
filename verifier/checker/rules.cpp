#include "verifier/checker/rules.h"

#include <algorithm>

#include "verifier/checker/rule_digits.h"
#include "verifier/checker/rule_nests.h"

namespace vl::checker {
namespace {

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
    const RuleSwizzleText& said = *rule.swizzle;
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

// The memory, which is the axis m where places have names, has at most as many bytes: slots·bits <= 8·bytes.
void check_memory(const Statement& statement, const SizeSet& sizes) {
  const RuleText& rule = *statement.rule;
  require(statement.bits && *statement.bits > 0, "elements without a size");
  const auto axis = std::ranges::find(rule.places, "m", &RuleText::Place::name);
  require(!rule.named || axis != rule.places.end(), "a layout without a memory");
  const Polynomial slots = rule.named ? sizes.value(axis->extent) : slots_of(rule, sizes);
  sizes.needs(Polynomial(*statement.at_most) * 8 - slots * *statement.bits, "more bytes than there are");
}

}  // namespace

void check_sizes(const Statement& statement, const SizeSet& sizes) {
  const std::string& claim = statement.claim;
  const RuleText& rule = *statement.rule;
  const auto& value = statement.value_expression;
  if (statement.rule_nests) return check_rule_nests(statement, sizes);
  const auto extents = extents_of(rule, sizes);
  if (!extents) return;
  require(statement.at_most.has_value() == (claim == "fits"), "a number that nothing asks of");
  if (claim == "fits") return check_memory(statement, sizes);
  const Polynomial points = product(extents->logical) * product(extents->replicas);
  require(value.has_value() == (claim == "padding"), "a number that nothing asks of");
  if (value) require(slots_of(rule, sizes) - points == sizes.value(*value), "another number of slots");
  if (!extents->any) return require(claim != "onto", "slots of a tensor without elements");
  if (rule.decodes) show(claim, rule, sizes, points, GreedySplit(rule, sizes, extents->logical));
  else show(claim, rule, sizes, points, RadixForms(rule, sizes, extents->logical, extents->replicas));
}

void check_instance(const RuleText& rule, const Integers& at, bool with_element) {
  const SizeSet sizes(rule.symbols, at);
  const auto extents = extents_of(rule, sizes);
  require(extents && (extents->any || !with_element), "sizes that have no element");
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
  Statement asked;
  asked.claim = claim, asked.rule = take(statement.rule);
  asked.value_expression = std::exchange(statement.value_expression, std::nullopt);
  asked.rule_nests = std::exchange(statement.rule_nests, std::nullopt);
  asked.from_rule = std::exchange(statement.from_rule, std::nullopt);
  require(asked.rule_nests || !asked.from_rule, "a rule that nothing asks of");
  require(!asked.value_expression || (claim == "padding" && !asked.rule_nests), "a number that nothing asks of");
  if (claim == "fits") asked.bits = take(statement.bits), asked.at_most = take(statement.at_most);
  const CasesProof proof = take(evidence.cases);
  Polynomial::count();
  check_instance(*asked.rule, proof.sizes, claim != "well-formed");
  if (claim == "well-formed")  // the family's rules do not depend on sizes
    return require(proof.steps.empty() && !asked.value_expression && !asked.rule_nests, "steps that show nothing");
  std::vector<SizeSet> open{SizeSet(asked.rule->symbols)};
  for (const CaseStep& step : proof.steps) {
    require(!open.empty(), "a step of no case");
    const SizeSet sizes = std::move(open.back());
    open.pop_back();
    if (step.step == "holds") {
      require(!step.polynomial && !step.variable && !step.by, "a step of another kind");
      check_sizes(asked, sizes);
      continue;
    }
    auto branches = sizes.branches(step);
    std::ranges::move(branches.rbegin(), branches.rend(), std::back_inserter(open));
    require(open.size() <= kMostCases, "too many cases");
  }
  require(open.empty(), "a case that nothing is shown of");
}

}  // namespace vl::checker
