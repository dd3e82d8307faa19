// The family's part of a scan: specs in Python and C++ sources and in logs.
//
//   TensorSpec(…)                      found with its tensor, where the text says shape and type
//   MemoryConfig(…), NdShardSpec(…)    elsewhere: found without a tensor
//   create_sharded_memory_config(…)
//
// A text with names of the program around it is found with the reason why nothing is decided. Declarations are not.
#pragma once

#include "encodings/use/scan.h"

namespace vl::ttmetal {

extern const use::Scan kScan;

}  // namespace vl::ttmetal
