// Audit: what is held against a layout's text. The family's own reader has to say the same map as the value that the
// text was printed from, and the family's second meaning the same slots as the map.
#pragma once

#include "oracle/fuzz/trial.h"

namespace vl::oracle {

/// Nothing when all agree. Of large tensors 64 elements are asked for.
[[nodiscard]] std::optional<Mismatch> audit(const Subject& subject, const map::Layout& layout);

}  // namespace vl::oracle
