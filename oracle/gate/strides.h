// Strides: how far an element's place in memory moves with one step along each dimension. They are a map, and no list
// of numbers: a layout has the strides s if for every element x and replica r
//   place(x, r) = place(0, r) + Σ x_d·s_d
// so of a dimension of extent 1 every number is right. Places are those on the axis m, in elements, or where axes have
// no names the slot's row-major number. A layout may have no strides; the answer is then null.
//
// Example: S[(2,3):(8,1)] has the strides [8, 1] over [2, 3], [8, 1, 7] over [2, 3, 1], and none over [6].
#pragma once

#include "oracle/gate/judge.h"

namespace vl::gate {

/// Whether the layout has elements, all of them have a place, and a place is one number.
[[nodiscard]] bool can_have_strides(const map::Layout& layout);
/// Its strides, 0 where the extent is 1; nothing if it has none. Requires: can_have_strides().
[[nodiscard]] std::optional<std::vector<Index>> strides_of(const map::Layout& layout);
/// measure.strides: {"value": [8,1]} or {"value": null}, compared element by element.
[[nodiscard]] Judgement judge_strides(const Case& of, const Json& answer);

}  // namespace vl::gate
