// The smallest swizzle against a separate search: every (M, B, S) up to sizes that no longer matter, counted word by
// word, in the stated order.
#include <gtest/gtest.h>

#include "tests/support/access_brute.h"
#include "tests/support/tiles.h"
#include "verifier/engines/swizzle_search.h"

namespace vl::engines {
namespace engines_swizzle_search_campaign {

using test::tile_on_m;

SwizzleAnswer search(const map::Layout& tile, const std::vector<std::string>& texts, int bits = 16) {
  SwizzleTask task{&tile, {}, bits, test::nvidia()};
  for (const std::string& text : texts) task.accesses.push_back({*use::parse_access(text), nullptr});
  auto answer = find_swizzle(task, {});
  EXPECT_TRUE(std::holds_alternative<SwizzleAnswer>(answer));
  return std::get<SwizzleAnswer>(std::move(answer));
}

using Triple = std::array<int, 3>;  // M, B, S

std::optional<Triple> found(const SwizzleAnswer& answer) {
  EXPECT_FALSE(std::holds_alternative<SwizzleUndecided>(answer));
  const auto* yes = std::get_if<SwizzleFound>(&answer);
  if (yes == nullptr) return std::nullopt;
  return Triple{yes->swizzle.base, yes->swizzle.bits, yes->swizzle.shift};
}

// Columns of 8 lanes of `width` bytes, each column that is a vector; and rows of 8 lanes, where asked for.
struct Tile {
  Index rows = 8;
  Index columns = 64;
  Index element = 2;
  Index width = 16;
  bool with_rows = false;
};

bool is_right(const Tile& tile, const Triple& triple) {
  const test::Tile layout = tile_on_m({tile.rows, tile.columns}, {{tile.rows, tile.columns}, {tile.columns, 1}}, 0,
                                      {triple[0], triple[1], triple[2]});
  const Index run = tile.width / tile.element;
  const use::Hardware chip = test::nvidia();
  const auto free = [&](const std::function<std::vector<Index>(Index)>& at) {
    std::map<Index, Index> bytes;
    for (Index lane = 0; lane < 8; ++lane) bytes[lane] = address_of(layout, at(lane)) * tile.element;
    const test::BruteCost cost = test::brute_cost(chip, chip.phases.at(tile.width), tile.width, bytes);
    return cost.wavefronts == cost.ideal;
  };
  for (Index column = 0; column < tile.columns; column += run)
    for (Index first = 0; first + 8 <= tile.rows; first += 8)
      if (!free([&](Index lane) { return std::vector<Index>{first + lane, column}; })) return false;
  for (Index first = 0; tile.with_rows && first + 8 * run <= tile.columns; first += run)
    if (!free([&](Index lane) { return std::vector<Index>{0, first + lane * run}; })) return false;
  for (Index m = 0; m < tile.rows * tile.columns; ++m)
    if (test::swizzled({triple[0], triple[1], triple[2]}, m) >= layout.box[0]) return false;
  return true;
}

std::optional<Triple> by_hand(const Tile& tile) {
  int least = 0;
  while ((Index{1} << least) < tile.width / tile.element) ++least;
  if (is_right(tile, {0, 0, 1})) return Triple{0, 0, 1};
  for (int bits = 1; bits <= 7; ++bits)
    for (int shift = bits; shift <= 14; ++shift)
      for (int base = least; base <= 14; ++base)
        if (is_right(tile, {base, bits, shift})) return Triple{base, bits, shift};
  return std::nullopt;
}

TEST(SwizzleSearch, FindsWhatTryingAllOfThemFinds) {
  Index some = 0;
  Index none = 0;
  for (const Index columns : {8, 16, 24, 32, 40, 64, 96, 128})
    for (const Index rows : {8, 16, 24})
      for (const Index width : {4, 16})
        for (const bool with_rows : {false, true}) {
          const Tile tile{rows, columns, 2, width, with_rows};
          const map::Layout layout = layout_of(tile_on_m({rows, columns}, {{rows, columns}, {columns, 1}}));
          const Index run = width / 2;
          std::vector<std::string> texts{fmt::format("lanes=8 width={} at=[8*t + lane, {}*j] for j=0:{}, t=0:{}", width,
                                                     run, columns / run, rows / 8)};
          if (with_rows && columns >= 8 * run)
            texts.push_back(
                fmt::format("lanes=8 width={} at=[0, {}*(j + lane)] for j=0:{}", width, run, columns / run - 7));
          const auto expected = by_hand(tile);
          EXPECT_EQ(found(search(layout, texts)), expected) << rows << "x" << columns << " of " << width << with_rows;
          ++(expected ? some : none);
        }
  fmt::print("{} tiles with a swizzle, {} without\n", some, none);
  EXPECT_GT(some, 20);
  EXPECT_GT(none, 2);
}

TEST(SwizzleSearch, FindsTheHardwaresOwnModesForTilesOfTheirWidth) {
  const auto tile = [](Index columns) { return layout_of(tile_on_m({8, columns}, {{8, columns}, {columns, 1}})); };
  const auto columns = [](Index count) { return fmt::format("lanes=8 width=16 at=[lane, 8*j] for j=0:{}", count / 8); };
  EXPECT_EQ(found(search(tile(64), {columns(64)})), (Triple{3, 3, 3}));
  EXPECT_EQ(found(search(tile(32), {columns(32)})), (Triple{3, 2, 3}));
  EXPECT_EQ(found(search(tile(16), {columns(16)})), (Triple{3, 1, 3}));
  EXPECT_EQ(found(search(tile(8), {columns(8)})), (Triple{0, 0, 1}));
}

TEST(SwizzleSearch, ProvesThatOneLaneWithTwoRowsApartInEveryBankHasNone) {
  // 32 rows of one 128-byte line each, two bytes per lane: 32 words in 8 groups of 4 banks, and a run is one element.
  const map::Layout tile = layout_of(tile_on_m({32, 64}, {{32, 64}, {64, 1}}));
  const auto answer =
      search(tile, {"lanes=32 width=16 at=[lane, 0]", "lanes=32 width=16 at=[0, 0] when lane == 0",
                    "lanes=8 width=16 at=[lane, 8*j] for j=0:8", "lanes=8 width=16 at=[4*lane, 8*j] for j=0:8"});
  ASSERT_TRUE(std::holds_alternative<SwizzleNone>(answer));
  const auto& rejected = std::get<SwizzleNone>(answer).rejected;
  EXPECT_EQ(rejected.size(), swizzle_candidates(11, 3).size());
}

TEST(SwizzleSearch, ListsEachCandidateOnceInItsOrder) {
  const auto all = swizzle_candidates(9, 3);
  std::vector<std::tuple<int, int, int>> order;
  for (const map::Swizzle& s : all) order.emplace_back(s.bits, s.shift, s.base);
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(std::ranges::adjacent_find(order), order.end());
  EXPECT_EQ(all.size(), 1U + (5 + 4 + 3 + 2 + 1) + (3 + 2 + 1) + 1);
  EXPECT_EQ(order.back(), (std::tuple{3, 3, 3}));
}

TEST(SwizzleSearch, RefusesWhatItCannotSearch) {
  const map::Layout swizzled = layout_of(tile_on_m({8, 64}, {{8, 64}, {64, 1}}, 0, {3, 3, 3}));
  const map::Layout tile = layout_of(tile_on_m({8, 64}, {{8, 64}, {64, 1}}));
  const auto error = [](const map::Layout& lowered, const std::string& text) {
    SwizzleTask task{&lowered, {{*use::parse_access(text), nullptr}}, 16, test::nvidia()};
    const auto answer = find_swizzle(task, {});
    return std::holds_alternative<SwizzleError>(answer) ? std::get<SwizzleError>(answer).error.message : std::string{};
  };
  EXPECT_NE(error(swizzled, "lanes=8 width=16 at=[lane, 0]").find("without a swizzle"), std::string::npos);
  EXPECT_NE(error(tile, "lanes=8 width=16 at=[lane, 0] base=128 absolute").find("absolute"), std::string::npos);
  EXPECT_NE(error(tile, "lanes=9 width=16 at=[lane, 0]").find("outside the tensor"), std::string::npos);
}

TEST(SwizzleSearch, IsForEveryTileOfATensorBeyondEveryWalk) {
  const Index rows = Index{1} << 33;
  const map::Layout tile = layout_of(tile_on_m({rows, 64}, {{rows, 64}, {64, 1}}));
  EXPECT_EQ(found(search(tile, {"lanes=8 width=16 at=[8*t + lane, 8*j] for t=0:1073741824, j=0:8"})),
            (Triple{3, 3, 3}));
}

}  // namespace engines_swizzle_search_campaign
}  // namespace vl::engines
