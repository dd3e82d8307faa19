#include "verifier/engines/polynomial/said.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "encodings/use/guess.h"

namespace vl::engines {
namespace {

using map::Condition;
using map::Expression;
using map::Polynomial;
using Names = std::span<const std::string>;
using Relation = Condition::Relation;

// The positive terms of p, or the negative ones with their signs turned.
Polynomial side_of(const Polynomial& p, bool positive) {
  Polynomial out;
  for (const Polynomial::Term& term : p.terms()) {
    if ((term.coefficient > 0) != positive) continue;
    if (!map::narrowed(term.coefficient)) return Polynomial::unfit();
    out = out + Polynomial(Polynomial::Term{term.powers, positive ? term.coefficient : -term.coefficient});
  }
  return out;
}

std::optional<Expression> in_names(const Polynomial& p, Names names) {
  if (!p.fits()) return std::nullopt;
  std::vector<Expression> variables;
  for (const std::string& name : names) variables.push_back(Expression::named(name));
  return use::expression_of(p, variables);
}

bool is_at_most(const Said& one) {
  return one.kind == Said::Kind::NotNegative && side_of(one.p, true).constant().has_value();
}

bool first_by_words(const Together& a, const Together& b) {
  return std::ranges::lexicographical_compare(a, b, {}, &Said::words, &Said::words);
}
void sort(Together& together) { std::ranges::sort(together, {}, &Said::words); }

// Whether all that `small` asks holds where all that `large` asks does.
bool within(const Together& small, const Together& large) {
  return std::ranges::all_of(small, [&](const Said& weak) {
    return std::ranges::any_of(large, [&](const Said& strong) { return implies(strong, weak); });
  });
}

using Sorted = std::set<Together, decltype(&first_by_words)>;

// Of conditions that hold together their twin, which is among all of them, and what both are.
std::optional<std::pair<Together, Together>> with_twin(const Together& together, const Sorted& all, Names names) {
  for (std::size_t k = 0; k < together.size(); ++k) {
    const auto& [kind, p, by, rest, condition] = together[k];
    if (kind != Said::Kind::Remainder || by % 2 != 0) continue;
    const Index half = by / 2;
    Together twin = together, both = together;
    twin[k] = *said(kind, p, names, by, rest < half ? rest + half : rest - half);
    if (half == 1) both.erase(both.begin() + static_cast<std::ptrdiff_t>(k));
    else both[k] = *said(kind, p, names, half, rest % half);
    sort(twin), sort(both);
    if (all.contains(twin)) return std::pair(std::move(twin), std::move(both));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Said> said(Said::Kind kind, const Polynomial& p, Names names, Index by, Index rest) {
  const bool remainder = kind == Said::Kind::Remainder;
  const Polynomial left = remainder ? p : side_of(p, true), right = remainder ? Polynomial(rest) : side_of(p, false);
  auto one = in_names(left, names), other = in_names(right, names);
  if (!one || !other) return std::nullopt;
  const std::string a = print(left, names), b = print(right, names);
  Said out{kind, p, by, rest, {}};
  if (remainder) {
    auto modulo = Expression::of(Expression::Kind::Remainder, std::move(*one), by);
    out.condition = {std::move(modulo), Relation::Equal, rest, fmt::format("{} % {} == {}", a, by, rest)};
  } else if (kind == Said::Kind::Zero) {
    out.condition = {std::move(*one), Relation::Equal, std::move(*other), fmt::format("{} = {}", a, b)};
  } else if (is_at_most(out)) {
    out.condition = {std::move(*other), Relation::AtMost, std::move(*one), fmt::format("{} <= {}", b, a)};
  } else {
    out.condition = {std::move(*one), Relation::AtLeast, std::move(*other), fmt::format("{} >= {}", a, b)};
  }
  return out;
}

bool implies(const Said& strong, const Said& weak) {
  if (strong == weak) return true;
  const bool bounds = strong.kind == Said::Kind::NotNegative && weak.kind == Said::Kind::NotNegative;
  const auto more = bounds ? (weak.p - strong.p).constant() : std::nullopt;
  return more && *more > 0;
}

Together without_weaker(Together together) {
  const Together all = together;
  std::erase_if(together, [&](const Said& weak) {
    return std::ranges::any_of(all, [&](const Said& other) { return other != weak && implies(other, weak); });
  });
  return together;
}

Alternatives without_implied(Alternatives alternatives) {
  for (Together& together : alternatives) together = without_weaker(std::move(together));
  Alternatives kept, out;
  for (const Together& together : alternatives)
    if (std::ranges::none_of(kept, [&](const Together& other) { return within(other, together); }))
      kept.push_back(together);
  for (const Together& together : kept)
    if (std::ranges::none_of(kept, [&](const Together& other) { return other != together && within(other, together); }))
      out.push_back(together);
  return out;
}

Alternatives with_remainders_joined(const Alternatives& alternatives, Names names) {
  Sorted all(&first_by_words);
  for (Together together : alternatives) {
    sort(together);
    all.insert(std::move(together));
  }
  for (bool again = true; again;) {
    again = false;
    Sorted next(&first_by_words);
    while (!all.empty()) {
      const Together together = *all.begin();
      auto joined = with_twin(together, all, names);
      all.erase(together);
      if (!joined) {
        next.insert(together);
        continue;
      }
      all.erase(joined->first);
      next.insert(std::move(joined->second));
      again = true;
    }
    all = std::move(next);
  }
  return {all.begin(), all.end()};
}

Together with_bounds_joined(Together together, Names names) {
  for (std::size_t k = 0; k < together.size();) {
    const Polynomial up = Polynomial(0) - together[k].p;
    const auto other = std::ranges::find_if(together, [&](const Said& one) {
      return is_at_most(together[k]) && one.kind == Said::Kind::NotNegative && same(one.p, up);
    });
    if (other == together.end()) {
      ++k;
      continue;
    }
    together[k] = *said(Said::Kind::Zero, up, names);
    together.erase(other);
    k = 0;
  }
  sort(together);
  return together;
}

}  // namespace vl::engines
