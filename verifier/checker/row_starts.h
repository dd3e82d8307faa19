// Rows that begin at multiples of so many bytes (the claim row-aligned). A row is the elements along the last logical
// dimension, and begins where its first element lies: at the row-major number of a slot, or, where axes have names, at
// the coordinate on m, inside the box or not. With B the bits of an element, s = 8·bytes / gcd(8·bytes, B) has to
// divide every such place.
//
// So the claim is `in-bounds` of another layout, over the points whose last coordinate is 0: the remainder of the place
// by s is a further guard; or, where axes have names, the only coordinate, in a box of one slot. Without names every
// row then begins in a slot: more than is claimed, of which rows without one are none.
//
// For all sizes these are the polynomials of the layout at some of them.
//
// Example: S[(8,64):(64,1)] of 16 bits, 16 bytes: s = 8, and (x0:8, x1:1) -> 64·x0 mod 8 is 0.
#pragma once

#include "verifier/checker/questions.h"

namespace vl::checker {

/// That other layout. Rejects sizes below 1, and named axes without m. Requires: an element.
template <class S>
[[nodiscard]] kernel::BasicLayout<S> at_row_starts(kernel::BasicLayout<S> layout, Wide bytes, Wide bits);

}  // namespace vl::checker
