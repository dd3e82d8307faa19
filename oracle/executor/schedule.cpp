#include "oracle/executor/schedule.h"

namespace vl::oracle {

void schedule(const PlanOptions&, Plan&) {}

}  // namespace vl::oracle
