#include "encodings/base/check.h"

#include <fmt/format.h>

namespace vl {

void internal_error(const char* file, int line, const char* condition, const std::string& message) {
  throw InternalError(fmt::format("{}:{}: {}: {}", file, line, condition, message));
}

}  // namespace vl
