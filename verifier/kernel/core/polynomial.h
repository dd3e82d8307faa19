// Polynomial: integer polynomials in variables v0, v1, …, all of which are >= 0. Sizes, strides and weights of a layout
// for all sizes are polynomials.
//
// One form: terms by descending powers, none with the coefficient 0, so equal polynomials are equal lists. What has a
// power above 255, a variable above kVariables, more than kTerms terms or a coefficient beyond 128 bits is rejected.
// Example: (v0 + 1)·(v1 + 1) - 1 is v0·v1 + v0 + v1.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "verifier/kernel/core/wide.h"

namespace vl::kernel {

class Polynomial {
 public:
  static constexpr std::size_t kVariables = 24, kTerms = 1024;
  using Powers = std::array<std::uint8_t, kVariables>;
  struct Term {
    Powers powers{};
    Wide coefficient;
    bool operator==(const Term&) const = default;
  };

  Polynomial(Wide constant = 0);  // implicit: numbers are polynomials too
  template <std::integral Number>
  Polynomial(Number constant) : Polynomial(Wide(constant)) {}
  [[nodiscard]] static Polynomial variable(std::size_t v);
  [[nodiscard]] static Polynomial of(std::vector<Term> terms);

  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  [[nodiscard]] std::optional<Wide> number() const;
  /// The coefficient of the term that is just v; that of 1.
  [[nodiscard]] Wide linear(std::size_t v) const;
  [[nodiscard]] Wide constant() const;
  /// The highest power of v.
  [[nodiscard]] int degree(std::size_t v) const;
  /// No coefficient is negative; none is positive.
  [[nodiscard]] bool not_negative() const;
  [[nodiscard]] bool not_positive() const;
  /// Without the divisor that its coefficients have in common: of the same sign everywhere.
  [[nodiscard]] Polynomial primitive() const;
  /// Whether a term has two variables, or a power of one.
  [[nodiscard]] static bool is_product(const Term& term);
  /// The polynomial with another in the place of v.
  [[nodiscard]] Polynomial with(std::size_t v, const Polynomial& value) const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  bool operator==(const Polynomial&) const = default;

  /// q with q·by = *this, multiplied out to see; nothing if there is none.
  [[nodiscard]] std::optional<Polynomial> over(const Polynomial& by) const;
  /// {q, r}: *this = by·q + r, where by's first term divides no term of r. {0, *this} where by is 0,
  /// or what is subtracted on the way is too large for one.
  [[nodiscard]] std::pair<Polynomial, Polynomial> divided(const Polynomial& by) const;
  /// {q, r}: *this = by·q + r, all coefficients of r in [0, by).
  [[nodiscard]] std::pair<Polynomial, Polynomial> split(Wide by) const;

 private:
  static Polynomial merged(const Polynomial& a, const Polynomial& b, const Wide& factor);

  std::vector<Term> terms_;
};

// As of numbers (wide.h).
[[nodiscard]] inline bool is_shown(const Polynomial& not_negative) { return not_negative.not_negative(); }
[[nodiscard]] Polynomial below_zero(const Polynomial& value);
[[nodiscard]] inline Polynomial share(const Polynomial& value, const Polynomial& weight) {
  return value.divided(weight).first;
}
/// By a number coefficient by coefficient.
[[nodiscard]] inline Polynomial floor_of(const Polynomial& value, const Polynomial& weight) {
  const auto number = weight.number();
  return number && *number > 0 ? value.split(*number).first : share(value, weight);
}
[[nodiscard]] inline std::size_t bytes_of(const Polynomial& value) {
  return sizeof(value) + value.terms().size() * sizeof(Polynomial::Term);
}
/// p - m·q, each coefficient in [0, m): equal to p modulo m. Requires: a number m > 0.
[[nodiscard]] Polynomial rest_of(const Polynomial& p, const Polynomial& m);
[[nodiscard]] inline Polynomial blocks_of(const Polynomial& extent, const Polynomial& size) {
  return share(extent, size);
}
/// Rejects one with names.
[[nodiscard]] Wide number_of(const Polynomial& value);

}  // namespace vl::kernel
