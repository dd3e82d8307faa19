// Frame: two layouts over named axes in one common space, so that "the same place" is the same slot of that space. Its
// axes are those of both layouts; an axis that a layout lacks has coordinate 0. Each axis begins at the lowest possible
// coordinate (never above 0): a place outside a layout's own box, also a negative one, is a place like any other.
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
  Point low;                           // per axis of the common space: the named coordinate at its coordinate 0
  std::vector<std::size_t> axes_of_b;  // the places of the second layout's axes; those of the first come first

  /// The named coordinates of a slot of the common space.
  [[nodiscard]] Point place(Index number) const;
};

/// Errors: Shape for guards or for tensors of different extents; Overflow if the common space leaves 64 bits.
[[nodiscard]] Result<Frame> frame(const map::Layout& a, const map::Layout& b);

/// Element x, whose places differ: fields a, physical (a place in the first layout that it does not have in the second,
/// if any) and other (the reverse), each over its layout's own axes; and both in words, "laneid 3, m 5".
struct Difference {
  Counterexample fields;
  std::string first;
  std::string second;
};
[[nodiscard]] Difference difference_at(const Frame& frame, const map::Layout& a, const map::Layout& b, const Point& x);

/// Whether two layouts over named axes are the same set-valued map. `words` is the sentence for a difference: the
/// element, its place in the first layout, and its place in the second.
[[nodiscard]] Verdict same_over_axes(const map::Layout& a, const map::Layout& b, std::string_view words,
                                     Inquiry& inquiry);

}  // namespace vl::claims
