#include "verifier/checker/rule_digits.h"

#include <algorithm>

#include "verifier/checker/kernel.h"

namespace vl::checker {
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

Polynomial product(const Polynomials& factors) {
  Polynomial out = 1;
  for (const Polynomial& factor : factors) out = out * factor;
  return out;
}

std::optional<RuleExtents> extents_of(const RuleText& rule, const SizeSet& sizes) {
  for (const RuleText::Condition& condition : rule.where)
    if (!holds(condition, sizes)) return std::nullopt;
  require(rule.strides.size() == rule.logical.size(), "another number of strides");
  RuleExtents out;
  for (const ExpressionText& said : rule.logical) out.logical.push_back(sizes.value(said));
  for (const ExpressionText& said : rule.replicas) out.replicas.push_back(sizes.value(said));
  for (const Polynomial& extent : out.logical) out.any = sizes.decides(extent - 1) && out.any;
  // A replica that is a place of its own is one of a box: an element of no replica has no slot, and is an element.
  for (const Polynomial& extent : rule.decodes ? Polynomials() : out.replicas)
    out.any = sizes.decides(extent - 1) && out.any;
  return out;
}

Polynomial slots_of(const RuleText& rule, const SizeSet& sizes) {
  Polynomial out = 1;
  for (const RuleText::Place& place : rule.places) out = out * sizes.value(place.extent);
  return out;
}

bool are_equal(const Polynomial& a, const Polynomial& b, const SizeSet& sizes) {
  return a == b || (sizes.shows(a - b) && sizes.shows(b - a));
}

Polynomials radix_of(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) {
  require(!rule.numbers && !rule.start, "several numbers, or one that starts elsewhere");
  // Row-major, or the first dimension fastest; what has one coordinate has any stride.
  const bool last_fastest = [&] {
    for (std::size_t i = logical.size(); i-- > 0;)
      if (logical[i].number() != 1) return sizes.value(rule.strides[i]).number() == 1;
    return true;
  }();
  Polynomial number = 1, weight = 1;
  for (std::size_t k = 0; k < logical.size(); ++k) {
    const std::size_t i = last_fastest ? logical.size() - 1 - k : k;
    if (logical[i].number() == 1) continue;
    require(are_equal(sizes.value(rule.strides[i]), number, sizes), "a host that is not dense");
    number = number * logical[i];
  }
  Polynomials out(rule.levels.size());
  for (std::size_t k = out.size(); k-- > 0; weight = weight * out[k]) {
    out[k] = sizes.value(rule.levels[k].extent);
    sizes.needs(out[k] - 1, "an extent below 1");
    require(are_equal(sizes.value(rule.levels[k].weight), weight, sizes), "levels that are no mixed radix");
  }
  require(are_equal(weight, number, sizes), "levels of another number");
  return out;
}

void require_numbers(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) {
  Polynomials digits;        // their extents
  std::vector<char> joined;  // of each digit: whether a number joins it
  std::vector<bool> read(logical.size());
  std::size_t next = 0, at = 0;
  require(!rule.joins || rule.joins->size() == rule.numbers->size(), "digits of no number");
  for (const RuleText::Number& number : *rule.numbers) {
    Polynomials strides, extents;
    Polynomial reach = 0;
    const auto add = [&](Polynomial stride, Polynomial extent) {
      sizes.needs(stride - 1, "a stride, or a step of a digit, below 1");
      reach = reach + stride * (extent - 1);
      strides.push_back(std::move(stride)), extents.push_back(std::move(extent));
    };
    for (const std::size_t dim : number.dims) {
      require(dim < logical.size() && !read[dim], "a dimension that is none, or in two numbers");
      read[dim] = true;
      add(sizes.value(rule.strides[dim]), logical[dim]);
    }
    for (const RuleText::Term& term : rule.joins ? (*rule.joins)[at] : std::vector<RuleText::Term>{}) {
      require(term.input < next && joined[term.input] == 0, "a digit that does not exist, or in two numbers");
      joined[term.input] = 1;
      add(sizes.value(term.coefficient), digits[term.input]);
    }
    ++at;
    Polynomial top = 1;  // of a number whose strides nest: it is below
    bool nests = true;
    for (std::size_t i = strides.size(); i-- > 0; top = strides[i] * extents[i])
      nests = nests && sizes.shows(strides[i] - top);
    require(number.levels <= rule.levels.size() - next, "levels that are none");
    const auto below = [&](const Polynomial& end) {
      if (!nests || !sizes.shows(end - top)) sizes.needs(end - 1 - reach, "a number beyond its levels");
    };
    const std::vector<RuleText::Term> itself{{next, ExpressionText{{}, 1}}};
    const auto is_first_digit = [&](const RuleText::Place& place) {
      return place.constant == ExpressionText{} && place.terms == itself && place.extent == rule.levels[next].extent;
    };
    if (number.levels == 0) below(1);
    for (std::size_t k = 0; k < number.levels; ++k, ++next) {
      const Polynomial weight = sizes.value(rule.levels[next].weight), extent = sizes.value(rule.levels[next].extent);
      sizes.needs(weight - 1, "a weight below 1"), sizes.needs(extent - 1, "an extent below 1");
      if (k == 0) charge(rule.places.size());
      if (k == 0 && std::ranges::none_of(rule.places, is_first_digit)) below(weight * extent);
      if (k > 0) sizes.needs(weight * extent - sizes.value(rule.levels[next - 1].weight), "a digit beyond its extent");
      require(k + 1 < number.levels || weight == 1, "a rest that no weight takes");
      digits.push_back(extent), joined.push_back(0);
    }
  }
  require(next == rule.levels.size(), "levels of no number");
  require(std::ranges::find(read, false) == read.end(), "a dimension that no number reads");
}

std::optional<Stage> swizzle_of(const RuleText& rule) {
  if (!rule.swizzle || rule.swizzle->bits == 0) return std::nullopt;
  const RuleSwizzleText& said = *rule.swizzle;
  for (const std::int64_t number_of_bits : {said.base, said.bits, said.shift})
    require(number_of_bits >= 0 && number_of_bits <= 62, "a swizzle of too many bits");
  require(said.shift >= 1 && said.base + said.bits + said.shift <= 62 && said.place < rule.places.size(),
          "a swizzle that is none");
  Stage out;
  out.kind = Stage::Kind::Swizzle, out.up = said.up, out.input = said.place;
  out.base = static_cast<int>(said.base), out.bits = static_cast<int>(said.bits);
  out.shift = static_cast<int>(said.shift);
  return out;
}

GreedySplit::GreedySplit(const RuleText& rule, const SizeSet& sizes) : sizes_(sizes) {
  require(!rule.swizzle && !rule.named && !rule.numbers && rule.levels.size() == rule.places.size(),
          "digits that are no places");
  std::size_t copies = 0;
  for (std::size_t j = 0; j < rule.places.size(); ++j) {
    const RuleText::Place& place = rule.places[j];
    const bool repeats = place.terms.size() == 1 && place.terms[0].input == rule.levels.size() + copies;
    const std::vector<RuleText::Term> itself{{repeats ? rule.levels.size() + copies : j, ExpressionText{{}, 1}}};
    require(place.extent == rule.levels[j].extent && place.constant == ExpressionText{} && place.terms == itself,
            "places that are not the digits");
    if (repeats) {  // the place is the replica
      require(copies < rule.replicas.size() && rule.replicas[copies] == place.extent &&
                  rule.levels[j].weight == ExpressionText{},
              "a replica of another extent, or with a weight");
      ++copies;
      continue;
    }
    const Polynomial extent = sizes.value(place.extent);
    if (!sizes.decides(extent - 2)) continue;
    const Polynomial weight = sizes.value(rule.levels[j].weight);
    if (sizes.decides(weight - 1)) insert({weight, extent, j});
    else sizes.needs(Polynomial(-1) - weight, "a weight that may be 0");
  }
  require(copies == rule.replicas.size(), "a replica without a place");
}

void GreedySplit::insert(Level level) {
  auto at = kept_.end();
  while (at != kept_.begin() && !sizes_.decides(std::prev(at)->weight - level.weight)) --at;
  kept_.insert(at, std::move(level));
}

}  // namespace vl::checker
