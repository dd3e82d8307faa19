// The steps that part a set of sizes (sizes.h).
#include <algorithm>
#include <utility>

#include "verifier/checker/kernel.h"
#include "verifier/checker/sizes.h"

namespace vl::checker {
namespace {

constexpr std::size_t kMostOrdered = 9;  // facts, beside which the order of quotients is one
constexpr std::int64_t kMostBranches = 512;
constexpr int kMostRaised = 64;  // lower ends of variables, by facts

}  // namespace

void SizeSet::replace(std::size_t v, const Polynomial& by) {
  for (Polynomial& symbol : symbols_) symbol = symbol.with(v, by);
  for (Polynomial& fact : facts_) fact = fact.with(v, by);
  for (Quotient& one : quotients_) one = {one.p.with(v, by), one.by.with(v, by), one.is.with(v, by)};
}

// g·u + b >= 0, where b is a constant and bounded variables, says u + floor(most b / g) >= 0 of integers. That says as
// much where b is never below g·floor(most b / g).
Polynomial SizeSet::rounded(const Polynomial& fact) const {
  const auto most_of = [&](const Polynomial::Term& term) -> std::optional<Wide> {
    std::optional<Wide> out = 1;
    for (std::size_t v = 0; v < used_.size(); ++v)
      if (term.powers[v] > 0) out = Polynomial::is_product(term) ? std::nullopt : most_[v];
    return out;
  };
  Wide common = 0, least = 0, most = 0;
  for (const Polynomial::Term& term : fact.terms())
    if (!most_of(term)) common = gcd(common, term.coefficient);
  if (common <= 1) return fact;
  for (const Polynomial::Term& term : fact.terms()) {
    if (term.coefficient % common == 0) continue;
    const Wide reach = term.coefficient * *most_of(term);
    if (term.powers == Polynomial::Powers{} || reach < 0) least += reach;
    if (term.powers == Polynomial::Powers{} || reach > 0) most += reach;
  }
  Polynomial out;  // u: the terms that are multiples
  for (const Polynomial::Term& term : fact.terms())
    if (term.coefficient % common == 0) out = out + Polynomial::of({{term.powers, term.coefficient / common}});
  const Wide floor = most / common;
  return least < floor * common ? fact : out + floor;
}

bool SizeSet::tighten() {
  int raised = 0;
  for (bool again = true; again;) {
    again = false;
    for (Polynomial& fact : facts_) fact = rounded(fact);
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      const Polynomial& fact = facts_[i];  // constant - what is at least 0?
      const Wide constant = fact.constant();
      if (!(fact - constant).not_positive()) continue;
      if (constant < 0) return false;
      for (std::size_t v = 0; v < used_.size(); ++v) {
        const Wide each = fact.linear(v) * -1;
        if (each <= 0 || (most_[v] && *most_[v] <= constant / each)) continue;
        most_[v] = constant / each, again = true;
      }
    }
    for (std::size_t v = 0; v < used_.size(); ++v)
      if (used_[v] && most_[v] && *most_[v] == 0) replace(v, 0), used_[v] = false, most_[v].reset(), again = true;
    std::erase_if(facts_, [&](const Polynomial& fact) { return by_ends(fact, 0, 1); });
    for (std::size_t v = 0; v < used_.size() && raised < kMostRaised; ++v) {
      const auto is_below = [&](const Polynomial& fact) { return (fact.with(v, 0) + 1).not_positive(); };
      if (!used_[v] || std::ranges::none_of(facts_, is_below)) continue;
      if (most_[v] && *most_[v] == 0) return false;
      replace(v, Polynomial::variable(v) + 1), ++raised, again = true;
      if (most_[v]) most_[v] = *most_[v] - 1;
    }
  }
  return true;
}

