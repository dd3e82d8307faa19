// Sizes of a cell: its variables with numbers, where its side facts hold.
#include <algorithm>
#include <iterator>

#include "verifier/engines/polynomial/cell.h"

namespace vl::engines {

// Gives the quotients' variables the only values that they can have; false where one has none.
bool Cell::settles(Point& point) const {
  for (const Quotient& quotient : quotients_) {
    const auto p = quotient.p.at(point), by = quotient.by.at(point), is = quotient.is.at(point);
    if (!quotient.is_of_others()) continue;  // facts say what it is
    Point next = point;
    ++next[*quotient.variable];
    const auto after = quotient.is.at(next);
    if (!p || !by || !is || !after || *p < 0 || *by < 1) return false;
    const map::Wide missing = *p / *by - *is, each = *after - *is;
    if (each == 0 && missing == 0) continue;
    if (each <= 0 || missing % each != 0) return false;
    const auto value = map::narrowed(point[*quotient.variable] + missing / each);
    if (!value || *value < 0) return false;
    point[*quotient.variable] = *value;
  }
  return true;
}

bool Cell::is_settled(std::size_t variable) const {
  return std::ranges::any_of(quotients_, [&](const Quotient& one) {
    return one.variable == variable && one.is_of_others() && one.is.degree_in(variable) == 1;
  });
}

std::optional<map::Sizes> Cell::sizes_at(Point point) const {
  if (!settles(point)) return std::nullopt;
  for (const Polynomial& fact : facts_) {
    const auto at = fact.at(point);
    if (!at || *at < 0) return std::nullopt;
  }
  map::Sizes sizes;
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    const auto at = symbols_[k].at(point);
    const auto size = at ? map::narrowed(*at) : std::nullopt;
    if (!size) return std::nullopt;
    sizes[names_[k]] = *size;
  }
  return sizes;
}

std::vector<Cell::Variable> Cell::variables() const {
  std::vector<Variable> out;
  for (std::size_t v = 0; v < used_.size(); ++v)
    if (used_[v] != 0) out.push_back({v, most_[v]});
  return out;
}

// What the facts leave of each variable, as far as each of them says it alone: of 1 + v - 4·u >= 0 with v <= 9, u <= 2.
std::vector<Cell::Span> Cell::spans() const {
  std::vector<Span> out(used_.size());
  for (std::size_t v = 0; v < out.size(); ++v) out[v].most = most_[v];
  const auto reach = [&](const Polynomial::Term& term) -> std::optional<map::Wide> {  // its greatest value
    std::optional<map::Wide> most = term.coefficient;
    for (std::size_t v = 0; v < out.size() && most; ++v)
      for (int k = 0; k < term.powers[v] && most; ++k)
        most = term.coefficient < 0 ? map::wide_product(*most, out[v].least)
               : out[v].most        ? map::wide_product(*most, *out[v].most)
                                    : std::nullopt;
    return most;
  };
  const auto narrow = [&](const Polynomial& fact, std::size_t v, map::Wide each) {  // others + each·v >= 0
    std::optional<map::Wide> others = 0;
    for (const Polynomial::Term& term : fact.terms()) {
      if (term.powers[v] > 0) continue;
      const auto most = reach(term);
      others = others && most ? map::wide_sum(*others, *most) : std::nullopt;
    }
    constexpr map::Wide kMostReach = map::Wide{1} << 100;
    if (!others || *others > kMostReach || *others < -kMostReach || each > kMostReach || each < -kMostReach) return;
    if (each < 0) {
      const auto most = *others < 0 ? std::optional<Index>(0) : map::narrowed(*others / -each);
      if (most && (!out[v].most || *most < *out[v].most)) out[v].most = *most;
    } else if (*others < 0) {
      const auto least = map::narrowed((-*others + each - 1) / each);
      if (least && *least > out[v].least) out[v].least = *least;
    }
  };
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round)
    for (const Polynomial& fact : facts_)
      for (const Polynomial::Term& term : fact.terms()) {
        const auto v = static_cast<std::size_t>(std::ranges::find(term.powers, 1) - term.powers.begin());
        if (v == term.powers.size() || std::ranges::count(term.powers, 0) + 1 != std::ssize(term.powers)) continue;
        const auto with_it = [&](const Polynomial::Term& one) { return one.powers[v] > 0; };
        if (std::ranges::count_if(fact.terms(), with_it) == 1) narrow(fact, v, term.coefficient);
      }
  return out;
}

