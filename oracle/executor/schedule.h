// The schedule: in which order a plan's loops run, with which kernel, which steps go in lockstep, and what is streamed.
// It moves no unit: the checker holds every step against its piece afterwards.
#pragma once

#include "oracle/executor/planner.h"

namespace vl::oracle {

/// Requires: steps as pieces and gaps in bytes, run = the unit, in any order of loops, one group a step.
/// Widens runs, fuses and orders loops, picks kernels, joins steps into groups, marks what is streamed.
void schedule(const PlanOptions& options, Plan& plan);

}  // namespace vl::oracle
