// Slices: boxes of elements that cores own, and the arithmetic of boxes that the claim `partition` needs. Everything is
// quadratic in the number of boxes and independent of their extents.
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/space.h"
#include "encodings/use/division.h"

namespace vl::claims {

/// The unit of each dimension of a tensor: units[i] elements, and counts[i] = ceil(extent_i / units[i]) units.
struct CountedExtents {
  std::vector<Index> units;
  std::vector<Index> counts;
};

/// The slices of a division, one per core, within the tensor. Requires: fitted, at most kMostCores cores, each split
/// divides its count. f16[67] counted in 2 sticks of 64, splits [2]: [0:64], [64:67].
[[nodiscard]] std::vector<use::Slice> slices_of(const use::Division& division, const map::Space& tensor,
                                                const CountedExtents& counted);

struct Piece {
  use::Slice slice;  // not empty, within the tensor
  Index core = 0;    // the first core that has it
};

/// Each slice cut to the tensor, without empty ones. `groups` has a number for some first cores: a core with the group
/// and the slice of an earlier one adds nothing, because it shares that piece by design.
[[nodiscard]] std::vector<Piece> pieces_of(const std::vector<use::Slice>& slices, const map::Space& tensor,
                                           const std::vector<Index>& groups);

[[nodiscard]] bool is_empty(const use::Slice& slice);
[[nodiscard]] use::Slice clipped(use::Slice slice, const map::Space& tensor);
[[nodiscard]] std::optional<use::Slice> intersection(const use::Slice& a, const use::Slice& b);
[[nodiscard]] bool contains(const use::Slice& slice, const Point& element);
/// The smallest element. Requires: not empty.
[[nodiscard]] Point first_of(const use::Slice& slice);
/// The smallest element of `slice` that is not in `other`. Requires: slice is not empty.
[[nodiscard]] std::optional<Point> first_outside(const use::Slice& slice, const std::optional<use::Slice>& other);
/// The smallest element of the tensor in no piece. Requires: pieces are disjoint.
[[nodiscard]] std::optional<Point> first_uncovered(const map::Space& tensor, const std::vector<Piece>& pieces);

}  // namespace vl::claims
