#include "verifier/engines/polynomial/cell.h"

#include <algorithm>

namespace vl::engines {
namespace {

using map::Wide;

constexpr std::size_t kMostOrdered = 9;  // side facts, beside which the order of quotients is one

bool has_only(const Polynomial& p, std::size_t variable) {
  return std::ranges::all_of(p.terms(), [&](const Polynomial::Term& term) {
    for (std::size_t i = 0; i < Polynomial::kVariables; ++i)
      if (i != variable && term.powers[i] > 0) return false;
    return true;
  });
}

Wide constant_of(const Polynomial& p) {
  for (const Polynomial::Term& term : p.terms())
    if (term.powers == Polynomial::Powers{}) return term.coefficient;
  return 0;
}

// Without the divisor that its coefficients have in common.
Polynomial primitive(const Polynomial& p) {
  Wide common = 0;
  for (const Polynomial::Term& term : p.terms()) common = map::common_divisor(common, term.coefficient);
  const auto by = map::narrowed(common);
  return by && *by > 1 ? Polynomial::split(p, *by).first : p;
}

}  // namespace

Cell::Cell(const map::Rule& rule, const map::Sizes& fixed) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < rule.symbols.size(); ++k) {
    const map::Symbol& symbol = rule.symbols[k];
    names_.push_back(symbol.name);
    lows_.push_back(symbol.low);
    if (const auto at = fixed.find(symbol.name); at != fixed.end()) {
      symbols_.emplace_back(at->second);
      continue;
    }
    symbols_.push_back(Polynomial::variable(next) + symbol.low);
    if (next >= Polynomial::kVariables) continue;  // and the polynomial does not fit
    used_[next] = 1;
    meaning_[next] = Polynomial::variable(k) - symbol.low;
    ++next;
  }
}

void Cell::substitute(std::size_t variable, const Polynomial& value) {
  for (Polynomial& symbol : symbols_) symbol = symbol.with(variable, value);
  for (Polynomial& fact : facts_) fact = fact.with(variable, value);
  for (Quotient& quotient : quotients_)
    for (Polynomial* p : {&quotient.p, &quotient.by, &quotient.is}) *p = p->with(variable, value);
}

// Takes what facts of one variable say into its bounds: c - a·v >= 0, and a variable that is 0 out of everything.
void Cell::tighten() {
  constexpr int kMostRaised = 64;
  int raised = 0;
  for (bool again = true; again && !empty_;) {
    again = false;
    std::vector<Polynomial> rest;
    for (const Polynomial& said : facts_) {
      if (!said.fits()) continue;  // dropped: the cell is only larger
      const Polynomial fact = rounded(said);
      if (is_sum_of_positive(fact)) continue;
      if (const auto number = fact.constant()) {
        empty_ = empty_ || *number < 0;
        continue;
      }
      rest.push_back(fact);
      if (!is_sum_of_positive(Polynomial(map::narrowed(constant_of(fact)).value_or(0)) - fact)) continue;
      // c - Σ positive terms >= 0: c < 0 is empty; a·v <= c bounds v.
      if (constant_of(fact) < 0) empty_ = true;
      for (std::size_t v = 0; v < Polynomial::kVariables && !empty_; ++v) {
        const Wide a = -coefficient_of(fact, v);
        if (a <= 0) continue;
        const auto bound = map::narrowed(constant_of(fact) / a);
        if (bound && (!most_[v] || *bound < *most_[v])) {
          most_[v] = *bound;
          again = true;
        }
        if (has_only(fact, v) && fact.degree_in(v) == 1 && !rest.empty()) rest.pop_back();
        if (has_only(fact, v)) break;
      }
    }
    facts_ = std::move(rest);
    for (std::size_t v = 0; v < Polynomial::kVariables && !empty_; ++v) {
      if (used_[v] == 0 || most_[v] != 0) continue;
      substitute(v, 0);
      used_[v] = 0;
      most_[v].reset();
      meaning_[v].reset();
      for (Quotient& one : quotients_)
        if (one.variable == v) one.variable.reset();
      again = true;
    }
    for (std::size_t v = 0; v < Polynomial::kVariables && !empty_ && raised < kMostRaised; ++v) {
      if (used_[v] == 0 || most_[v] == 0 || !is_positive(v)) continue;
      substitute(v, Polynomial::variable(v) + 1);
      if (most_[v]) most_[v] = *most_[v] - 1;
      if (meaning_[v]) meaning_[v] = *meaning_[v] - 1;
      ++raised, again = true;
    }
  }
}

