// The families' parts of a scan: MLIR texts, whatever other dialects stand in them.
//
//   #layout = #ttnn.ttnn_layout<…>      an alias: remembered, with those of memories, grids and tiles, and of aliases
//   tensor<64x128xf32, #layout>         a use: found as the tensor type with every alias in it written out
//   #ttnn.ttnn_layout<…>                elsewhere: found without a tensor
//   // -----// IR Dump After P (p) //----- //      a new module, after the pass "After P (p)"
//
// A later definition of a name replaces an earlier one, so each module of a dump has its own. Lines of FileCheck are
// left out, and so is what has a pattern of FileCheck in it.
#pragma once

#include "encodings/use/scan.h"

namespace vl::ttmlir {

extern const use::Scan kMetalScan;
extern const use::Scan kTtnnScan;

}  // namespace vl::ttmlir
