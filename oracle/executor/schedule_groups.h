// Which steps run in lockstep: the ragged tail of a row goes with the row, so that what is written follows what was
// written before it, and what is read is read once.
#pragma once

#include "oracle/plan/plan.h"

namespace vl::oracle {

/// Orders the loops of all steps of kernel Run (order_runs) and joins steps into groups; other steps stay in their
/// order, alone.
/// Requires: loops of 2 iterations and more, destinations ascend, no two loops of a step could be one.
void group_runs(bool search, Plan& plan);

}  // namespace vl::oracle
