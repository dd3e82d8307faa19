// The text of a map, a space and a row, as statements have it: canonical, so that a digest of the text is one of the
// map.
#pragma once

#include <string_view>

#include "verifier/kernel/core/map.h"

namespace vl::kernel {

/// Every number in the stages exists and every rank fits, or Rejected. Example: "(x0:3, x1:4) -> affine(4*x0 + x1)".
[[nodiscard]] Space parse_space(std::string_view text);
[[nodiscard]] Row parse_row(std::string_view text, std::size_t inputs);
[[nodiscard]] Map parse_map(std::string_view text);

}  // namespace vl::kernel
