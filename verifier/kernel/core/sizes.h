// Sizes: what is known of the symbols of a layout at one place of a proof by cases.
//
//   symbol_k = polynomial_k(v0, v1, …)    v_i >= 0 integers, facts f >= 0
//
// At first symbol_k = low_k + v_k. p >= 0 is *shown* where no coefficient of it is negative, or where it is a fact, or
// more than one by a number. Steps keep every size of a place: each lies in one of the places that a step makes.
//
//   split p        two places, with the fact p >= 0, and with -1 - p >= 0
//   infer p        the fact p >= 0, where p - Σ m·fact has no negative coefficient; nor has an m
//   infer p t      the same, where that holds of t·(p + 1) - 1 - Σ m·fact, and t has no negative coefficient either:
//                  t·(p + 1) >= 1, so p > -1, and p is an integer
//   lift v x       v - x >= 0 is shown, and x is without v: v = v' + x, and the fact v' + x >= 0
//   pin v x        v - x >= 0 and x - v >= 0 are shown, and x is without v: v = x, and the fact x >= 0
//   divide v t     t >= 1 is shown, and t is without v: v = t·v' + r, and the fact t - 1 - r >= 0; r is a new variable
//   residue v m    m places, v = m·v' + i for each i of 0, …, m - 1
//   quotient p d   p >= 0 and d >= 1 are shown: a new variable q = floor(p / d), with the facts p - d·q >= 0 and
//                  d·q + d - 1 - p >= 0
//   floor p d q    d >= 1 and these two are shown: q is floor(p / d)
//   drop j         without fact j
//
// Facts have no divisor in common; one that is shown without it is left out, and so is a place where one is below 0 by
// its coefficients. Example: M, N, P >= 1 are v0 + 1, v1 + 1, v2 + 1. The place P >= N has the fact v2 - v1; "lift 2
// v1" makes P = v2 + v1 + 1.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "verifier/kernel/core/polynomial.h"
#include "verifier/kernel/core/step.h"

namespace vl::kernel {

class Sizes {
 public:
  /// All sizes from these on, one a symbol; and these alone.
  [[nodiscard]] static Sizes from(std::span<const Wide> lows);
  [[nodiscard]] static Sizes of(std::span<const Wide> numbers);

  [[nodiscard]] const std::vector<Polynomial>& symbols() const { return symbols_; }
  [[nodiscard]] const std::vector<Polynomial>& facts() const { return facts_; }
  [[nodiscard]] bool has(std::size_t variable) const { return used_[variable]; }
  /// The variable that the next step makes. Rejected where there are too many.
  [[nodiscard]] std::size_t unused() const;
  /// Whether a fact is below 0 by its coefficients.
  [[nodiscard]] bool are_none() const;

  [[nodiscard]] bool shows(const Polynomial& not_negative) const;
  /// floor(p / by): without a rest, or by coefficients, or as a step said; else nothing. Rejected unless by >= 1 is
  /// shown.
  [[nodiscard]] std::optional<Polynomial> quotient(const Polynomial& p, const Polynomial& by) const;
  struct Quotient {
    Polynomial p, by, is;
  };
  [[nodiscard]] const std::vector<Quotient>& quotients() const { return quotients_; }

  /// The places that a step makes, those without sizes left out. Rejects what is no step.
  [[nodiscard]] std::vector<Sizes> after(const BasicStep<Polynomial>& step) &&;
  /// What its polynomials take in memory.
  [[nodiscard]] std::size_t bytes() const;

 private:
  void require_own(const Polynomial& p) const;
  [[nodiscard]] std::size_t variable_of(const Polynomial& number) const;
  void add(const Polynomial& fact);
  void replace(std::size_t v, const Polynomial& by);
  void infer(const BasicStep<Polynomial>& step);
  void change(const BasicStep<Polynomial>& step);  // of one variable
  void divide(const Polynomial& p, const Polynomial& by, const std::optional<Polynomial>& is);

  std::vector<Polynomial> symbols_, facts_;
  std::vector<Quotient> quotients_;
  std::array<bool, Polynomial::kVariables> used_{};
};

}  // namespace vl::kernel
