#include "verifier/checker/rule_accesses.h"

#include <algorithm>
#include <map>

#include "verifier/checker/accesses.h"

namespace vl::checker {
namespace {

constexpr long long kMostLanes = 1 << 14;  // of all instances

class RuleMemory {
 public:
  RuleMemory(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical, Polynomials origin)
      : sizes_(sizes), logical_(logical), origin_(std::move(origin)), swizzle_(swizzle_of(rule)) {
    require(rule.named && rule.places.size() == 1 && rule.places[0].name == "m" && rule.replicas.empty(),
            "a layout that is on no one axis of memory");
    const Polynomials digits = radix_of(rule, sizes, logical);
    weights_.resize(digits.size()), steps_.resize(digits.size());
    for (const ExpressionText& stride : rule.strides) strides_.push_back(sizes.value(stride));
    Polynomial weight = 1;
    for (std::size_t k = digits.size(); k-- > 0; weight = weight * digits[k]) weights_[k] = weight;
    constant_ = sizes.value(rule.places[0].constant);
    for (const RuleText::Term& term : rule.places[0].terms) {
      require(term.input < steps_.size(), "an input that is none");
      steps_[term.input] = steps_[term.input] + sizes.value(term.coefficient);
    }
  }

  // {q, r}: p = by·q + r, where r is a number in [0, by).
  [[nodiscard]] std::pair<Polynomial, Wide> divided(const Polynomial& p, Wide by) const {
    return {p.split(by).first, sizes_.rest(p, by)};
  }

  // The address of an element, in elements.
  [[nodiscard]] const Polynomial& address(const Point& element) {
    const auto [known, fresh] = known_.try_emplace(element);
    if (!fresh) return known->second;
    Polynomials left;
    for (std::size_t i = 0; i < element.size(); ++i) {
      left.push_back(origin_[i] + element[i]);
      sizes_.needs(left[i], "a lane outside of the tensor");
      sizes_.needs(logical_[i] - 1 - left[i], "a lane outside of the tensor");
    }
    Polynomial out = constant_;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      Polynomial digit = 0, rest = 0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        const auto times = strides_[i].over(weights_[k]), each = weights_[k].over(strides_[i]);
        const auto parts = each ? each->number() : std::nullopt;
        if (times) digit = digit + *times * std::exchange(left[i], 0);
        else if (parts && *parts > 0) {
          auto [whole, number] = divided(left[i], *parts);
          digit = digit + whole, left[i] = number;
        }
        rest = rest + strides_[i] * left[i];
      }
      sizes_.needs(weights_[k] - 1 - rest, "digits that carry");
      out = out + steps_[k] * digit;
    }
    if (swizzle_) {
      const auto [whole, rest] = divided(out, 1LL << (swizzle_->base + swizzle_->bits + swizzle_->shift));
      out = out - rest + swizzle_->swizzled(rest);
    }
    return known->second = std::move(out);
  }

  [[nodiscard]] bool differ(const Polynomial& a, const Polynomial& b) const {
    return a != b && (sizes_.decides(a - b - 1) || sizes_.decides(b - a - 1));
  }

 private:
  const SizeSet& sizes_;
  const Polynomials& logical_;
  Polynomials origin_;  // of all elements
  std::optional<Stage> swizzle_;
  Polynomials strides_, weights_, steps_;  // of the dimensions, of the levels, of their digits in the address
  Polynomial constant_;
  std::map<Point, Polynomial> known_;
};

bool is_active(const AccessText& said, const Lanes& lanes, const Point& at) {
  const Point values = evaluate(lanes.when, at);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& is = said.conditions[i];
    require(is == "<=0" || is == "=0" || is == "!=0", "a condition that is not known");
    if (!(is == "<=0" ? values[i] <= 0 : (values[i] == 0) == (is == "=0"))) return false;
  }
  return true;
}

// The wavefronts of one phase; 0 where no lane is active.
Wide wavefronts(const AccessText& said, const Lanes& lanes, const Integers& phase, Point at, Wide element,
                RuleMemory& memory) {
  std::map<Wide, Polynomials> words;  // of each bank, the turns in which they come
  std::size_t most = 0;
  for (const std::int64_t lane : phase) {
    at[0] = lane;
    if (!is_active(said, lanes, at)) continue;
    const Polynomial byte = memory.address(evaluate(lanes.coordinates, at)) * element + evaluate(lanes.bytes, at)[0];
    const auto [turn, first] = memory.divided(byte, Wide(said.banks) * said.bytes_per_bank);
    const Wide last = (first + said.width - 1) / said.bytes_per_bank;
    for (Wide word = first / said.bytes_per_bank; word <= last; word += 1) {
      Polynomials& bank = words[word % said.banks];
      const Polynomial own = turn + word / said.banks;
      const bool is_new = std::ranges::all_of(bank, [&](const Polynomial& other) { return memory.differ(own, other); });
      if (is_new || !said.broadcasts) bank.push_back(own);
      most = std::max(most, bank.size());
    }
  }
  return static_cast<long long>(most);
}

}  // namespace

void check_rule_access(const Statement& statement, const SizeSet& sizes, const Polynomials& logical) {
  kernel::enter(__FILE__);
  const AccessText& said = *statement.access;
  require(*statement.bits > 0 && *statement.bits % 8 == 0, "elements that do not fill bytes");
  const Lanes lanes = parse_lanes(said, 1);
  require(!said.pairs, "a load whose phases depend on the sizes");
  const Space& domain = lanes.bytes.domain;
  require(lanes.coordinates.outputs == logical.size() && said.logical.empty(), "maps that do not fit");
  require(domain.volume() > 0 && domain.volume() <= kMostLanes, "too many lanes of instances to walk over");
  Polynomials origin(logical.size(), 0);
  if (said.origin) {
    require(said.origin->size() == origin.size(), "an origin of another rank");
    for (std::size_t i = 0; i < origin.size(); ++i) origin[i] = sizes.value((*said.origin)[i]);
  }
  RuleMemory memory(*statement.rule, sizes, logical, std::move(origin));
  Space instances = domain;
  instances.extents[0] = 1;
  Wide worst = 0, excess = 0;
  for_each(instances, [&](const Point& at) {
    Wide needed = 0, ideal = 0;
    for (const Integers& phase : said.phases) {
      const Wide cost = wavefronts(said, lanes, phase, at, *statement.bits / 8, memory);
      needed += cost, ideal += cost > 0 ? 1 : 0;
    }
    worst = std::max(worst, needed), excess = std::max(excess, needed - ideal);
  });
  require(worst > 0, "the claim says nothing: no lane is ever active");
  const auto& value = statement.value_expression;
  if (statement.claim == "wavefronts") return require(value && sizes.value(*value) == worst, "another number");
  if (value) return require(sizes.value(*value) == excess, "another number");
  const Wide limit = statement.claim == "conflicts" ? statement.at_most.value_or(-1) : 0;
  require(excess <= limit, "more wavefronts than there may be");
}

}  // namespace vl::checker
