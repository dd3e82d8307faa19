// Steps: whether what a plan runs is what its certificate came to.
#pragma once

#include <span>
#include <vector>

#include "oracle/plan/check_cells.h"
#include "oracle/plan/check_form.h"

namespace vl::oracle::checker {

/// A piece or a gap in bytes: its pairs (of a gap, its destinations from source 0), before the swizzles.
struct Part {
  Form form;
  ByteSwizzle source_swizzle;
  ByteSwizzle destination_swizzle;
  bool taken = false;
};

/// Accepts when steps and groups do the pieces, each in one step, and if the plan fills, the gaps, each in one, and
/// nothing else. Marks what is taken. Requires: pieces and gaps lie in their memories, swizzled or not, of at most 2^60
/// bytes.
[[nodiscard]] Objection object_to_steps(const Plan& plan, Index unit, std::span<Part> pieces, std::span<Part> gaps);

}  // namespace vl::oracle::checker
