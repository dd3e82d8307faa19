#include "oracle/executor/schedule_transpose.h"

namespace vl::oracle {

void schedule_transpose(const PlanOptions&, const Plan&, Step&) {}

}  // namespace vl::oracle
