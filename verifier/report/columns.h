// Text in the columns of a terminal, and the names in its cells.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "encodings/base/integer.h"

namespace vl::report {

constexpr std::size_t kMostNamed = 3;  // the most elements of one place that its cell names

/// The columns of UTF-8 text whose characters take one column each.
[[nodiscard]] inline std::size_t columns_of(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

/// A whole line, without the blanks at its end.
[[nodiscard]] inline std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

/// "0,3"; for rank 0: "[]".
[[nodiscard]] inline std::string coordinates(const Point& point) {
  return point.empty() ? "[]" : fmt::format("{}", fmt::join(point, ","));
}

}  // namespace vl::report
