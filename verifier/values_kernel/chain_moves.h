// Steps of chains that move elements and compute nothing: transpose, reshape, concat, slice, reverse,
// broadcast and mask. What
// they leave of padding is in chains.h's statement of regions; what none of them writes may hold any code.
//
// Example: a slice along dimension 1 has any code behind that dimension, and behind the others what its operand has.
#pragma once

#include <span>

#include "verifier/values_kernel/chain_link.h"

namespace vl::values_kernel {

[[nodiscard]] bool is_move(const StepText& step);
/// Every code of a region of the result. Rejects operands that do not fit.
[[nodiscard]] CodeRanges moved(const Link& step, std::span<const Link* const> operands, Region region);

/// Rejects another shape, and axes that are none or there twice.
void same_shape(const Link& step, const Link& other);
[[nodiscard]] std::vector<std::size_t> axes_of(const Link& step, std::size_t rank);

}  // namespace vl::values_kernel
