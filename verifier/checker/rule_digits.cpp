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

}  // namespace vl::checker
