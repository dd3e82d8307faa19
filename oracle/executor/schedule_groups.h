// The steps that run in lockstep: the ragged tail of a row goes with the row. So each write follows the write before
// it, and each byte is read once.
#pragma once

#include "oracle/plan/plan.h"

namespace vl::oracle {

/// Orders the loops of all steps of kernel Run (order_runs) and joins steps into groups. Other steps stay in their
/// order, each in its own group. Requires: loops of 2 iterations and more, destinations ascend, no two loops of a step
/// can be fused.
void group_runs(bool search, Plan& plan);

}  // namespace vl::oracle
