// The debug log of torch-spyre's runtime about one transfer, seen in its issues #1303, #488 and #3750: the list dcsi_
// of a DataConversionInfo holds the nests. What it has besides nests (expansion before them, slices after them,
// gathers) must be empty: it would move elements that no nest says.
#pragma once

#include "encodings/use/nests_text.h"

namespace vl::spyre {

extern const use::NestsLog kNestsLog;

}  // namespace vl::spyre
