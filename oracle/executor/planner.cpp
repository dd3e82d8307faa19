#include "oracle/executor/planner.h"

namespace vl::oracle {

std::optional<Error> make_plan(const Relation&, const PlanOptions&, Plan& plan) {
  plan.clear();
  return Error{ErrorCode::Value, "the planner is not written yet"};
}

}  // namespace vl::oracle
