#include "encodings/use/guess.h"

#include <algorithm>
#include <array>

#include "encodings/use/random.h"

namespace vl::use {

using map::Expression;

namespace {

constexpr int kDraws = 4000;
constexpr std::array<Index, 4> kReaches{400, 4000, 100'000, 10'000'000};

// Brings a size within what conditions on it alone want: N == 64, N >= 100, N % 64 == 0.
Index as_wanted(Index size, const map::Symbol& symbol, const map::Rule& rule) {
  using Relation = map::Condition::Relation;
  for (const map::Condition& condition : rule.where) {
    const auto number = condition.right.number();
    if (!number) continue;
    const Expression& left = condition.left;
    const bool equal = condition.relation == Relation::Equal;
    if (left.kind() == Expression::Kind::Name && left.name() == symbol.name) {
      const Index strict = condition.relation == Relation::Less || condition.relation == Relation::Greater ? 1 : 0;
      if (condition.relation == Relation::Less || condition.relation == Relation::AtMost || equal)
        size = std::min(size, checked_add(*number, -strict).value_or(size));
      if (condition.relation == Relation::Greater || condition.relation == Relation::AtLeast || equal)
        size = std::max(size, checked_add(*number, strict).value_or(size));
    }
    if (!equal || left.kind() != Expression::Kind::Remainder || left.parts()[0] != Expression::named(symbol.name))
      continue;
    const auto by = left.parts()[1].number();
    if (by && *by >= 1 && *number >= 0 && *number < *by)
      size = checked_add(size - floor_mod(size - *number, *by),
                         size - floor_mod(size - *number, *by) < symbol.low ? *by : 0)
                 .value_or(size);
  }
  return size;
}

void add_divisors(const Expression& e, std::vector<std::string>& names) {  // NOLINT(misc-no-recursion)
  using Kind = Expression::Kind;
  if (e.kind() == Kind::Quotient || e.kind() == Kind::Ceil || e.kind() == Kind::Remainder)
    map::add_names(e.parts()[1], names);
  for (const Expression& part : e.parts()) add_divisors(part, names);
}

}  // namespace

std::optional<map::Sizes> generic_sizes(const map::Rule& rule) {
  // Names by which others are divided are smaller than those: the lanes of a stick, of which there are several.
  std::vector<std::string> divisors;
  for (const map::RuleLevel& level : rule.levels) add_divisors(level.extent, divisors);
  for (int draw = 0; draw < kDraws; ++draw) {
    Random random(20261125, 6, static_cast<std::uint64_t>(draw));
    const Index reach = draw < kDraws / 2 ? 4000 : draw < kDraws / 4 * 3 ? 400 : draw < kDraws / 8 * 7 ? 30 : 3;
    map::Sizes sizes;
    bool fits = true;
    for (const map::Symbol& symbol : rule.symbols) {
      // Later every symbol has a reach of its own: conditions may want one that is many times another.
      const Index own = draw % 2 == 1 && draw > kDraws / 2 ? kReaches[random.below(kReaches.size())] : reach;
      const bool divides = reach >= 4000 && std::ranges::count(divisors, symbol.name) > 0;
      const auto size =
          checked_add(symbol.low, divides ? random.between(10, 60) : random.between(own >= 4000 ? 260 : 0, own));
      fits = fits && size;
      sizes[symbol.name] = as_wanted(size.value_or(symbol.low), symbol, rule);
    }
    const bool holds = fits && std::ranges::all_of(rule.where, [&](const map::Condition& condition) {
                         const auto held = map::holds(condition, sizes);
                         return held && *held;
                       });
    if (holds) return sizes;
  }
  return std::nullopt;
}

std::optional<map::Polynomial> polynomial_of(const Expression& e,  // NOLINT(misc-no-recursion)
                                             std::vector<Expression>& variables) {
  using Kind = Expression::Kind;
  if (const auto number = e.number()) return *number;
  if (e.kind() != Kind::Sum && e.kind() != Kind::Difference && e.kind() != Kind::Product) {
    const auto found = std::ranges::find(variables, e);
    const auto variable = static_cast<std::size_t>(found - variables.begin());
    if (variable >= map::Polynomial::kVariables) return std::nullopt;
    if (found == variables.end()) variables.push_back(e);
    return map::Polynomial::variable(variable);
  }
  const auto a = polynomial_of(e.parts()[0], variables), b = polynomial_of(e.parts()[1], variables);
  if (!a || !b) return std::nullopt;
  return e.kind() == Kind::Sum ? *a + *b : e.kind() == Kind::Product ? *a * *b : *a - *b;
}

std::optional<Expression> expression_of(const map::Polynomial& polynomial, const std::vector<Expression>& variables) {
  Expression out = 0;
  for (const map::Polynomial::Term& term : polynomial.terms()) {
    const auto coefficient = map::narrowed(term.coefficient);
    if (!coefficient) return std::nullopt;
    Expression product = *coefficient;
    for (std::size_t v = 0; v < variables.size(); ++v)
      for (int k = 0; k < term.powers[v]; ++k) product = product * variables[v];
    out = out + product;
  }
  return out;
}

std::optional<Expression> quotient_of(const Expression& a, const Expression& b) {
  std::vector<Expression> variables;
  const auto p = polynomial_of(a, variables), divisor = polynomial_of(b, variables);
  const auto quotient = p && divisor ? map::Polynomial::exact_quotient(*p, *divisor) : std::nullopt;
  return quotient && quotient->fits() ? expression_of(*quotient, variables) : std::nullopt;
}

}  // namespace vl::use
