// XLA's layouts in HLO text and logs (encodings/use/scan.h).
#pragma once

#include "encodings/use/scan.h"

namespace vl::xla {

extern const use::Scan kScan;

}  // namespace vl::xla
