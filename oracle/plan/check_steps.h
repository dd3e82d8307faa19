// Steps: decides whether the steps of a plan are the result of its certificate.
#pragma once

#include <span>
#include <vector>

#include "oracle/plan/check_cells.h"
#include "oracle/plan/check_form.h"

namespace vl::oracle::checker {

/// A piece or a gap in bytes: its pairs before the swizzles (for a gap: its destinations, with source 0).
struct Part {
  Form form;
  ByteSwizzle source_swizzle;
  ByteSwizzle destination_swizzle;
  bool taken = false;
};

/// Accepts if steps and groups run the pieces, each in one step, and, if the plan fills, the gaps, each in one step,
/// and nothing else. Marks the parts that are taken. Requires: pieces and gaps lie in their memories, swizzled or not,
/// of at most 2^60 bytes.
[[nodiscard]] Objection object_to_steps(const Plan& plan, Index unit, std::span<Part> pieces, std::span<Part> gaps);

}  // namespace vl::oracle::checker
