// The places of a map as digits, where its stages have that shape: the row-major number of an element, split into whole
// digits, each digit times its strides, and perhaps a swizzle. It is read from the IR, and lists of 100,000 places are
// compared with it; judge_place() says what a difference is.
#pragma once

#include <string>

#include "encodings/map/layout.h"
#include "encodings/use/place_form.h"

namespace vl::gate {

/// With the axes in the order of `names`. Nothing for a map of another shape, or with replicas or guards, and where the
/// names are not those of the layout. Requires: the names differ; they outlive the form.
[[nodiscard]] std::optional<use::PlaceForm> digits_of(const map::Layout& layout, std::span<const std::string> names);

}  // namespace vl::gate
