#pragma once

#include "oracle/executor/planner.h"

namespace vl::oracle {

void schedule_transpose(const PlanOptions& options, const Plan& plan, Step& step);

}  // namespace vl::oracle
