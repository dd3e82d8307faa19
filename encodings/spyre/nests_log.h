// The debug log of torch-spyre's runtime about one transfer, as in its issues #1303, #488 and #3750: the list dcsi_ of
// a DataConversionInfo holds the nests. Its other parts (expansion before the nests, slices after them, gathers) must
// be empty, because they would move elements that no nest states.
#pragma once

#include "encodings/use/nests_text.h"

namespace vl::spyre {

extern const use::NestsLog kNestsLog;

}  // namespace vl::spyre
