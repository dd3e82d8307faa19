// Claims about tiles (tests/support/tiles.h) against every point: equality of set-valued maps over named axes, replicas
// that meet, boxes to be filled, starts of a buffer under a swizzle, inverses. The test asserts how often they are
// decided.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "tests/support/tiles.h"
#include "verifier/claims/frame.h"

namespace vl::claims {
namespace claims_tiles_campaign {

using test::Iter;
using test::roll;
using test::Tile;

Judged decided(std::string_view claim, const Subject& subject) {
  const Claim* found = find_claim(claim);
  VL_CHECK(found != nullptr, "a claim of the test");
  return decide(*found, subject, {});
}

const Counterexample* refutation(const Judged& answer) {
  const auto* refuted = std::get_if<Refuted>(&answer.verdict);
  return refuted ? &refuted->counterexample : nullptr;
}

Point field(const Counterexample& example, std::string_view name) {
  for (const auto& [key, value] : example.fields)
    if (key == name)
      return std::holds_alternative<Point>(value) ? std::get<Point>(value) : Point{std::get<Index>(value)};
  return {};
}

std::string engine_of(const Judged& answer) {
  return std::visit([](const auto& verdict) { return verdict.engine; }, answer.verdict);
}

// The same layout said in another way: shard iters split or joined, replicas turned round, in another order, split.
Tile rewritten(test::Engine& random, Tile tile) {
  for (std::size_t k = 0; k < tile.shard.size(); ++k) {
    const Iter whole = tile.shard[k];
    for (const Index f : {2, 3})
      if (whole.extent % f == 0 && roll(random, 0, 1) == 0) {
        tile.shard[k] = {whole.extent / f, whole.stride * f, whole.axis};
        tile.shard.insert(tile.shard.begin() + static_cast<std::ptrdiff_t>(k) + 1, {f, whole.stride, whole.axis});
        break;
      }
  }
  for (std::size_t t = 0; t < tile.replica.size(); ++t) {
    Iter& r = tile.replica[t];
    if (roll(random, 0, 2) == 0) {
      tile.offset[r.axis] += r.stride * (r.extent - 1);
      r.stride = -r.stride;
    }
    if (r.extent % 2 == 0 && roll(random, 0, 1) == 0) {
      const Iter half{2, r.stride, r.axis};
      r = {r.extent / 2, 2 * r.stride, r.axis};
      tile.replica.push_back(half);
    }
  }
  if (tile.replica.size() > 1 && roll(random, 0, 1) == 0) std::swap(tile.replica.front(), tile.replica.back());
  return tile;
}

// Another layout of the same tensor, by one change.
Tile mutated(test::Engine& random, Tile tile) {
  auto& iters = tile.replica.empty() || roll(random, 0, 1) == 0 ? tile.shard : tile.replica;
  Iter& one = iters[static_cast<std::size_t>(roll(random, 0, static_cast<Index>(iters.size()) - 1))];
  switch (roll(random, 0, 4)) {
    case 0: one.stride += 1; break;
    case 1: one.stride = -one.stride; break;
    case 2: tile.offset.back() += 1; break;
    case 3: tile.replica.push_back({2, roll(random, 1, 4), 0}); break;
    default: tile.shape = test::random_factors(random, test::product(tile.shape)); break;
  }
  if (tile.swizzle) tile.offset[0] -= std::min<Index>(0, test::reach_of(tile)[0].low);
  return tile;
}

std::optional<Point> first_difference(const Tile& a, const Tile& b) {
  const std::size_t axes = std::max(a.offset.size(), b.offset.size());
  const auto padded = [&](const Tile& tile, Index n) {
    std::set<Point> out;
    for (Point place : test::places_of(tile, n)) {
      place.resize(axes, 0);
      out.insert(place);
    }
    return out;
  };
  for (Index n = 0; n < test::product(a.shape); ++n)
    if (padded(a, n) != padded(b, n)) return test::point_at(n, a.shape);
  return std::nullopt;
}

struct Count {
  Index asked = 0, proved = 0, refuted = 0, strided = 0;
};

void compare(const Tile& a, const Tile& b, Count& count) {
  const map::Layout layout_a = test::layout_of(a);
  const map::Layout layout_b = test::layout_of(b);
  const auto truth = first_difference(a, b);
  const Subject pair = Pair{layout_a, layout_b};
  const Subject by_law = LawResult{&layout_b, &layout_a, {}};
  for (const char* claim : {"equal", "slice"}) {
    const Judged answer = decided(claim, claim == std::string_view("equal") ? pair : by_law);
    const Counterexample* example = refutation(answer);
    ++count.asked;
    count.proved += std::holds_alternative<Proved>(answer.verdict) ? 1 : 0;
    count.refuted += example ? 1 : 0;
    count.strided += engine_of(answer) == "strided" ? 1 : 0;
    ASSERT_EQ(example != nullptr, truth.has_value()) << claim << "\n" << a.show() << "\n" << b.show();
    ASSERT_FALSE(std::holds_alternative<Unknown>(answer.verdict));
    if (example) {
      EXPECT_EQ(field(*example, "a"), *truth) << a.show() << "\n" << b.show();
    }
  }
}

TEST(TilesOverAxes, AreEqualExactlyWhenEveryElementHasTheSamePlaces) {
  test::Engine random(20261124);
  Count count;
  const Index pairs = 6000;
  for (Index n = 0; n < pairs && !testing::Test::HasFatalFailure(); ++n) {
    const Tile a = test::random_tile(random, {48});
    compare(a, rewritten(random, a), count);
    Tile b = mutated(random, rewritten(random, a));
    if (test::product(b.shape) != test::product(a.shape) || b.shape != a.shape) b.shape = a.shape;
    compare(a, b, count);
  }
  std::cout << fmt::format("asked {} proved {} refuted {} in closed form {}\n", count.asked, count.proved,
                           count.refuted, count.strided);
  EXPECT_EQ(count.asked, 4 * pairs);
  EXPECT_EQ(count.proved + count.refuted, count.asked);
  EXPECT_GT(count.refuted, pairs);
  EXPECT_GT(count.proved, pairs * 2);
  EXPECT_GT(count.strided, count.asked * 9 / 10);
}

// A slice, a law and a result say "outside the box" and "negative" too: both are coordinates.
TEST(TilesOverAxes, MayLieOutsideTheirBoxAndBelowZero) {
  const Tile a{{4}, {{4, -1, 0}}, {}, {0, 7}, {}, {4, 1}};
  Tile b{{4}, {{2, -2, 0}, {2, -1, 0}}, {}, {0, 7}, {}, {1, 100}};
  Count count;
  compare(a, b, count);
  EXPECT_EQ(count.proved, 2);
  b.offset[1] = 6;
  compare(a, b, count);
  EXPECT_EQ(count.refuted, 2);
}

TEST(TilesOverAxes, LackAnAxisWhereAnotherHasCoordinate0) {
  const Tile a{{8}, {{8, 1, 0}}, {}, {0}, {}, {8}};
  Tile b{{8}, {{8, 1, 0}}, {}, {0, 0}, {}, {8, 4}};
  Count count;
  compare(a, b, count);
  EXPECT_EQ(count.proved, 2);
  b.offset[1] = 1;
  compare(a, b, count);
  EXPECT_EQ(count.refuted, 2);
}

// replicas-disjoint against every pair of replicas.
TEST(Replicas, MeetExactlyWhereTwoOfOneElementHaveOneSlot) {
  test::Engine random(20261125);
  Count count;
  for (Index n = 0; n < 12000; ++n) {
    const Tile tile = test::random_tile(random, {16});
    const std::vector<Index> replicas = test::replica_extents(tile);
    if (test::product(replicas) <= 1) continue;
    std::optional<Point> truth;
    bool slots = false;
    for (Index x = 0; x < test::product(tile.shape); ++x) {
      std::set<Point> seen;
      for (Index r = 0; r < test::product(replicas); ++r) {
        const Point place = test::place_of(tile, x, test::point_at(r, replicas));
        if (!test::inside(place, tile.box)) continue;
        slots = true;
        if (!seen.insert(place).second && !truth) truth = test::point_at(x, tile.shape);
      }
    }
    const map::Layout layout = test::layout_of(tile);
    const Judged answer = decided("replicas-disjoint", OneLayout{layout});
    ++count.asked;
    const Counterexample* example = refutation(answer);
    ASSERT_EQ(example != nullptr, truth.has_value()) << tile.show();
    if (example) {
      EXPECT_EQ(field(*example, "a"), *truth) << tile.show();
      EXPECT_NE(field(*example, "replica"), field(*example, "other_replica"));
    } else {
      EXPECT_TRUE(std::holds_alternative<Proved>(answer.verdict) || !slots) << tile.show();
    }
    count.refuted += example ? 1 : 0;
    count.proved += std::holds_alternative<Proved>(answer.verdict) ? 1 : 0;
    count.strided += engine_of(answer) == "strided" ? 1 : 0;
  }
  std::cout << fmt::format("asked {} proved {} refuted {} in closed form {}\n", count.asked, count.proved,
                           count.refuted, count.strided);
  EXPECT_GT(count.proved, 2000);
  EXPECT_GT(count.refuted, 250);
  EXPECT_GT(count.strided, count.asked * 9 / 10);
}

TEST(Filled, IsOntoExactlyWhenEverySlotOfItIsHitAndNothingElse) {
  test::Engine random(20261126);
  Count count;
  for (Index n = 0; n < 12000; ++n) {
    Tile tile = test::random_tile(random, {32});
    Tile room = tile;
    for (Index& extent : room.box) extent += roll(random, 0, 3);
    map::LayoutParts parts = test::parts_of(room);
    parts.filled = test::parts_of(tile).physical;
    const auto layout = map::Layout::create(std::move(parts));
    ASSERT_TRUE(layout.has_value());
    const test::Truth in_room = test::truth_of(room);
    const test::Truth in_filled = test::truth_of(tile);
    const bool truth = !in_room.escapes && !in_room.collides && !in_filled.escapes && !in_filled.unhit;
    const Judged answer = decided("bijective", OneLayout{*layout});
    ++count.asked;
    ASSERT_FALSE(std::holds_alternative<Unknown>(answer.verdict)) << tile.show();
    ASSERT_EQ(std::holds_alternative<Proved>(answer.verdict), truth) << tile.show();
    count.proved += truth ? 1 : 0;
    count.refuted += truth ? 0 : 1;
    count.strided += engine_of(answer) == "strided" ? 1 : 0;
    const Counterexample* example = refutation(answer);
    if (example && !in_room.escapes && !in_room.collides && !in_filled.escapes) {
      EXPECT_EQ(field(*example, "physical"), *in_filled.unhit) << tile.show();
    }
  }
  std::cout << fmt::format("asked {} proved {} refuted {} in closed form {}\n", count.asked, count.proved,
                           count.refuted, count.strided);
  EXPECT_GT(count.proved, 1200);
  EXPECT_GT(count.refuted, 4000);
  EXPECT_GT(count.strided, count.asked * 9 / 10);
}

// The first start and element of all, or none; by trying starts up to two periods.
struct Misread {
  Index start = 0;
  Point element;
};
std::optional<Misread> misread(const Tile& tile, Index step) {
  const test::Bits s = *tile.swizzle;
  Tile plain = tile;
  plain.swizzle.reset();
  const std::vector<Index> replicas = test::replica_extents(tile);
  for (Index start = step; start <= (step << (s.base + s.bits + s.shift)); start += step)
    for (Index n = 0; n < test::product(tile.shape); ++n)
      for (Index r = 0; r < test::product(replicas); ++r) {
        const Index m = test::place_of(plain, n, test::point_at(r, replicas))[0];
        if (test::swizzled(s, start + m) != start + test::swizzled(s, m))
          return Misread{start, test::point_at(n, tile.shape)};
      }
  return std::nullopt;
}

TEST(Aligned, IsRefutedAtTheFirstStartAndElementThatTheHardwareReadsOtherwise) {
  test::Engine random(20261127);
  Count count;
  for (Index n = 0; n < 4000; ++n) {
    Tile tile = test::random_tile(random, {32});
    if (!tile.swizzle || tile.swizzle->bits == 0) continue;
    const Index step = Index{1} << roll(random, 0, 9);
    const Index odd = roll(random, 0, 4) == 0 ? 3 : 1;
    const auto truth = misread(tile, step * odd);
    const map::Layout layout = test::layout_of(tile);
    const Judged answer = decided("aligned", Based{layout, 16, 2 * step * odd});
    ++count.asked;
    ASSERT_FALSE(std::holds_alternative<Unknown>(answer.verdict)) << tile.show();
    const Counterexample* example = refutation(answer);
    ASSERT_EQ(example != nullptr, truth.has_value()) << tile.show() << " step " << step * odd;
    if (example) {
      EXPECT_EQ(field(*example, "base"), (Point{2 * truth->start})) << tile.show() << " step " << step * odd;
      EXPECT_EQ(field(*example, "a"), truth->element) << tile.show() << " step " << step * odd;
    }
    count.refuted += example ? 1 : 0;
    count.proved += example ? 0 : 1;
    count.strided += engine_of(answer) == "strided" ? 1 : 0;
  }
  std::cout << fmt::format("asked {} proved {} refuted {} in closed form {}\n", count.asked, count.proved,
                           count.refuted, count.strided);
  EXPECT_GT(count.proved, 300);
  EXPECT_GT(count.refuted, 300);
  EXPECT_EQ(count.strided, count.asked);
}

// The 128-byte mode of f16 over a tile of 2^40 elements.
TEST(Aligned, HoldsFor1024BytesAndNotFor128AtAnySize) {
  const Index rows = Index{1} << 34;
  const Tile tile{{rows, 64}, {{rows, 64, 0}, {64, 1, 0}}, {}, {0}, test::Bits{3, 3, 3, true}, {rows * 64}};
  const map::Layout layout = test::layout_of(tile);
  for (const Index base : {1024, 2048, 1024 * 7}) {
    const Judged answer = decided("aligned", Based{layout, 16, base});
    EXPECT_EQ(question::word(answer.verdict), "proved") << base;
    EXPECT_EQ(engine_of(answer), "strided");
  }
  // Start 64 has bit 6 set, which is XORed into bit 3: element 0 goes to 72 and not to 64.
  const Judged answer = decided("aligned", Based{layout, 16, 128});
  ASSERT_NE(refutation(answer), nullptr);
  EXPECT_EQ(field(*refutation(answer), "a"), (Point{0, 0}));
  EXPECT_EQ(field(*refutation(answer), "physical"), (Point{64}));
  EXPECT_EQ(field(*refutation(answer), "absolute"), (Point{72}));
  EXPECT_EQ(engine_of(answer), "strided");
  // No whole element: of the multiples of 1 byte, 2 bytes is the first that is.
  EXPECT_EQ(question::word(decided("aligned", Based{layout, 16, 1}).verdict), "refuted");
}

TEST(Aligned, IsVacuousWithoutASwizzle) {
  const Tile tile{{8}, {{8, 1, 0}}, {}, {0}, {}, {8}};
  const map::Layout layout = test::layout_of(tile);
  EXPECT_EQ(question::word(decided("aligned", Based{layout, 16, 2}).verdict), "vacuous");
}

// A's shard undone: its strides say where each digit of a place goes. Whole: it has as many elements as there are
// places.
std::vector<Iter> undone(const Tile& a, Index places) {
  std::vector<Iter> order;
  Index weight = 1;
  for (std::size_t k = a.shard.size(); k-- > 0; weight *= a.shard[k].extent)
    order.push_back({a.shard[k].extent, weight, 0});
  std::vector<std::size_t> by(order.size());
  for (std::size_t k = 0; k < by.size(); ++k) by[k] = k;
  std::ranges::sort(by, [&](std::size_t l, std::size_t r) {
    const Iter& left = a.shard[a.shard.size() - 1 - l];
    const Iter& right = a.shard[a.shard.size() - 1 - r];
    return std::pair(left.axis, -left.stride) < std::pair(right.axis, -right.stride);
  });
  std::vector<Iter> back;
  for (const std::size_t k : by) back.push_back(order[k]);
  return weight == places ? back : std::vector<Iter>{{places, 1, 0}};
}

// The first element that B does not take back, point by point.
std::optional<Point> first_lost(const Tile& a, const Tile& b) {
  for (Index x = 0; x < test::product(a.shape); ++x) {
    const Point place = test::place_of(a, x, {});
    if (!test::inside(place, a.box)) return test::point_at(x, a.shape);
  }
  for (Index x = 0; x < test::product(a.shape); ++x) {
    const Point back = test::place_of(b, test::number_of(test::place_of(a, x, {}), a.box), {});
    if (back != Point{x}) return test::point_at(x, a.shape);
  }
  return std::nullopt;
}

TEST(Inverse, IsAWayBackForEveryElementOrNot) {
  test::Engine random(20261128);
  Count count;
  for (Index n = 0; n < 12000; ++n) {
    Tile a = test::random_tile(random, {24, 2});
    a.replica.clear();
    for (std::size_t k = 0; k < a.box.size(); ++k) a.box[k] = std::max<Index>(1, a.box[k]);
    // B over the box of A: a random tile, or the one that takes a row-major A back.
    Tile b = test::random_tile(random, {24, 1});
    const Index places = test::product(a.box);
    b.shape = a.box;
    b.shard = {{places, 1, 0}};
    b.offset = {0};
    b.swizzle.reset();
    b.replica.clear();
    b.box = {places};
    if (roll(random, 0, 1) == 0) {
      b.shard = undone(a, places);
      if (a.swizzle && a.box.size() == 1 && roll(random, 0, 1) == 0) {  // swizzled twice: only of the identity
        a.shard = b.shard = {{places, 1, 0}};
        a.shape = {places};
        a.offset = {0};
        b.swizzle = a.swizzle;
      }
    }
    if (test::product(a.shape) != places && roll(random, 0, 9) != 0) continue;
    const std::optional<Point> truth = first_lost(a, b);
    const map::Layout layout_a = test::layout_of(a);
    const map::Layout layout_b = test::layout_of(b);
    const Judged answer = decided("inverse", WayBack{layout_a, layout_b});
    ++count.asked;
    ASSERT_FALSE(std::holds_alternative<Unknown>(answer.verdict)) << a.show() << "\n" << b.show();
    const Counterexample* example = refutation(answer);
    ASSERT_EQ(example != nullptr, truth.has_value()) << a.show() << "\n" << b.show();
    if (example) {
      EXPECT_EQ(field(*example, "a"), *truth) << a.show() << "\n" << b.show();
    }
    count.refuted += example ? 1 : 0;
    count.proved += example ? 0 : 1;
  }
  std::cout << fmt::format("asked {} proved {} refuted {}\n", count.asked, count.proved, count.refuted);
  EXPECT_GT(count.proved, 300);
  EXPECT_GT(count.refuted, 300);
}

}  // namespace claims_tiles_campaign
}  // namespace vl::claims
