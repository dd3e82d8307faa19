// Looks for steps that show what loop nests do (kernel/claims/moves.h). What lives in a slot is asked of a side's
// decode map, over the loops of a nest; where values cross a boundary, the nest is cut. Nothing here is trusted.
//
// Example: the nest 3 x 2 x 1 x 64 that moves f16[1,3,128] between two orders of its sticks: one cell a nest, and the
// element (0, a_0, 64·a_1 + a_3) of each move.
#pragma once

#include <optional>

#include "verifier/kernel/claims/moves.h"

namespace vl::engines::cells {

enum class MovesGoal { Inside, Apart, Once, Implement };

struct MovesTask {
  MovesGoal goal;
  const kernel::Layout& source;
  const kernel::Layout& destination;
  const std::vector<kernel::Nest>& nests;
};

/// Steps that show the goal, or that look at every move and every element, which is not tried; nothing where the search
/// finds none.
[[nodiscard]] std::optional<kernel::Steps> find(const MovesTask& task);

/// Whether the kernel takes them.
[[nodiscard]] bool holds(const MovesTask& task, const kernel::Steps& steps);

}  // namespace vl::engines::cells
