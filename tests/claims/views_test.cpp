// Views against a look at every slot and every element, computed here from the types' numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/view.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "tests/support/sides.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace claims_views_test {

using test::Side;
using test::Two;

// One coordinate of a map: (core·c + cell·s + shift) floordiv d, or mod d.
struct Coordinate {
  Index core = 0, cell = 0, shift = 0, divisor = 1;
  std::size_t of = 0;  // which dimension's core and cell
  bool remainder = false;

  [[nodiscard]] std::string text() const {
    return fmt::format("(d{} * {} + d{} * {} + {}) {} {}", of, core, 2 + of, cell, shift,
                       remainder ? "mod" : "floordiv", divisor);
  }
  [[nodiscard]] Index at(const std::array<Index, 4>& d) const {
    const Index sum = d[of] * core + d[2 + of] * cell + shift;
    return remainder ? sum % divisor : sum / divisor;  // nothing here is below 0
  }
};

std::string word(const char* claim, const use::View& view, Verdict* out = nullptr) {
  auto verdict = decide(*find_claim(claim), Viewed{view}, {}).verdict;
  std::string said(question::word(verdict));
  if (out != nullptr) *out = std::move(verdict);
  return said;
}

struct Truth {
  bool inside = true, elements = true;
};

Truth looked_at(const Side& to, const Side& from, const std::array<Coordinate, 4>& map) {
  Truth out;
  std::map<Two, int> seen;
  std::array<Index, 4> d{};
  for (d[0] = 0; d[0] < to.grid[0]; ++d[0])
    for (d[1] = 0; d[1] < to.grid[1]; ++d[1])
      for (d[2] = 0; d[2] < to.shard[0]; ++d[2])
        for (d[3] = 0; d[3] < to.shard[1]; ++d[3]) {
          bool inside = true;
          Two y{};
          for (std::size_t i = 0; i < 2; ++i) {
            const Index core = map[i].at(d), cell = map[2 + i].at(d);
            inside = inside && core < from.grid[i] && cell < from.shard[i];
            y[i] = core * from.shard[i] + cell;
          }
          out.inside = out.inside && inside;
          const bool element = d[0] * to.shard[0] + d[2] < to.size[0] && d[1] * to.shard[1] + d[3] < to.size[1];
          if (!element) continue;
          const bool lands = inside && y[0] < from.size[0] && y[1] < from.size[1];
          out.elements = out.elements && lands && seen[y]++ == 0;
        }
  return out;
}

TEST(Views, AreRightIffEverySlotAndEveryElementIs) {
  std::map<std::string, int> count;
  test::for_all(test::fact_or_campaign(600, 3000), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    Side to = test::drawn_side(pick);
    const Side from = pick(0, 2) == 0 ? to : test::drawn_side(pick);
    if (pick(0, 1) == 0) to.size = from.size;
    for (std::size_t i = 0; i < 2; ++i) {  // as many slots as elements, at least
      while (to.grid[i] * to.shard[i] < to.size[i]) ++to.shard[i];
    }
    std::array<Coordinate, 4> map;
    const Index shift = pick(0, 3) == 0 ? pick(0, 2) : 0;
    const bool crossed = pick(0, 4) == 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t of = crossed ? 1 - i : i;
      map[i] = {to.shard[of], 1, shift, from.shard[i], of, false};
      map[2 + i] = {to.shard[of], 1, shift, from.shard[i], of, true};
      if (pick(0, 9) == 0) map[2 + i].divisor = pick(1, 4);
      if (pick(0, 9) == 0) map[i] = {1, 0, 0, 1, of, false}, map[2 + i] = {0, 1, shift, 1, of, false};
    }
    const std::string text = fmt::format("affine_map<(d0, d1, d2, d3) -> ({}, {}, {}, {})>", map[0].text(),
                                         map[1].text(), map[2].text(), map[3].text());
    RC_LOG() << to.type() << " of " << from.type() << " by " << text;
    const auto view = ttmlir::view(to.type(), from.type(), text);
    RC_ASSERT(view.has_value());
    RC_ASSERT(view->elements.has_value());
    const Truth truth = looked_at(to, from, map);
    RC_ASSERT(word("view-in-bounds", *view) == (truth.inside ? "proved" : "refuted"));
    RC_ASSERT(word("view-elements", *view) == (truth.elements ? "proved" : "refuted"));
    ++count[fmt::format("{} {}", truth.inside, truth.elements)];
  });
  for (const auto& [kind, times] : count) fmt::print("inside, elements {}: {}\n", kind, times);
  for (const char* kind : {"true true", "true false", "false false"})
    EXPECT_GE(count[kind], test::fact_or_campaign(25, 150)) << kind;
}

// By hand: of 64x50 in 64x64, column 50 is padding; seen as 64x64 each element [r, c] with c >= 50 is.
TEST(Views, ShowTheSmallestElementThatIsPadding) {
  const Side from{{64, 50}, {1, 1}, {64, 64}}, to{{64, 64}, {1, 1}, {64, 64}};
  const auto view = ttmlir::view(to.type(), from.type(), "(a, b, c, d) -> (a, b, c, d)");
  ASSERT_TRUE(view.has_value()) << view.error().message;
  EXPECT_EQ(word("view-in-bounds", *view), "proved");
  Verdict verdict;
  EXPECT_EQ(word("view-elements", *view, &verdict), "refuted");
  EXPECT_EQ(std::get<question::Refuted>(verdict).counterexample.explanation,
            "element [0, 50] of the result is read from [0, 50] of the source's shards, which is padding");
}

