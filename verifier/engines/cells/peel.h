// The order in which the differences of two points with equal rows are shown to be 0 (kernel/core/difference.h).
#pragma once

#include "verifier/kernel/claims/goals.h"

namespace vl::engines::cells {

/// Steps that make one difference after the other known, in `shown` too; what cannot be is left out.
[[nodiscard]] kernel::Steps peel(const kernel::Cell<kernel::Wide>& cell, kernel::Difference<kernel::Wide>& shown);

}  // namespace vl::engines::cells
