#include "encodings/map/polynomial.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace vl::map {
namespace {

using Powers = Polynomial::Powers;

// The sum of two terms' powers; false if one leaves its 8 bits.
bool add_powers(const Powers& a, const Powers& b, Powers& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (a[i] > std::numeric_limits<std::uint8_t>::max() - b[i]) return false;
    out[i] = static_cast<std::uint8_t>(a[i] + b[i]);
  }
  return true;
}

std::string digits_of_wide(Wide value) {
  std::string out;
  const bool negative = value < 0;
  do {
    const int digit = static_cast<int>(value % 10);
    out.insert(out.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  return negative ? "-" + out : out;
}

std::string print_monomial(const Polynomial::Term& term, std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < term.powers.size(); ++i)
    for (int k = 0; k < term.powers[i]; ++k) {
      if (!out.empty()) out += "*";
      out += i < names.size() ? names[i] : fmt::format("v{}", i);
    }
  return out;
}

}  // namespace

std::optional<Wide> wide_sum(Wide a, Wide b) {
  Wide out = 0;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

std::optional<Wide> wide_product(Wide a, Wide b) {
  Wide out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

Wide common_divisor(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a < 0 ? -a : a;
}

std::optional<Index> narrowed(Wide value) {
  if (value < std::numeric_limits<Index>::min() || value > std::numeric_limits<Index>::max()) return std::nullopt;
  return static_cast<Index>(value);
}

Polynomial::Polynomial(Index constant) {
  if (constant != 0) terms_.push_back({{}, constant});
}

Polynomial::Polynomial(const Term& term) {
  if (term.coefficient != 0) terms_.push_back(term);
}

Polynomial Polynomial::unfit() {
  Polynomial out;
  out.fits_ = false;
  return out;
}

Polynomial Polynomial::variable(std::size_t number) {
  if (number >= kVariables) return unfit();
  Polynomial out;
  out.terms_.push_back({{}, 1});
  out.terms_.front().powers[number] = 1;
  return out;
}

std::optional<Index> Polynomial::constant() const {
  if (!fits_ || terms_.size() > 1) return std::nullopt;
  if (terms_.empty()) return 0;
  return terms_.front().powers == Powers{} ? narrowed(terms_.front().coefficient) : std::nullopt;
}

bool Polynomial::has(std::size_t variable) const { return degree_in(variable) > 0; }

int Polynomial::degree_in(std::size_t variable) const {
  int out = 0;
  for (const Term& term : terms_) out = std::max<int>(out, term.powers[variable]);
  return out;
}

std::optional<std::size_t> Polynomial::as_variable() const {
  if (terms_.size() != 1 || terms_.front().coefficient != 1) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < kVariables; ++i) {
    if (terms_.front().powers[i] == 0) continue;
    if (found || terms_.front().powers[i] > 1) return std::nullopt;
    found = i;
  }
  return found;
}

Polynomial Polynomial::canonical(std::vector<Term> terms) {
  std::ranges::sort(terms, std::greater<>{}, &Term::powers);
  Polynomial out;
  for (const Term& term : terms) {
    if (out.terms_.empty() || out.terms_.back().powers != term.powers) {
      out.terms_.push_back(term);
    } else {
      const auto sum = wide_sum(out.terms_.back().coefficient, term.coefficient);
      if (!sum) return unfit();
      out.terms_.back().coefficient = *sum;
    }
    if (out.terms_.back().coefficient == 0) out.terms_.pop_back();
  }
  return out.terms_.size() > kTerms ? unfit() : out;
}

// a + sign·b. Both are ordered.
Polynomial Polynomial::merged(const Polynomial& a, const Polynomial& b, Wide sign) {
  if (!a.fits_ || !b.fits_) return unfit();
  Polynomial out;
  out.terms_.reserve(a.terms_.size() + b.terms_.size());
  auto one = a.terms_.begin();
  for (const Term& term : b.terms_) {
    while (one != a.terms_.end() && one->powers > term.powers) out.terms_.push_back(*one++);
    const bool both = one != a.terms_.end() && one->powers == term.powers;
    const auto signed_term = wide_product(term.coefficient, sign);
    const auto sum = signed_term ? wide_sum(both ? one->coefficient : 0, *signed_term) : std::nullopt;
    if (!sum) return unfit();
    if (*sum != 0) out.terms_.push_back({term.powers, *sum});
    if (both) ++one;
  }
  out.terms_.insert(out.terms_.end(), one, a.terms_.end());
  return out.terms_.size() > kTerms ? unfit() : out;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) { return Polynomial::merged(a, b, 1); }
Polynomial operator-(const Polynomial& a, const Polynomial& b) { return Polynomial::merged(a, b, -1); }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (!a.fits_ || !b.fits_ || a.terms_.size() * b.terms_.size() > 64 * Polynomial::kTerms) return Polynomial::unfit();
  std::vector<Polynomial::Term> terms;
  terms.reserve(a.terms_.size() * b.terms_.size());
  for (const Polynomial::Term& x : a.terms_)
    for (const Polynomial::Term& y : b.terms_) {
      Polynomial::Term term;
      const auto product = wide_product(x.coefficient, y.coefficient);
      if (!product || !add_powers(x.powers, y.powers, term.powers)) return Polynomial::unfit();
      term.coefficient = *product;
      terms.push_back(term);
    }
  if (a.terms_.size() != 1 && b.terms_.size() != 1) return Polynomial::canonical(std::move(terms));
  Polynomial out;  // a term times a polynomial keeps its order
  out.terms_ = std::move(terms);
  return out;
}

