// The schedule: the order of a plan's loops, the kernel of each step, the steps that run in lockstep, and the steps
// that are streamed. It changes no move: the checker compares every step with its piece afterwards.
#pragma once

#include "oracle/executor/planner.h"

namespace vl::oracle {

/// Requires: steps as pieces and gaps in bytes, run = the unit, in any order of loops, one group per step.
/// Widens runs, fuses and orders loops, picks kernels, joins steps into groups, and marks the steps that are streamed.
void schedule(const PlanOptions& options, Plan& plan);

}  // namespace vl::oracle
