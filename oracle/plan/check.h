// The checker of plans: verifies every rewrite and every step of a plan against the plan's relation. It shares no code
// with the planner and trusts none of its numbers.
//
// "Accepted" means:
//   - The steps write (or, if plan.compares, compare) exactly the pairs of the relation, each once.
//   - Onto an Image or a View, no unit of the destination is written twice, and gaps are exactly the units that no pair
//     names. If plan.fills, each gap is filled exactly once with whole values.
//   - Every address lies in its memory.
//   - No number that a kernel computes leaves 64 bits, including one step of one loop beyond its end.
// "Accepted" says nothing about speed. The checker may refuse a right plan: one that is not in the form of plan.h, has
// a memory beyond 2^60 bytes, or has a side of more than 48 lines.
#pragma once

#include <optional>
#include <string>

#include "oracle/plan/plan.h"
#include "oracle/plan/relation.h"

namespace vl::oracle {

/// Nothing if the plan is accepted, else the objection: "rewrite 3 (digit): the rest reaches 64, the weight is 64".
[[nodiscard]] std::optional<std::string> objection_to(const Relation& relation, const Plan& plan);

/// The purpose of a plan. A plan states whether it fills and compares; only the caller knows whether it should.
struct Purpose {
  bool fills = false;  // the gaps of an Image
  bool compares = false;
};

/// The same; also objects if the plan does not fit this purpose. A comparison never fills.
[[nodiscard]] std::optional<std::string> objection_to(const Relation& relation, const Plan& plan,
                                                      const Purpose& purpose);

}  // namespace vl::oracle
