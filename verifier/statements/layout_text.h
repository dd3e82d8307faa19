// The text of a map for the checker: what certificates state of a layout. Whoever trusts a certificate trusts this
// conversion, so there is one, and it is in no engine's folder. The checker reads the text by itself
// (kernel/reader/map_text.h).
//
// Example: f16[8,64] row-major is the map "(x0:8, x1:64) -> affine(64*x0 + x1)", 2 logical inputs, physical "(m:512)".
#pragma once

#include "encodings/map/layout.h"
#include "verifier/checker/statement.h"

namespace vl::statements {

[[nodiscard]] checker::LayoutText text_for_checker(const map::Layout& layout);

}  // namespace vl::statements
