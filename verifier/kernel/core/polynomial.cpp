#include "verifier/kernel/core/polynomial.h"

#include <algorithm>
#include <cstring>

#include "verifier/kernel/core/work.h"

namespace vl::kernel {
namespace {

constexpr std::size_t kWorkOfTerm = 8;  // its powers are compared with those of others

// By powers, higher ones of lower variables first; eight variables at a time, since nearly all are 0.
int order_of(const Polynomial::Powers& a, const Polynomial::Powers& b) {
  for (std::size_t v = 0; v < Polynomial::kVariables; v += 8) {
    std::uint64_t one = 0, other = 0;
    std::memcpy(&one, &a[v], 8), std::memcpy(&other, &b[v], 8);
    if (one == other) continue;
    while (a[v] == b[v]) ++v;
    return a[v] > b[v] ? -1 : 1;
  }
  return 0;
}

// The product of two terms.
Polynomial::Term times(const Polynomial::Term& a, const Polynomial::Term& b) {
  Polynomial::Term out{{}, a.coefficient * b.coefficient};
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    require(a.powers[v] + b.powers[v] <= 255, "a power above 255");
    out.powers[v] = static_cast<std::uint8_t>(a.powers[v] + b.powers[v]);
  }
  return out;
}

}  // namespace

Polynomial::Polynomial(Wide constant) {
  if (constant != 0) terms_.push_back({{}, constant});
}

Polynomial Polynomial::variable(std::size_t v) {
  require(v < kVariables, "too many variables");
  Term term{{}, 1};
  term.powers[v] = 1;
  return of({term});
}

Polynomial Polynomial::of(std::vector<Term> terms) {
  charge(kWorkOfTerm * (terms.size() + 1));  // one of no term is made, too
  std::ranges::sort(terms, [](const Term& a, const Term& b) { return order_of(a.powers, b.powers) < 0; });
  Polynomial out;
  for (const Term& term : terms) {
    if (!out.terms_.empty() && out.terms_.back().powers == term.powers)
      out.terms_.back().coefficient += term.coefficient;
    else out.terms_.push_back(term);
  }
  std::erase_if(out.terms_, [](const Term& term) { return term.coefficient == 0; });
  require(out.terms_.size() <= kTerms, "a polynomial of too many terms");
  return out;
}

std::optional<Wide> Polynomial::number() const {
  if (terms_.empty()) return 0;
  return terms_.size() == 1 && terms_[0].powers == Powers{} ? std::optional(terms_[0].coefficient) : std::nullopt;
}

Wide Polynomial::linear(std::size_t v) const {
  Powers powers{};
  powers[v] = 1;
  const auto found = std::ranges::find(terms_, powers, &Term::powers);
  return found == terms_.end() ? Wide(0) : found->coefficient;
}

Wide Polynomial::constant() const {
  return !terms_.empty() && terms_.back().powers == Powers{} ? terms_.back().coefficient : Wide(0);
}

Polynomial Polynomial::primitive() const {
  Wide common = 0;
  for (const Term& term : terms_) common = gcd(common, term.coefficient);
  return common > 1 ? split(common).first : *this;
}

bool Polynomial::is_product(const Term& term) {
  int degree = 0;
  for (const std::uint8_t power : term.powers) degree += power;
  return degree >= 2;
}

int Polynomial::degree(std::size_t v) const {
  int out = 0;
  for (const Term& term : terms_) out = std::max<int>(out, term.powers[v]);
  return out;
}

bool Polynomial::not_negative() const {
  return std::ranges::all_of(terms_, [](const Term& term) { return term.coefficient > 0; });
}
bool Polynomial::not_positive() const {
  return std::ranges::all_of(terms_, [](const Term& term) { return term.coefficient < 0; });
}

Polynomial Polynomial::with(std::size_t v, const Polynomial& value) const {
  std::vector<Polynomial> powers{1};
  std::vector<Term> out;
  for (Term term : terms_) {
    const std::size_t power = std::exchange(term.powers[v], std::uint8_t{0});
    while (powers.size() <= power) powers.push_back(powers.back() * value);
    charge(kWorkOfTerm * powers[power].terms_.size());
    for (const Term& factor : powers[power].terms_) out.push_back(times(term, factor));
    require(out.size() <= 64 * kTerms, "a polynomial of too many terms");
  }
  return of(std::move(out));
}

