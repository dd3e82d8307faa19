// The family's part of a scan: which texts are layouts, and their tensors.
//
//   SpyreTensorLayout(…)              every form of parse(); not a declaration, nor an empty call
//   TensorArg(…device_size=…)         operands
//   device_size=[…], stride_map=[…]   fields, also with ':' and one a line, as in YAML
//   parametrize("sizes,strides,device_size,stride_map", [(…), …])   each tuple of the tests' tables
//
// A constructor states its own tensor. Else the text around states it (scan_host.h), the type also the device format:
// SEN169_FP16 is taken as f16. A table's rows are found and not judged: a test may first make another tensor of a row's
// sizes.
#pragma once

#include "encodings/use/scan.h"

namespace vl::spyre {

extern const use::Scan kScan;

}  // namespace vl::spyre
