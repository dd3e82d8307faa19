#include "verifier/engines/forms/stagewise.h"

#include <algorithm>

namespace vl::engines {
namespace {

using map::Range;
using Known = std::vector<bool>;
using Wide = __int128;

// How far the row's value moves with the input. No row leaves 64 bits over its inputs (map.h), so sums do not wrap.
Wide term_reach(const map::Term& term, std::span<const Range> inputs) {
  const Wide coefficient = term.coefficient;
  const Range& range = inputs[term.input];
  return (coefficient < 0 ? -coefficient : coefficient) * (Wide{range.high} - range.low);
}

// Marks what one known row tells of its inputs; whether that is more than before.
bool tell(const map::Row& row, std::span<const Range> inputs, Known& known) {
  Wide reach = 0;
  std::vector<map::Term> open;
  for (const map::Term& term : row.terms)
    if (!known[term.input]) open.push_back(term), reach += term_reach(term, inputs);
  const auto size = [](const map::Term& term) {
    return term.coefficient < 0 ? -Wide{term.coefficient} : Wide{term.coefficient};
  };
  std::ranges::sort(open, std::ranges::greater{}, size);
  std::size_t told = 0;
  for (; told < open.size(); ++told) {
    reach -= term_reach(open[told], inputs);
    if (size(open[told]) <= reach) break;
    known[open[told].input] = true;
  }
  return told > 0;
}

Known before(const map::Affine& affine, std::span<const Range> inputs, const Known& after) {
  Known known(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) known[i] = inputs[i].low == inputs[i].high;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t j = 0; j < affine.rows.size(); ++j)
      more = (after[j] && tell(affine.rows[j], inputs, known)) || more;
  }
  return known;
}

Known before(const map::Split& split, std::span<const Range> digits, const Known& after) {
  Known known = after;
  const auto first = known.begin() + static_cast<std::ptrdiff_t>(split.input);
  bool all = true;
  for (std::size_t k = split.input; k < split.input + split.weights.size(); ++k)
    all = all && (after[k] || digits[k].low == digits[k].high);
  known.erase(first + 1, first + static_cast<std::ptrdiff_t>(split.weights.size()));
  known[split.input] = all;
  return known;
}

}  // namespace

bool lands_by_ranges(const map::Layout& layout) {
  const auto& ranges = layout.map().ranges(layout.map().stages().size());
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const Index end = j < layout.physical().rank() ? layout.physical().extent(j) : 1;
    if (ranges[j].low < 0 || ranges[j].high >= end) return false;
  }
  return true;
}

bool told_by_stages(const map::Map& map) {
  Known known(map.outputs(), true);
  for (std::size_t s = map.stages().size(); s-- > 0;) {
    const map::Stage& stage = map.stages()[s];
    if (const auto* affine = std::get_if<map::Affine>(&stage)) known = before(*affine, map.ranges(s), known);
    else if (const auto* split = std::get_if<map::Split>(&stage)) known = before(*split, map.ranges(s + 1), known);
  }
  for (std::size_t i = 0; i < known.size(); ++i)
    if (!known[i] && map.domain().extent(i) > 1) return false;
  return true;
}

}  // namespace vl::engines
