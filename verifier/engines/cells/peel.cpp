#include "verifier/engines/cells/peel.h"

#include <utility>

#include "verifier/engines/cells/hints.h"

namespace vl::engines::cells {
namespace {

using kernel::Step;
using kernel::Wide;
using Line = kernel::Line<Wide>;

// Why row r tells atom k, as a step says it.
std::optional<Step> reason_for(const kernel::Cell<Wide>& cell, const kernel::Difference<Wide>& shown, std::size_t r,
                               std::size_t k) {
  const Line& row = shown.rows()[r];
  Line others{0, row.terms};
  Wide common = 0;
  for (std::size_t j = 0; j < others.terms.size(); ++j) {
    if (j == k || shown.is_known(j)) others.terms[j] = 0;
    common = kernel::gcd(common, others.terms[j]);
  }
  const Wide size = row.terms[k].abs();
  const std::vector<Wide> at{static_cast<long long>(r), static_cast<long long>(k)};
  if (size > cell.high(others) - cell.low(others)) return Step{"large", at};
  if (common > 0 && common / kernel::gcd(common, size) >= cell.extents[k]) return Step{"mod", at};
  const Bound low = least(cell, others), high = least(cell, Line{}.plus(others, -1));
  const Wide most = Wide(0) - high.value;
  if ((low.by.empty() && high.by.empty()) || size <= most - low.value) return std::nullopt;
  return Step{"large", {at[0], at[1], low.value, most}, {{0, 0, false, low.by, high.by, {}, {}, {}}}};
}

void apply(kernel::Difference<Wide>& shown, const Step& step) {
  const auto number = [&](std::size_t i) { return static_cast<std::size_t>(step.numbers[i].narrow()); };
  if (step.name == "open") shown.open(number(0));
  if (step.name == "mod") shown.mod(number(0), number(1));
  if (step.name != "large") return;
  if (step.notes.empty()) return shown.large(number(0), number(1), {});
  shown.large(
      number(0), number(1),
      kernel::Difference<Wide>::Span{step.numbers[2], step.numbers[3], step.notes[0].below, step.notes[0].above});
}

}  // namespace

kernel::Steps peel(const kernel::Cell<Wide>& cell, kernel::Difference<Wide>& shown) {
  kernel::Steps steps;
  std::vector<bool> opened(cell.records.size(), false);
  bool progress = true;
  const auto take = [&](Step step) {
    apply(shown, step);
    steps.push_back(std::move(step));
    progress = true;
  };
  while (std::exchange(progress, false)) {
    for (std::size_t j = 0; j < cell.records.size(); ++j) {
      const auto& one = cell.records[j];
      if (opened[j] || !shown.is_known(one.atom) || (one.divides() && !shown.is_known(one.atom + 1))) continue;
      opened[j] = true;
      take({"open", {static_cast<long long>(j)}});
    }
    for (std::size_t r = 0; r < shown.rows().size(); ++r)
      for (std::size_t k = 0; k < shown.rows()[r].terms.size(); ++k) {
        if (shown.rows()[r].terms[k] == 0 || shown.is_known(k)) continue;
        if (auto step = reason_for(cell, shown, r, k)) take(std::move(*step));
      }
  }
  return steps;
}

}  // namespace vl::engines::cells