// One place further than the last cell of core 0 is no cell, although the next core's first one is there.
TEST(Views, AreOutsidePastTheEndOfACoresShard) {
  const Side side{{4, 8}, {1, 2}, {4, 4}};
  const auto view = ttmlir::view(side.type(), side.type(), "(a, b, c, d) -> (a, b, c, d + 1)");
  ASSERT_TRUE(view.has_value()) << view.error().message;
  Verdict verdict;
  EXPECT_EQ(word("view-in-bounds", *view, &verdict), "refuted");
  EXPECT_EQ(std::get<question::Refuted>(verdict).counterexample.explanation,
            "slot [0, 0, 0, 3] of the result is read from [0, 0, 0, 4], outside of the source: d3 would be 4, and its "
            "extent is 4");
}

// 4x3 on one core of 4x4, of which column 3 is padding: moved by one column it is read past the end. Moved by two,
// element [0, 2] is.
TEST(Views, MayReadPaddingOutsideIfThatIsSaid) {
  const Side side{{4, 3}, {1, 1}, {4, 4}};
  const auto of_elements = [&](const char* map) {
    const auto view = ttmlir::view(side.type(), side.type(), map);
    EXPECT_TRUE(view.has_value());
    EXPECT_EQ(word("view-in-bounds", *view), "refuted");
    return decide(*find_claim("view-in-bounds"), Viewed{*view, true}, {}).verdict;
  };
  EXPECT_EQ(question::word(of_elements("(a, b, c, d) -> (a, b, c, d + 1)")), "proved");
  const Verdict no = of_elements("(a, b, c, d) -> (a, b, c, d + 2)");
  ASSERT_EQ(question::word(no), "refuted");
  EXPECT_EQ(std::get<question::Refuted>(no).counterexample.fields.front().first, "a");
  EXPECT_EQ(std::get<question::Refuted>(no).counterexample.fields.front().second,
            question::Counterexample::Value(Point{0, 2}));
}

// Joined dimensions: places between rows decode to elements that lie elsewhere. 2x3 with rows of 4: element [0, 3]
// would be place 3, where [1, -1] is not either.
TEST(Views, FindPaddingBetweenJoinedRows) {
  const auto type = [](Index alignment, const char* shape, Index cells) {
    return fmt::format(
        "tensor<1x{}xf32, #ttcore.metal_layout<logical_shape = {}, dim_alignments = 1x{}, collapsed_intervals = "
        "dense<[[0, 2]]> : tensor<1x2xi64>, l1, sharded>>",
        cells, shape, alignment);
  };
  const auto same = ttmlir::view(type(4, "2x3", 8), type(4, "2x3", 8), "(a, b) -> (a, b)");
  ASSERT_TRUE(same.has_value()) << same.error().message;
  EXPECT_EQ(word("view-elements", *same), "proved");
  const auto wider = ttmlir::view(type(4, "2x4", 8), type(4, "2x3", 8), "(a, b) -> (a, b)");
  ASSERT_TRUE(wider.has_value()) << wider.error().message;
  Verdict verdict;
  EXPECT_EQ(word("view-elements", *wider, &verdict), "refuted");
  EXPECT_EQ(std::get<question::Refuted>(verdict).counterexample.explanation,
            "element [0, 3] of the result is read from [3] of the source's shards, which is padding");
}

TEST(Views, OfTextsThatAreNoneSayWhy) {
  const Side side{{4, 8}, {1, 2}, {4, 4}};
  for (const std::string_view map :
       {"", "x", "(a) -> (a)", "(a, b, c, d) -> (a, b, c)", "(a, b, c, d) -> (a, b, c * d, d)",
        "affine_map<(a, b, c, d) -> (a, b, c, d)", "(a, b, c, d) -> (a, b, c, d mod 0)"})
    EXPECT_FALSE(ttmlir::view(side.type(), side.type(), map).has_value()) << map;
  for (const std::string_view type :
       {"", "f32", "tensor<f32>", "tensor<4x?xf32>", "tensor<1x2x4x4x!ttcore.tile<32x32, f32>>",
        "memref<1x2x4x99999999999999999999xf32>"})
    EXPECT_FALSE(ttmlir::view(type, side.type(), "(a, b, c, d) -> (a, b, c, d)").has_value()) << type;
  const auto plain = ttmlir::view("memref<1x2x4x4xf32, #l1>", "memref<1x2x4x4xf32>", "(a, b, c, d) -> (a, b, c, d)");
  ASSERT_TRUE(plain.has_value()) << plain.error().message;
  EXPECT_EQ(word("view-in-bounds", *plain), "proved");
  EXPECT_EQ(word("view-elements", *plain), "unknown");
}

}  // namespace claims_views_test
}  // namespace vl::claims
