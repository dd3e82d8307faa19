// VL_CHECK: a condition that only a bug of the program can break. It is checked in every build and throws
// InternalError, which main turns into exit code 70. Input errors are Result<T>, and open questions are Unknown;
// neither uses VL_CHECK.
#pragma once

#include <stdexcept>
#include <string>

namespace vl {

class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws InternalError("file:line: condition: message").
[[noreturn]] void internal_error(const char* file, int line, const char* condition, const std::string& message);

}  // namespace vl

#define VL_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0) : ::vl::internal_error(__FILE__, __LINE__, #condition, message))
