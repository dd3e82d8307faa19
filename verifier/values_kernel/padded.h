// Operands of padded operations: indices beyond a tensor are read wherever they lie, and what they read depends on
// where they lie. A statement has the layout of each operand over the whole iteration, so that no answer about its
// places has to be believed:
//
//   every index has a slot;
//   no two share one, or the pads may hold every code that the elements hold. Without the first, an index beyond the
//   tensor can have the slot of an element, and reads it.
//
// Example: exp of f16[33] whose index 64 has the slot of element 0, contents finite, padding 0. The image of {0} at the
// region d0 is rejected, that of the finite numbers is not.
#pragma once

#include <functional>

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {

/// Rejects operands of which an index has no slot, and those that share slots where `pads_hold_elements` is false.
void check_padded(const std::vector<LayoutText>& operands, Evidence& evidence,
                  const std::function<bool(std::size_t operand)>& pads_hold_elements);

/// Of the claim padding-state: whether every set of the operand in the images and the rows has each code that its
/// elements hold. Rejects sets of another number of operands, and elements that hold nothing.
[[nodiscard]] bool sets_hold_elements(const Statement& statement, std::size_t operand);

/// The claim padding-state: takes the operands and what they hold. Rejects as check_padded does.
void check_padded_result(Statement& statement, Evidence& evidence);

}  // namespace vl::values_kernel
