// The points of a cell one by one, where no form shows more.
#pragma once

#include "verifier/kernel/core/cell.h"

namespace vl::kernel {

/// Visits each point of the root that lies in a cell of numbers, and charges for it. Rejects one of which a look at
/// every point, `cost` each, takes more work than is left, before it begins.
template <class Visit>
void sweep(const Cell<Wide>& cell, const Wide& cost, Visit visit) {
  enter(__FILE__);
  std::vector<std::size_t> atoms;
  Wide points = 1, terms = static_cast<long long>(cell.root().rank()) * 2 + 1;
  for (const Group<Wide>& group : cell.groups) {
    for (const std::size_t k : cell.atoms_of(group)) atoms.push_back(k);
    terms += static_cast<long long>(group.number.terms.size());
  }
  for (const Line<Wide>& fact : cell.facts) terms += static_cast<long long>(fact.terms.size());
  for (const std::size_t k : atoms) points = points * cell.extents[k];
  if (points * (terms + cost) > work_left()) needs_more_work();
  Point values(cell.atoms(), 0), point(cell.root().rank(), 0);
  const auto at = [&](const Line<Wide>& line) {
    Wide out = line.constant;
    for (std::size_t k = 0; k < line.terms.size(); ++k) out += line.terms[k] * values[k];
    return out;
  };
  for (bool more = true; more;) {
    charge(terms);
    if (std::ranges::all_of(cell.facts, [&](const Line<Wide>& fact) { return at(fact) >= 0; })) {
      for (const Group<Wide>& group : cell.groups) {
        Wide number = at(group.number);
        for (std::size_t i = group.first + group.dims; i-- > group.first; number = number / cell.root().extents[i])
          point[i] = number % cell.root().extents[i];
      }
      visit(static_cast<const Point&>(point));
    }
    more = false;
    for (std::size_t i = atoms.size(); i-- > 0 && !more; values[atoms[i]] = more ? values[atoms[i]] : Wide(0))
      more = (values[atoms[i]] += 1) < cell.extents[atoms[i]];
  }
}

/// What one evaluation of a map costs.
[[nodiscard]] inline Wide cost_of(const Map& map) {
  long long terms = 1;
  for (const Stage& stage : map.stages) {
    for (const Row& row : stage.rows) terms += static_cast<long long>(row.terms.size()) + 1;
    terms += 4 * static_cast<long long>(stage.weights.size());
  }
  return terms;
}

}  // namespace vl::kernel
