// What every reader and writer of files answers where a file is not what it should be.
#pragma once

#include <string>
#include <utility>

#include "encodings/base/result.h"

namespace vl::oracle {

[[nodiscard]] inline Error io(std::string message) { return Error{ErrorCode::Io, std::move(message)}; }

}  // namespace vl::oracle
