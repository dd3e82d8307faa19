#include "verifier/engines/cells/hints.h"

namespace vl::engines::cells {

using kernel::Wide;
using Cell = kernel::Cell<Wide>;
using Line = kernel::Line<Wide>;

namespace {

bool is_free(const Cell& cell, std::size_t atom) {
  return std::ranges::none_of(
      cell.records, [&](const auto& one) { return atom == one.atom || (one.divides() && atom == one.atom + 1); });
}

}  // namespace

std::optional<Cut> across(const Cell& cell, const Line& line, Wide bound) {
  std::optional<Cut> best;
  Wide most = 0;
  for (std::size_t k = 0; k < line.terms.size(); ++k) {
    const Wide c = line.terms[k], size = c.abs(), reach = size * (cell.extents[k] - 1);
    if (reach <= most || !is_free(cell, k)) continue;
    Line rest = line;
    rest.terms[k] = 0;
    const Wide low = cell.low(rest), high = cell.high(rest);
    for (const Wide distance : {c > 0 ? bound - high : low - bound + 1, c > 0 ? bound - low : high - bound + 1}) {
      const Wide at = (distance + size - 1) / size;
      if (at <= 0 || at >= cell.extents[k]) continue;
      best = Cut{k, at};
      most = reach;
      break;
    }
  }
  return best;
}

std::optional<Block> block_for(const Cell& cell, const Line& rest, Wide weight) {
  for (std::size_t g = cell.groups.size(); g-- > 0;)
    for (const std::size_t k : cell.atoms_of(cell.groups[g])) {
      if (rest.at(k) == 0 || !is_free(cell, k)) continue;
      const Wide size = weight / gcd(weight, rest.at(k));
      if (size > 1 && size < cell.extents[k]) return Block{k, size};
    }
  return std::nullopt;
}

Bound least(const Cell& cell, const Line& line) {
  Bound out{cell.low(line), {}};
  Line rest = line;
  for (std::size_t j = 0; j < cell.facts.size(); ++j) {
    const Line& fact = cell.facts[j];
    Wide best = 0;
    for (std::size_t k = 0; k < fact.terms.size(); ++k) {
      const Wide f = fact.terms[k], p = rest.at(k);
      if (f == 0 || p == 0 || (f > 0) != (p > 0)) continue;
      for (const Wide m : {p.abs() / f.abs(), (p.abs() + f.abs() - 1) / f.abs()}) {
        if (m < 1) continue;
        const Wide value = cell.low(rest.plus(fact, Wide(0) - m));
        if (value > out.value) out.value = value, best = m;
      }
    }
    if (best == 0) continue;
    rest.add(fact, Wide(0) - best);
    out.by.emplace_back(j, best);
  }
  return out;
}

}  // namespace vl::engines::cells
