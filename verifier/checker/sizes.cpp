#include "verifier/checker/sizes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

constexpr std::size_t kMostFacts = 16, kMostTerms = 200;
constexpr std::int64_t kMostOften = 64;
constexpr int kMostTries = 128;  // of multiples of facts; half of that for each further one

// Each symbol has a name of its own.
void require_names(const std::vector<RuleText::Symbol>& symbols) {
  require(symbols.size() <= Polynomial::kVariables, "too many variables");
  std::set<std::string> names;
  for (const RuleText::Symbol& symbol : symbols) {
    const bool plain = !symbol.name.empty() && std::ranges::all_of(symbol.name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    require(plain && (symbol.name[0] < '0' || symbol.name[0] > '9'), "a symbol whose name is none");
    require(names.insert(symbol.name).second, "a symbol that comes twice");
  }
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
  const Polynomial p = not_negative.primitive();
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
  if (std::ranges::any_of(p.terms(), Polynomial::is_product))
    for (const Polynomial& size : symbols_)
      if (!size.number() && shows(size - 1))
        if (const auto less = p.over(size)) return decides(*less);
  compare(p);
}

std::vector<Polynomial> SizeSet::given() const {
  std::vector<Polynomial> out = facts_;
  for (std::size_t v = 0; v < used_.size(); ++v)
    if (used_[v] && most_[v]) out.push_back(Polynomial(*most_[v]) - Polynomial::variable(v));
  return out;
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
    return Polynomial::is_product(term) && !bounded;
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

Wide SizeSet::rest(const Polynomial& p, const Wide& m) const {
  const Polynomial left = p.split(m).second;
  if (const auto number = left.number()) return *number;
  const Polynomial::Term& term = left.terms().front();
  const auto v = std::ranges::find_if(term.powers, [](std::uint8_t power) { return power > 0; });
  throw Undecided({"residue", {}, v - term.powers.begin(), (m / gcd(term.coefficient, m)).narrow()});
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
  charge(32LL);
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