// p = 0, where it has a variable once, and with the coefficient 1 or -1: that one is the rest.
std::optional<SizeSet> SizeSet::where_zero(const Polynomial& p) const {
  for (std::size_t v = 0; v < used_.size(); ++v) {
    const Wide sign = p.linear(v);
    const Polynomial value = Polynomial::variable(v) - p * sign;
    if (!used_[v] || (sign != 1 && sign != -1) || value.degree(v) > 0) continue;
    SizeSet out = *this;
    out.replace(v, value), out.used_[v] = false, out.most_[v].reset();
    out.facts_.push_back(value);
    if (most_[v]) out.facts_.push_back(Polynomial(*most_[v]) - value);
    return out.tighten() ? std::optional(std::move(out)) : std::nullopt;
  }
  SizeSet out = *this;
  out.facts_.push_back(p);
  return out.tighten() ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<SizeSet> SizeSet::where(const Polynomial& not_negative) const {
  SizeSet out = *this;
  const Polynomial p = not_negative.primitive();
  std::size_t v = 0;
  const auto eliminates = [&] {
    const Polynomial rest = p - Polynomial::variable(v);
    return used_[v] && rest.degree(v) == 0 && by_ends(rest * -1, 0, 6);
  };
  while (v < used_.size() && !eliminates()) ++v;
  if (v == used_.size() && !facts_.empty() && shows(p * -1)) return where_zero(p);
  if (v == used_.size()) {
    out.facts_.push_back(p);
  } else {
    const Polynomial before = Polynomial::variable(v) * 2 - p;  // v' - rest
    out.replace(v, before);
    if (most_[v]) out.facts_.push_back(Polynomial(*most_[v]) - before);
  }
  return out.tighten() ? std::optional(std::move(out)) : std::nullopt;
}

void SizeSet::require_own(const Polynomial& p) const {
  for (std::size_t v = 0; v < used_.size(); ++v) require(used_[v] || p.degree(v) == 0, "a variable that is none");
}

std::size_t SizeSet::unused() const {
  const auto v = static_cast<std::size_t>(std::ranges::find(used_, false) - used_.begin());
  require(v < used_.size(), "too many variables");
  return v;
}

SizeSet SizeSet::with_quotient(const CaseStep& step) const {
  require(step.polynomial && step.divisor && !step.variable && !step.by, "a step of another kind");
  const Polynomial p = read_polynomial(*step.polynomial), by = read_polynomial(*step.divisor);
  require_own(p), require_own(by);
  require(shows(p) && shows(by - 1), "a quotient that may be negative");
  const std::size_t v = unused();
  SizeSet out = *this;
  out.used_[v] = true;
  const Polynomial quotient = Polynomial::variable(v) + (shows(p - by) ? 1 : 0);
  out.facts_.push_back((p - by * quotient).primitive());
  out.facts_.push_back((by * quotient + by - 1 - p).primitive());
  for (const Quotient& other : quotients_) {
    if (other.by != by) continue;
    for (const bool below : {true, false}) {
      const Polynomial apart = below ? other.is - quotient : quotient - other.is;
      if (out.facts_.size() < kMostOrdered && shows(below ? other.p - p : p - other.p) && !out.shows(apart))
        out.facts_.push_back(apart);
    }
  }
  out.quotients_.push_back({p, by, quotient});
  return out;
}

// v = by·v + r, r <= by - 1, the room. As long as the room has two variables, r is below the first of them, or is as
// much and more. Both are kept with the symbols, since variables are replaced on the way.
std::vector<SizeSet> SizeSet::divided(std::size_t v, const Polynomial& by) const {
  require_own(by);
  require(by.degree(v) == 0 && shows(by - 1), "a divisor that may be below 1");
  const std::size_t left = unused();
  SizeSet rest = *this;
  rest.used_[left] = true;
  const Polynomial value = Polynomial::variable(v) * by + Polynomial::variable(left);
  rest.replace(v, value);
  if (most_[v]) rest.facts_.push_back(Polynomial(*most_[v]) - value);
  const std::size_t r = symbols_.size(), room = r + 1;
  rest.symbols_.push_back(Polynomial::variable(left)), rest.symbols_.push_back(by - 1);
  std::vector<SizeSet> out;
  const auto keep = [&](std::optional<SizeSet> branch) {
    if (branch) branch->symbols_.resize(r), out.push_back(std::move(*branch));
  };
  const auto first_of = [&]() -> std::optional<Polynomial> {
    for (std::size_t a = 0; a < used_.size(); ++a) {
      const Polynomial one = Polynomial::variable(a), others = rest.symbols_[room] - one;
      if (others.degree(a) == 0 && !others.terms().empty() && rest.by_ends(others, 0, 6)) return one;
    }
    return std::nullopt;
  };
  while (const auto first = first_of()) {
    keep(rest.where(*first - rest.symbols_[r] - 1));
    rest.symbols_.push_back(*first);
    auto more = rest.where(rest.symbols_[r] - *first);
    if (!more) return out;
    rest = std::move(*more);
    rest.symbols_[r] = rest.symbols_[r] - rest.symbols_.back();
    rest.symbols_[room] = rest.symbols_[room] - rest.symbols_.back();
    rest.symbols_.pop_back();
  }
  keep(rest.where(rest.symbols_[room] - rest.symbols_[r]));
  return out;
}

std::size_t SizeSet::bytes() const {
  std::size_t terms = 0;
  for (const std::vector<Polynomial>* all : {&symbols_, &facts_})
    for (const Polynomial& one : *all) terms += one.terms().size() + 1;
  for (const Quotient& one : quotients_) terms += one.p.terms().size() + one.by.terms().size() + one.is.terms().size();
  return sizeof(SizeSet) + terms * sizeof(Polynomial::Term);
}

std::vector<SizeSet> SizeSet::branches(const CaseStep& step) const {
  charge(bytes() / 4);  // copies of it
  std::vector<SizeSet> out;
  const auto keep = [&](std::optional<SizeSet> branch) {
    if (branch) out.push_back(std::move(*branch));
  };
  if (step.step == "compare") {
    require(step.polynomial && !step.variable && !step.by && !step.divisor, "a step of another kind");
    const Polynomial p = read_polynomial(*step.polynomial);
    require_own(p);
    keep(where(p)), keep(where(Polynomial(-1) - p));
    return out;
  }
  if (step.step == "quotient") return {with_quotient(step)};
  require(step.step == "divide" || step.step == "residue", "a step that is not known");
  require(!step.polynomial && step.variable && (step.step == "divide" || step.by), "a step of another kind");
  require(*step.variable >= 0 && std::cmp_less(*step.variable, used_.size()), "a variable that is none");
  const auto v = static_cast<std::size_t>(*step.variable);
  require(used_[v], "a variable that is none");
  require(step.by.has_value() != step.divisor.has_value(), "a step of another kind");
  if (step.divisor) return divided(v, read_polynomial(*step.divisor));
  require(*step.by >= 1, "a step of another kind");
  const auto part = [&](const Polynomial& rest, SizeSet branch) {
    const Polynomial value = Polynomial::variable(v) * Polynomial(*step.by) + rest;
    branch.replace(v, value);
    if (most_[v]) branch.facts_.push_back(Polynomial(*most_[v]) - value), branch.most_[v] = *most_[v] / *step.by;
    keep(branch.tighten() ? std::optional(std::move(branch)) : std::nullopt);
  };
  if (step.step == "residue") {
    require(*step.by <= kMostBranches, "too many branches");
    for (std::int64_t i = 0; i < *step.by; ++i) part(Wide(i), *this);
    return out;
  }
  const std::size_t rest = unused();
  SizeSet divided = *this;
  divided.used_[rest] = true, divided.most_[rest] = *step.by - 1;
  part(Polynomial::variable(rest), std::move(divided));
  return out;
}

}  // namespace vl::checker
