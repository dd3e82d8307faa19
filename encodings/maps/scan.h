// The family's part of a scan: which texts are maps.
//
//   (x0:4, x1:8) -> affine(8*x0 + x1) -> (m:32)     a domain, at least one stage, and maybe a box
//
// The tensor is assumed: it has the domain's own sizes, and elements of 8 bits.
#pragma once

#include "encodings/use/scan.h"

namespace vl::maps {

extern const use::Scan kScan;

}  // namespace vl::maps
