// The family's part of a scan: which texts are layouts, and their tensors.
//
//   TileLayout(…), ComposeLayout(…), SwizzleLayout(…), the builders' calls   not a declaration, nor an empty call
//   S[(8, 4) : (4@laneid, 1)] + R[2 : 1@warpid] + 5@warpid   where S has a tuple or an axis on both sides of ':'
//   S[8:1]   numbers that are no slice, which would end behind its beginning
//
// S[i], S[0:5], S[i, j] are subscripts of other languages. A method behind a layout is not read. The tensor has as many
// elements as the shard; its type is that of the call around (`alloc_buffer((8, 4), "float16", layout=…)`), else u8.
// One answer depends on the type, whether TCol stays within its 2048 bytes; a layout whose columns some types have and
// others do not is not judged without a type.
#pragma once

#include "encodings/use/scan.h"

namespace vl::tirx {

extern const use::Scan kScan;

}  // namespace vl::tirx
