// The checker of plans: re-verifies every rewrite and every step of a plan against the relation that it is to be. It
// shares no code with the planner and believes none of its numbers.
//
// Accepted means: the steps write (or compare) exactly the pairs of the relation, each once; onto an Image or a View no
// unit of the destination is written twice, gaps are exactly the units that no pair names, and if plan.fills each gap is
// filled exactly once; every address lies in its memory; no number leaves 64 bits.
#pragma once

#include <optional>
#include <string>

#include "oracle/plan/plan.h"
#include "oracle/plan/relation.h"

namespace vl::oracle {

/// Nothing when the plan is accepted, else what is wrong with it: "rewrite 3 (digit): the rest reaches 64, the weight is 64".
[[nodiscard]] std::optional<std::string> objection_to(const Relation& relation, const Plan& plan);

}  // namespace vl::oracle
