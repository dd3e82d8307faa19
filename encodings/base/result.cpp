#include "encodings/base/result.h"

namespace vl {

std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::Syntax: return "syntax";
    case ErrorCode::Value: return "value";
    case ErrorCode::Overflow: return "overflow";
    case ErrorCode::Shape: return "shape";
    case ErrorCode::NotComposable: return "not-composable";
    case ErrorCode::NotInvertible: return "not-invertible";
    case ErrorCode::Box: return "box";
    case ErrorCode::Io: return "io";
  }
  VL_CHECK(false, "unknown error code");
}

}  // namespace vl