// Whether a fact is below 0 where a variable is 0.
bool Cell::is_positive(std::size_t v) const {
  return std::ranges::any_of(facts_, [&](const Polynomial& fact) {
    const Polynomial without = fact.with(v, 0);
    return constant_of(without) < 0 && is_sum_of_positive(Polynomial(0) - without);
  });
}

// p = 0, where it has a variable once, and with the coefficient 1 or -1: that one is the rest.
std::optional<Cell> Cell::with_zero(const Polynomial& p) const {
  Cell out = *this;
  const auto is_alone = [&](std::size_t v) {
    const Wide sign = coefficient_of(p, v);
    return used_[v] != 0 && (sign == 1 || sign == -1) &&
           !(p - Polynomial::variable(v) * static_cast<Index>(sign)).has(v);
  };
  std::size_t v = 0;
  while (v < Polynomial::kVariables && !is_alone(v)) ++v;
  if (v == Polynomial::kVariables) {
    out.facts_.push_back(p);
  } else {
    const Polynomial value = Polynomial::variable(v) - p * static_cast<Index>(coefficient_of(p, v));
    out.substitute(v, value);
    out.facts_.push_back(value);
    if (most_[v]) out.facts_.push_back(Polynomial(*most_[v]) - value);
    out.used_[v] = 0;
    out.most_[v].reset();
    out.meaning_[v].reset();
    for (Quotient& one : out.quotients_)
      if (one.variable == v) one.variable.reset();
  }
  out.tighten();
  return out.empty_ ? std::nullopt : std::optional(std::move(out));
}

std::optional<Cell> Cell::with_fact(const Polynomial& fact) const {
  Cell out = *this;
  if (!fact.fits()) return out;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (used_[v] == 0 || fact.degree_in(v) != 1 || coefficient_of(fact, v) != 1) continue;
    const Polynomial rest = fact - Polynomial::variable(v);
    if (rest.has(v) || !without_facts(Polynomial(0) - rest)) continue;
    // v = v' - rest with the same number for v'; as v >= -rest >= 0, v' >= 0 is all that is left.
    out.substitute(v, Polynomial::variable(v) - rest);
    if (most_[v]) out.facts_.push_back(Polynomial(*most_[v]) - Polynomial::variable(v) + rest);
    if (out.meaning_[v]) {
      const auto shift = in_symbols(rest);
      out.meaning_[v] = shift ? std::optional(*out.meaning_[v] + *shift) : std::nullopt;
    }
    out.tighten();
    return out.empty_ ? std::nullopt : std::optional(std::move(out));
  }
  if (!facts_.empty() && may_show(Polynomial(0) - fact)) return with_zero(fact);
  out.facts_.push_back(fact);
  out.tighten();
  return out.empty_ ? std::nullopt : std::optional(std::move(out));
}

std::optional<Polynomial> Cell::in_symbols(const Polynomial& p) const {
  if (!p.fits()) return std::nullopt;
  std::vector<Polynomial> values;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (p.has(v) && !meaning_[v]) return std::nullopt;
    values.push_back(meaning_[v].value_or(0));
  }
  Polynomial out = p.with_all(values);
  return out.fits() ? std::optional(std::move(out)) : std::nullopt;
}

// Variables that are a part of a symbol, P = 8·v + 8, are multiplied out: 8·v - n is P - 8 - n.
std::optional<Polynomial> Cell::sign_in_symbols(const Polynomial& p) const {
  if (auto stated = in_symbols(p)) return stated;
  if (!p.fits()) return std::nullopt;
  Polynomial times = p;  // with a power of a for each power of v that a term lacks
  std::vector<Polynomial> values;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    values.push_back(meaning_[v].value_or(0));
    if (!p.has(v) || meaning_[v]) continue;
    const auto part = part_of_symbol(v);
    if (!part) return std::nullopt;
    Polynomial scaled = 0;
    for (Polynomial::Term term : times.terms()) {
      for (int k = term.powers[v]; k < p.degree_in(v); ++k) {
        const auto larger = map::wide_product(term.coefficient, part->first);
        if (!larger) return std::nullopt;
        term.coefficient = *larger;
      }
      scaled = scaled + Polynomial(term);
    }
    times = std::move(scaled), values.back() = part->second;
  }
  Polynomial out = primitive(times.with_all(values));
  return out.fits() ? std::optional(std::move(out)) : std::nullopt;
}

