#include "encodings/map/forms.h"

#include <algorithm>
#include <limits>

namespace vl::map {

bool add(Row& sum, const Row& row, Index factor) {
  if (!accumulate(sum.constant, factor, row.constant)) return false;
  for (const Term& term : row.terms) {
    const auto coefficient = checked_mul(factor, term.coefficient);
    if (!coefficient) return false;
    sum.terms.push_back({term.input, *coefficient});
  }
  return true;
}

std::optional<Row> combined(const Row& row, std::span<const Row> values) {
  Row sum{row.constant, {}};
  for (const Term& term : row.terms)
    if (!add(sum, values[term.input], term.coefficient)) return std::nullopt;
  auto sorted = canonical(std::move(sum));
  return sorted ? std::optional(std::move(*sorted)) : std::nullopt;
}

std::optional<Division> settled(Division placed, Index constant, Index weight, std::span<const Range> box) {
  placed.rest.constant = 0;
  const auto rest = range_of(placed.rest, box);
  Index low = constant;
  if (!rest || !accumulate(low, 1, rest->low)) return std::nullopt;
  placed.quotient.constant = floor_div(low, weight);
  placed.rest.constant = constant;
  Index high = rest->high;
  if (!accumulate(placed.rest.constant, -weight, placed.quotient.constant) ||
      !accumulate(high, 1, placed.rest.constant) || high >= weight)
    return std::nullopt;
  return placed;
}

Row RadixDigits::row_of(const RadixDigit& digit) {
  Index most = std::numeric_limits<Index>::max();
  if (digit.source < extents_.size()) most = extents_[digit.source] - 1;
  if (digit.high != 0) most = std::min(most, digit.high - 1);
  most /= digit.low;
  if (most <= 0) return {};
  const auto found = std::ranges::find(digits_, digit);
  if (found != digits_.end()) return pick(static_cast<std::size_t>(found - digits_.begin()));
  digits_.push_back(digit);
  box_.push_back({0, most});
  return pick(digits_.size() - 1);
}

// a·digit as weight·(the upper part of the digit) + a·(the lower part), which takes weight / a values.
bool RadixDigits::cut(const Term& term, Index weight, Division& parts) {
  const RadixDigit digit = digits_[term.input];
  if (digit.source >= cuttable_ || term.coefficient < 0 || weight % term.coefficient != 0) return false;
  const Index steps = weight / term.coefficient;
  const auto boundary = checked_mul(digit.low, steps);
  if (steps > box_[term.input].high || !boundary || (digit.high != 0 && digit.high % *boundary != 0)) return false;
  VL_CHECK(add(parts.quotient, row_of({digit.source, *boundary, digit.high}), 1) &&
               add(parts.rest, row_of({digit.source, digit.low, *boundary}), term.coefficient),
           "a digit times its own coefficient left 64 bits");
  return true;
}

std::optional<Division> RadixDigits::divide(const Row& row, Index weight) {
  Division parts;
  for (const Term& term : row.terms) {
    if (term.coefficient % weight == 0) parts.quotient.terms.push_back({term.input, term.coefficient / weight});
    else if (!cut(term, weight, parts)) parts.rest.terms.push_back(term);
  }
  return settled(std::move(parts), row.constant, weight, box_);
}

std::optional<Row> RadixDigits::merged(Row row) {
  for (;;) {
    auto sorted = canonical(std::move(row));
    if (!sorted) return std::nullopt;
    row = std::move(*sorted);
    std::optional<Row> longer;
    for (std::size_t i = 0; i < row.terms.size() && !longer; ++i)
      for (std::size_t j = 0; j < row.terms.size() && !longer; ++j) {
        const RadixDigit inner = digits_[row.terms[i].input];
        const RadixDigit outer = digits_[row.terms[j].input];
        if (inner.source != outer.source || inner.high != outer.low) continue;
        const Index coefficient = row.terms[i].coefficient;
        if (checked_mul(coefficient, inner.high / inner.low) != row.terms[j].coefficient) continue;
        longer = row;
        longer->terms.erase(longer->terms.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
        longer->terms.erase(longer->terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
        if (!add(*longer, row_of({inner.source, inner.low, outer.high}), coefficient)) return std::nullopt;
      }
    if (!longer) return row;
    row = std::move(*longer);
  }
}

}  // namespace vl::map
