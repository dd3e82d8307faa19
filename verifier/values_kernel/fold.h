// What reductions of sets of leaves can be, for chains.h.
//
// Sums of n leaves of at most P > 0 are at most n·P·(1 + 2^-(f+1))^(n+1) < 2·n·P where n <= 2^f, as fl(a + b) is
// monotone and rounds by a factor of at most 1 + 2^-(f+1) (subnormals are exact); unrounded products may be a little
// larger: 4·n·P. Leaves of which none is above 0 sum to no more than each.
//
// Example: 32 leaves of f32, all 1, from +0: [0 .. 64]. Zeros from +0: {+0}.
#pragma once

#include "verifier/values_kernel/chain_mode.h"
#include "verifier/values_kernel/code_ranges.h"

namespace vl::values_kernel {

[[nodiscard]] CodeRanges united(CodeRanges a, const CodeRanges& b);
[[nodiscard]] CodeRanges shared(const CodeRanges& a, const CodeRanges& b);
/// All other codes of the format.
[[nodiscard]] CodeRanges outside(const Format& format, const CodeRanges& set);
/// Requires: normal() ranges.
[[nodiscard]] bool covers(const CodeRanges& outer, const CodeRanges& inner);
[[nodiscard]] CodeRanges all_of(const Format& format);
/// A cast into the same type may make a NaN quiet, or leave it as it is.
[[nodiscard]] CodeRanges image_of_cast(const Format& from, const Format& to, const CodeRanges& set,
                                       const ChainMode& mode);

/// Every code that a sum, dot, product, max or min of so many leaves, codes of the accumulator, can be, with the step's
/// start and in any order. Requires: no set is empty; count >= 1.
[[nodiscard]] CodeRanges fold_of(const Format& format, const StepText& step, const CodeRanges& leaves, Wide count);

}  // namespace vl::values_kernel
