// Sides of views and moves: the type of a tensor on a grid of cores, in numbers and as tt-mlir prints it.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

#include "encodings/base/integer.h"

namespace vl::test {

using Two = std::array<Index, 2>;

// A tensor of two dimensions on a grid of cores; each dimension is rounded up to whole shards.
struct Side {
  Two size, grid, shard;

  [[nodiscard]] std::string type() const {
    return fmt::format(
        "tensor<{}x{}x{}x{}xf32, #ttcore.metal_layout<logical_shape = {}x{}, dim_alignments = {}x{}, "
        "collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>",
        grid[0], grid[1], shard[0], shard[1], size[0], size[1], grid[0] * shard[0], grid[1] * shard[1]);
  }
};

/// One of up to 3 cores and 4 elements of a shard in each dimension; pick(low, high) draws a number.
[[nodiscard]] Side drawn_side(const auto& pick) {
  Side out{};
  for (std::size_t i = 0; i < 2; ++i) {
    out.grid[i] = pick(Index{1}, Index{3}), out.shard[i] = pick(Index{1}, Index{4});
    out.size[i] = pick(Index{1}, out.grid[i] * out.shard[i]);
  }
  return out;
}

}  // namespace vl::test
