// Layouts without a place in common. A point of the joined box is an element of each; where their places are equal,
// some lines are 0, the rows. Steps show, depth first, that no values of the atoms make all rows 0:
//
//   ["branch", m, λ…, q…]  y = Σ q_k·a_k is an integer. Where all rows are 0, m·y is m·y - Σ λ_j·row_j, which lies in a
//                          range: one branch for each y that this leaves, ascending, with y's line less its value as
//                          one more row, the last one
//   ["never", λ…]          Σ λ_j·row_j is not 0: by its range, or its terms have a divisor that its constant has not.
//                          Ends a branch, and with the last one the cell
//
// Example: 12·x0 + 5·x1 - 11, x0 < 10 and x1 < 3: by m = 12 and y = x0 the number 12·y is 11 - 5·x1, in [1, 11]; no y.
#include <algorithm>

#include "verifier/kernel/claims/goals.h"
#include "verifier/kernel/core/sweep.h"

namespace vl::kernel {
namespace {

class NoSolution {
 public:
  NoSolution(const Cell<Wide>& cell, Lines rows) : cell_(cell), rows_(std::move(rows)) {}

  /// Whether a branch is open after the step.
  bool take(const Step& step) {
    const bool splits = step.name == "branch";
    require(splits || step.name == "never", "a step that shows something else");
    const std::size_t given = rows_.size() + (splits ? 1 : 0), count = step.numbers.size();
    require(step.notes.empty() && given <= count && count <= given + (splits ? cell_.atoms() : 0),
            "a step with another list");
    Line<Wide> combined, y;
    for (std::size_t j = 0; j < rows_.size(); ++j) combined.add(rows_[j], step.numbers[given - rows_.size() + j]);
    for (std::size_t k = 0; given + k < count; ++k)
      y.terms.push_back(cell_.extents[k] == 1 ? Wide(0) : step.numbers[given + k]);
    if (splits) return split(combined, step.numbers[0], std::move(y));
    Wide common = 0;
    for (const Wide& term : combined.terms) common = gcd(common, term);
    require(cell_.low(combined) > 0 || cell_.high(combined) < 0 || (common > 0 && combined.constant % common != 0),
            "rows that may all be 0");
    return next();
  }

 private:
  bool split(Line<Wide>& rest, const Wide& m, Line<Wide> y) {
    rest.add(y, Wide(0) - m);  // -m·y wherever the rows are 0
    const Wide first = Wide(0) - cell_.high(rest) / m, last = (Wide(0) - cell_.low(rest)) / m;
    if (last < first) return next();
    y.constant = Wide(0) - first;
    keep(left_, last - first), hold(y.bytes());
    rows_.push_back(std::move(y));
    return true;
  }
  // The next value of the youngest branching that has one left.
  bool next() {
    for (; !left_.empty() && left_.back() == 0; left_.pop_back(), rows_.pop_back()) release(rows_.back().bytes());
    if (left_.empty()) return false;
    left_.back() = left_.back() - 1, rows_.back().constant = rows_.back().constant - 1;
    return true;
  }

  const Cell<Wide>& cell_;
  Lines rows_;
  std::vector<Wide> left_;  // of each branching: values after the one that is looked at
};

}  // namespace

// Elements without a slot have no place; what is shown of all outcomes holds of those that are slots.
template <>
Lines Goals::meeting(const Cell<Wide>& cell, const Wide& at) const {
  Lines of[2];
  for (std::size_t i = 0; i < 2; ++i)
    of[i] = layouts_[i]->named ? places(cell, i, false) : Lines{sum(layouts_[i]->physical.number(), cell.sides[i])};
  for (std::size_t i = 0; i < of[0].size(); ++i)
    of[0][i].add(of[1][i], -1).add(Line<Wide>{is_memory(i) ? at : Wide(0), {}}, -1);
  for (std::size_t j = 0; j < cell.records.size(); ++j)
    if (cell.records[j].divides()) of[0].push_back(cell.equation(j));
  for (const Line<Wide>& row : of[0]) hold(row.bytes());
  return of[0];
}

template <>
void Goals::disjoint(const Wide& at, const Steps& steps) const {
  enter(__FILE__);
  require(layouts_[1] != nullptr, "nothing to compare with");
  const Layout &a = *layouts_[0], &b = *layouts_[1];
  require(a.logical == 0 && b.logical == 0 && a.named == b.named, "layouts with an input in common, or named apart");
  Rules asked = rules_of_slots();
  asked.sides = 2;
  std::optional<NoSolution> rows;
  asked.branches = [&](const Step& step, const Cell<Wide>& cell) {
    if (!rows) rows.emplace(cell, meeting(cell, at));
    const bool open = rows->take(step);
    if (!open) rows.reset();
    return open;
  };
  asked.swept = [&](const Cell<Wide>&) {  // all points of each layout, not the pairs
    if (a.map.domain.volume() * cost_of(a.map) + b.map.domain.volume() * cost_of(b.map) > work_left())
      needs_more_work();
    const std::size_t width = a.named ? axes_.size() : 1, bytes = sizeof(Point) + 16 + width * sizeof(Wide);
    std::vector<Point> places = places_at(0, {}, true);
    hold(places.size() * bytes);
    std::vector<Point> other = places_at(1, {}, true);
    hold(other.size() * bytes);
    for (Point& place : other) {
      charge(2 * width);
      for (std::size_t i = 0; i < width; ++i) place[i] += is_memory(i) ? at : Wide(0);
      keep(places, std::move(place), bytes);
    }
    charge_sorting(places.size() * width);
    std::ranges::sort(places);
    require(std::ranges::adjacent_find(places) == places.end(), "two elements in one place");
  };
  show(steps, asked);
}

}  // namespace vl::kernel
