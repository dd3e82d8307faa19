// CaDiCaL is not part of the explorer.
#include "verifier/engines/solvers/propositional.h"

namespace vl::engines {

PropositionalAnswer solve_propositional(const rup::Clauses&, const PropositionalBudget&) {
  PropositionalAnswer answer;
  answer.reason = question::Reason::NotInstalled;
  answer.why = "the explorer has no CaDiCaL";
  return answer;
}

std::string cadical_version() { return "not installed"; }

}  // namespace vl::engines
