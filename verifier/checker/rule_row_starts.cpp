#include "verifier/checker/rule_row_starts.h"

#include <algorithm>

namespace vl::checker {
namespace {

// A multiple of `size`, from 0 to `most` if that is known.
struct Multiple {
  Polynomial size;
  std::optional<Polynomial> most = {};
};
using Multiples = std::vector<Multiple>;  // their sum

// The number is divided by a weight; afterwards it is what remains. Returns those of which the digit has multiples.
Polynomials digit_of(Multiples& number, const Polynomial& weight, const SizeSet& sizes) {
  Polynomials quotients;
  Multiples left;
  Polynomial room = weight - 1;
  bool bounded = true;
  for (const Multiple& part : number)
    if (const auto times = part.size.over(weight)) quotients.push_back(*times);
    else left.push_back(part), bounded = bounded && part.most, room = room - part.most.value_or(0);
  number = std::move(left);
  if (number.empty() || (bounded && sizes.shows(room))) return quotients;
  const auto divides = [&](const Multiple& part) { return weight.over(part.size).has_value(); };
  if (std::ranges::none_of(number, divides)) number.push_back({weight});
  for (Multiple& part : number) part.most.reset();
  return {1};
}

// Of each level, where rows begin. A level that has but one digit has 0.
std::vector<Polynomials> digits_at_row_starts(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) {
  std::vector<Polynomials> out(rule.levels.size());
  const auto add_dimension = [&](std::size_t i, Multiples& number) {
    require(i < logical.size(), "a dimension that is none");
    if (i + 1 == logical.size() || sizes.shows(Polynomial(1) - logical[i])) return;
    Multiple& part = number.emplace_back(Multiple{sizes.value(rule.strides[i])});
    if (sizes.shows(part.size)) part.most = part.size * (logical[i] - 1);
  };
  require(rule.decodes || !rule.start, "a start of digits that are no places");
  if (rule.numbers) {
    require_numbers(rule, sizes, logical);
    std::size_t next = 0;
    for (std::size_t n = 0; n < rule.numbers->size(); ++n) {
      Multiples number;
      for (const std::size_t dim : (*rule.numbers)[n].dims) add_dimension(dim, number);
      for (const RuleText::Term& term : rule.joins ? (*rule.joins)[n] : std::vector<RuleText::Term>{})
        for (const Polynomial& part : out[term.input]) number.push_back({sizes.value(term.coefficient) * part});
      for (const std::size_t end = next + (*rule.numbers)[n].levels; next < end; ++next)
        out[next] = digit_of(number, sizes.value(rule.levels[next].weight), sizes);
    }
    return out;
  }
  Multiples number;
  for (std::size_t i = 0; i < logical.size(); ++i) add_dimension(i, number);
  if (rule.decodes) {
    if (rule.start) number.push_back({sizes.value(*rule.start)});
    const GreedySplit split(rule, sizes);
    for (const GreedySplit::Level& level : split.levels()) out[level.place] = digit_of(number, level.weight, sizes);
    return out;
  }
  const Polynomials extents = radix_of(rule, sizes, logical);
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (!sizes.shows(Polynomial(1) - extents[k])) out[k] = digit_of(number, sizes.value(rule.levels[k].weight), sizes);
  return out;
}

// step divides p.
void needs_multiple(const Polynomial& p, const Wide& step, const SizeSet& sizes) {
  require(sizes.rest(p, step) == 0, "a row that begins between two multiples");
}

}  // namespace

void check_rule_row_starts(const Statement& statement, const SizeSet& sizes, const RuleExtents& extents) {
  const RuleText& rule = *statement.rule;
  require(*statement.bits > 0 && *statement.base > 0, "elements or an alignment without a size");
  const Wide unit = Wide(*statement.base) * 8, step = unit / gcd(unit, *statement.bits);
  const auto swizzle = swizzle_of(rule);
  require(!swizzle || Wide(1LL << swizzle->base) % step == 0, "a swizzle that moves less than what is asked");
  const std::vector<Polynomials> digits = digits_at_row_starts(rule, sizes, extents.logical);
  require(!rule.named || std::ranges::find(rule.places, "m", &RuleText::Place::name) != rule.places.end(),
          "a layout without a memory");
  Polynomial weight = 1;  // of a coordinate in the number of a slot
  for (std::size_t j = rule.places.size(); j-- > 0;) {
    const RuleText::Place& place = rule.places[j];
    if (rule.named && place.name != "m") continue;
    needs_multiple(weight * sizes.value(place.constant), step, sizes);
    for (const RuleText::Term& term : place.terms) {
      require(term.input < digits.size() + extents.replicas.size(), "an input that is none");
      const bool of_level = term.input < digits.size();
      if (!of_level && sizes.shows(Polynomial(1) - extents.replicas[term.input - digits.size()])) continue;
      const Polynomial each = weight * sizes.value(term.coefficient);
      for (const Polynomial& part : of_level ? digits[term.input] : Polynomials{1})
        needs_multiple(each * part, step, sizes);
    }
    if (!rule.named) weight = weight * sizes.value(place.extent);
  }
}

}  // namespace vl::checker
