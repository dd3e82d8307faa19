// The error messages of the reference about its inputs.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

#include "encodings/base/result.h"

namespace vl::oracle {

[[nodiscard]] inline Error wrong(std::string message) { return Error{ErrorCode::Value, std::move(message)}; }

/// "[2, 7, 40]".
[[nodiscard]] inline std::string print(std::span<const Index> point) {
  return fmt::format("[{}]", fmt::join(point, ", "));
}

}  // namespace vl::oracle
