// Parts of layout texts of tt-mlir, computed apart from the family.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::test {

[[nodiscard]] inline std::string sizes_text(const std::vector<Index>& sizes) {
  return fmt::format("{}", fmt::join(sizes, "x"));
}
[[nodiscard]] inline Index round_up_to(Index value, Index step) { return (value + step - 1) / step * step; }

struct TtmlirTile {
  Index height = 1;
  Index width = 1;

  [[nodiscard]] Index at(std::size_t i, std::size_t n) const { return i + 1 == n ? width : i + 2 == n ? height : 1; }
  [[nodiscard]] std::string cell() const {
    return height * width == 1 ? "f32" : fmt::format("!ttcore.tile<{}x{}, f32>", height, width);
  }
};

/// `factors[i][d]`: of dimension d in result i.
[[nodiscard]] inline std::string map_text(const std::vector<std::vector<Index>>& factors, std::size_t rank) {
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < rank; ++d) dims.push_back(fmt::format("d{}", d));
  std::vector<std::string> results;
  for (const auto& row : factors) {
    std::vector<std::string> sum;
    for (std::size_t d = 0; d < rank; ++d)
      if (row[d] != 0) sum.push_back(row[d] == 1 ? dims[d] : fmt::format("{} * {}", dims[d], row[d]));
    results.push_back(sum.empty() ? "0" : fmt::format("{}", fmt::join(sum, " + ")));
  }
  return fmt::format("({}) -> ({})", fmt::join(dims, ", "), fmt::join(results, ", "));
}

/// One more than the value of a row of factors at the last element.
[[nodiscard]] inline Index extent_of(const std::vector<Index>& row, const std::vector<Index>& size) {
  Index extent = 1;
  for (std::size_t d = 0; d < size.size(); ++d) extent += row[d] * (size[d] - 1);
  return extent;
}

/// The last results are the last dimensions, the first one joins the others row-major; of fewer dimensions than results
/// the first results are 0. `gap(d)` is added to the step over dimension d.
template <class Gap>
[[nodiscard]] std::vector<std::vector<Index>> joined(const std::vector<Index>& size, std::size_t results, Gap gap) {
  const std::size_t rank = size.size();
  std::vector<std::vector<Index>> factors(results, std::vector<Index>(rank, 0));
  Index step = 1;
  for (std::size_t d = rank; d-- > 0;) {
    const std::size_t result = d + results > rank ? d + results - rank : 0;
    factors[result][d] = result > 0 ? 1 : step;
    if (result == 0) step = step * size[d] + gap(d);
  }
  return factors;
}

}  // namespace vl::test
