// isl is not part of the explorer.
#include "verifier/engines/solvers/integer_sets.h"

namespace vl::engines {

Emptiness point_of(const IntegerSets&, std::uint64_t) {
  return smt::Undecided{smt::Undecided::Why::NotInstalled, "the explorer has no isl"};
}

std::string isl_name() { return "not installed"; }

}  // namespace vl::engines
