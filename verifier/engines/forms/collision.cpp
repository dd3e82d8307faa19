#include "verifier/engines/forms/collision.h"

#include <algorithm>
#include <vector>

#include "verifier/engines/forms/bisect.h"

namespace vl::engines {
namespace {

constexpr Index kSteps = Index{1} << 16;

class Differences {
 public:
  Differences(std::span<const Row> rows, const Box& box) : rows_(rows), box_(box), row_of_(box.size(), nullptr) {
    for (const Row& row : rows)
      for (const map::Term& term : row.terms) row_of_[term.input] = &row;
  }

  // Whether a point of `part` agrees with a larger one of the whole box.
  std::optional<bool> collides(const Box& part) {
    bool known = true;
    for (std::size_t lead = 0; lead < box_.size(); ++lead) {
      const auto here = differing_first_in(lead, part);
      if (here && *here) return true;
      known = known && here;
    }
    return known ? std::optional(false) : std::nullopt;
  }

  std::optional<bool> differing_first_in(std::size_t lead, const Box& part) {
    Box delta;
    for (std::size_t i = 0; i < box_.size(); ++i) {
      const Range all{box_[i].low - part[i].high, box_[i].high - part[i].low};
      delta.push_back(i < lead ? Range{0, 0} : i > lead ? all : Range{1, all.high});
    }
    if (delta[lead].high < 1) return false;
    if (row_of_[lead] == nullptr) return true;
    return meets({0, row_of_[lead]->terms}, delta, {0, 0}, effort_);
  }

  // Whether every row has its value at p somewhere in `part`.
  std::optional<bool> agrees(const Point& p, const Box& part) {
    for (const Row& row : rows_) {
      Index value = row.constant;
      for (const map::Term& term : row.terms) value += term.coefficient * p[term.input];
      const auto met = meets(row, part, {value, value}, effort_);
      if (!met || !*met) return met;
    }
    return true;
  }

 private:
  std::span<const Row> rows_;
  const Box& box_;
  std::vector<const Row*> row_of_;  // null: in none
  Effort effort_{kSteps};
};

}  // namespace

Collision smallest_collision(std::span<const Row> rows, const Box& box) {
  Differences differences(rows, box);
  const First first = first_bad(box, [&](const Box& part) { return differences.collides(part); });
  if (!first.point) return {first.decided, {}};
  const Point& p = *first.point;
  Box at;
  for (const Index x : p) at.push_back({x, x});
  // The smallest q keeps as many of p's coordinates as it can.
  for (std::size_t lead = box.size(); lead-- > 0;) {
    const auto here = differences.differing_first_in(lead, at);
    if (!here) return {};
    if (!*here) continue;
    Box beyond = box;
    for (std::size_t i = 0; i < lead; ++i) beyond[i] = at[i];
    beyond[lead].low = p[lead] + 1;
    First second = first_bad(beyond, [&](const Box& part) { return differences.agrees(p, part); });
    if (!second.point) return {};
    return {true, std::pair(p, std::move(*second.point))};
  }
  VL_CHECK(false, "a collision that no input begins");
}

}  // namespace vl::engines
