// Values of expressions on a cell.
#include <algorithm>

#include "verifier/engines/polynomial/cell.h"

namespace vl::engines {

using map::Expression;
using map::Wide;

OnCell Cell::greater(const Polynomial& a, const Polynomial& b, bool want_greater) const {
  if (may_show(a - b)) return want_greater ? a : b;
  if (may_show(b - a)) return want_greater ? b : a;
  return Refinement{a - b, {}, 0};
}

// A product of which no bound is known.
bool Cell::is_free_product(const Polynomial::Term& term) const {
  int degree = 0;
  bool bounded = true;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    degree += term.powers[v];
    bounded = bounded && (term.powers[v] == 0 || most_[v].has_value());
  }
  return degree >= 2 && !bounded;
}

// g·u + r by g·d is u by d, where 0 <= r < g.
std::optional<OnCell> Cell::by_parts(const Polynomial& p, const Polynomial& by) const {
  Wide common = 0;
  for (const Polynomial::Term& term : by.terms()) common = map::common_divisor(common, term.coefficient);
  const auto divisor = map::narrowed(common);
  if (!divisor) return std::nullopt;
  const Polynomial part = Polynomial::split(by, *divisor).first;
  const auto [times, less] = Polynomial::division(p, part);
  if (!times.fits() || times.is_zero() || !may_show(less) || !may_show(part - 1 - less)) return std::nullopt;
  return *divisor == 1 ? OnCell(times) : quotient(times, *divisor);
}

// floor(p / by). Where `by` is a number, the multiples of it go into the quotient, and what is left has to lie in
// [0, by). Of a product that has no bound, and of other divisors, the quotient is a variable.
OnCell Cell::quotient(const Polynomial& p, const Polynomial& by) const {
  if (!p.fits() || !by.fits()) return std::monostate{};
  if (!may_show(by - 1)) return std::monostate{};
  if (auto exact = Polynomial::exact_quotient(p, by)) return *exact;
  const auto number = by.constant();
  if (!number)
    if (auto out = by_parts(p, by)) return *out;
  const auto [quotient, rest] = number ? Polynomial::split(p, *number) : std::pair(Polynomial(0), p);
  for (const Quotient& known : quotients_)
    if (may_show(rest - by * known.is) && may_show(by * known.is + by - 1 - rest)) return quotient + known.is;
  if (!number || std::ranges::any_of(rest.terms(), [&](const auto& term) { return is_free_product(term); })) {
    if (!may_show(rest)) return std::monostate{};
    return Refinement{rest, {}, 0, false, by};
  }
  if (may_show(Polynomial(*number - 1) - rest)) return quotient;
  const bool once_at_most = may_show(Polynomial(*number) + (*number - 1) - rest);
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (used_[v] == 0 || coefficient_of(rest, v) == 0) continue;
    Index shared = *number;
    for (Index a = map::narrowed(coefficient_of(rest, v)).value_or(1); a != 0;) {
      const Index next = shared % a;
      shared = a;
      a = next;
    }
    const Index each = *number / shared;
    if (most_[v] && (once_at_most || *most_[v] < each)) continue;
    return Refinement{{}, v, each};
  }
  for (const Polynomial::Term& term : rest.terms())
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      if (term.powers[v] > 0 && !most_[v]) return std::monostate{};
  // Only bounded variables are left: how often does `by` go into what they are? A multiple of one that nearly makes up
  // `by` counts as less than 0, 63·v of 64 as v and -v; then `by` is added until nothing is below 0.
  constexpr Index kMostOften = 64;
  Polynomial whole = quotient, above = rest;
  map::Wide below = 0;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    const auto each = map::narrowed(coefficient_of(rest, v)).value_or(0);
    if (!most_[v] || *number - each > *number / 8) continue;
    whole = whole + Polynomial::variable(v), above = above - Polynomial::variable(v) * *number;
    const auto reach = map::wide_product(*number - each, *most_[v]);
    const auto sum = reach ? map::wide_sum(below, *reach) : std::nullopt;
    if (!sum) return std::monostate{};
    below = *sum;
  }
  const auto added = map::narrowed(below / *number + (below % *number != 0 ? 1 : 0));
  if (!added) return std::monostate{};
  whole = whole - *added, above = above + Polynomial(*number) * *added;
  for (Index often = 0; often <= kMostOften; ++often, above = above - *number) {
    if (often > 0 && !may_show(above)) return Refinement{above, {}, 0};
    if (may_show(Polynomial(*number - 1) - above)) return whole + often;
  }
  return std::monostate{};
}

OnCell Cell::value(const Expression& e) const {
  using Part = Expression::Kind;
  if (e.kind() == Part::Integer) return Polynomial(e.value());
  if (e.kind() == Part::Name) {
    const auto found = std::ranges::find(names_, e.name());
    if (found == names_.end()) return std::monostate{};
    return symbols_[static_cast<std::size_t>(found - names_.begin())];
  }
  auto first = value(e.parts()[0]);
  const auto* a = std::get_if<Polynomial>(&first);
  if (a == nullptr) return first;
  auto second = value(e.parts()[1]);
  const auto* b = std::get_if<Polynomial>(&second);
  if (b == nullptr) return second;
  switch (e.kind()) {
    case Part::Sum: return *a + *b;
    case Part::Difference: return *a - *b;
    case Part::Product: return *a * *b;
    case Part::Quotient: return quotient(*a, *b);
    case Part::Ceil: return quotient(*a + *b - 1, *b);
    case Part::Remainder: {
      auto q = quotient(*a, *b);
      if (const auto* found = std::get_if<Polynomial>(&q)) return *a - *found * *b;
      return q;
    }
    case Part::Min: return greater(*a, *b, false);
    case Part::Max: return greater(*a, *b, true);
    case Part::Chosen:
      if (may_show(*a - *b)) return value(e.parts()[2]);
      if (may_show(*b - *a - 1)) return value(e.parts()[3]);
      return Refinement{*a - *b, {}, 0};
    case Part::Integer:
    case Part::Name: break;
  }
  VL_CHECK(false, "an expression of no kind");
}

}  // namespace vl::engines
