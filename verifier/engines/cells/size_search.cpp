#include "verifier/engines/cells/size_search.h"

#include <algorithm>

namespace vl::engines::cells {
namespace {

constexpr std::int64_t kMostOften = 64;

NamedStep split(const Polynomial& p) { return {"split", {p}, {}}; }

}  // namespace

SizeSearch::SizeSearch(const kernel::Sizes& known, std::vector<Polynomial> given)
    : known_(known), given_(std::move(given)), cell_([&] {
        const GivesBack memory;
        return NamedCell({}, given_.facts());
      }()) {}

std::optional<NamedMultiples> SizeSearch::multiples(const Polynomial& not_negative) const {
  const GivesBack memory;
  return cells::shown(cell_, given_, NamedLine{not_negative, {}});
}

bool SizeSearch::shows(const Polynomial& not_negative) const {
  return known_.shows(not_negative) || multiples(not_negative).has_value();
}

bool SizeSearch::decides(const Polynomial& p) const {
  if (shows(p)) return true;
  if (shows(Polynomial(-1) - p)) return false;
  // A factor that is a size of at least 1 does not change the sign.
  if (std::ranges::any_of(p.terms(), Polynomial::is_product))
    for (const Polynomial& size : known_.symbols())
      if (!size.number() && shows(size - 1))
        if (const auto less = p.over(size)) return decides(*less);
  throw Open{split(p)};
}

std::optional<kernel::Wide> SizeSearch::most(std::size_t v) const {
  std::optional<kernel::Wide> out;
  for (const Polynomial& fact : known_.facts())
    if (fact.linear(v) == -1)
      if (const auto number = (fact + Polynomial::variable(v)).number(); number && (!out || *number < *out))
        out = *number;
  return out;
}

// g·u + r by g·d is u by d, where 0 <= r < g.
std::optional<Polynomial> SizeSearch::by_parts(const Polynomial& p, const Polynomial& by) const {
  kernel::Wide common = 0;
  for (const Polynomial::Term& term : by.terms()) common = gcd(common, term.coefficient);
  const Polynomial part = by.split(common).first;
  const auto [times, less] = p.divided(part);
  if (times == Polynomial(0) || !shows(less) || !shows(part - 1 - less)) return std::nullopt;
  return common == 1 ? times : quotient(times, common);
}

Polynomial SizeSearch::quotient(const Polynomial& p, const Polynomial& by) const {
  kernel::require(shows(by - 1), "a divisor that may be below 1");
  if (auto exact = p.over(by)) return *exact;
  const auto divisor = by.number();
  if (!divisor)
    if (auto out = by_parts(p, by)) return *out;
  const auto [whole, rest] = divisor ? p.split(*divisor) : std::pair(Polynomial(), p);
  for (const auto& known : known_.quotients())
    if (shows(rest - by * known.is) && shows(by * known.is + by - 1 - rest)) return whole + known.is;
  if (by.terms().size() > 1 && !divisor) {  // one of two multiples that are next to p
    const auto [times, less] = p.divided(by);
    for (const int k : {1, 0, -1}) {
      const Polynomial above = less - by * k;
      if (times + k == Polynomial(0) || !shows(above) || !shows(by * 2 - 1 - above)) continue;
      return times + (k + (decides(above - by) ? 1 : 0));
    }
  }
  const auto is_free = [&](const Polynomial::Term& term) {  // a product that may be as large as it likes
    bool bounded = true;
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v) bounded = bounded && (term.powers[v] == 0 || most(v));
    return Polynomial::is_product(term) && !bounded;
  };
  if (!divisor || std::ranges::any_of(rest.terms(), is_free)) {
    kernel::require(shows(rest), "a quotient that is no polynomial");
    throw Open{{"quotient", {rest, by}, {}}};
  }
  return by_number(whole, rest, *divisor);
}

Polynomial SizeSearch::by_number(const Polynomial& whole, const Polynomial& rest, const kernel::Wide& by) const {
  if (shows(Polynomial(by - 1) - rest)) return whole;  // rest >= 0
  const bool once_at_most = shows(Polynomial(by * 2 - 1) - rest);
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (!known_.has(v) || rest.linear(v) == 0) continue;
    const kernel::Wide each = by / gcd(rest.linear(v), by);
    const auto end = most(v);
    if (!end || (!once_at_most && *end >= each)) throw Open{{"divide", {number(v), Polynomial(each)}, {}}};
  }
  const auto [times, left] = centred(whole, rest, by);
  for (std::int64_t often = 0; often <= kMostOften; ++often) {
    const Polynomial above = left - by * often;
    kernel::require(often == 0 || decides(above), "a quotient that is no polynomial");
    if (shows(Polynomial(by - 1) - above)) return times + often;
  }
  throw kernel::Rejected("a quotient that is no polynomial");
}

// q·d + r with nearly d as the coefficient of a bounded variable v in r: (q + v)·d + r - d·v, and then as many d as r
// may lie below 0. The sum is the same, and r >= 0.
std::pair<Polynomial, Polynomial> SizeSearch::centred(Polynomial q, Polynomial r, const kernel::Wide& d) const {
  kernel::Wide below = 0;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    const kernel::Wide each = r.linear(v);
    const auto end = most(v);
    if (!known_.has(v) || !end || (d - each) * 8 > d) continue;
    q = q + Polynomial::variable(v), r = r - Polynomial::variable(v) * d;
    below += (d - each) * *end;
  }
  const kernel::Wide times = (below + d - 1) / d;
  return {q - times, r + d * times};
}

kernel::Wide SizeSearch::rest(const Polynomial& p, const kernel::Wide& m) const {
  const Polynomial left = p.split(m).second;
  if (const auto only = left.number()) return *only;
  const Polynomial::Term& term = left.terms().front();
  const auto v = std::ranges::find_if(term.powers, [](std::uint8_t power) { return power > 0; });
  const auto variable = static_cast<std::size_t>(v - term.powers.begin());
  throw Open{{"residue", {number(variable), Polynomial(m / gcd(term.coefficient, m))}, {}}};
}

}  // namespace vl::engines::cells
