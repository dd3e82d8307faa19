// The planner: makes a plan of a relation. It takes the maps apart into boxes on which they are affine (the ragged end
// of a dimension becomes a separate piece, its padding a gap), writes down each rewrite, covers the destination, and
// schedules the pieces for the memory system (schedule.h).
#pragma once

#include <optional>

#include "encodings/base/result.h"
#include "oracle/plan/plan.h"
#include "oracle/plan/relation.h"

namespace vl::oracle {

struct PlanOptions {
  bool fills = true;                         // write the fill value into gaps of an Image
  bool compares = false;                     // compare the pairs instead of copying
  Index last_level_cache = Index{32} << 20;  // bytes; above it whole lines are streamed
};

/// Writes the plan into `plan` (whose memory is reused). The error says why there is none: an element has no slot, two
/// share one, the map is outside of the fragment, there are more than kMostPlanPieces pieces. This is not a verdict
/// about the layout.
[[nodiscard]] std::optional<Error> make_plan(const Relation& relation, const PlanOptions& options, Plan& plan);

constexpr std::size_t kMostPlanPieces = 1024;

}  // namespace vl::oracle
