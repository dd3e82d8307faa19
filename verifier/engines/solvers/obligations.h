// Obligations of questions about layouts: each as one existential problem over the layout's maps, for every engine that
// decides such problems (Z3, isl).
//
// Two kinds take more. Unhit: a slot that is not valid is not hit, provided that every slot that is hit is valid
// (Misdecodes has the answer None). Occupied: the number of points, where all have a slot and no two share one.
#pragma once

#include <functional>
#include <optional>

#include "verifier/engines/engine.h"

namespace vl::engines {

struct Encoded {
  smt::Obligation obligation;
  // How many of the first variables are the witness's p, q and slot.
  std::size_t p = 0;
  std::size_t q = 0;
  std::size_t slot = 0;
};

/// Nothing where the question is not one existential obligation, or is over an empty space.
[[nodiscard]] std::optional<Encoded> encode(const Question& question);

/// What a solver says of an obligation. `smallest`: no values come before these, lexicographically.
struct Solved {
  smt::Outcome outcome;
  bool smallest = false;
};
using Solve = std::function<Solved(const smt::Obligation&)>;

/// Decides a question by what `solve` says of its obligations; abstains where `solve` is undecided, and on questions
/// that have none: comparisons of replicas, coverage without a decode map, counts of layouts that are not injective.
[[nodiscard]] Answer decide_by(const Solve& solve, const Question& question);

/// The answers that need no engine: of a layout without elements or without slots. Nothing: it has both.
[[nodiscard]] std::optional<Answer> decide_empty(const Question& question);

}  // namespace vl::engines