// {a, s}: a·v = s, a polynomial in the symbols.
std::optional<std::pair<Index, Polynomial>> Cell::part_of_symbol(std::size_t v) const {
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    const auto a = map::narrowed(coefficient_of(symbols_[k], v));
    if (!a || *a < 1) continue;
    const auto rest = in_symbols(symbols_[k] - Polynomial::variable(v) * *a);
    if (rest) return std::pair(*a, Polynomial::variable(k) - *rest);
  }
  return std::nullopt;
}

// A branch of a step, which the symbols say or not.
Literal Cell::literal(std::optional<Polynomial> of, Index by, int branch) const {
  Literal out{std::move(of), by, {}, branch};
  if (!out.of)
    for (const Literal& before : path_) out.place.push_back(before.branch);
  return out;
}

// A symbol that is a·v + b with numbers a and b, of which v's remainders are said: by a·by, b + a·i.
std::optional<Cell::Scaled> Cell::scaled_symbol(std::size_t v, Index by) const {
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const auto a = map::narrowed(coefficient_of(symbols_[k], v)), b = map::narrowed(constant_of(symbols_[k]));
    if (!a || !b || *a < 1 || !same(symbols_[k], Polynomial::variable(v) * *a + *b)) continue;
    const auto whole = checked_mul(*a, by);
    if (whole && *whole <= 1 << 30) return Scaled{k, *a, *b, *whole};
  }
  return std::nullopt;
}

std::vector<Cell> Cell::residues(std::size_t v, Index by) const {
  std::vector<Cell> out;
  const auto symbol = scaled_symbol(v, by);
  for (Index i = 0; i < by; ++i) {
    if (most_[v] && *most_[v] < i) break;
    Cell branch = *this;
    branch.substitute(v, Polynomial::variable(v) * by + i);
    branch.meaning_[v].reset();
    if (most_[v]) branch.most_[v] = (*most_[v] - i) / by;
    branch.tighten();
    const auto of = symbol ? std::optional(Polynomial::variable(symbol->symbol)) : std::nullopt;
    const Index rest = symbol ? floor_mod(symbol->each * i + symbol->first, symbol->by) : i;
    branch.path_.push_back(literal(of, symbol ? symbol->by : 0, static_cast<int>(rest)));
    if (!branch.empty_) out.push_back(std::move(branch));
  }
  return out;
}

std::vector<Cell> Cell::with_quotient(const Polynomial& p, const Polynomial& by) const {
  const auto v = unused();
  if (!v || !may_show(p) || !may_show(by - 1)) return {};
  Cell out = *this;
  out.used_[*v] = 1;
  out.meaning_[*v].reset();
  const Polynomial quotient = Polynomial::variable(*v) + (may_show(p - by) ? 1 : 0);
  out.facts_.push_back(p - by * quotient);
  out.facts_.push_back(by * quotient + by - 1 - p);
  for (const Quotient& other : quotients_) {
    if (!same(other.by, by)) continue;
    for (const bool below : {true, false}) {
      const Polynomial apart = below ? other.is - quotient : quotient - other.is;
      if (out.facts_.size() < kMostOrdered && may_show(below ? other.p - p : p - other.p) && !out.may_show(apart))
        out.facts_.push_back(apart);
    }
  }
  out.quotients_.push_back({p, by, quotient, *v});
  out.tighten();
  return {std::move(out)};
}

std::vector<Cell> Cell::refined(const Refinement& step) const {
  std::vector<Cell> out;
  if (step.divisor) return with_quotient(step.compared, *step.divisor);
  if (!step.variable) {
    const auto of = sign_in_symbols(step.compared);
    for (const bool yes : {true, false}) {
      auto branch = with_fact(yes ? step.compared : Polynomial(-1) - step.compared);
      if (!branch) continue;
      branch->path_.push_back(literal(of, 0, yes ? 0 : 1));
      out.push_back(std::move(*branch));
    }
    return out;
  }
  const std::size_t v = *step.variable;
  if (step.residue) return residues(v, step.by);
  const auto rest = unused();
  if (!rest || step.by < 1) return {};
  Cell divided = *this;
  divided.substitute(v, Polynomial::variable(v) * step.by + Polynomial::variable(*rest));
  divided.used_[*rest] = 1;
  divided.most_[*rest] = step.by - 1;
  divided.meaning_[*rest].reset();
  divided.meaning_[v].reset();
  if (most_[v]) {
    divided.facts_.push_back(Polynomial(*most_[v]) - Polynomial::variable(v) * step.by - Polynomial::variable(*rest));
    divided.most_[v] = *most_[v] / step.by;
  }
  divided.tighten();
  out.push_back(std::move(divided));
  return out;
}

}  // namespace vl::engines
