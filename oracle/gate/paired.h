// Paired: cases of which several numbers change at once, for findings that no single number makes smaller or plainer.
// The layout loses features and changes extents and strides that belong together (encodings/use/paired_modes.h); the
// tensor's shape follows, dimension by dimension where it can, and so do the arguments: a region stays where its
// elements cross the same digits, an operand loses a dimension, a factor is halved or doubled.
//
// Law: a paired case has none but features of its case, and fewer of them, or a nicer class. So one fault is never
// taken for another with a feature of its own, and what remains was seen to be needed. It has at most
// kMostElements elements.
//
// Example: a slice 210:211 of S[211:16777215], which fails where an address of 32 bits wraps, becomes one of
// S[256:16777216]: the extent alone leaves the region, the stride alone leaves what wraps.
#pragma once

#include <vector>

#include "oracle/gate/cases.h"

namespace vl::gate {

/// The smallest first.
[[nodiscard]] std::vector<Case> paired_cases(const Case& of);

/// Where a region [begin, end) of a dimension of `from` elements may lie in one of `to`, each once: where it was, as
/// far from the end, and where one of its bounds, or the place of a carry beside them, scales without a rest. Example:
/// 23:25 of 36 in one of 48, whose carry is at 24: 23:25, 35:37 and 31:33, whose carry is at 32.
[[nodiscard]] std::vector<std::pair<Index, Index>> moved_bounds(std::pair<Index, Index> bounds, Index from, Index to);

}  // namespace vl::gate
