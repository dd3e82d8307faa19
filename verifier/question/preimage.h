// Preimage: whether some point of a layout's domain has a given slot, without walking over the domain. A box of points
// is left out as soon as interval arithmetic shows that its outputs miss the slot; else it is halved.
//
// Which dimension to halve is a guess that never changes the answer: the one whose halves have the narrowest outputs,
// so that large strides go first. Strides that nest leave about two boxes a bit of the extents.
#pragma once

#include <optional>

#include "encodings/map/layout.h"

namespace vl::question {

/// Whether some p of the domain has m(p) = slot, guards 0. Nothing when more than `most` boxes were not enough.
/// Requires: a slot of the physical space. Example: 8·x0 + x1 over 4 by 6 has 13 and no 14.
[[nodiscard]] std::optional<bool> is_hit(const map::Layout& layout, const Point& slot, Index most);

}  // namespace vl::question
