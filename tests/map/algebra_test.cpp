// compose() and invert() point by point, and maps for which an inverse must exist or must not.
#include "encodings/map/algebra.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "tests/support/sanitized.h"
#include "tests/support/shard.h"

namespace vl::map {
namespace map_algebra_test {

using test::all_points;
using test::naive;

/// The box [0, high] of a map's output ranges, when they are not negative and it is not too large to build
/// on.
Result<Space> box_of(const Map& f, Index slack) {
  std::vector<Index> extents;
  for (const Range& range : f.ranges(f.stages().size())) {
    if (range.low < 0) return Error{ErrorCode::Value, "negative"};
    extents.push_back(range.high + 1 + slack);
  }
  return Space::create(Space::dims("y", extents));
}

Map read(std::string_view text) {
  auto map = parse(text);
  EXPECT_TRUE(map.has_value()) << text << ": " << map.error().message;
  return *std::move(map);
}

TEST(Compose, AgreesPointwiseWithApplyingOneAfterTheOther) {
  Index composed = 0, points = 0;
  test::for_all(test::fact_or_campaign(500, 2000), [&] {
    const Map f = *test::maps({.stages = 2});
    const auto domain = box_of(f, *test::numbers(0, 2));
    if (!domain) return;
    const Map g = *test::maps_over(*domain, {.stages = 2});
    const auto both = compose(g, f);
    RC_ASSERT(both.has_value());
    RC_ASSERT(both->domain() == f.domain());
    for (const Point& x : all_points(f.domain())) RC_ASSERT(*evaluate(*both, x) == naive(g, naive(f, x)));
    ++composed, points += f.domain().volume();
  });
  EXPECT_GT(composed, test::fact_or_campaign(180, 750));
  EXPECT_GT(points, test::fact_or_campaign(3500, 15000));
}

TEST(Compose, IsAssociativePointwise) {
  Index triples = 0;
  test::for_all(test::fact_or_campaign(375, 1500), [&] {
    const Map f = *test::maps({.volume = 100, .stages = 2});
    const auto middle = box_of(f, 0);
    if (!middle) return;
    const Map g = *test::maps_over(*middle, {.stages = 2});
    const auto last = box_of(g, 0);
    if (!last) return;
    const Map h = *test::maps_over(*last, {.stages = 2});
    const auto left = compose(*compose(h, g), f), right = compose(h, *compose(g, f));
    RC_ASSERT(left.has_value() && right.has_value());
    for (const Point& x : all_points(f.domain())) {
      const Point expected = naive(h, naive(g, naive(f, x)));
      RC_ASSERT(*evaluate(*left, x) == expected);
      RC_ASSERT(*evaluate(*right, x) == expected);
    }
    ++triples;
  });
  EXPECT_GT(triples, test::fact_or_campaign(60, 250));
}

TEST(Compose, ComputesTheExampleOfTheHeader) {
  const auto both = compose(read("(q:2, r:3) -> affine(x0 + 2*x1)"), read("(x:6) -> split(0; 3, 1)"));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(*evaluate(*both, Point{4}), (Point{3}));
}

struct Pair {
  const char* name;
  const char* outer;
  const char* inner;
};

void PrintTo(const Pair& row, std::ostream* out) { *out << row.name; }

class NotComposable : public testing::TestWithParam<Pair> {};

TEST_P(NotComposable, IsSaid) {
  const auto both = compose(read(GetParam().outer), read(GetParam().inner));
  ASSERT_FALSE(both.has_value());
  EXPECT_EQ(both.error().code, ErrorCode::NotComposable);
}

INSTANTIATE_TEST_SUITE_P(Table, NotComposable,
                         testing::Values(Pair{"TooFewOutputs", "(a:6, b:6)", "(x:6)"},
                                         Pair{"TooManyOutputs", "(a:6)", "(x:6) -> split(0; 2, 1)"},
                                         Pair{"NoInputs", "()", "(x:6)"},
                                         Pair{"NoOutputs", "(a:6)", "(x:6) -> affine()"},
                                         Pair{"OneTooLarge", "(a:5)", "(x:6)"},
                                         Pair{"Negative", "(a:6)", "(x:6) -> affine(x0 - 1)"},
                                         Pair{"SecondOutputTooLarge", "(a:3, b:1)", "(x:6) -> split(0; 2, 1)"},
                                         Pair{"IntoTheEmptySpace", "(a:0)", "(x:1)"}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Compose, AcceptsAnEmptyInnerDomainWhateverItsRanges) {
  const auto both = compose(read("(a:2) -> affine(x0)"), read("(x:0) -> affine(x0 + 7)"));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->domain().volume(), 0);
}

bool injective(const Map& f) { return test::distinct_values(f) == f.domain().volume(); }

/// g(f(x)) == x for all x, and f(g(y)) == y on the image.
bool is_inverse(const Map& f, const Map& g) {
  return std::ranges::all_of(all_points(f.domain()), [&](const Point& x) {
    const auto back = evaluate(g, naive(f, x));
    return back.has_value() && *back == x && evaluate(f, *back).value() == naive(f, x);
  });
}

TEST(Invert, OfARandomMapIsAnInverseOrSaysNotInvertible) {
  std::size_t inverted = 0, refused = 0, collisions = 0;
  test::for_all(test::fact_or_campaign(750, 3000), [&] {
    const Map f = *test::maps({.rank = 3, .volume = 200, .stages = 3});
    const auto g = invert(f);
    const bool one_to_one = f.domain().volume() > 0 && injective(f);
    if (!g) {
      RC_ASSERT(g.error().code == ErrorCode::NotInvertible);
      ++refused;
      collisions += one_to_one ? 0U : 1U;
      return;
    }
    RC_LOG() << "inverse " << print(*g);
    RC_ASSERT(one_to_one);
    RC_ASSERT(is_inverse(f, *g));
    ++inverted;
  });
  EXPECT_GT(inverted, test::fact_or_campaign(90U, 375U));
  EXPECT_GT(refused, test::fact_or_campaign(180U, 750U));
  EXPECT_GT(collisions, test::fact_or_campaign(60U, 250U));
}

TEST(Invert, OfARowMajorLinearisationAlwaysExists) {
  std::size_t maps = 0;
  for (Index a = 1; a <= 5; ++a)
    for (Index b = 1; b <= 5; ++b)
      for (Index c = 1; c <= 5; ++c)
        for (const auto& order :
             {std::vector<std::size_t>{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
          const std::vector<Index> extents{a, b, c};
          std::vector<Index> strides(3);  // row-major after a permutation, order[2] fastest
          strides[order[2]] = 1;
          strides[order[1]] = extents[order[2]];
          strides[order[0]] = extents[order[1]] * extents[order[2]];
          const Map f = *Map::create(*Space::create(Space::dims("x", extents)), {Stage{Affine{{dot(strides)}}}});
          const auto g = invert(f);
          ASSERT_TRUE(g.has_value()) << print(f) << ": " << g.error().message;
          ASSERT_EQ(g->domain().volume(), a * b * c);
          ASSERT_TRUE(is_inverse(f, *g)) << print(f) << " and " << print(*g);
          ++maps;
        }
  EXPECT_GE(maps, 750U);
}

TEST(Invert, OfASplitAlwaysExists) {
  std::size_t maps = 0;
  for (Index u = 1; u <= 12; ++u)
    for (Index v = 1; v <= u; ++v)
      for (const Index extent : {1, 2, 7, 24, 30}) {
        const Map f = *Map::create(*Space::create(Space::dims("x", std::vector<Index>{2, extent, 3})),
                                   {Stage{Split{1, {u, v, 1}}}});
        const auto g = invert(f);
        ASSERT_TRUE(g.has_value()) << print(f) << ": " << g.error().message;
        ASSERT_TRUE(is_inverse(f, *g)) << print(f) << " and " << print(*g);
        ++maps;
      }
  EXPECT_GE(maps, 390U);
}

TEST(Invert, OfASwizzleAlwaysExists) {
  std::size_t maps = 0;
  std::size_t overlapping = 0;
  for (int base = 0; base <= 7; ++base)
    for (int bits = 0; base + bits <= 7; ++bits)
      for (int shift = 1; base + bits + shift <= 8; ++shift)
        for (const auto direction : {Swizzle::Direction::Down, Swizzle::Direction::Up})
          for (const Index extent : {256, 201, 3}) {
            const Map f = *Map::create(*Space::create(Space::dims("x", std::vector<Index>{extent})),
                                       {Stage{Swizzle{0, base, bits, shift, direction}}});
            const auto g = invert(f);
            ASSERT_TRUE(g.has_value()) << print(f) << ": " << g.error().message;
            ASSERT_TRUE(is_inverse(f, *g)) << print(f) << " and " << print(*g);
            ++maps;
            overlapping += shift < bits ? 1U : 0U;
          }
  EXPECT_GE(maps, 720U);
  EXPECT_GT(overlapping, 100U);
}

// Independent of the code: the inverse of this form exists iff, without fixed inputs and largest first, each
// coefficient exceeds the reach of the smaller ones. Tried in every order of the inputs.
bool nests(const std::vector<Index>& extents, const std::vector<Index>& coefficients) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (extents[i] > 1) order.push_back(i);
  do {
    bool good = true;
    Index reach = 0;
    for (const std::size_t i : order) {
      good = good && std::abs(coefficients[i]) > reach;
      reach += (extents[i] - 1) * std::abs(coefficients[i]);
    }
    if (good) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

void exhaust_rows(std::size_t rank, std::size_t& inverted, std::size_t& refused, std::size_t& collisions) {
  const Space domains = *Space::create(Space::dims("e", std::vector<Index>(rank, 3)));
  const Space choices = *Space::create(Space::dims("c", std::vector<Index>(rank, 11)));
  const test::Shard share{0, rank < 3 ? 1 : test::fact_or_campaign<std::uint64_t>(8, 1)};
  std::uint64_t number = 0;
  for (Point extents : all_points(domains)) {
    for (Index& extent : extents) ++extent;
    const Space domain = *Space::create(Space::dims("x", extents));
    for (Point coefficients : all_points(choices)) {
      if (!share.has(number++)) continue;
      Index low = 0;
      for (std::size_t i = 0; i < rank; ++i) {
        coefficients[i] -= 4;
        low += std::min<Index>(0, coefficients[i] * (extents[i] - 1));
      }
      const Map f = *Map::create(domain, {Stage{Affine{{dot(coefficients, -low)}}}});  // outputs start at 0
      const auto g = invert(f);
      ASSERT_EQ(g.has_value(), nests(extents, coefficients)) << print(f);
      if (g) {
        ASSERT_TRUE(is_inverse(f, *g)) << print(f) << " and " << print(*g);
        ++inverted;
        continue;
      }
      ASSERT_EQ(g.error().code, ErrorCode::NotInvertible);
      ++refused;
      collisions += injective(f) ? 0U : 1U;
    }
  }
}

TEST(Invert, OfEverySmallAffineRowExistsIffItsCoefficientsNest) {
  std::size_t inverted = 0;
  std::size_t refused = 0;
  std::size_t collisions = 0;
  for (std::size_t rank = 0; rank <= 3; ++rank)
    ASSERT_NO_FATAL_FAILURE(exhaust_rows(rank, inverted, refused, collisions));
  if (!test::kSanitized) {
    EXPECT_EQ(inverted + refused, 1U + 3 * 11 + 9 * 121 + 27 * 1331);
  }
  const std::size_t many = test::fact_or_campaign<std::size_t>(1000, 10000);
  EXPECT_GT(inverted, many);
  EXPECT_GT(collisions, many);
  EXPECT_GT(refused, collisions);  // some injective rows do not nest
}

struct Inverse {
  const char* name;
  const char* map;
  const char* inverse;
};

void PrintTo(const Inverse& row, std::ostream* out) { *out << row.name; }

class InverseText : public testing::TestWithParam<Inverse> {};

TEST_P(InverseText, IsAsWritten) {
  const auto g = invert(read(GetParam().map));
  ASSERT_TRUE(g.has_value()) << g.error().message;
  EXPECT_EQ(print(*g), GetParam().inverse);
}

INSTANTIATE_TEST_SUITE_P(Table, InverseText,
                         testing::Values(Inverse{"Identity", "(x:4)", "(y0:4)"}, Inverse{"RankZero", "()", "()"},
                                         Inverse{"HeaderExample", "(x0:2, x1:3) -> affine(3*x0 + x1)",
                                                 "(y0:6) -> affine(x0) -> split(0; 3, 1) -> affine(x0, x1)"},
                                         Inverse{"Split", "(x:12) -> split(0; 4, 1)",
                                                 "(y0:3, y1:4) -> affine(4*x0 + x1)"},
                                         Inverse{"SwizzleInvolution", "(x:64) -> swizzle(0; 0, 2, 2, down)",
                                                 "(y0:64) -> swizzle(0; 0, 2, 2, down)"},
                                         Inverse{"SwizzleOverlapping", "(x:64) -> swizzle(0; 0, 3, 1, up)",
                                                 "(y0:64) -> swizzle(0; 0, 3, 1, up) -> swizzle(0; 0, 2, 2, up)"}),
                         [](const auto& row) { return std::string(row.param.name); });

struct NoInverse {
  const char* name;
  const char* map;
};

void PrintTo(const NoInverse& row, std::ostream* out) { *out << row.name; }

class NotInvertible : public testing::TestWithParam<NoInverse> {};

TEST_P(NotInvertible, IsSaid) {
  const auto g = invert(read(GetParam().map));
  ASSERT_FALSE(g.has_value()) << print(*g);
  EXPECT_EQ(g.error().code, ErrorCode::NotInvertible) << g.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, NotInvertible,
    testing::Values(NoInverse{"EmptyDomain", "(x:0)"}, NoInverse{"DroppedInput", "(x:2, y:3) -> affine(x0)"},
                    NoInverse{"Collision", "(x:3, y:3) -> affine(2*x0 + x1)"},
                    NoInverse{"InjectiveButNotNested", "(x:2, y:3) -> affine(3*x0 + 2*x1)"},
                    NoInverse{"InputInTwoRows", "(x:3) -> affine(x0, x0)"},
                    NoInverse{"StartsAtOne", "(x:3) -> affine(x0 + 1)"},
                    NoInverse{"StartsBelowZero", "(x:3) -> affine(x0 - 1)"},
                    NoInverse{"UpToTheLargestNumber", "(x:2) -> affine(9223372036854775807*x0)"},
                    // The way back would swizzle digits that are negative outside the image.
                    NoInverse{"SwizzleThenNegativeStride",
                              "(x:2, y:3) -> swizzle(1; 0, 1, 1, down) -> affine(10*x0 - x1 + 3)"},
                    // The box of the outputs has more than 2^63 points, or sums that leave 64 bits.
                    NoInverse{"BoxTooLarge", "(x:9223372036854775807) -> split(0; 3458764513820540928, 1)"},
                    NoInverse{"SecondStage", "(x:4) -> split(0; 2, 1) -> affine(x0 + x1)"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Undo, OfAStageGivesItsInputsBack) {
  const Map f = read("(a:3, b:4, c:5) -> affine(-x2 + 4, 4*x0 + x1)");
  const auto back = undo(f.stages()[0], f.ranges(0));
  ASSERT_TRUE(back.has_value());
  std::vector<Stage> stages = f.stages();
  stages.insert(stages.end(), back->begin(), back->end());
  const Map both = *Map::create(f.domain(), stages);
  for (const Point& x : all_points(f.domain())) ASSERT_EQ(naive(both, x), x);
}

}  // namespace map_algebra_test
}  // namespace vl::map