// Terms of both, in order; those of b have the factor.
Polynomial Polynomial::merged(const Polynomial& a, const Polynomial& b, const Wide& factor) {
  charge(kWorkOfTerm * (a.terms_.size() + b.terms_.size() + 1));
  Polynomial out;
  out.terms_.reserve(a.terms_.size() + b.terms_.size());
  auto one = a.terms_.begin();
  for (const Term& other : b.terms_) {
    int order = 1;
    while (one != a.terms_.end() && (order = order_of(one->powers, other.powers)) < 0) out.terms_.push_back(*one++);
    const bool both = one != a.terms_.end() && order == 0;
    const Wide sum = (both ? one->coefficient : Wide(0)) + other.coefficient * factor;
    if (both) ++one;
    if (sum != 0) out.terms_.push_back({other.powers, sum});
  }
  out.terms_.insert(out.terms_.end(), one, a.terms_.end());
  require(out.terms_.size() <= kTerms, "a polynomial of too many terms");
  return out;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) { return Polynomial::merged(a, b, 1); }
Polynomial operator-(const Polynomial& a, const Polynomial& b) { return Polynomial::merged(a, b, -1); }
Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  require(a.terms_.size() * b.terms_.size() <= 64 * Polynomial::kTerms, "a polynomial of too many terms");
  charge(kWorkOfTerm * a.terms_.size() * b.terms_.size());
  std::vector<Polynomial::Term> out;
  out.reserve(a.terms_.size() * b.terms_.size());
  for (const Polynomial::Term& one : a.terms_)
    for (const Polynomial::Term& other : b.terms_) out.push_back(times(one, other));
  if (a.terms_.size() > 1 && b.terms_.size() > 1) return Polynomial::of(std::move(out));
  Polynomial product;  // in order, each once
  product.terms_ = std::move(out);
  require(product.terms_.size() <= Polynomial::kTerms, "a polynomial of too many terms");
  return product;
}

std::optional<Polynomial> Polynomial::over(const Polynomial& by) const {
  if (by.terms_.empty()) return std::nullopt;
  const Term& lead = by.terms_[0];
  Polynomial quotient, rest = *this;
  while (!rest.terms_.empty()) {  // the leading term descends
    Term term = rest.terms_[0];
    for (std::size_t v = 0; v < kVariables; ++v) {
      if (term.powers[v] < lead.powers[v]) return std::nullopt;
      term.powers[v] = static_cast<std::uint8_t>(term.powers[v] - lead.powers[v]);
    }
    const Wide size = lead.coefficient.abs();
    if (term.coefficient % size != 0) return std::nullopt;
    term.coefficient = term.coefficient / size * (lead.coefficient < 0 ? -1 : 1);
    const Polynomial step = of({term});
    quotient = quotient + step, rest = rest - step * by;
  }
  return quotient * by == *this ? std::optional(quotient) : std::nullopt;
}

std::pair<Polynomial, Polynomial> Polynomial::divided(const Polynomial& by) const {
  Polynomial quotient, left, rest = *this;
  if (by.terms_.empty()) return {quotient, rest};
  const Polynomial lead = of({by.terms_[0]});
  try {
    while (!rest.terms_.empty()) {  // the leading term descends
      const Polynomial first = of({rest.terms_[0]});
      if (const auto times = first.over(lead)) quotient = quotient + *times, rest = rest - *times * by;
      else left = left + first, rest = rest - first;
    }
  } catch (const OverBudget&) {
    throw;
  } catch (const Rejected&) {  // on the way it became too large
    return {0, *this};
  }
  return {quotient, left};
}

Polynomial below_zero(const Polynomial& value) {
  std::vector<Polynomial::Term> out;
  for (const Polynomial::Term& term : value.terms())
    if (term.coefficient < 0) out.push_back(term);
  return Polynomial::of(std::move(out));
}

Polynomial rest_of(const Polynomial& p, const Polynomial& m) { return p.split(number_of(m)).second; }

Wide number_of(const Polynomial& value) {
  const auto number = value.number();
  require(number.has_value(), "a name where a number is needed");
  return *number;
}

std::pair<Polynomial, Polynomial> Polynomial::split(Wide by) const {
  Polynomial quotient = *this, rest = *this;
  for (Term& term : quotient.terms_) term.coefficient = term.coefficient / by;
  for (Term& term : rest.terms_) term.coefficient = term.coefficient % by;
  return {of(std::move(quotient.terms_)), of(std::move(rest.terms_))};
}

}  // namespace vl::kernel
