// What a leaf of a proof for all sizes has to show by steps that the kernel replays (kernel/claims/goals.h, moves.h).
#pragma once

#include <functional>

#include "verifier/checker/sizes.h"
#include "verifier/kernel/claims/moves.h"

namespace vl::checker {

/// Loop nests: from which memory, and where their elements are on a host of the tensor's strides. The last two are
/// hints for who looks for steps, and nothing in Held, where one nest writes each slot of the layout.
struct LeafNests {
  const kernel::BasicLayout<Polynomial>& source;
  const std::vector<kernel::BasicNest<Polynomial>>& nests;
  const std::vector<kernel::BasicRow<Polynomial>>& hosts;
  const kernel::BasicRow<Polynomial>& strides;
};

struct LeafGoal {
  enum class Kind { In, Starts, Apart, Occupied, Identity, Equal, Inside, Held, Implement };
  Kind kind;
  const RuleText& rule;
  const SizeSet& sizes;
  const kernel::BasicLayout<Polynomial>& layout;           // of nests: the memory that is written
  const std::vector<Polynomial>& given;                    // what is >= 0 at the sizes of the leaf
  const kernel::BasicSpace<Polynomial>* box = nullptr;     // of In; null: the layout's
  const kernel::BasicLayout<Polynomial>* other = nullptr;  // of Equal
  const LeafNests* nests = nullptr;                        // of Inside, Held and Implement
};

/// Gives the steps of one goal after the other.
using StepsForLeaf = std::function<kernel::StepsOf<Polynomial>(const LeafGoal&)>;

}  // namespace vl::checker
