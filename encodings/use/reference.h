// Reference: a family's second meaning, written from its own document and never through the IR. Only tests and
// campaigns link it; engines cannot see it.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "encodings/map/tensor.h"

namespace vl::use {

/// The slots of one element, in ascending order; empty if it has none.
using Slots = std::function<std::vector<Point>(std::span<const Index> element)>;

struct Reference {
  std::string_view family;
  /// Reads the text with its own reader; the result is the address function.
  Result<Slots> (*slots)(std::string_view text, const map::Tensor& tensor);
};

/// Every reference of this build. Defined by the generated registry for tests.
[[nodiscard]] std::span<const Reference* const> references();

}  // namespace vl::use
