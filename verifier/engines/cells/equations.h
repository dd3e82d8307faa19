// Why two layouts have no place in common, in a cell: no values of its atoms make all rows 0
// (kernel/claims/disjoint.cpp).
#pragma once

#include "verifier/engines/linear/linear_equations.h"
#include "verifier/kernel/claims/goals.h"

namespace vl::engines::cells {

/// A proof that rows, each less its right side, have no common zero, as steps: ["branch", …] and ["never", …].
[[nodiscard]] kernel::Steps steps_of(const LinearProof& proof);

/// Steps that show it of the rows of a cell; nothing where the search finds none.
[[nodiscard]] std::optional<kernel::Steps> no_solution(const kernel::Cell<kernel::Wide>& cell,
                                                       const kernel::Lines& rows, LinearEffort& effort);

}  // namespace vl::engines::cells
