// Digits as inputs: for layouts whose splits cut at boundaries that divide one another, the rows over digits are the
// map, point by point and in the same order. And what becomes possible with them: tiles of 2^40 elements and more,
// decided like small ones; the facts about swizzles and reach against plain loops.
#include "verifier/engines/forms/digit_domain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/tiles.h"
#include "verifier/engines/forms/subset_sum.h"
#include "verifier/engines/forms/swizzled.h"

namespace vl::engines {
namespace engines_digit_domain_campaign {

using question::Kind;
using test::roll;
using test::Tile;

// The outputs there, by the rows.
Point outputs_of(const DigitDomain& digits, const Point& inputs) {
  Point out;
  for (const Row& row : digits.rows()) out.push_back(*map::value(row, inputs));
  if (digits.swizzle()) {
    Index& address = out[digits.swizzle()->input];
    address = map::apply(*digits.swizzle(), address) + *map::value(digits.after(), inputs);
  }
  return out;
}

// Every point of the layout, met in order by counting through the digits, with the map's outputs.
void expect_same_map(const map::Layout& layout, const DigitDomain& digits, const std::string& what) {
  std::vector<Index> extents = digits.digits();
  extents.insert(extents.end(), digits.replicas().begin(), digits.replicas().end());
  const std::vector<Point> points = test::all_points(layout.domain());
  ASSERT_EQ(static_cast<Index>(points.size()), test::product(extents)) << what;
  for (std::size_t n = 0; n < points.size(); ++n) {
    const Point inputs = test::point_at(static_cast<Index>(n), extents);
    ASSERT_EQ(digits.point(inputs), points[n]) << what;
    ASSERT_EQ(outputs_of(digits, inputs), test::naive(layout.map(), points[n])) << what;
  }
}

TEST(DigitDomain, IsTheMapOfEveryRandomTileInTheSameOrder) {
  test::Engine random(20261129);
  for (Index n = 0; n < 2000; ++n) {
    const Tile tile = test::random_tile(random, {64});
    const map::Layout layout = test::layout_of(tile);
    const auto digits = DigitDomain::of(layout);
    ASSERT_TRUE(digits.has_value()) << tile.show();
    expect_same_map(layout, *digits, tile.show());
  }
}

// Sums behind a swizzle, splits of splits, two swizzles: every accepted layout has to be right.
TEST(DigitDomain, IsTheMapOfWhateverRandomLayoutItAccepts) {
  test::Engine random(20261130);
  Index accepted = 0;
  Index swizzled = 0;
  Index added = 0;
  for (Index n = 0; n < 20000; ++n) {
    Tile tile = test::random_tile(random, {48});
    map::LayoutParts parts = test::parts_of(tile);
    const std::size_t axes = tile.box.size();
    const Index kind = roll(random, 0, 3);
    if (kind == 0 && tile.swizzle) parts.map.push_back(parts.map.back());
    map::Affine last;
    for (std::size_t j = 0; j < axes; ++j) last.rows.push_back(map::pick(j));
    if (kind == 1)
      last.rows[0] = {roll(random, 0, 3) * (Index{1} << roll(random, 0, 9)), {{0, Index{1} << roll(random, 0, 2)}}};
    if (kind == 2 && axes > 1) last.rows[0].terms.push_back({1, Index{1} << roll(random, 0, 6)});
    if (kind == 2 && axes > 1) last.rows[1] = {};
    if (kind > 0) parts.map.push_back(last);
    if (kind == 3) {
      parts.map.push_back(map::Split{axes - 1, {roll(random, 0, 1) == 0 ? 4 : 6, 2, 1}});
      parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>(axes + 2, 8)));
    }
    const auto layout = map::Layout::create(std::move(parts));
    if (!layout) continue;
    const bool keep_idle = roll(random, 0, 3) == 0;
    const auto digits = DigitDomain::of(*layout, keep_idle);
    if (!digits) continue;
    ++accepted;
    swizzled += digits->swizzle() ? 1 : 0;
    added += digits->after() != map::Row{} ? 1 : 0;
    expect_same_map(*layout, *digits, tile.show() + fmt::format(" kind {}", kind));
    if (testing::Test::HasFatalFailure()) return;
  }
  std::cout << fmt::format("accepted {}, of these swizzled {}, with a sum behind it {}\n", accepted, swizzled, added);
  EXPECT_GT(accepted, 14000);
  EXPECT_GT(swizzled, 2500);
  EXPECT_GT(added, 250);
}

TEST(DigitDomain, RefusesASplitThatCarriesIntoTheDigitsOfADimension) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{4, 6}));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{10, 4}));
  // Elements 1 to 24 by fours: 3 is followed by a carry that no boundary of the digits shows.
  parts.map = {map::Affine{{map::dot(std::vector<Index>{6, 1}, 1)}}, map::Split{0, {4, 1}}};
  EXPECT_FALSE(DigitDomain::of(*map::Layout::create(parts)).has_value());
  parts.map = {map::Affine{{map::dot(std::vector<Index>{6, 1}, 8)}},
               map::Split{0, {4, 1}}};  // two whole fours on: none
  const auto layout = map::Layout::create(std::move(parts));
  const auto digits = DigitDomain::of(*layout);
  ASSERT_TRUE(digits.has_value());
  EXPECT_EQ(digits->digits(), (std::vector<Index>{6, 4}));
  expect_same_map(*layout, *digits, "shifted by whole fours");
}

