// Every layout of a small scope of tt-mlir's rules, on every element, against the reference: all shapes up to 4 in up
// to 3 dimensions, grids up to 3, tiles of 2x2 in place of 32x32; and engines against the reference on a share.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/reference.h"
#include "tests/support/panel.h"
#include "tests/support/ttmlir_texts.h"

namespace vl {
namespace exhaustive_ttmlir_campaign {

using test::TtmlirTile;

using TakeLayout = std::function<void(const std::string& text, const std::vector<Index>& size)>;

/// All points of [1, most]^rank.
void for_each_shape(std::size_t rank, Index most, const std::function<void(const std::vector<Index>&)>& take) {
  std::vector<Index> shape(rank, 1);
  while (true) {
    take(shape);
    std::size_t d = rank;
    while (d > 0 && shape[d - 1] == most) shape[--d] = 1;
    if (d == 0) return;
    ++shape[d - 1];
  }
}

void for_each_scope(const std::function<void(const std::vector<Index>& size, const std::vector<Index>& grid,
                                             const TtmlirTile& tile)>& take) {
  for (std::size_t rank = 0; rank <= 3; ++rank)
    for_each_shape(rank, 4, [&](const std::vector<Index>& size) {
      for_each_shape(2, 3, [&](const std::vector<Index>& grid) {
        for (const TtmlirTile tile : {TtmlirTile{}, TtmlirTile{2, 2}}) take(size, grid, tile);
      });
    });
}

/// Rules A and C with the right shard, and with one that is too small by 1 in each dimension.
void for_each_mapped(bool ttnn, const TakeLayout& take) {
  for_each_scope([&](const std::vector<Index>& size, const std::vector<Index>& grid, const TtmlirTile& tile) {
    std::vector<Index> padded = size;
    for (std::size_t d = 0; ttnn && d < size.size(); ++d)
      padded[d] = test::round_up_to(size[d], tile.at(d, size.size()));
    const auto factors = test::joined(padded, 2, [](std::size_t) { return 0; });
    std::vector<Index> shard(2);
    Index tiles = 1;
    for (std::size_t i = 0; i < 2; ++i) {
      const Index extent = test::extent_of(factors[i], padded);
      shard[i] = ((extent + grid[i] - 1) / grid[i] + tile.at(i, 2) - 1) / tile.at(i, 2);
      tiles *= (extent + tile.at(i, 2) - 1) / tile.at(i, 2);
    }
    const std::string map = test::map_text(factors, size.size());
    const auto text = [&](const std::vector<Index>& of, std::string_view how) {
      const std::string memref = fmt::format("{}x{}", test::sizes_text(of), tile.cell());
      return ttnn ? fmt::format("#ttnn.ttnn_layout<{}, <{}>, memref<{}, #ttnn.buffer_type<l1>>, <{}>>", map,
                                test::sizes_text(grid), memref, how)
                  : fmt::format("#tt.metal_layout<{}, undef, <{}>, memref<{}, #tt.memory_space<l1>>>", map,
                                test::sizes_text(grid), memref);
    };
    take(text(shard, "block_sharded"), size);
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<Index> less = shard;
      --less[i];
      take(text(less, "block_sharded"), size);
    }
    const Index cores = grid[0] * grid[1];
    if (ttnn && tile.height == 2) take(text({1, (tiles + cores - 1) / cores}, "interleaved"), size);
  });
}

/// Rule B: every way to cut the dimensions into intervals, and alignments of 1 to 2.
void for_each_aligned(const TakeLayout& take) {
  for_each_scope([&](const std::vector<Index>& size, const std::vector<Index>& grid, const TtmlirTile& tile) {
    const std::size_t rank = size.size();
    const std::size_t cuts = rank < 2 ? 1 : std::size_t{1} << (rank - 1);
    for (std::size_t cut = 0; cut < cuts; ++cut)
      for_each_shape(rank, 2, [&](const std::vector<Index>& alignments) {
        std::vector<std::string> intervals;
        std::vector<Index> physical(rank < 2 ? 2 - rank : 0, 32);
        for (std::size_t from = 0; from < rank;) {
          std::size_t to = from + 1;
          while (to < rank && (cut >> (to - 1) & 1) == 0) ++to;
          Index extent = 1;
          for (std::size_t d = to; d-- > from;) extent = test::round_up_to(extent * size[d], alignments[d]);
          physical.push_back(extent);
          intervals.push_back(fmt::format("[{}, {}]", from, to));
          from = to;
        }
        const std::size_t n = physical.size();
        std::vector<Index> cores(n, 1);
        std::vector<Index> shard(n);
        for (std::size_t i = 0; i < n; ++i) {
          if (i + 2 >= n) cores[i] = grid[n == 1 ? 1 : i + 2 - n];
          shard[i] = ((physical[i] + cores[i] - 1) / cores[i] + tile.at(i, n) - 1) / tile.at(i, n);
        }
        take(fmt::format("tensor<{}x{}x{}, #ttcore.metal_layout<logical_shape = {}, dim_alignments = {}, "
                         "collapsed_intervals = dense<{}> : tensor<{}x2xi64>, l1, sharded>>",
                         test::sizes_text(cores), test::sizes_text(shard), tile.cell(), test::sizes_text(size),
                         test::sizes_text(alignments),
                         intervals.empty() ? "" : fmt::format("[{}]", fmt::join(intervals, ", ")), intervals.size()),
             size);
      });
  });
}

const use::Reference& reference() {
  const auto references = use::references();
  const auto found = std::ranges::find(references, "metal", &use::Reference::family);
  VL_CHECK(found != references.end(), "the reference of ttmlir");
  return **found;
}

/// Holds each layout; engines see one of `share`, the slow ones one of 40 of these. `nowhere` of them have no places,
/// and their elements no slot in the reference.
void hold(std::string_view scope, Index share, Index least, Index nowhere,
          const std::function<void(const TakeLayout&)>& each) {
  test::Panel panel(40);
  Index layouts = 0, elements = 0, without = 0, undecidable = 0;
  each([&](const std::string& text, const std::vector<Index>& size) {
    if (testing::Test::HasFatalFailure()) return;
    map::Tensor tensor;
    tensor.size = size;
    const auto reading = ttmlir::read(text, tensor);
    ASSERT_TRUE(reading.has_value()) << text << ": " << reading.error().message;
    const auto slots_of = reference().slots(text, tensor);
    ASSERT_TRUE(slots_of.has_value()) << text;
    if (reading->layout() == nullptr) {
      ++undecidable;
      ASSERT_TRUE((*slots_of)(Point(size.size(), 0)).empty()) << text;
      return;
    }
    const map::Layout& layout = *reading->layout();
    std::vector<Index> slots;
    Point x(size.size(), 0);
    do {
      const std::vector<Point> expected = (*slots_of)(x);
      const Point at = map::outputs_at(layout, x, {});
      const auto number = layout.slot_number(at);
      slots.push_back(expected.empty() ? -1 : layout.physical().linear(expected.front()));
      ASSERT_EQ(number.value_or(-1), slots.back()) << text << fmt::format(" [{}]", fmt::join(x, ","));
      ++elements;
      without += expected.empty() ? 1 : 0;
    } while (map::advance(layout.logical(), x));
    if (++layouts % share != 0 || layout.physical().volume() > 4000) return;
    const test::Truth truth = test::truth_of(size, map::extents_of(layout.physical()), std::move(slots));
    panel.hold(static_cast<std::uint64_t>(layouts), {layout, truth}, [&] { return text; });
  });
  fmt::print("{}: {} layouts, {} elements, {} without a slot\n", scope, layouts, elements, without);
  EXPECT_GE(layouts, least);
  EXPECT_EQ(undecidable, nowhere);
  panel.report(scope, {0, 1});
  EXPECT_GT(panel.score("enumerate").decided, panel.layouts());
}

TEST(TtmlirSmallScope, OfRuleAIsTheReferences) {
  hold("rule A", 7, 4500, 0, [](const TakeLayout& take) { for_each_mapped(false, take); });
}
TEST(TtmlirSmallScope, OfRuleBIsTheReferences) {
  // Tiles in one physical dimension: of rank 2 and 3, 16 and 64 shapes in one interval, 9 grids, 4 and 8 alignments.
  hold("rule B", 41, 30'000, 16 * 9 * 4 + 64 * 9 * 8, [](const TakeLayout& take) { for_each_aligned(take); });
}
TEST(TtmlirSmallScope, OfRuleCIsTheReferences) {
  hold("rule C", 7, 5000, 0, [](const TakeLayout& take) { for_each_mapped(true, take); });
}

}  // namespace exhaustive_ttmlir_campaign
}  // namespace vl
