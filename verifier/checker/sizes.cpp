#include "verifier/checker/sizes.h"

#include <algorithm>
#include <set>
#include <utility>

namespace vl::checker {
namespace {

constexpr std::size_t kMostFacts = 16, kMostTerms = 200;
constexpr std::size_t kMostOrdered = 9;  // facts, beside which the order of quotients is one
constexpr std::int64_t kMostBranches = 512, kMostOften = 64;
constexpr int kMostRaised = 64;  // lower ends of variables, by facts
constexpr int kMostTries = 128;  // of multiples of facts; half of that for each further one

// Each symbol has a name of its own.
void require_names(const std::vector<RuleText::Symbol>& symbols) {
  std::set<std::string> names;
  for (const RuleText::Symbol& symbol : symbols) {
    const bool plain = !symbol.name.empty() && std::ranges::all_of(symbol.name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    require(plain && (symbol.name[0] < '0' || symbol.name[0] > '9'), "a symbol whose name is none");
    require(names.insert(symbol.name).second, "a symbol that comes twice");
  }
}

// p without the divisor that its coefficients have in common: of the same sign everywhere.
Polynomial primitive(const Polynomial& p) {
  Wide common = 0;
  for (const Polynomial::Term& term : p.terms()) common = gcd(common, term.coefficient);
  return common > 1 ? p.split(common).first : p;
}

[[noreturn]] void compare(const Polynomial& p) { throw Undecided({"compare", write_polynomial(p), {}, {}}); }

// The multiple of a term below 0 that is a term's powers, and at most its coefficient. Nothing if there is none.
std::optional<Polynomial> multiple(const Polynomial::Term& term, const Polynomial::Term& of) {
  if (of.coefficient > 0) return std::nullopt;
  const Wide each = of.coefficient.abs();
  Polynomial::Term out{{}, (term.coefficient.abs() + each - 1) / each};
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (of.powers[v] > term.powers[v]) return std::nullopt;
    out.powers[v] = static_cast<std::uint8_t>(term.powers[v] - of.powers[v]);
  }
  return Polynomial::of({out});
}

bool is_product(const Polynomial::Term& term) {
  int degree = 0;
  for (const std::uint8_t power : term.powers) degree += power;
  return degree >= 2;
}

}  // namespace

SizeSet::SizeSet(const std::vector<RuleText::Symbol>& symbols) {
  require_names(symbols);
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    names_.push_back(symbols[k].name);
    symbols_.push_back(Polynomial::variable(k) + symbols[k].low);
    used_[k] = true;
  }
}

SizeSet::SizeSet(const std::vector<RuleText::Symbol>& symbols, const Integers& only) {
  require_names(symbols);
  require(symbols.size() == only.size(), "sizes of other symbols");
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    require(only[k] >= symbols[k].low, "a size below its bound");
    names_.push_back(symbols[k].name), symbols_.emplace_back(Wide(only[k]));
  }
}

bool SizeSet::by_ends(const Polynomial& p, std::size_t from, int most) const {
  if (p.not_negative()) return true;
  for (std::size_t v = from; v < used_.size() && most > 0; ++v)
    if (most_[v] && p.degree(v) == 1)
      return by_ends(p.with(v, 0), v + 1, most - 1) && by_ends(p.with(v, *most_[v]), v + 1, most - 1);
  return false;
}

bool SizeSet::shows(const Polynomial& not_negative) const {
  const Polynomial p = primitive(not_negative);
  if (by_ends(p, 0, 6)) return true;
  if (facts_.empty() || p.terms().size() > kMostTerms || facts_.size() > kMostFacts) return false;
  if (by_ends(Polynomial(-1) - p, 0, 6)) return false;
  for (int most = 1; most <= 3; ++most)
    if (int tries = kMostTries >> most; by_facts(p, most, tries)) return true;
  return false;
}

