// The checker of plans: re-verifies every rewrite and every step of a plan against the relation that it is to be. It
// shares no code with the planner and believes none of its numbers.
//
// Accepted means: the steps write (or, if plan.compares, compare) exactly the pairs of the relation, each once; onto an
// Image or a View no unit of the destination is written twice, gaps are exactly the units that no pair names, and if
// plan.fills each gap is filled exactly once with whole values; every address lies in its memory; nothing that a kernel
// computes on the way, one step of one loop beyond its end included, leaves 64 bits. It means nothing of speed.
// What is right may still be refused: a plan that says it in a way that is not plan.h's, a memory beyond 2^60 bytes, a
// side of more than 48 lines.
#pragma once

#include <optional>
#include <string>

#include "oracle/plan/plan.h"
#include "oracle/plan/relation.h"

namespace vl::oracle {

/// Nothing when the plan is accepted, else what is wrong with it: "rewrite 3 (digit): the rest reaches 64, the weight
/// is 64".
[[nodiscard]] std::optional<std::string> objection_to(const Relation& relation, const Plan& plan);

/// What a plan is made for. A plan says itself whether it fills and compares; only who asked for it knows whether it
/// should.
struct Purpose {
  bool fills = false;  // the gaps of an Image
  bool compares = false;
};

/// The same, and the plan is one for this purpose. A comparison never fills.
[[nodiscard]] std::optional<std::string> objection_to(const Relation& relation, const Plan& plan,
                                                      const Purpose& purpose);

}  // namespace vl::oracle
