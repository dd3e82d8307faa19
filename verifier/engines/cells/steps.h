// Steps: looks for proofs in the kernel's language (kernel/claims/goals.h). Here is the search that the kernel does
// not have: which dimensions are joined, where atoms are cut into blocks and cells, which facts show where a rest lies,
// in which order differences are known. What is found is no proof before the kernel has replayed it.
//
// Example: f16[5,100,150] on sticks of 64, every element in its box: ["block", 2, 64], ["run", 0, …], ["in"].
#pragma once

#include <optional>

#include "verifier/kernel/claims/goals.h"

namespace vl::engines::cells {

enum class Goal { In, Apart, ReplicasApart, Count, Back, Identity, Equal, Returns, Defined, Disjoint, Sticks };

struct Task {
  Goal goal;
  const kernel::Layout& a;
  const kernel::Layout* b = nullptr;   // of Equal, Returns and Disjoint
  const kernel::Space* box = nullptr;  // of In and Returns; null: the layout's
  std::size_t cells = 64;              // at most
  kernel::Wide at = 0;                 // of Disjoint
};

/// Steps that show the goal, or that walk over all points, which is not tried; nothing where the search finds none.
[[nodiscard]] std::optional<kernel::Steps> find(const Task& task);

/// Steps for sticks (checker/divisions.h) that look at every point, over the same cell.
[[nodiscard]] kernel::Steps walked(kernel::Steps sticks);

/// Whether the kernel takes them; of Sticks it is not asked.
[[nodiscard]] bool holds(const Task& task, const kernel::Steps& steps);

}  // namespace vl::engines::cells