TEST(Reach, MeetsAnIntervalExactlyWhenSomePointDoes) {
  test::Engine random(20261201);
  Index met = 0;
  for (Index n = 0; n < 4000; ++n) {
    map::Row row{roll(random, -10, 10), {}};
    Box box;
    for (std::size_t i = 0; i < 3; ++i) {
      const Index low = roll(random, 0, 3);
      box.push_back({low, low + roll(random, 0, 4)});
      if (const Index c = roll(random, -12, 12); c != 0) row.terms.push_back({i, c});
    }
    std::set<Index> values;
    for (Index a = box[0].low; a <= box[0].high; ++a)
      for (Index b = box[1].low; b <= box[1].high; ++b)
        for (Index c = box[2].low; c <= box[2].high; ++c) values.insert(*map::value(row, Point{a, b, c}));
    Effort effort;
    for (Index low = -60; low <= 60; low += 7)
      for (const Index width : {0, 1, 4}) {
        const auto next = values.lower_bound(low);
        const bool truth = next != values.end() && *next <= low + width;
        ASSERT_EQ(meets(row, box, {low, low + width}, effort), std::optional(truth));
        met += truth ? 1 : 0;
      }
    for (const Index from : {-20, 0, 5}) {
      Index gap = from;
      while (gap <= 40 && values.contains(gap)) ++gap;
      ASSERT_EQ(first_gap(row, box, from, 40, effort), std::optional(gap));
    }
  }
  EXPECT_GT(met, 20000);
}

TEST(Reach, GivesUpInsteadOfSearchingForever) {
  map::Row row;
  Box box;
  for (std::size_t i = 0; i < 40;
       ++i) {  // 40 strides near 2^40 that nest in nothing, and an odd number between their sums
    row.terms.push_back({i, (Index{1} << 40) + static_cast<Index>((i * i * 7919) % 1000) * 2});
    box.push_back({0, 1});
  }
  Effort effort{100000};
  EXPECT_EQ(meets(row, box, {20 * (Index{1} << 40) + 3, 20 * (Index{1} << 40) + 3}, effort),
            std::optional(false));  // odd
  EXPECT_EQ(meets(row, box, {20 * (Index{1} << 40) + 2, 20 * (Index{1} << 40) + 2}, effort), std::nullopt);
}

TEST(Swizzled, SidesAndShiftsAreThoseOfEachAddress) {
  Index left = 0;
  Index moved = 0;
  for (int base = 0; base <= 2; ++base)
    for (int bits = 1; bits <= 3; ++bits)
      for (int shift = 1; shift <= 3; ++shift)
        for (const bool down : {true, false}) {
          const test::Bits s{base, bits, shift, down};
          const map::Swizzle swizzle{0, base, bits, shift,
                                     down ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up};
          for (Index extent = 0; extent <= 80; ++extent)
            for (const Index most : {0, 7, 30, 100}) {
              const auto sides = sides_of(swizzle, extent, most);
              ASSERT_TRUE(sides.has_value());
              const auto in = [](const std::vector<map::Range>& list, Index a) {
                return std::ranges::any_of(list, [&](const map::Range& r) { return r.low <= a && a <= r.high; });
              };
              for (Index a = 0; a <= most; ++a) {
                const bool leaves = test::swizzled(s, a) >= extent;
                ASSERT_EQ(in(sides->leave, a), leaves);
                ASSERT_EQ(in(sides->stay, a), !leaves);
                left += leaves ? 1 : 0;
              }
            }
          for (Index start = 0; start < period_of(swizzle); ++start) {
            const auto list = moved_by(swizzle, start);
            ASSERT_TRUE(list.has_value());
            for (Index a = 0; a < period_of(swizzle); ++a) {
              const bool moves = test::swizzled(s, a + start) != start + test::swizzled(s, a);
              ASSERT_EQ(std::ranges::any_of(*list, [&](const map::Range& r) { return r.low <= a && a <= r.high; }),
                        moves);
              moved += moves ? 1 : 0;
            }
          }
        }
  EXPECT_GT(left, 10000);
  EXPECT_GT(moved, 10000);
}

// `copies` copies of a tile, one block of 2^12 addresses each on axis 0: a multiple of every period below, so that a
// swizzle treats each copy as it treats the first. The box ends as far into the last copy's block as the tile's box
// ends in its own.
Tile copied(Tile tile, Index copies) {
  constexpr Index kBlock = Index{1} << 12;
  tile.shape.insert(tile.shape.begin(), copies);
  tile.shard.insert(tile.shard.begin(), {copies, kBlock, 0});
  tile.box[0] += (copies - 1) * kBlock;
  return tile;
}

