// Random layouts of tt-mlir as texts, of every rule: right by construction, or broken in a number. The shapes are
// computed here, apart from the family.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "encodings/map/tensor.h"
#include "encodings/use/random.h"

namespace vl::test {

struct TtmlirCase {
  std::string text;
  map::Tensor tensor;
  char rule = 'A';
  bool broken = false;  // a number was changed; the layout may still be right
};

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

class RandomTtmlir {
 public:
  explicit RandomTtmlir(std::uint64_t seed) : random_(seed, 18, 0) {}

  TtmlirCase next(Index longest) {
    TtmlirCase out;
    out.tensor.type = map::ElementType::F32;
    for (Index rank = random_.between(0, 3); rank > 0; --rank) out.tensor.size.push_back(random_.between(1, longest));
    out.rule = static_cast<char>('A' + random_.between(0, 2));
    out.broken = random_.chance(33);
    const TtmlirTile tile = some_tile();
    out.text = out.rule == 'B' ? aligned(out, tile) : mapped(out, tile);
    if (out.rule != 'B' && random_.chance(20)) {  // read by the other rule, whose shard may be another one
      out.text = fmt::format("rule {}: {}", out.rule == 'A' ? 'C' : 'A', out.text);
      out.broken = true;
    }
    return out;
  }
  use::Random& random() { return random_; }

 private:
  TtmlirTile some_tile() {
    if (random_.chance(50)) return {};
    if (random_.chance(10)) return {32, random_.chance(50) ? 32 : 16};
    return {random_.chance(75) ? 2 : 1, random_.chance(75) ? 2 : 3};
  }

  std::vector<Index> some_grid(std::size_t n) {
    std::vector<Index> grid(n);
    for (Index& extent : grid) extent = random_.between(1, 3);
    return grid;
  }

  void break_one(std::vector<Index>& sizes) {
    Index& one = sizes[random_.below(sizes.size())];
    one = std::max<Index>(0, one + random_.between(-1, 1));
  }

  std::string mapped(const TtmlirCase& out, const TtmlirTile& tile) {
    const std::size_t rank = out.tensor.size.size();
    const bool ttnn = out.rule == 'C';
    const auto n = static_cast<std::size_t>(ttnn && random_.chance(75) ? 2 : random_.between(1, 3));
    std::vector<Index> padded = out.tensor.size;
    for (std::size_t d = 0; ttnn && d < rank; ++d) padded[d] = round_up_to(padded[d], tile.at(d, rank));
    auto factors = joined(padded, n, [&](std::size_t) { return random_.chance(20) ? random_.between(0, 2) : 0; });
    if (out.broken && rank > 0 && random_.chance(33))
      factors[random_.below(n)][random_.below(rank)] = random_.between(0, 5);
    const std::vector<Index> grid = some_grid(n);
    const bool dealt = ttnn && n == 2 && random_.chance(40);
    std::vector<Index> shard(n);
    Index tiles = 1;
    Index cores = 1;
    for (std::size_t i = 0; i < n; ++i) {
      const Index extent = extent_of(factors[i], padded);
      const Index share = (extent + grid[i] - 1) / grid[i];
      shard[i] = (share + tile.at(i, n) - 1) / tile.at(i, n);
      tiles *= (extent + tile.at(i, n) - 1) / tile.at(i, n);
      cores *= grid[i];
    }
    if (dealt) shard = {1, (tiles + cores - 1) / cores};
    if (out.broken) break_one(shard);
    const std::string map = map_text(factors, rank);
    const std::string memref = fmt::format("{}x{}", sizes_text(shard), tile.cell());
    if (ttnn)
      return fmt::format("#ttnn.ttnn_layout<{}, <{}>, memref<{}, #ttnn.buffer_type<l1>>, <{}>", map, sizes_text(grid),
                         memref, dealt ? "interleaved>" : "block_sharded>, ignorePhysicalLayout = true");
    return fmt::format("#ttcore.metal_layout<{}, undef, <{}>, memref<{}, #ttcore.memory_space<l1>>>", map,
                       sizes_text(grid), memref);
  }

  std::vector<std::pair<Index, Index>> some_intervals(Index rank, bool broken) {
    std::vector<std::pair<Index, Index>> out;
    for (Index at = 0; at < rank && random_.chance(75);) {
      const Index end = random_.between(at + 1, rank);
      out.emplace_back(at, end < rank && random_.chance(30) ? end - rank : end);
      at = end;
    }
    if (broken && rank > 0 && random_.chance(33))
      out.emplace_back(random_.between(0, rank - 1), random_.between(-1, rank));
    return out;
  }

  std::string aligned(const TtmlirCase& out, const TtmlirTile& tile) {
    const std::vector<Index>& size = out.tensor.size;
    const auto rank = static_cast<Index>(size.size());
    const auto intervals = some_intervals(rank, out.broken);
    std::vector<Index> alignments(size.size());
    for (Index& alignment : alignments) alignment = random_.chance(66) ? 1 : random_.between(1, 5);
    if (out.broken && rank > 0 && random_.chance(10)) alignments[0] = 0;
    // The physical shape; where there is none, any device shape will do.
    std::vector<Index> physical(static_cast<std::size_t>(std::max<Index>(0, 2 - rank)), 32);
    Index end = 0;
    for (auto [from, to] : intervals) {
      to = to < 0 ? to + rank : to;
      Index extent = 1;
      for (Index d = to; d-- > from;)
        extent = round_up_to(extent * size[static_cast<std::size_t>(d)],
                             std::max<Index>(alignments[static_cast<std::size_t>(d)], 1));
      physical.push_back(extent);
      end = std::max(end, to);
    }
    for (; end < rank; ++end)
      physical.push_back(round_up_to(size[static_cast<std::size_t>(end)],
                                     std::max<Index>(alignments[static_cast<std::size_t>(end)], 1)));
    const std::size_t n = physical.size();
    const std::vector<Index> grid = some_grid(n);
    std::vector<Index> shard(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Index share = (physical[i] + grid[i] - 1) / grid[i];
      shard[i] = (share + tile.at(i, n) - 1) / tile.at(i, n);
    }
    if (out.broken) break_one(shard);
    std::vector<std::string> pairs;
    for (const auto& [from, to] : intervals) pairs.push_back(fmt::format("[{}, {}]", from, to));
    return fmt::format(
        "tensor<{}x{}x{}, #ttcore.metal_layout<logical_shape = {}, dim_alignments = {}, collapsed_intervals = "
        "dense<{}> "
        ": tensor<{}x2xi64>, l1, sharded>>",
        sizes_text(grid), sizes_text(shard), tile.cell(), sizes_text(size), sizes_text(alignments),
        pairs.empty() ? "" : fmt::format("[{}]", fmt::join(pairs, ", ")), pairs.size());
  }

  use::Random random_;
};

}  // namespace vl::test
