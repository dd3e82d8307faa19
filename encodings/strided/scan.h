// The family's part of a scan: which texts are strided views.
//
//   size=(…) and stride=(…) side by side, as PyTorch prints them, with dtype or not; FixedLayout(…) of Inductor
//   empty_strided(…), reinterpret_tensor(…) and assert_size_stride(…) of numbers
//   memref<…, strided<…>> of MLIR
//
// A shape alone is not found, nor a view that repeats elements on purpose (a stride of 0), unless it is the whole text.
// The tensor has the sizes of the text; where that states no type, elements of 8 bits are assumed.
#pragma once

#include "encodings/use/scan.h"

namespace vl::strided {

extern const use::Scan kScan;

}  // namespace vl::strided
