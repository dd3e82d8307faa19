#include "verifier/engines/forms/rows.h"

namespace vl::engines {

bool add(Row& sum, const Row& row, Index factor) {
  if (!accumulate(sum.constant, factor, row.constant)) return false;
  for (const map::Term& term : row.terms) {
    const auto coefficient = checked_mul(factor, term.coefficient);
    if (!coefficient) return false;
    sum.terms.push_back({term.input, *coefficient});
  }
  return true;
}

std::optional<Range> range_of(const Row& row, const Box& box) {
  Range out{row.constant, row.constant};
  for (const map::Term& term : row.terms) {
    const Range& in = box[term.input];
    const bool down = term.coefficient < 0;
    if (!accumulate(out.low, term.coefficient, down ? in.high : in.low) ||
        !accumulate(out.high, term.coefficient, down ? in.low : in.high))
      return std::nullopt;
  }
  return out;
}

}  // namespace vl::engines
