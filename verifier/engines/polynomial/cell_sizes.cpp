// Sizes of a cell: its variables with numbers, where its side facts hold.
#include <algorithm>

#include "verifier/engines/polynomial/cell.h"

namespace vl::engines {

// Gives the quotients' variables the only values that they can have; false where one has none.
bool Cell::settles(Point& point) const {
  for (const Quotient& quotient : quotients_) {
    const auto p = quotient.p.at(point), by = quotient.by.at(point), is = quotient.is.at(point);
    Point next = point;
    ++next[quotient.variable];
    const auto after = quotient.is.at(next);
    if (!p || !by || !is || !after || *p < 0 || *by < 1) return false;
    const map::Wide missing = *p / *by - *is, each = *after - *is;
    if (each == 0 && missing == 0) continue;
    if (each <= 0 || missing % each != 0) return false;
    const auto value = map::narrowed(point[quotient.variable] + missing / each);
    if (!value || *value < 0) return false;
    point[quotient.variable] = *value;
  }
  return true;
}

bool Cell::is_settled(std::size_t variable) const {
  return std::ranges::any_of(
      quotients_, [&](const Quotient& one) { return one.variable == variable && one.is.degree_in(variable) == 1; });
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

std::vector<map::Sizes> Cell::samples(std::size_t most, std::size_t points) const {
  std::vector<std::size_t> variables;
  for (std::size_t v = 0; v < used_.size(); ++v)
    if (used_[v] != 0 && !is_settled(v)) variables.push_back(v);
  std::vector<map::Sizes> out;
  Point point(Polynomial::kVariables, 0);
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
      if (point[v] < std::min(widest, most_[v].value_or(widest))) {
        ++point[v];
        more = true;
        break;
      }
      point[v] = 0;
    }
  }
  return out;
}

std::optional<map::Sizes> Cell::drawn(use::Random& random, Index reach) const {
  if (empty_) return std::nullopt;
  Point point(Polynomial::kVariables, 0);
  for (std::size_t v = 0; v < used_.size(); ++v) {
    if (used_[v] == 0 || is_settled(v)) continue;
    const Index near = random.chance(70) ? std::min<Index>(reach, 4) : reach;
    const Index high = most_[v] ? (random.chance(50) ? *most_[v] : std::min(near, *most_[v])) : near;
    point[v] = most_[v] && random.chance(20) ? *most_[v] : random.between(0, std::min<Index>(high, Index{1} << 30));
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
