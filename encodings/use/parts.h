// Parts: a layout as a tree of numbers in JSON, for programs that build an object from numbers and do not read the
// family's notation. A family says its fields in `schema`; read(print(t)) has the same map as t.
//
// Example, of tirx: S[(8,4):(4@laneid,1)] + 5 is
//   {"shard":[[8,4,"laneid"],[4,1,"m"]],"replica":[],"offset":[[5,"m"]],"swizzle":null}
#pragma once

#include <string>
#include <string_view>

#include "encodings/base/result.h"
#include "encodings/map/tensor.h"

namespace vl::use {

struct Parts {
  std::string_view schema;  // one line per field
  /// Errors: those of the family's reader; Value for a text that is not numbers only.
  Result<std::string> (*print)(std::string_view text, const map::Tensor& tensor);
  /// The family's text of a tree. Errors: Syntax, Value, Overflow; the text may still be one that the reader refuses.
  Result<std::string> (*read)(std::string_view json);
};

}  // namespace vl::use
