// Sizes: a set of sizes of a rule, and what holds for all of them.
//
//   symbol_k = polynomial_k(v0, v1, …)    v_i >= 0, some v_i <= a number, facts f >= 0
//
// At first symbol_k = low_k + v_k. A step parts a set, by branches that cover it:
//   compare p      where p >= 0, and where p <= -1
//   divide v by t  v = t·v' + r, 0 <= r < t: one branch. Where t is a polynomial without v that is shown to be at
//                  least 1, one branch for each place of r among the variables which t - 1 has once, with the
//                  coefficient 1: of t = a + b + 1 r < a, and a <= r <= a + b
//   residue v, t   v = t·v' + i: a branch for each i of 0, …, t - 1
//   quotient p, d  q = floor(p / d) is one more variable, or 1 and a variable where p >= d: p - d·q >= 0 and
//                  d·q + d - 1 - p >= 0 are facts, and so is that q is at most, or at least, another floor(p' / d)
//                  where p' - p >= 0, or p - p' >= 0, is shown; one branch. Requires p >= 0 and d >= 1
// The checker makes the branches, so none is left out. Where p >= 0 has the form v + rest >= 0, and -rest >= 0 is
// shown, v = v' - rest says so; else p is a fact, rounded in the integers: g·u + b >= 0 is u + floor(b / g) >= 0, and
// where b is between bounds its greatest value stands for it. Where -p >= 0 is shown, too, and p has a variable once,
// with the coefficient 1 or -1, that variable is the rest. A variable without which a fact is plainly below 0 is at
// least 1. Branches that are plainly empty are left out.
//
// p >= 0 is shown by its coefficients; or at both ends of each bounded variable in which it is linear; or so after
// multiples of up to three facts are taken away. A multiple is a fact times one term, which takes away what makes p
// negative: p = 32·q·s + 31 - 32·n - r with the fact q·s - n >= 0 is 31 - r without 32 times that. What is not shown
// may be true.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/kernel/core/polynomial.h"

namespace vl::checker {

/// A step has to decide this first. Hint for who makes certificates.
struct Undecided : Rejected {
  explicit Undecided(CaseStep step_) : Rejected("a case that is not decided"), step(std::move(step_)) {}
  CaseStep step;
};

class SizeSet {
 public:
  /// All sizes of the symbols; or those alone, one a symbol.
  explicit SizeSet(const std::vector<RuleText::Symbol>& symbols);
  SizeSet(const std::vector<RuleText::Symbol>& symbols, const Integers& only);

  [[nodiscard]] bool shows(const Polynomial& not_negative) const;
  /// Whether its facts are seen to contradict one another.
  [[nodiscard]] bool is_empty() const;
  /// Whether p >= 0 for all sizes, or for none; else Undecided.
  [[nodiscard]] bool decides(const Polynomial& p) const;
  /// p >= 0; else Undecided, or Rejected with the reason where it holds for none.
  void needs(const Polynomial& p, const char* why) const;

  /// The value of an expression. Undecided where its divisions and comparisons are; Rejected where it has none.
  [[nodiscard]] Polynomial value(const ExpressionText& said) const;
  /// floor(p / by). Requires that by >= 1 can be shown.
  [[nodiscard]] Polynomial quotient(const Polynomial& p, const Polynomial& by) const;

  /// p mod m, a number; else Undecided.
  [[nodiscard]] Wide rest(const Polynomial& p, const Wide& m) const;

  [[nodiscard]] std::vector<SizeSet> branches(const CaseStep& step) const;
  /// What is >= 0 at all of its sizes: facts, and what bounds its variables.
  [[nodiscard]] std::vector<Polynomial> given() const;
  /// What its polynomials take in memory.
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] bool by_ends(const Polynomial& p, std::size_t from, int most) const;
  [[nodiscard]] std::optional<Polynomial::Term> lack_of(const Polynomial& p) const;
  // p >= 0, or so without multiples of `most` facts.
  [[nodiscard]] bool by_facts(const Polynomial& p, int most, int& tries) const;
  [[nodiscard]] std::pair<Polynomial, Polynomial> centred(Polynomial q, Polynomial r, Wide d) const;
  struct Quotient {  // is = floor(p / by)
    Polynomial p, by, is;
  };
  void require_own(const Polynomial& p) const;  // variables that it has
  [[nodiscard]] std::size_t unused() const;
  [[nodiscard]] SizeSet with_quotient(const CaseStep& step) const;
  [[nodiscard]] std::vector<SizeSet> divided(std::size_t v, const Polynomial& by) const;
  [[nodiscard]] std::optional<SizeSet> where(const Polynomial& not_negative) const;
  [[nodiscard]] std::optional<SizeSet> where_zero(const Polynomial& p) const;
  [[nodiscard]] Polynomial rounded(const Polynomial& fact) const;
  void replace(std::size_t v, const Polynomial& by);
  [[nodiscard]] bool tighten();  // false: the set is empty

  std::vector<std::string> names_;
  std::vector<Polynomial> symbols_, facts_;
  std::vector<Quotient> quotients_;
  std::array<bool, Polynomial::kVariables> used_{};
  std::array<std::optional<Wide>, Polynomial::kVariables> most_;
};

/// As a step states it. Rejects what has more than 64 bits; what is none.
[[nodiscard]] std::vector<Integers> write_polynomial(const Polynomial& polynomial);
[[nodiscard]] Polynomial read_polynomial(const std::vector<Integers>& said);

}  // namespace vl::checker
