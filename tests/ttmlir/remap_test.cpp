// Layout changes against a look at every element: the compiler's way back from physical to logical coordinates, its map
// between shapes of equal volume, and maps that are given.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>

#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/remap.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "verifier/claims/claim.h"

namespace vl::ttmlir {
namespace ttmlir_remap_test {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

Index up(Index x, Index a) { return (x + a - 1) / a * a; }

// One interval of all dimensions on one core.
std::string joined(const std::vector<Index>& size, const std::vector<Index>& alignments, Index physical) {
  return fmt::format(
      "tensor<1x{}xf32, #ttcore.metal_layout<logical_shape = {}, dim_alignments = {}, collapsed_intervals = dense<[[0, "
      "{}]]> : tensor<1x2xi64>, l1, sharded>>",
      physical, fmt::join(size, "x"), fmt::join(alignments, "x"), size.size());
}

std::string word(const use::Remap& remap) {
  const auto verdict = claims::decide(*claims::find_claim("remap"), claims::Remapped{remap}, {}).verdict;
  return std::string(question::word(verdict));
}

// buildPhysicalToLogicalMap as its comments describe it, and the aligned strides, on every element.
bool comes_back(const std::vector<Index>& size, const std::vector<Index>& alignments,
                const std::vector<Index>& stride) {
  const auto space = map::Space::create(map::Space::dims("x", size));
  for (Index number = 0; number < space->volume(); ++number) {
    const Point x = space->point(number);
    Index p = 0, again = 0;
    for (std::size_t d = 0; d < size.size(); ++d) p += x[d] * stride[d];
    for (std::size_t d = 0; d < size.size(); ++d) {
      const bool inner = d + 1 == size.size();
      Index back = inner    ? p % up(size[d], alignments[d])
                   : d == 0 ? p / stride[d]
                            : p / stride[d] % (stride[d - 1] / stride[d]);
      again += back * stride[d];
    }
    if (again != p) return false;
  }
  return true;
}

TEST(TtmlirRemap, HoldsTheCompilersWayBackAgainstEveryElement) {
  int right = 0, wrong = 0;
  test::for_all(test::fact_or_campaign(400, 1500), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    const auto rank = static_cast<std::size_t>(pick(2, 3));
    std::vector<Index> size(rank), alignments(rank), stride(rank, 1);
    for (std::size_t d = 0; d < rank; ++d)
      size[d] = pick(1, 5), alignments[d] = std::vector<Index>{1, 1, 2, 4, 8, 32}[pick(0, 5)];
    Index extent = 1;
    for (std::size_t d = rank; d-- > 0;) stride[d] = extent, extent = up(size[d] * extent, alignments[d]);
    const std::string text = joined(size, alignments, extent);
    RC_LOG() << text;
    const auto made = remap(text, text, tensor_of(size), "compiler");
    RC_ASSERT(made.has_value());
    const bool back = comes_back(size, alignments, stride);
    // Where all elements come back, padding may still be read outside.
    if (!back) {
      RC_ASSERT(word(*made) == "refuted");
    }
    const auto elements =
        claims::decide(*claims::find_claim("equal"), claims::Pair{made->moved, made->source.array}, {}).verdict;
    RC_ASSERT(question::word(elements) == (back ? "proved" : "refuted"));
    ++(back ? right : wrong);
  });
  fmt::print("{} right, {} wrong\n", right, wrong);
  EXPECT_GE(right, test::fact_or_campaign(130, 500));
  EXPECT_GE(wrong, test::fact_or_campaign(13, 50));
}

TEST(TtmlirRemap, IsRightWhereOnlyTheOuterAndInnerDimensionsAreAligned) {
  test::for_all(test::fact_or_campaign(80, 300), [&] {
    const std::vector<Index> size{*test::numbers(1, 4), *test::numbers(1, 4), *test::numbers(1, 5)};
    const std::vector<Index> alignments{32, 1, 8};
    const Index extent = up(size[0] * (size[1] * up(size[2], 8)), 32);
    const std::string text = joined(size, alignments, extent);
    const auto made = remap(text, text, tensor_of(size), "compiler");
    RC_ASSERT(made.has_value());
    const auto elements =
        claims::decide(*claims::find_claim("equal"), claims::Pair{made->moved, made->source.array}, {}).verdict;
    RC_ASSERT(question::word(elements) == "proved");
  });
}

// By hand: 4x6 in an array of 8x6 and in one of 4x12 has 48 places in both; place (1, 0) is number 6, which is (0, 6).
TEST(TtmlirRemap, ReblocksByRowMajorNumbers) {
  const auto plain = [](Index rows, Index columns) {
    return fmt::format(
        "tensor<1x1x{}x{}xf32, #ttcore.metal_layout<logical_shape = 4x6, dim_alignments = {}x{}, collapsed_intervals = "
        "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>",
        rows, columns, rows, columns);
  };
  const auto made = remap(plain(8, 6), plain(4, 12), tensor_of({4, 6}), "reblock");
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(map::outputs_at(made->moved, Point{1, 0}, {}), (Point{0, 6}));
  EXPECT_EQ(map::outputs_at(made->source.array, Point{1, 0}, {}), (Point{1, 0}));
  EXPECT_EQ(word(*made), "refuted");
  EXPECT_FALSE(remap(plain(8, 6), plain(4, 8), tensor_of({4, 6}), "reblock").has_value()) << "volumes 48 and 32";
  const std::string cores =
      "tensor<2x2x2x3xf32, #ttcore.metal_layout<logical_shape = 4x6, dim_alignments = 4x6, collapsed_intervals = "
      "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>";
  const std::string wide =
      "tensor<1x6x4x1xf32, #ttcore.metal_layout<logical_shape = 4x6, dim_alignments = 4x6, collapsed_intervals = "
      "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>";
  EXPECT_EQ(word(*remap(cores, wide, tensor_of({4, 6}), "reblock")), "proved");
  // Core (c0, c1), cell (s0, s1): row 2 c0 + s0, column 3 c1 + s1; in the other a core has one column.
  EXPECT_EQ(word(*remap(cores, wide, tensor_of({4, 6}), "(c0, c1, s0, s1) -> (0, c1 * 3 + s1, c0 * 2 + s0, 0)")),
            "proved");
  EXPECT_EQ(word(*remap(cores, wide, tensor_of({4, 6}), "(c0, c1, s0, s1) -> (0, c1 * 2 + s1, c0 * 2 + s0, 0)")),
            "refuted");
  EXPECT_EQ(word(*remap(wide, cores, tensor_of({4, 6}),
                        "(c0, c1, s0, s1) -> (s0 floordiv 2, c1 floordiv 3, s0 mod 2, c1 mod 3)")),
            "proved");
  for (const std::string bad :
       {"", "x", "(d0) -> (d0)", "(a, b, c, d) -> (a, b, c, a * b)", "(a, b, c, d) -> (a, b, c)"})
    EXPECT_FALSE(remap(cores, wide, tensor_of({4, 6}), bad).has_value()) << bad;
}

// Tiles: what lies in a tile stays where it is in it.
TEST(TtmlirRemap, CarriesTilesWhole) {
  const auto tiled = [](const std::string& device) {
    return "tensor<" + device +
           "x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = "
           "64x64, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>";
  };
  EXPECT_EQ(word(*remap(tiled("2x2x1x1"), tiled("1x1x2x2"), tensor_of({64, 64}), "(a, b, c, d) -> (0, 0, a, b)")),
            "proved");
  EXPECT_EQ(word(*remap(tiled("2x2x1x1"), tiled("1x1x2x2"), tensor_of({64, 64}), "(a, b, c, d) -> (0, 0, b, a)")),
            "refuted");
  EXPECT_EQ(word(*remap(tiled("2x1x1x2"), tiled("1x2x2x1"), tensor_of({64, 64}), "reblock")), "proved");
}

std::string rows_and_columns(const std::vector<Index>& size, const std::vector<Index>& grid) {
  return fmt::format(
      "tensor<{}x{}x{}x{}xf32, #ttcore.metal_layout<logical_shape = {}x{}, dim_alignments = 1x1, collapsed_intervals = "
      "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>",
      grid[0], grid[1], size[0] / grid[0], size[1] / grid[1], size[0], size[1]);
}

// Maps with sums, quotients and remainders of cores and cells, some of which leave a core's shard: core and cell are
// compared for every element, and every cell has to lie in its shard. All places hold elements.
TEST(TtmlirRemap, ComparesCoresAndCellsAndNotTheirSum) {
  int right = 0, wrong = 0, past = 0;
  test::for_all(test::fact_or_campaign(300, 1200), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    const std::vector<Index> size{12, 12};
    const std::array<Index, 4> divisors{1, 2, 3, 4};
    const auto grid = [&] { return std::vector<Index>{divisors[pick(0, 3)], divisors[pick(0, 3)]}; };
    const std::vector<Index> to = grid(), from = grid();
    const std::vector<Index> shard{12 / to[0], 12 / to[1]}, source{12 / from[0], 12 / from[1]};
    // A dimension is taken right, by the identity, or with another divisor.
    std::array<Index, 2> divisor{}, kind{};
    std::array<std::string, 2> core, cell;
    for (std::size_t i = 0; i < 2; ++i) {
      kind[i] = pick(0, 3), divisor[i] = kind[i] < 2 ? source[i] : divisors[pick(0, 3)];
      const std::string whole = fmt::format("(d{} * {} + d{})", i, shard[i], i + 2);
      core[i] = kind[i] == 3 ? fmt::format("d{}", i) : fmt::format("{} floordiv {}", whole, divisor[i]);
      cell[i] = kind[i] == 3 ? fmt::format("d{}", i + 2) : fmt::format("{} mod {}", whole, divisor[i]);
    }
    bool good = true, leaves = false;
    for (Index row = 0; row < 12; ++row)
      for (Index column = 0; column < 12; ++column)
        for (std::size_t i = 0; i < 2; ++i) {
          const Index p = i == 0 ? row : column;
          const Index c = kind[i] == 3 ? p / shard[i] : p / divisor[i];
          const Index s = kind[i] == 3 ? p % shard[i] : p % divisor[i];
          good = good && c == p / source[i] && s == p % source[i];
          leaves = leaves || s >= source[i];
        }
    const std::string map = fmt::format("(d0, d1, d2, d3) -> ({}, {}, {}, {})", core[0], core[1], cell[0], cell[1]);
    RC_LOG() << map << " to " << to[0] << "x" << to[1] << " from " << from[0] << "x" << from[1];
    const auto made = remap(rows_and_columns(size, to), rows_and_columns(size, from), tensor_of(size), map);
    RC_ASSERT(made.has_value());
    RC_ASSERT(word(*made) == (good ? "proved" : "refuted"));
    if (leaves) {
      const auto factor = claims::decide(*claims::find_claim("contiguous"), claims::Remapped{*made}, {}).verdict;
      RC_ASSERT(question::word(factor) == "unsupported");
    }
    ++(good ? right : wrong), past += leaves ? 1 : 0;
  });
  EXPECT_GE(right, test::fact_or_campaign(50, 200));
  EXPECT_GE(wrong, test::fact_or_campaign(50, 200));
  EXPECT_GE(past, test::fact_or_campaign(25, 100));
}

