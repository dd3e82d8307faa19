// Words for readers.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "encodings/base/integer.h"

namespace vl {

/// "1 case", "3 cases".
[[nodiscard]] inline std::string plural(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace vl
