// Pieces: a set of codes cut where functions stop being monotone.
//
// A piece is an interval of numbers of one class: -inf, negative, -0, +0, positive, inf; with `ones`, 1 and -1 are cut
// out too. Of integers the least number and 0 are classes of their own. One NaN of each kind, quiet and signalling,
// stands for all of its kind. Of more than 8 intervals of a class the hull is taken: the pieces then hold more than
// the set.
//
// Example: f16, any: -inf, [-65504 .. -2^-24], -0, +0, [2^-24 .. 65504], inf, a quiet and a signalling NaN.
#pragma once

#include <vector>

#include "verifier/neutral/functions.h"

namespace vl::neutral {

/// Numbers from one place to another (values::order), or a NaN.
struct Piece {
  std::int64_t low = 0, high = 0;
  std::optional<values::Code> nan;
};
[[nodiscard]] std::vector<Piece> pieces_of(const values::Format& format, const values::CodeSet& set, bool ones);
/// Requires: a code that is no NaN has that place.
[[nodiscard]] values::Code code_at(const values::Format& format, std::int64_t place);

/// Calls `visit` with each code, ascending.
template <class Visit>
void each_code(const values::CodeSet& set, Visit visit) {
  for (const values::CodeRange& range : set.ranges())
    for (values::Code i = 0;; ++i) {
      visit(range.first + i);
      if (range.first + i == range.last) break;
    }
}

}  // namespace vl::neutral