// By hand: the identity over device coordinates reads element [0, 32] of one core of 64x64 from core [0, 0] of four, at
// column 32 of a shard of 32 columns; it lies in core [0, 1] at column 0.
TEST(TtmlirRemap, FindsNoPlacePastTheEndOfAShard) {
  const std::vector<Index> size{64, 64};
  const auto made = remap(rows_and_columns(size, {1, 1}), rows_and_columns(size, {2, 2}), tensor_of(size),
                          "(d0, d1, d2, d3) -> (d0, d1, d2, d3)");
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const auto verdict = claims::decide(*claims::find_claim("remap"), claims::Remapped{*made}, {}).verdict;
  const auto* refuted = std::get_if<question::Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << question::word(verdict);
  const std::vector<std::pair<std::string, question::Counterexample::Value>> want{{"a", Point{0, 32}},
                                                                                  {"physical", Point{0, 32}},
                                                                                  {"other", Point{0, 32}},
                                                                                  {"core", Point{0, 0}},
                                                                                  {"other_core", Point{0, 1}}};
  EXPECT_EQ(refuted->counterexample.fields, want);
  EXPECT_TRUE(refuted->counterexample.minimal);
}

// Rule A over a grid of one dimension, and over one of two: 128 elements on 2 cores of 64, and on 1x4 cores of 32.
TEST(TtmlirRemap, ReadsGridsOfOneDimension) {
  const std::string line = "#tt.metal_layout<(d0) -> (d0), undef, <2>, memref<64xf32, #tt.memory_space<l1>>>";
  const std::string plane = "#tt.metal_layout<(d0) -> (0, d0), undef, <1x4>, memref<1x32xf32, #tt.memory_space<l1>>>";
  const auto judged = [&](const std::string& to, const std::string& from, const std::string& map) {
    const auto made = remap(to, from, tensor_of({128}), map);
    return made ? word(*made) : made.error().message;
  };
  EXPECT_EQ(judged(line, line, "(c, s) -> (c, s)"), "proved");
  EXPECT_EQ(judged(line, line, "(c, s) -> (s, c)"), "refuted");
  EXPECT_EQ(judged(line, line, "reblock"), "proved");
  EXPECT_EQ(judged(line, plane, "(c, s) -> (0, c * 2 + s floordiv 32, 0, s mod 32)"), "proved");
  EXPECT_EQ(judged(line, plane, "(c, s) -> (0, c * 2, 0, s)"), "refuted");
  EXPECT_EQ(judged(plane, line, "(a, c, b, s) -> (c floordiv 2, (c mod 2) * 32 + s)"), "proved");
  EXPECT_EQ(judged(plane, line, "reblock"), "proved");
}

}  // namespace ttmlir_remap_test
}  // namespace vl::ttmlir