Polynomial Polynomial::with(std::size_t variable, const Polynomial& value) const {
  if (!fits_ || !has(variable)) return *this;
  std::vector<Polynomial> powers{1};
  std::vector<Term> terms;
  for (const Term& term : terms_) {
    const std::size_t power = term.powers[variable];
    while (powers.size() <= power) powers.push_back(powers.back() * value);
    Polynomial rest(term);
    rest.terms_.front().powers[variable] = 0;
    const Polynomial product = rest * powers[power];
    if (!product.fits_ || terms.size() > 64 * kTerms) return unfit();
    terms.insert(terms.end(), product.terms_.begin(), product.terms_.end());
  }
  return canonical(std::move(terms));
}

Polynomial Polynomial::with_all(std::span<const Polynomial> values) const {
  if (!fits_) return unfit();
  Polynomial out;
  for (const Term& term : terms_) {
    Polynomial product(Term{{}, term.coefficient});
    for (std::size_t i = 0; i < kVariables && product.fits_; ++i)
      for (int k = 0; k < term.powers[i]; ++k) product = product * (i < values.size() ? values[i] : unfit());
    out = out + product;
  }
  return out;
}

std::optional<Wide> Polynomial::at(std::span<const Index> point) const {
  if (!fits_) return std::nullopt;
  Wide sum = 0;
  for (const Term& term : terms_) {
    std::optional<Wide> product = term.coefficient;
    for (std::size_t i = 0; i < kVariables; ++i)
      for (int k = 0; k < term.powers[i] && product; ++k)
        product = i < point.size() ? wide_product(*product, point[i]) : std::nullopt;
    const auto next = product ? wide_sum(sum, *product) : std::nullopt;
    if (!next) return std::nullopt;
    sum = *next;
  }
  return sum;
}

std::optional<Polynomial> Polynomial::exact_quotient(const Polynomial& a, const Polynomial& divisor) {
  if (!a.fits_ || !divisor.fits_ || divisor.terms_.empty()) return std::nullopt;
  const Term& lead = divisor.terms_.front();
  Polynomial rest = a;
  Polynomial quotient;
  for (std::size_t step = 0; !rest.terms_.empty(); ++step) {
    const Term& first = rest.terms_.front();
    const bool least = !wide_product(first.coefficient, -1);  // of 128 bits, which -1 does not divide in them
    if (step > kTerms || least || first.coefficient % lead.coefficient != 0) return std::nullopt;
    Polynomial part(Term{{}, first.coefficient / lead.coefficient});
    for (std::size_t i = 0; i < kVariables; ++i) {
      if (first.powers[i] < lead.powers[i]) return std::nullopt;
      part.terms_.front().powers[i] = static_cast<std::uint8_t>(first.powers[i] - lead.powers[i]);
    }
    quotient = quotient + part;
    rest = rest - part * divisor;
    if (!rest.fits_ || !quotient.fits_) return std::nullopt;
  }
  return quotient;
}

std::pair<Polynomial, Polynomial> Polynomial::division(const Polynomial& a, const Polynomial& divisor) {
  if (!a.fits_ || !divisor.fits_ || divisor.terms_.empty()) return {unfit(), unfit()};
  const Term& lead = divisor.terms_.front();
  Polynomial rest = a, quotient, left;
  for (std::size_t step = 0; !rest.terms_.empty(); ++step) {
    if (step > kTerms) return {unfit(), unfit()};
    const Term first = rest.terms_.front();
    bool divides = wide_product(first.coefficient, -1).has_value() && first.coefficient % lead.coefficient == 0;
    for (std::size_t i = 0; i < kVariables; ++i) divides = divides && first.powers[i] >= lead.powers[i];
    if (!divides) {
      left = left + Polynomial(first), rest = rest - Polynomial(first);
      continue;
    }
    Term part{{}, first.coefficient / lead.coefficient};
    for (std::size_t i = 0; i < kVariables; ++i)
      part.powers[i] = static_cast<std::uint8_t>(first.powers[i] - lead.powers[i]);
    quotient = quotient + Polynomial(part);
    rest = rest - Polynomial(part) * divisor;
    if (!rest.fits_ || !quotient.fits_) return {unfit(), unfit()};
  }
  return {quotient, left};
}

std::pair<Polynomial, Polynomial> Polynomial::split(const Polynomial& a, Index divisor) {
  if (!a.fits_) return {unfit(), unfit()};
  std::pair<Polynomial, Polynomial> out;
  for (const Term& term : a.terms_) {
    const bool below = term.coefficient % divisor < 0;
    const Wide rest = term.coefficient % divisor + (below ? divisor : 0);
    const Wide quotient = term.coefficient / divisor - (below ? 1 : 0);
    if (quotient != 0) out.first.terms_.push_back({term.powers, quotient});
    if (rest != 0) out.second.terms_.push_back({term.powers, rest});
  }
  return out;
}

std::string print(const Polynomial& polynomial, std::span<const std::string> names) {
  if (!polynomial.fits()) return "?";
  std::string out;
  for (const Polynomial::Term& term : polynomial.terms()) {
    const std::string monomial = print_monomial(term, names);
    const std::string number = digits_of_wide(term.coefficient);
    const bool negative = number.front() == '-';
    const std::string size = negative ? number.substr(1) : number;
    std::string one = size == "1" && !monomial.empty() ? "" : size;
    if (!monomial.empty()) one.append(one.empty() ? "" : "*").append(monomial);
    if (out.empty()) out = negative ? "-" + one : one;
    else out += (negative ? " - " : " + ") + one;
  }
  return out.empty() ? "0" : out;
}

}  // namespace vl::map
