// Integer sets: is a union of systems of linear equations and inequalities over the integers empty, and if not, which
// is its smallest point? integer_sets.cpp is the only file that sees isl.
//
// A quotient needs no operation of its own: q = floor(x / w) is the one integer with 0 <= x - w·q <= w - 1. Nothing is
// projected out, complemented or subtracted: hidden unknowns stay unknowns, and each alternative is asked for by
// itself.
//
// Example: 0 <= x <= 9, x - 4·q = 2, hidden q: the smallest point is x = 2. With x - 4·q = 10·h + 7 as well: none.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "encodings/smt/solver.h"

namespace vl::engines {

/// Rows over the unknowns: some = 0, some >= 0.
struct Constraints {
  std::vector<map::Row> zero;
  std::vector<map::Row> non_negative;
};

/// The points of `unknowns` integers that satisfy `common` and at least one of the alternatives.
struct IntegerSets {
  std::size_t unknowns = 0;
  std::size_t shown = 0;  // only the first of them are asked for
  Constraints common;
  std::vector<Constraints> alternatives;
};

struct Sample {
  std::vector<Index> values;  // of the unknowns that are shown
  bool smallest = false;      // lexicographically
};
/// Sample: not empty.
using Emptiness = std::variant<smt::Unsatisfiable, Sample, smt::Undecided>;

/// Exact, whatever the numbers: isl's integers are unbounded. A point whose coordinates leave 64 bits is Undecided. The
/// limit counts isl's operations (deterministic; 10,000 take about a second) and goes to the question whether there is
/// a point, and once more to the search for the smallest.
[[nodiscard]] Emptiness point_of(const IntegerSets& sets, std::uint64_t operations);

/// "0.25".
[[nodiscard]] std::string isl_name();

}  // namespace vl::engines
