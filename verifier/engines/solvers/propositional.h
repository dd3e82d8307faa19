// Propositional: a question as clauses over bits (clauses.h), given to CaDiCaL. "There is none" is answered with a
// proof: clauses that each follow from those before by unit propagation alone, up to the empty one.
//
// Which questions: those about points. Cost grows with the numbers' bits, not with extents: a
// swizzle takes well below a millisecond, uneven digits up to seconds. cadical.cpp is the only file that sees
// CaDiCaL.
#pragma once

#include <string>
#include <vector>

#include "encodings/base/budget.h"
#include "encodings/map/layout.h"
#include "verifier/engines/solvers/clauses.h"
#include "verifier/question/verdict.h"

namespace vl::engines {

/// The number of conflicts is the limit: 20,000 are about half a second. `until` only ends: it says when.
struct PropositionalBudget {
  int conflicts = 20'000;
  Budget until = {};
  std::size_t clauses = std::size_t{1} << 16;
};

struct PropositionalAnswer {
  enum class Outcome { None, Found, Undecided };
  Outcome outcome = Outcome::Undecided;
  // None: the fields of the certificate. The checker has accepted them.
  int variables = 0;
  std::size_t clauses = 0;
  std::string drat;
  std::vector<Point> points;  // Found: p, of Collides also q. Replaying them is the caller's part.
  // Undecided: OutOfReach is what the checker rejects as no question of bits, or more clauses than the budget has.
  question::Reason reason = question::Reason::OutOfReach;
  std::string why;
};

[[nodiscard]] PropositionalAnswer solve_propositional(const clauses::Obligation& obligation,
                                                      const PropositionalBudget& budget);
[[nodiscard]] PropositionalAnswer solve_propositional(const rup::Clauses& made, const PropositionalBudget& budget);

/// "1.5.3".
[[nodiscard]] std::string cadical_version();

}  // namespace vl::engines
