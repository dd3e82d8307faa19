// Audit: compares a layout's text with its map. The family's own reader has to give the same map as the value from
// which the text was printed, and the family's second meaning has to give the same slots as the map.
#pragma once

#include "oracle/fuzz/trial.h"

namespace vl::oracle {

/// Nothing if all agree. For large tensors 64 elements are compared.
[[nodiscard]] std::optional<Mismatch> audit(const Subject& subject, const map::Layout& layout);

}  // namespace vl::oracle