// Then a copy but the last stays in its block, which is inside: only the last can escape, as the tile does. No two
// copies meet. So Escapes and Collides are the tile's, and the smallest that escapes is the tile's, in the last copy.
TEST(DigitDomain, DecidesTilesOf2To40ElementsAsTheirSmallTwins) {
  test::Engine random(20261202);
  constexpr Index kCopies = Index{1} << 40;
  Index escaped = 0;
  Index collided = 0;
  Index decided = 0;
  Index asked = 0;
  for (Index n = 0; n < 1500; ++n) {
    Tile tile = test::random_tile(random, {64, 2, true, false});
    if (test::reach_of(tile)[0].low < 0 || tile.box[0] < 1 || test::reach_of(tile)[0].high >= 2048) continue;
    const test::Truth truth = test::truth_of(tile);
    const Tile large = copied(tile, kCopies);
    const map::Layout layout = test::layout_of(large);
    const auto copies_escape = truth.escapes && [&] {  // by axis 1 every copy escapes, the first too
      for (Index x = 0; x < test::product(truth.domain); ++x) {
        const Point p = test::point_at(x, truth.domain);
        const Point place = test::place_of(tile, x / test::product(test::replica_extents(tile)),
                                           Point(p.begin() + static_cast<std::ptrdiff_t>(tile.shape.size()), p.end()));
        if (place.size() > 1 && (place[1] < 0 || place[1] >= tile.box[1])) return true;
      }
      return false;
    }();
    asked += 2;
    const Answer escape = decide_strided({Kind::Escapes, &layout, nullptr}, {});
    ASSERT_FALSE(std::holds_alternative<Abstained>(escape)) << large.show();
    ASSERT_EQ(std::holds_alternative<Found>(escape), truth.escapes.has_value()) << large.show();
    ++decided;
    if (const auto* found = std::get_if<Found>(&escape)) {
      ++escaped;
      EXPECT_TRUE(found->minimal);
      EXPECT_TRUE(question::replay({Kind::Escapes, &layout, nullptr}, found->witness));
      if (!copies_escape) {
        Point expected = *truth.escapes;
        expected.insert(expected.begin(), kCopies - 1);
        EXPECT_EQ(found->witness.p, expected) << large.show();
      }
    }
    // A collision needs a slot; where all have one, the tile's collisions are all there are.
    if (truth.escapes) continue;
    const Answer collision = decide_strided({Kind::Collides, &layout, nullptr}, {});
    if (std::holds_alternative<Abstained>(collision)) continue;
    ++decided;
    ASSERT_EQ(std::holds_alternative<Found>(collision), truth.collides.has_value()) << large.show();
    collided += truth.collides ? 1 : 0;
    if (const auto* found = std::get_if<Found>(&collision)) {
      EXPECT_TRUE(question::replay({Kind::Collides, &layout, nullptr}, found->witness));
    }
  }
  std::cout << fmt::format("asked {} decided {} escaped {} collided {}\n", asked, decided, escaped, collided);
  EXPECT_GT(decided, 1000);
  EXPECT_GT(escaped, 150);
  EXPECT_GT(collided, 50);
}

// The documented examples, by the portfolio and by every engine.
TEST(DigitDomain, SeesThatASwizzleLeavesTheSpanOfItsTile) {
  const map::Layout three = test::layout_of({{3}, {{3, 1, 0}}, {}, {0}, test::Bits{0, 1, 1, true}, {3}});
  const map::Layout sixty =
      test::layout_of({{5, 60}, {{5, 60, 0}, {60, 1, 0}}, {}, {0}, test::Bits{3, 3, 3, true}, {300}});
  for (const auto& [layout, slot] : {std::pair(&three, Index{3}), std::pair(&sixty, Index{0})}) {
    Index decided = 0;
    for (const Engine& engine : engines()) {
      if (engine.name == "gf2" || engine.name == "presburger") continue;  // no powers of two, and a swizzle
      const Answer answer = engine.decide({Kind::Escapes, layout, nullptr}, {});
      if (!vl::engines::decided(answer)) continue;
      ASSERT_TRUE(std::holds_alternative<Found>(answer)) << engine.name;
      ++decided;
    }
    EXPECT_GE(decided, 3);
    const Decision decision = decide({Kind::Escapes, layout, nullptr}, {});
    EXPECT_EQ(decision.engine, "strided");
    const Point p = std::get<Found>(decision.answer).witness.p;
    if (slot != 0) {
      EXPECT_EQ(*map::evaluate(layout->map(), p), Point{slot});
    }
  }
  Index most = 0;
  for (Index m = 0; m < 300; ++m) most = std::max(most, (*map::evaluate(sixty.map(), Point{m / 60, m % 60}))[0]);
  EXPECT_EQ(most, 319);
}

}  // namespace engines_digit_domain_campaign
}  // namespace vl::engines
