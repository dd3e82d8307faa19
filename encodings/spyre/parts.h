// Spyre's layouts as trees of numbers; encodings/use/parts.h states the law of each function.
#pragma once

#include "encodings/use/parts.h"

namespace vl::spyre {

extern const use::Parts kParts;

}  // namespace vl::spyre
