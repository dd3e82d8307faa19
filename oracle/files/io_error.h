// The error of all readers and writers of files for a file that violates its format.
#pragma once

#include <string>
#include <utility>

#include "encodings/base/result.h"

namespace vl::oracle {

[[nodiscard]] inline Error io(std::string message) { return Error{ErrorCode::Io, std::move(message)}; }

}  // namespace vl::oracle
