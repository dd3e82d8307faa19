// Expressions that stand for numbers in a text with names for sizes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "encodings/map/expression.h"

namespace vl::use {

/// An expression with its place in a text.
struct NamedSize {
  std::size_t start = 0, end = 0;
  map::Expression value;
};

/// The text with numbers for the names that `sizes` has: an expression becomes its value where none is left, and keeps
/// the others. What is written as a number stays as it is. Requires: `named` is in the order of the text. Errors: Value
/// (also for a value below `least`), Overflow. Example: M = 5 in "ceil(M/2)x(M*N)" gives "3x(5*N)".
[[nodiscard]] Result<std::string> with_sizes(std::string_view text, std::span<const NamedSize> named,
                                             const map::Sizes& sizes, Index least = 0);

}  // namespace vl::use
