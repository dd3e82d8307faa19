// Polynomial: an integer polynomial in variables numbered from 0, in one canonical form. Sizes, strides and weights of
// a rule (rule.h) are polynomials in its sizes.
//
//   Σ coefficient · Π variable^power, terms ordered by their powers, no coefficient 0
//
// Coefficients have 128 bits. Whatever leaves them, has a power above 255, a variable above kVariables or more than
// kTerms terms does not fit; what is made of it does not fit either, and equals nothing. So no proof rests on it.
//
// Example: with variables n and m, (n + 1)*(m + 1) - 1 is n*m + n + m: all coefficients are >= 0, so the polynomial is
// >= 0 for all n, m >= 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::map {

__extension__ using Wide = __int128;

/// a + b and a * b; nothing if they leave 128 bits.
[[nodiscard]] std::optional<Wide> wide_sum(Wide a, Wide b);
[[nodiscard]] std::optional<Wide> wide_product(Wide a, Wide b);
/// The value as 64 bits; nothing if it has more.
[[nodiscard]] std::optional<Index> narrowed(Wide value);
/// At least 0; 0 of 0 and 0.
[[nodiscard]] Wide common_divisor(Wide a, Wide b);

class Polynomial {
 public:
  static constexpr std::size_t kVariables = 24;
  static constexpr std::size_t kTerms = 1024;
  using Powers = std::array<std::uint8_t, kVariables>;
  struct Term {
    Powers powers{};
    Wide coefficient = 0;

    bool operator==(const Term&) const = default;
  };

  /// A constant.
  Polynomial(Index constant = 0);  // NOLINT: implicit on purpose
  /// A single term.
  explicit Polynomial(const Term& term);
  [[nodiscard]] static Polynomial variable(std::size_t number);
  [[nodiscard]] static Polynomial unfit();

  [[nodiscard]] bool fits() const { return fits_; }
  /// The terms, higher powers of lower variables first. Empty if it does not fit.
  [[nodiscard]] std::span<const Term> terms() const { return terms_; }
  /// The number that it is; nothing if it has a variable or does not fit in 64 bits.
  [[nodiscard]] std::optional<Index> constant() const;
  [[nodiscard]] bool is_zero() const { return fits_ && terms_.empty(); }
  [[nodiscard]] bool has(std::size_t variable) const;
  /// The highest power of a variable.
  [[nodiscard]] int degree_in(std::size_t variable) const;
  /// The variable of a polynomial that is just that variable.
  [[nodiscard]] std::optional<std::size_t> as_variable() const;

  /// The polynomial with another in the place of a variable.
  [[nodiscard]] Polynomial with(std::size_t variable, const Polynomial& value) const;
  /// The polynomial with variable i replaced by values[i], for all variables that it has.
  [[nodiscard]] Polynomial with_all(std::span<const Polynomial> values) const;
  /// Its value at a point; nothing if that leaves 128 bits. Requires: a value for each variable that it has.
  [[nodiscard]] std::optional<Wide> at(std::span<const Index> point) const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a) { return Polynomial(0) - a; }
  /// The same polynomial. False if one of them does not fit.
  [[nodiscard]] friend bool same(const Polynomial& a, const Polynomial& b) {
    return a.fits_ && b.fits_ && a.terms_ == b.terms_;
  }

  /// The coefficient of the term that is just the variable.
  [[nodiscard]] friend Wide coefficient_of(const Polynomial& p, std::size_t variable) {
    Powers powers{};
    powers[variable] = 1;
    for (const Term& term : p.terms_)
      if (term.powers == powers) return term.coefficient;
    return 0;
  }

  /// q with q * divisor = a; nothing if there is no such polynomial.
  [[nodiscard]] static std::optional<Polynomial> exact_quotient(const Polynomial& a, const Polynomial& divisor);
  /// {q, r} with a = divisor*q + r, where the divisor's first term divides no term of r. Example: v0*v1 + v1 + v2 by
  /// v0 + 1 is v1, and v2 is left.
  [[nodiscard]] static std::pair<Polynomial, Polynomial> division(const Polynomial& a, const Polynomial& divisor);
  /// (q, r) with a = q * divisor + r and every coefficient of r in [0, divisor). Requires: divisor >= 1.
  [[nodiscard]] static std::pair<Polynomial, Polynomial> split(const Polynomial& a, Index divisor);

 private:
  // Orders the terms, adds those of the same powers and drops zeros.
  static Polynomial canonical(std::vector<Term> terms);
  static Polynomial merged(const Polynomial& a, const Polynomial& b, Wide sign);

  std::vector<Term> terms_;
  bool fits_ = true;
};

/// In words, "42*N*M - 1", with the names of its variables; "?" if it does not fit.
[[nodiscard]] std::string print(const Polynomial& polynomial, std::span<const std::string> names);

}  // namespace vl::map
