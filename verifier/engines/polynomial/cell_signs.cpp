// Whether a polynomial is >= 0 on a cell.
#include <algorithm>
#include <utility>

#include "verifier/engines/polynomial/cell.h"

namespace vl::engines {
namespace {

using map::Wide;

// Beyond these, side facts are not tried.
constexpr std::size_t kMostTerms = 200;
constexpr std::size_t kMostFacts = 16;
constexpr int kMostMultiples = 3;
constexpr int kMostTries = 128;  // of multiples, for one polynomial; half of that for each further one

// What a side fact's term below 0 is multiplied by to take away another one.
std::optional<Polynomial::Term> multiple(const Polynomial::Term& lack, const Polynomial::Term& of) {
  if (of.coefficient >= 0 || !map::wide_product(lack.coefficient, -1)) return std::nullopt;
  Polynomial::Term out{{}, lack.coefficient / of.coefficient + (lack.coefficient % of.coefficient != 0 ? 1 : 0)};
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (of.powers[v] > lack.powers[v]) return std::nullopt;
    out.powers[v] = static_cast<std::uint8_t>(lack.powers[v] - of.powers[v]);
  }
  return out;
}

// Whether a multiple of a fact has each of these terms below 0, or more of it.
bool takes_all(const std::vector<Polynomial::Term>& lacks, const Polynomial::Term& times, const Polynomial& fact) {
  return std::ranges::all_of(lacks, [&](const Polynomial::Term& lack) {
    return std::ranges::any_of(fact.terms(), [&](const Polynomial::Term& term) {
      for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
        if (term.powers[v] + times.powers[v] != lack.powers[v]) return false;
      const auto taken = map::wide_product(term.coefficient, times.coefficient);
      return taken && *taken <= lack.coefficient;
    });
  });
}

}  // namespace

bool Cell::is_sum_of_positive(const Polynomial& p) {
  return p.fits() && std::ranges::all_of(p.terms(), [](const Polynomial::Term& term) { return term.coefficient >= 0; });
}

// g·u + b >= 0, where b is a constant and bounded variables, is u + floor(most b / g) >= 0 in the integers, if b is
// never below g·floor(most b / g). Example: 32·q - 1 - r with r <= 31 is q - 1.
Polynomial Cell::rounded(const Polynomial& fact) const {
  const auto most_of = [&](const Polynomial::Term& term) -> std::optional<Index> {
    int degree = 0;
    std::optional<Index> most = 1;
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      if (term.powers[v] > 0) degree += term.powers[v], most = most_[v];
    return degree > 1 ? std::nullopt : most;
  };
  Wide divisor = 0;
  for (const Polynomial::Term& term : fact.terms())
    if (!map::wide_product(term.coefficient, -1)) return fact;
    else if (!most_of(term)) divisor = map::common_divisor(divisor, term.coefficient);
  if (divisor <= 1) return fact;
  Polynomial out;
  std::optional<Wide> least = 0, most = 0;
  for (const Polynomial::Term& term : fact.terms()) {
    if (term.coefficient % divisor == 0) {
      out = out + Polynomial(Polynomial::Term{term.powers, term.coefficient / divisor});
      continue;
    }
    const auto reach = map::wide_product(term.coefficient, *most_of(term));
    const bool constant = term.powers == Polynomial::Powers{};
    if (!reach) return fact;
    if ((constant || *reach < 0) && least) least = map::wide_sum(*least, *reach);
    if ((constant || *reach > 0) && most) most = map::wide_sum(*most, *reach);
  }
  if (!least || !most) return fact;
  const Wide floor = *most / divisor - (*most % divisor < 0 ? 1 : 0);
  const auto end = map::wide_product(floor, divisor);
  if (!end || *least < *end) return fact;
  return out + Polynomial(Polynomial::Term{{}, floor});
}

// p at both ends of a bounded variable of a term in which it is linear.
bool Cell::at_ends_of_one(const Polynomial& p, const Polynomial::Term& term, int budget) const {
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
    if (term.powers[v] == 1 && most_[v] && p.degree_in(v) == 1)
      return budget > 0 && at_ends(p.with(v, 0), budget - 1) && at_ends(p.with(v, *most_[v]), budget - 1);
  return false;
}

// Terms that are alike but for one bounded variable each have a sum that is least at an end of each of these. A product
// of bounded variables is taken apart at both ends of one.
bool Cell::at_ends(const Polynomial& p, int budget) const {
  const auto terms = p.terms();
  const auto is_alike = [&](const Polynomial::Term& a, const Polynomial::Term& b) {
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      if (a.powers[v] != b.powers[v] && (a.powers[v] > 1 || b.powers[v] > 1 || !most_[v])) return false;
    return true;
  };
  for (const Polynomial::Term& lack : terms) {
    if (lack.coefficient >= 0) continue;
    Wide least = 0;
    for (const Polynomial::Term& term : terms) {
      if (!is_alike(lack, term)) continue;
      std::optional<std::size_t> bounded;
      for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
        if (term.powers[v] != 1 || !most_[v]) continue;
        if (bounded) return at_ends_of_one(p, term, budget);
        bounded = v;
      }
      if (bounded && term.coefficient > 0) continue;
      const auto each = map::wide_product(term.coefficient, bounded ? *most_[*bounded] : 1);
      const auto sum = each ? map::wide_sum(least, *each) : std::nullopt;
      if (!sum) return false;
      least = *sum;
    }
    if (least < 0) return false;
  }
  return p.fits();
}

bool Cell::without_facts(const Polynomial& p) const { return at_ends(p, 6); }

bool Cell::may_show(const Polynomial& p) const {
  if (empty_) return true;
  if (!p.fits()) return false;
  if (without_facts(p)) return true;
  if (facts_.empty() || p.terms().size() > kMostTerms || facts_.size() > kMostFacts) return false;
  if (without_facts(Polynomial(-1) - p)) return false;
  for (int most = 1; most <= kMostMultiples; ++most) {
    int tries = kMostTries >> most;
    if (without_multiples(p, most, tries)) return true;
  }
  return false;
}

// Terms below 0 that no bounded variable limits stay so at all ends: only multiples of side facts take them away, and
// the first one is as good as another. Where there is none, any term below 0 may be in the way.
bool Cell::without_multiples(const Polynomial& p, int most, int& tries) const {
  std::vector<Polynomial::Term> lacks, firm;
  for (const Polynomial::Term& term : p.terms()) {
    if (term.coefficient >= 0) continue;
    bool bounded = false;
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v) bounded = bounded || (term.powers[v] > 0 && most_[v]);
    (bounded ? lacks : firm).push_back(term);
  }
  const auto is_in_reach = [&](const Polynomial::Term& lack) {
    return std::ranges::any_of(facts_, [&](const Polynomial& fact) {
      return std::ranges::any_of(fact.terms(), [&](const auto& term) { return multiple(lack, term).has_value(); });
    });
  };
  if (!std::ranges::all_of(firm, is_in_reach)) return false;
  if (!firm.empty()) lacks.assign(1, firm.front());
  for (const Polynomial::Term& lack : lacks)
    for (const Polynomial& fact : facts_)
      for (const Polynomial::Term& term : fact.terms()) {
        const auto times = multiple(lack, term);
        if (!times || (most == 1 && !takes_all(firm, *times, fact))) continue;
        if (--tries < 0) return false;
        const Polynomial left = p - Polynomial(*times) * fact;
        if (!left.fits()) continue;
        if (without_facts(left) || (most > 1 && without_multiples(left, most - 1, tries))) return true;
      }
  return false;
}

}  // namespace vl::engines
