// VL_CHECK: a condition that only a bug of ours can break. It is alive in every build and throws InternalError,
// which main turns into exit code 70. Input errors are Result<T>, open questions are Unknown; neither comes here.
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