// A term below 0 that stays so at the ends of all variables.
std::optional<Polynomial::Term> SizeSet::lack_of(const Polynomial& p) const {
  for (const Polynomial::Term& term : p.terms()) {
    bool bounded = false;
    for (std::size_t v = 0; v < used_.size(); ++v) bounded = bounded || (term.powers[v] > 0 && most_[v]);
    if (term.coefficient < 0 && !bounded) return term;
  }
  return std::nullopt;
}

// Only a fact with a term below 0 that divides the lack takes it away. Without a lack, each term below 0 is tried.
bool SizeSet::by_facts(const Polynomial& p, int most, int& tries) const {
  const auto lack = lack_of(p);
  if (!lack && by_ends(p, 0, 6)) return true;
  if (most == 0) return false;
  for (const Polynomial::Term& term : p.terms()) {
    if (term.coefficient > 0 || (lack && term.powers != lack->powers)) continue;
    for (const Polynomial& fact : facts_)
      for (const Polynomial::Term& of : fact.terms()) {
        const auto times = multiple(term, of);
        if (!times) continue;
        if (tries-- <= 0) return false;
        if (by_facts(p - *times * fact, most - 1, tries)) return true;
      }
  }
  return false;
}

bool SizeSet::is_empty() const {
  return std::ranges::any_of(facts_, [&](const Polynomial& fact) { return shows(Polynomial(-1) - fact); });
}

bool SizeSet::decides(const Polynomial& p) const {
  if (shows(p)) return true;
  if (shows(Polynomial(-1) - p)) return false;
  // A factor that is a size of at least 1 does not change the sign.
  if (std::ranges::any_of(p.terms(), is_product))
    for (const Polynomial& size : symbols_)
      if (!size.number() && shows(size - 1))
        if (const auto less = p.over(size)) return decides(*less);
  compare(p);
}

void SizeSet::needs(const Polynomial& p, const char* why) const { require(decides(p), why); }

Polynomial SizeSet::quotient(const Polynomial& p, const Polynomial& by) const {
  require(shows(by - 1), "a divisor that may be below 1");
  if (auto exact = p.over(by)) return *exact;
  const auto divisor = by.number();
  if (!divisor) {  // g·u + r by g·d is u by d, where 0 <= r < g
    Wide common = 0;
    for (const Polynomial::Term& term : by.terms()) common = gcd(common, term.coefficient);
    const Polynomial part = by.split(common).first;
    const auto [times, less] = p.divided(part);
    if (times != 0 && shows(less) && shows(part - 1 - less)) return common == 1 ? times : this->quotient(times, common);
  }
  const auto [quotient, rest] = divisor ? p.split(*divisor) : std::pair(Polynomial(), p);
  for (const Quotient& known : quotients_)
    if (shows(rest - by * known.is) && shows(by * known.is + by - 1 - rest)) return quotient + known.is;
  if (by.terms().size() > 1 && !divisor) {  // one of two multiples that are next to p
    const auto [times, less] = p.divided(by);
    for (const int k : {1, 0, -1}) {
      const Polynomial above = less - by * k;
      if (times + k == 0 || !shows(above) || !shows(by * 2 - 1 - above)) continue;
      return times + (k + (decides(above - by) ? 1 : 0));
    }
  }
  const auto is_free = [&](const Polynomial::Term& term) {  // a product that may be as large as it likes
    bool bounded = true;
    for (std::size_t v = 0; v < used_.size(); ++v) bounded = bounded && (term.powers[v] == 0 || most_[v]);
    return is_product(term) && !bounded;
  };
  if (!divisor || std::ranges::any_of(rest.terms(), is_free)) {
    require(shows(rest), "a quotient that is no polynomial");
    throw Undecided({"quotient", write_polynomial(rest), {}, {}, write_polynomial(by)});
  }
  if (shows(Polynomial(*divisor - 1) - rest)) return quotient;  // rest >= 0
  const bool once_at_most = shows(Polynomial(*divisor * 2 - 1) - rest);
  for (std::size_t v = 0; v < used_.size(); ++v) {
    if (!used_[v] || rest.linear(v) == 0) continue;
    const Wide each = *divisor / gcd(rest.linear(v), *divisor);
    if (!most_[v] || (!once_at_most && *most_[v] >= each))
      throw Undecided({"divide", {}, static_cast<std::int64_t>(v), each.narrow()});
  }
  const auto [whole, left] = centred(quotient, rest, *divisor);
  for (std::int64_t often = 0; often <= kMostOften; ++often) {
    const Polynomial above = left - *divisor * often;
    require(often == 0 || decides(above), "a quotient that is no polynomial");
    if (shows(Polynomial(*divisor - 1) - above)) return whole + often;
  }
  throw Rejected("a quotient that is no polynomial");
}

