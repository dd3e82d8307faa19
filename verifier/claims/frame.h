// Frame: two layouts over named axes in one common space, so that "the same place" is the same slot of it. The axes are
// those of either layout, one that a layout lacks has coordinate 0 there, and each begins at the lowest coordinate that
// may occur (never above 0): a place outside a layout's own box, also a negative one, is a place like any other.
// Example: m in [0, 8) and laneid in [0, 4) of one layout, m in [-1, 3) of the other: common space m:9, laneid:4, the
// first layout's m counted from 1.
#pragma once

#include <string>
#include <utility>

#include "verifier/claims/claim.h"

namespace vl::claims {

struct Frame {
  map::Layout a;
  map::Layout b;
  Point low;                           // one an axis of the common space: what its coordinate 0 stands for
  std::vector<std::size_t> axes_of_b;  // where the axes of the second layout are; those of the first come first

  /// The named coordinates of a slot of the common space.
  [[nodiscard]] Point place(Index number) const;
};

/// Errors: Shape for guards or for tensors of different extents; Overflow when the common space leaves 64 bits.
[[nodiscard]] Result<Frame> frame(const map::Layout& a, const map::Layout& b);

/// Whether two layouts over named axes are the same set-valued map. `words` says how they differ: the element, where it
/// lies in the first, and in the second.
[[nodiscard]] Verdict same_over_axes(const map::Layout& a, const map::Layout& b, std::string_view words,
                                     Inquiry& inquiry);

}  // namespace vl::claims
