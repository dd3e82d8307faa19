// TIRx layouts as trees of numbers; encodings/use/parts.h states the law of each function.
#pragma once

#include "encodings/tirx/tirx.h"
#include "encodings/use/parts.h"

namespace vl::tirx {

/// What kParts prints of print(layout), on one line without blanks.
[[nodiscard]] std::string parts_of(const Layout& layout);

extern const use::Parts kParts;

}  // namespace vl::tirx
