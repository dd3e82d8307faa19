// fills, of boxes of tensor maps: of each place that some box writes, after the swizzles,
//   an element of the layout lies there    no box fills it
//   it is a slot of padding                boxes fill it, and none moves an element there
// and some box fills a place or meets padding. A box writes all of its places; it fills those of which a coordinate is
// below `low`, or not below `high`. Places count from slot 0 at `base`; beyond the layout's slots there is no padding.
//
// A rule says whether the fill is what a reader needs. It has to hold where padding is filled.
//
// Example: 63·64 + 50 slots of which a row of 64 has 50 elements, and a box of 64 x 64 with high 64, 50 at base 0: 63
// rows of 14 slots are filled padding.
#pragma once

#include "verifier/checker/certificate.h"

namespace vl::checker {

/// Looks at every place of the boxes, in elements of so many bits. A refutation names the byte at which one that is
/// wrong begins, or where the rule does not hold one of padding that is filled. Takes what it needs; rejects what shows
/// nothing.
void check_fills(bool refuted, Statement& statement, Evidence& evidence);

}  // namespace vl::checker
