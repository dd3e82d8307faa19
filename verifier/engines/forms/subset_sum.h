// Subset sums: does a row Σ c_i·x_i + c take a value in an interval, somewhere in a box? Subset sum in general; what
// decides real layouts at once is that their strides nest.
//
// Coordinates are mirrored until every c_i > 0 and taken by descending c_i. What is left to reach is an interval [l,
// h]: no when it misses [0, what the rest can reach] or holds no multiple of the rest's gcd g; yes when 0 or the rest's
// sum lies in it, or when the rest fills all multiples of g (Brown: ascending, each c_k is at most g beyond the sum of
// the smaller). Otherwise the largest coordinate is tried, only where the others can still make up the difference: with
// strides that nest there is one such value a level.
// Example: 8·x0 + x1 over 4 by 3 takes a value in [10, 10] (x = [1, 2]) and none in [11, 15].
#pragma once

#include <optional>
#include <span>

#include "verifier/engines/forms/digit_domain.h"

namespace vl::engines {

/// How many steps all searches of one question may take together.
struct Effort {
  Index steps = Index{1} << 22;
};

/// Requires: the row stays in 64 bits over the box, which is not empty. Nothing when the effort is used up.
[[nodiscard]] std::optional<bool> meets(const Row& row, const Box& box, Range target, Effort& effort);

/// The same for any of several intervals; nothing when none is known to be met and one is not known.
[[nodiscard]] std::optional<bool> meets_any(const Row& row, const Box& box, std::span<const Range> targets,
                                            Effort& effort);

/// The smallest number >= `from` that the row does not take over the box, at most `most`; most + 1 when there is none.
/// Nothing when it is not known.
[[nodiscard]] std::optional<Index> first_gap(const Row& row, const Box& box, Index from, Index most, Effort& effort);

}  // namespace vl::engines