// q·d + r with nearly d as the coefficient of a bounded variable v in r: (q + v)·d + r - d·v, and then as many d as r
// may lie below 0. The sum is the same, and r >= 0.
std::pair<Polynomial, Polynomial> SizeSet::centred(Polynomial q, Polynomial r, Wide d) const {
  Wide below = 0;
  for (std::size_t v = 0; v < used_.size(); ++v) {
    const Wide each = r.linear(v);
    if (!used_[v] || !most_[v] || (d - each) * 8 > d) continue;
    q = q + Polynomial::variable(v), r = r - Polynomial::variable(v) * d;
    below += (d - each) * *most_[v];
  }
  const Wide times = (below + d - 1) / d;
  return {q - times, r + d * times};
}

Polynomial SizeSet::value(const ExpressionText& said) const {
  const std::string& word = said.word;
  if (word.empty()) return Wide(said.number);
  if (said.parts.empty()) {
    const auto found = std::ranges::find(names_, word);
    require(found != names_.end(), "a name that is no symbol");
    return symbols_[static_cast<std::size_t>(found - names_.begin())];
  }
  require(said.parts.size() == (word == "?" ? 4 : 2), "an operation of other parts");
  const Polynomial a = value(said.parts[0]), b = value(said.parts[1]);
  if (word == "+") return a + b;
  if (word == "-") return a - b;
  if (word == "*") return a * b;
  if (word == "//") return quotient(a, b);
  if (word == "ceil") return quotient(a + b - 1, b);
  if (word == "%") return a - quotient(a, b) * b;
  if (word == "?") return value(said.parts[decides(a - b) ? 2 : 3]);
  require(word == "min" || word == "max", "an operation that is not known");
  const bool first = shows(a - b);
  if (!first && !shows(b - a)) compare(a - b);
  return first == (word == "max") ? a : b;
}

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
      if (term.powers[v] > 0) out = is_product(term) ? std::nullopt : most_[v];
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
  const Polynomial p = primitive(not_negative);
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
  out.facts_.push_back(primitive(p - by * quotient));
  out.facts_.push_back(primitive(by * quotient + by - 1 - p));
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

std::vector<SizeSet> SizeSet::branches(const CaseStep& step) const {
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

std::vector<Integers> write_polynomial(const Polynomial& polynomial) {
  std::vector<Integers> out;
  for (const Polynomial::Term& term : polynomial.terms()) {
    Integers& item = out.emplace_back(1, term.coefficient.narrow());
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      if (term.powers[v] > 0) item.insert(item.end(), {static_cast<std::int64_t>(v), term.powers[v]});
  }
  return out;
}

Polynomial read_polynomial(const std::vector<Integers>& said) {
  std::vector<Polynomial::Term> terms;
  for (const Integers& item : said) {
    require(item.size() % 2 == 1, "a term that is none");
    Polynomial::Term& term = terms.emplace_back();
    term.coefficient = item[0];
    for (std::size_t i = 1; i < item.size(); i += 2) {
      require(item[i] >= 0 && item[i] < static_cast<std::int64_t>(Polynomial::kVariables), "too many variables");
      require(item[i + 1] >= 1 && item[i + 1] <= 255, "a power that is none");
      term.powers[static_cast<std::size_t>(item[i])] = static_cast<std::uint8_t>(item[i + 1]);
    }
  }
  return Polynomial::of(std::move(terms));
}

}  // namespace vl::checker
