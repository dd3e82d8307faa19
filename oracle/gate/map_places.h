// The places of a map as digits, where its stages have that shape: the row-major number of an element, split into whole
// digits, each digit times its strides, and perhaps a swizzle. It is read from the IR, and lists of 100,000 places are
// compared with it; judge_place() says what a difference is.
#pragma once

#include "encodings/map/layout.h"
#include "encodings/use/place_form.h"

namespace vl::gate {

/// Nothing for a map of another shape, or with replicas or guards. The names are those of the layout, which outlives
/// the form.
[[nodiscard]] std::optional<use::PlaceForm> digits_of(const map::Layout& layout);

}  // namespace vl::gate