std::vector<map::Sizes> Cell::samples(std::size_t most, std::size_t points) const {
  std::vector<std::size_t> variables;
  for (std::size_t v = 0; v < used_.size(); ++v)
    if (used_[v] != 0 && !is_settled(v)) variables.push_back(v);
  std::vector<map::Sizes> out;
  const std::vector<Span> spans = this->spans();
  Point point(Polynomial::kVariables, 0);
  for (const std::size_t v : variables) {
    if (spans[v].most && *spans[v].most < spans[v].least) return out;
    point[v] = spans[v].least;
  }
  const auto within = [&](std::size_t values) {  // all variables with that many values each
    std::uint64_t all = 1;
    for (std::size_t k = 0; k < variables.size() && all <= points; ++k) all *= values;
    return all <= points;
  };
  Index widest = 0;
  while (widest < static_cast<Index>(points / 64) - 1 && within(static_cast<std::size_t>(widest) + 2)) ++widest;
  for (bool more = !empty_; more && out.size() < most;) {
    if (auto sizes = sizes_at(point)) out.push_back(std::move(*sizes));
    more = false;
    for (const std::size_t v : variables) {
      const auto [least, last] = spans[v];
      if (point[v] - least < std::min(widest, last.value_or(INT64_MAX) - least)) {
        ++point[v];
        more = true;
        break;
      }
      point[v] = least;
    }
  }
  return out;
}

std::optional<map::Sizes> Cell::drawn(use::Random& random, Index reach) const {
  if (empty_) return std::nullopt;
  Point point(Polynomial::kVariables, 0);
  const std::vector<Span> spans = this->spans();
  for (std::size_t v = 0; v < used_.size(); ++v) {
    if (used_[v] == 0 || is_settled(v)) continue;
    const auto [least, most] = spans[v];
    if (most && *most < least) return std::nullopt;
    const Index near = random.chance(70) ? std::min<Index>(reach, 4) : reach;
    const Index room = std::min(most.value_or(INT64_MAX) - least, Index{1} << 30);
    const Index high = most && random.chance(50) ? room : std::min(near, room);
    const bool at_end = most && random.chance(20);
    point[v] = at_end ? *most : least + random.between(0, high);
  }
  return sizes_at(point);
}

// Whether a fact of bounded variables holds at no value of them. All are tried, where they are few.
bool Cell::never(const Polynomial& fact) const {
  std::vector<std::size_t> variables;
  std::size_t points = 1;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (!fact.has(v)) continue;
    if (!most_[v] || *most_[v] >= 4096) return false;
    points *= static_cast<std::size_t>(*most_[v]) + 1;
    if (points > 4096) return false;
    variables.push_back(v);
  }
  Point point(Polynomial::kVariables, 0);
  for (std::size_t k = 0; k < points; ++k) {
    const auto at = fact.at(point);
    if (!at || *at >= 0) return false;
    for (const std::size_t v : variables) {
      if (++point[v] <= *most_[v]) break;
      point[v] = 0;
    }
  }
  return fact.fits();
}

bool Cell::shown_empty() const {
  return empty_ || std::ranges::any_of(
                       facts_, [&](const Polynomial& fact) { return may_show(Polynomial(-1) - fact) || never(fact); });
}

std::optional<std::size_t> Cell::unused() const {
  for (std::size_t v = 0; v < used_.size(); ++v)
    if (used_[v] == 0) return v;
  return std::nullopt;
}

}  // namespace vl::engines
