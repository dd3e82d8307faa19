// Views whose values are known: the claim view-elements holds, and which element is seen for which is a permutation of
// dimensions and a shift (program::Seen), which is proved by the claim `equal` on the two relations.
//
// Example: tensor<1x1x64x64xf32> seen as 32x32 by (d0, d1, d2, d3) -> (d0, d1, d2 + 10, d3 + 20) shows element
// [i + 10, j + 20] for [i, j].
#pragma once

#include <optional>

#include "encodings/program/function.h"

namespace vl::programs {

/// What a view shows. Nothing where that is not proved, or is something else.
[[nodiscard]] std::optional<program::Seen> seen_in(const program::View& view);

}  // namespace vl::programs
