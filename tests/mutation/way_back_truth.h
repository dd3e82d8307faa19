// Whether a compiler's way back reads each place of a number where it lies, by a look at each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "verifier/checker/certificate.h"

namespace vl::mutation {

/// All sums of one value of each digit, size·0 to size·(extent - 1); nothing of more than 4096.
inline std::optional<std::set<std::int64_t>> sums_of(const std::vector<std::int64_t>& sizes,
                                                     const std::vector<std::int64_t>& extents) {
  std::set<std::int64_t> out{0};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    std::set<std::int64_t> next;
    for (const std::int64_t sum : out)
      for (std::int64_t x = 0; x < extents[k] && next.size() <= 4096; ++x) next.insert(sum + x * sizes[k]);
    if (next.size() > 4096) return std::nullopt;
    out = std::move(next);
  }
  return out;
}

/// What is read of each element is where it lies, and of each place of a number a place of it.
inline bool reads_where_it_lies(const checker::RuleText& rule, const std::vector<std::int64_t>& all_strides,
                                const std::vector<std::int64_t>& all_logical,
                                const std::vector<std::int64_t>& all_weights,
                                const std::vector<std::int64_t>& all_extents) {
  std::size_t level = 0;
  for (const auto& number : *rule.numbers) {
    const std::size_t rank = number.dims.size();
    if (rank > 0 && all_strides[number.dims[rank - 1]] != 1) return false;
    std::vector<std::int64_t> strides, logical, weights, extents;
    for (const std::size_t dim : number.dims) {
      if (all_strides[dim] < 1) return false;
      strides.push_back(all_strides[dim]), logical.push_back(all_logical[dim]);
    }
    for (const std::size_t end = level + number.levels; level < end && level < all_weights.size(); ++level)
      weights.push_back(all_weights[level]), extents.push_back(all_extents[level]);
    const auto elements = sums_of(strides, logical), places = sums_of(weights, extents);
    if (rank == 0 || !elements || !places) continue;
    const auto read_of = [&](std::int64_t p) -> std::int64_t {
      std::int64_t read = p / strides[0] * strides[0];
      for (std::size_t k = 1; k < rank; ++k) {
        const std::int64_t by = strides[k - 1] / strides[k];
        if (by == 0) return -1;
        read += p / strides[k] % by * strides[k];
      }
      return read;
    };
    for (const std::int64_t p : *elements)
      if (read_of(p) != p) return false;
    for (const std::int64_t p : *places)
      if (!places->contains(read_of(p))) return false;
  }
  return true;
}

}  // namespace vl::mutation
