// Places: the questions about one layout, decided over its digits (digit_domain.h). Every output is a linear row over
// independent inputs, and at most one of them then passes a swizzle.
//
//   Escapes   an output leaves its range, by the corners of the box. For the swizzled one: an address that the swizzle
//             moves out of the range (swizzled.h) is taken (reach.h). Exact.
//   Lands     if no two outputs share an input: every output can be in its range. Exact.
//   Collides  a swizzle is a bijection, so the rows before it decide. An input is *pinned* if no collision moves it: if
//             the unpinned inputs of a row are injective, they are pinned. If all are pinned, none collide. Else a row
//             whose unpinned inputs are in no other row shows a collision, which counts if it has a slot.
//   Misses    if no two outputs share an input, the image is a product: the smallest gap of the last output that has
//             one.
//   Count     the product of the numbers of values of the outputs in their ranges.
//
// Example: S[3:1] under the swizzle (0, 1, 1) escapes [0, 3) at element 2, whose address 2 goes to 3.
#pragma once

#include "verifier/engines/engine.h"
#include "verifier/engines/forms/digit_domain.h"

namespace vl::engines {

/// Requires: `digits` are those of the question's layout; the kind is one of the above.
[[nodiscard]] Answer decide_places(const Question& question, const DigitDomain& digits);

/// Whether every point of the layout has a slot; nothing when it is not known.
[[nodiscard]] std::optional<bool> all_land(const map::Layout& layout, const DigitDomain& digits);

}  // namespace vl::engines
