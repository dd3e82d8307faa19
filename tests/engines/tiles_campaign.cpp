// The engines on tiles (tests/support/tiles.h): every swizzle over every small line of elements, random tiles of one to
// three axes with ragged extents, negative strides, offsets and replicas, and tiles a million times larger. Every
// decision must agree with every point; the test asserts how often they decide.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <map>

#include "tests/support/answers.h"
#include "tests/support/shard.h"
#include "tests/support/tiles.h"
#include "verifier/engines/forms/digit_domain.h"

namespace vl::engines {
namespace engines_tiles_campaign {

using question::Kind;
using test::Said;
using test::Tile;

constexpr std::array kKinds = {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses, Kind::Count};

struct Tally {
  Index asked = 0, decided = 0, found = 0, minimal = 0, wrong = 0;
};
using Tallies = std::map<std::pair<std::string_view, Kind>, Tally>;

void ask(const Engine& engine, const Tile& tile, const map::Layout& layout, const test::Truth& truth,
         Tallies& tallies) {
  for (const Kind kind : kKinds) {
    const Answer answer = engine.decide({kind, &layout, nullptr}, Options{});
    const Said said = test::judge(truth, kind, answer);
    Tally& tally = tallies[{engine.name, kind}];
    ++tally.asked;
    tally.decided += said == Said::Abstained ? 0 : 1;
    const auto* found = std::get_if<Found>(&answer);
    tally.found += found != nullptr ? 1 : 0;
    tally.minimal += found != nullptr && found->minimal ? 1 : 0;
    if (said == Said::Wrong && ++tally.wrong <= 5)
      ADD_FAILURE() << engine.name << ", " << question::name(kind) << " of " << tile.show() << ": "
                    << test::describe(answer);
  }
}

void report(const Tallies& tallies) {
  for (const auto& [who, tally] : tallies) {
    std::cout << fmt::format("{:9} {:8} asked {:6} decided {:6} found {:6} minimal {:6}\n", who.first,
                             question::name(who.second), tally.asked, tally.decided, tally.found, tally.minimal);
    EXPECT_EQ(tally.wrong, 0) << who.first << " " << question::name(who.second);
    if (who.first == "enumerate") {
      EXPECT_EQ(tally.decided, tally.asked) << question::name(who.second);
    }
  }
}

const Tally& of(const Tallies& tallies, std::string_view engine, Kind kind) { return tallies.at({engine, kind}); }

// Every swizzle with base, bits <= 3 and shift 1 to 3, both ways, over lines of every length, stride 1 and 3, boxes
// around the span.
Tallies all_swizzles(std::initializer_list<std::string_view> asked, Index every) {
  Tallies tallies;
  Index seen = 0;
  for (int base = 0; base <= 3; ++base)
    for (int bits = 0; bits <= 3; ++bits)
      for (int shift = 1; shift <= 3; ++shift)
        for (const bool down : {true, false})
          for (Index n = 1; n <= 64; ++n)
            for (const Index stride : {1, 3})
              for (const Index spare : {-1, 0, 2}) {
                if (seen++ % every != 0) continue;
                const Tile tile{{n},
                                {{n, stride, 0}},
                                {},
                                {0},
                                test::Bits{base, bits, shift, down},
                                {(n - 1) * stride + 1 + spare}};
                const map::Layout layout = test::layout_of(tile);
                const test::Truth truth = test::truth_of(tile);
                for (const std::string_view e : asked) ask(find_engine(e), tile, layout, truth, tallies);
              }
  EXPECT_EQ(seen, 4 * 4 * 3 * 2 * 64 * 2 * 3);
  report(tallies);
  return tallies;
}

TEST(Tiles, UnderEverySmallSwizzleAreDecidedAsEveryPointSays) {
  const Tallies tallies = all_swizzles({"strided", "gf2", "linear", "sums", "enumerate"}, 1);
  for (const Kind kind : kKinds) {
    const Tally& strided = of(tallies, "strided", kind);
    EXPECT_GE(strided.asked, 36864);
    EXPECT_EQ(strided.decided, strided.asked) << question::name(kind);
    EXPECT_EQ(strided.found, of(tallies, "enumerate", kind).found);
    EXPECT_EQ(strided.minimal, strided.found) << question::name(kind);
  }
  EXPECT_GT(of(tallies, "strided", Kind::Escapes).found, 12000);
  // 7 of 64 lines are of 1, 2, 4, … elements; stride 1 never carries.
  EXPECT_GE(of(tallies, "gf2", Kind::Collides).decided, of(tallies, "gf2", Kind::Collides).asked * 7 / 128);
}

TEST(Tiles, UnderSmallSwizzlesAreDecidedAlikeByTheSolver) {
  const Tallies tallies = all_swizzles({"smt"}, test::cases(499, 211));
  for (const Kind kind : {Kind::Escapes, Kind::Lands, Kind::Collides})
    EXPECT_EQ(of(tallies, "smt", kind).decided, of(tallies, "smt", kind).asked);
  EXPECT_GE(of(tallies, "smt", Kind::Collides).asked, test::cases(70, 174));
}

Tallies random_tiles(std::uint32_t seed, Index tiles, Index elements, std::initializer_list<std::string_view> asked) {
  test::Engine random(seed);
  Tallies tallies;
  for (Index n = 0; n < tiles; ++n) {
    const Tile tile = test::random_tile(random, {elements});
    const map::Layout layout = test::layout_of(tile);
    EXPECT_TRUE(DigitDomain::of(layout).has_value()) << tile.show();
    for (const std::string_view e : asked) ask(find_engine(e), tile, layout, test::truth_of(tile), tallies);
  }
  report(tallies);
  return tallies;
}

TEST(Tiles, OfRandomAxesReplicasAndOffsetsAreDecidedAsEveryPointSays) {
  const Index tiles = test::cases(8000, 20000);
  const Tallies tallies = random_tiles(20261122, tiles, 64, {"strided", "gf2", "linear", "sums", "enumerate"});
  for (const Kind kind : kKinds) {
    const Tally& strided = of(tallies, "strided", kind);
    EXPECT_GE(strided.decided, tiles * 19 / 20) << question::name(kind);
    EXPECT_GE(strided.found * 20, of(tallies, "enumerate", kind).found * 19) << question::name(kind);
  }
  for (const Kind kind : {Kind::Escapes, Kind::Lands}) EXPECT_EQ(of(tallies, "strided", kind).decided, tiles);
}

TEST(Tiles, OfRandomAxesAreDecidedAlikeByTheSolver) {
  const Index tiles = test::cases(80, 200);
  const Tallies tallies = random_tiles(20261123, tiles, 24, {"presburger", "smt"});
  for (const Kind kind : {Kind::Escapes, Kind::Lands, Kind::Collides})
    EXPECT_GE(of(tallies, "smt", kind).decided, tiles * 9 / 10);
}

}  // namespace engines_tiles_campaign
}  // namespace vl::engines
