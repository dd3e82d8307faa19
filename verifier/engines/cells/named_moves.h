// Steps for loop nests whose numbers are polynomials in sizes: the search of moves.h, one cell a nest. Elements are
// told by a third walk, on the host, whose strides divide it one after the other; of Held by the slot
// (named_inverse.h).
#pragma once

#include "verifier/engines/cells/named_search.h"
#include "verifier/kernel/claims/moves.h"

namespace vl::engines::cells {

enum class NamedMovesGoal { Inside, Held, Implement };

struct NamedMovesTask {
  NamedMovesGoal goal;
  const kernel::BasicLayout<Polynomial>& source;
  const kernel::BasicLayout<Polynomial>& destination;
  const std::vector<kernel::BasicNest<Polynomial>>& nests;
  const std::vector<kernel::BasicRow<Polynomial>>& hosts;  // of each nest to implement: its elements on the host
  const kernel::BasicRow<Polynomial>& strides;             // of the tensor there
  const Sizes& sizes;
};

/// Steps that the kernel has taken; nothing where the search finds none.
[[nodiscard]] std::optional<NamedSteps> find(const NamedMovesTask& task);

}  // namespace vl::engines::cells
