// evaluate(), trace(), Evaluator and ranges() against the definitions, on all points of random maps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "encodings/map/map.h"
#include "encodings/map/text.h"
#include "tests/support/maps.h"

namespace vl::map {
namespace map_evaluate_test {

using test::all_points;
using test::naive;

constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr Index kLeast = std::numeric_limits<Index>::min();

bool within(const Point& values, const std::vector<Range>& ranges) {
  if (values.size() != ranges.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < ranges[i].low || values[i] > ranges[i].high) return false;
  return true;
}

TEST(RandomMaps, HaveEveryStageKindRankAndSmallExtent) {
  std::size_t kinds[3] = {0, 0, 0};
  std::size_t ranks[5] = {0, 0, 0, 0, 0};
  std::size_t empty = 0;
  std::size_t singles = 0;
  std::size_t overlapping = 0;
  std::size_t ties = 0;
  std::size_t negatives = 0;
  test::Engine engine(1);
  for (int n = 0; n < 4000; ++n) {
    const Map map = test::random_map(engine, {});
    ++ranks[map.domain().rank()];
    empty += map.domain().volume() == 0 ? 1U : 0U;
    for (const Dim& dim : map.domain().dims()) singles += dim.extent == 1 ? 1U : 0U;
    for (const Range& range : map.ranges(map.stages().size())) negatives += range.low < 0 ? 1U : 0U;
    for (const Stage& stage : map.stages()) {
      ++kinds[stage.index()];
      if (const auto* swizzle = std::get_if<Swizzle>(&stage)) overlapping += swizzle->shift < swizzle->bits ? 1U : 0U;
      if (const auto* split = std::get_if<Split>(&stage))
        for (std::size_t k = 1; k < split->weights.size(); ++k)
          ties += split->weights[k] == split->weights[k - 1] ? 1U : 0U;
    }
  }
  for (const std::size_t count : kinds) EXPECT_GT(count, 1000U);
  for (const std::size_t count : ranks) EXPECT_GT(count, 500U);
  EXPECT_GT(empty, 200U);
  EXPECT_GT(singles, 500U);
  EXPECT_GT(overlapping, 300U);
  EXPECT_GT(ties, 100U);
  EXPECT_GT(negatives, 500U);
}

TEST(Evaluate, AgreesWithTheDefinitionOnEveryPointAndSoDoTheValuesAfterEachStage) {
  Index points = 0;
  test::for_all(1500, [&] {
    const Map map = *test::maps();
    Evaluator evaluator(map);
    for (const Point& x : all_points(map.domain())) {
      const std::vector<Point> values = test::naive_trace(map, x);
      RC_ASSERT(*evaluate(map, x) == values.back());
      RC_ASSERT(*trace(map, x) == values);
      const auto value = evaluator(x);
      RC_ASSERT(Point(value.begin(), value.end()) == values.back());
    }
    points += map.domain().volume();
  });
  EXPECT_GT(points, 30000);
}

TEST(Ranges, ContainEveryValueAfterEveryStage) {
  std::size_t checked = 0;
  test::for_all(1500, [&] {
    const Map map = *test::maps();
    for (const Point& x : all_points(map.domain())) {
      const std::vector<Point> values = test::naive_trace(map, x);
      for (std::size_t stage = 0; stage < values.size(); ++stage) RC_ASSERT(within(values[stage], map.ranges(stage)));
      checked += values.size();
    }
  });
  EXPECT_GT(checked, 50000U);
}

TEST(Ranges, OfAnAffineStageOverABoxAreTight) {
  std::size_t rows = 0;
  test::for_all(1000, [&] {
    const Map f = *test::drawn([](test::Engine& engine) {
      const Space domain = test::random_space(engine, {.least_extent = 1});
      return *Map::create(domain, {Stage{test::random_affine(engine, Map::create(domain, {})->ranges(0))}});
    });
    for (std::size_t i = 0; i < f.outputs(); ++i, ++rows) {
      Range seen{kMost, kLeast};
      for (const Point& x : all_points(f.domain())) {
        const Index y = naive(f, x)[i];
        seen = Range{std::min(seen.low, y), std::max(seen.high, y)};
      }
      RC_ASSERT(f.ranges(1)[i] == seen);
    }
  });
  EXPECT_GT(rows, 1000U);
}

TEST(Ranges, OfAnEmptyDomainAreThoseOfExtentOne) {
  const auto empty = Map::create(*Space::create(Space::dims("x", std::vector<Index>{0, 5})),
                                 {Stage{Affine{{Row{3, {{0, 7}, {1, 2}}}}}}});
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(empty->ranges(0), (std::vector<Range>{{0, 0}, {0, 4}}));
  EXPECT_EQ(empty->ranges(1), (std::vector<Range>{{3, 11}}));
}

TEST(Evaluate, TracesTheWorkedExampleOfTheHeader) {
  const auto map = parse(
      "(x0:5, x1:100, x2:150) -> affine(15000*x0 + 150*x1 + x2) -> split(0; 15000, 150, 64, 1)"
      " -> affine(x1, x2, x0, x3)");
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(*trace(*map, Point{2, 7, 40}), (std::vector<Point>{{2, 7, 40}, {31090}, {2, 7, 0, 40}, {7, 0, 2, 40}}));
}

TEST(Evaluate, SplitsGreedily) {
  const auto map = parse("(x:2000) -> split(0; 720, 600, 1)");
  EXPECT_EQ(*evaluate(*map, Point{1330}), (Point{1, 1, 10}));
  EXPECT_EQ(*evaluate(*map, Point{719}), (Point{0, 1, 119}));
}

TEST(Evaluate, GivesTheLaterDigitOfATieZero) {
  const auto map = parse("(x:20) -> split(0; 4, 4, 1, 1)");
  for (Index x = 0; x < 20; ++x) EXPECT_EQ(*evaluate(*map, Point{x}), (Point{x / 4, 0, x % 4, 0}));
}

TEST(Evaluate, SplitsNegativeValuesWithANegativeFirstDigit) {
  const auto map = parse("(x:20) -> affine(x0 - 10) -> split(0; 8, 3, 1)");
  EXPECT_EQ(*evaluate(*map, Point{9}), (Point{-1, 2, 1}));
  EXPECT_EQ(*evaluate(*map, Point{0}), (Point{-2, 2, 0}));
}

TEST(Evaluate, SwizzlesAsTheHeaderSays) {
  const auto map = parse("(x:512) -> swizzle(0; 3, 3, 3, down)");
  EXPECT_EQ(*evaluate(*map, Point{64}), (Point{72}));
}

TEST(Evaluate, RefusesAPointOfAnotherRank) {
  const auto map = parse("(x:3, y:3) -> affine(x0)");
  EXPECT_EQ(evaluate(*map, Point{1}).error().code, ErrorCode::Shape);
  EXPECT_EQ(trace(*map, Point{1, 1, 1}).error().code, ErrorCode::Shape);
}

TEST(Evaluate, RefusesAPointOutsideTheDomain) {
  const auto map = parse("(x:3, y:0) -> affine(x0)");
  for (const Point& x : {Point{-1, 0}, Point{3, 0}, Point{0, 0}}) {
    EXPECT_EQ(evaluate(*map, x).error().code, ErrorCode::Value);
    EXPECT_EQ(trace(*map, x).error().code, ErrorCode::Value);
  }
}

struct Refused {
  const char* name;
  std::vector<Index> extents;
  std::vector<Stage> stages;
  ErrorCode code;
};

void PrintTo(const Refused& row, std::ostream* out) { *out << row.name; }

class Create : public testing::TestWithParam<Refused> {};

TEST_P(Create, Refuses) {
  const Refused& row = GetParam();
  const auto map = Map::create(*Space::create(Space::dims("x", row.extents)), row.stages);
  ASSERT_FALSE(map.has_value()) << print(*map);
  EXPECT_EQ(map.error().code, row.code) << map.error().message;
  EXPECT_EQ(map.error().message.rfind(fmt::format("stage {}: ", row.stages.size()), 0), 0U) << map.error().message;
}

Affine one_row(Index constant, std::vector<Term> terms) { return Affine{{Row{constant, std::move(terms)}}}; }

constexpr Swizzle::Direction kDown = Swizzle::Direction::Down;
constexpr Swizzle::Direction kUp = Swizzle::Direction::Up;

INSTANTIATE_TEST_SUITE_P(
    Table, Create,
    testing::Values(
        Refused{"AffineInputMissing", {4}, {one_row(0, {{1, 1}})}, ErrorCode::Shape},
        Refused{"AffineInputOfRankZero", {}, {one_row(0, {{0, 1}})}, ErrorCode::Shape},
        Refused{"AffineZeroCoefficient", {4}, {one_row(0, {{0, 0}})}, ErrorCode::Value},
        Refused{"AffineTwiceTheSameInput", {4}, {one_row(0, {{0, 1}, {0, 1}})}, ErrorCode::Value},
        Refused{"AffineInputsDescend", {4, 4}, {one_row(0, {{1, 1}, {0, 1}})}, ErrorCode::Value},
        Refused{"AffineProductTooLarge", {3}, {one_row(0, {{0, Index{1} << 62}})}, ErrorCode::Overflow},
        Refused{"AffineSumTooLarge", {2, 2}, {one_row(1, {{0, kMost - 1}, {1, 1}})}, ErrorCode::Overflow},
        Refused{"AffinePartialSumTooLarge", {2, 2}, {one_row(0, {{0, kMost}, {1, 1}})}, ErrorCode::Overflow},
        Refused{"AffineConstantTooSmall", {2}, {one_row(kLeast, {})}, ErrorCode::Overflow},
        Refused{"AffineCoefficientTooSmall", {1}, {one_row(0, {{0, kLeast}})}, ErrorCode::Overflow},
        Refused{"AffineSecondStage", {2}, {one_row(0, {{0, kMost}}), one_row(0, {{0, 2}})}, ErrorCode::Overflow},
        Refused{"SplitInputMissing", {4}, {Split{1, {1}}}, ErrorCode::Shape},
        Refused{"SplitWithoutWeights", {4}, {Split{0, {}}}, ErrorCode::Value},
        Refused{"SplitEndsInTwo", {4}, {Split{0, {4, 2}}}, ErrorCode::Value},
        Refused{"SplitEndsInZero", {4}, {Split{0, {1, 0}}}, ErrorCode::Value},
        Refused{"SplitAscends", {4}, {Split{0, {2, 4, 1}}}, ErrorCode::Value},
        Refused{"SplitNegative", {4}, {Split{0, {-1}}}, ErrorCode::Value},
        Refused{"SwizzleInputMissing", {4}, {Swizzle{1, 0, 1, 1, kDown}}, ErrorCode::Shape},
        Refused{"SwizzleNegativeBase", {4}, {Swizzle{0, -1, 1, 1, kDown}}, ErrorCode::Value},
        Refused{"SwizzleNegativeBits", {4}, {Swizzle{0, 0, -1, 1, kDown}}, ErrorCode::Value},
        Refused{"SwizzleShiftZero", {4}, {Swizzle{0, 0, 1, 0, kUp}}, ErrorCode::Value},
        Refused{"SwizzleTooWide", {4}, {Swizzle{0, 21, 21, 21, kUp}}, ErrorCode::Value},
        Refused{"SwizzleBaseTooLarge", {4}, {Swizzle{0, 63, 0, 1, kDown}}, ErrorCode::Value},
        Refused{"SwizzleOfNegative", {4}, {one_row(-1, {{0, 1}}), Swizzle{0, 0, 1, 1, kDown}}, ErrorCode::Value}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Create, AcceptsMapsThatReachTheLimitsOf64Bits) {
  const Space line = *Space::create(Space::dims("x", std::vector<Index>{2}));
  const auto high = Map::create(line, {Stage{one_row(-kMost, {{0, kMost}})}});
  ASSERT_TRUE(high.has_value());
  EXPECT_EQ(*evaluate(*high, Point{0}), (Point{-kMost}));
  EXPECT_EQ(*evaluate(*high, Point{1}), (Point{0}));
  const auto low = Map::create(line, {Stage{one_row(-1, {{0, -kMost}})}});
  ASSERT_TRUE(low.has_value());
  EXPECT_EQ(*evaluate(*low, Point{1}), (Point{kLeast}));
  const Space wide = *Space::create(Space::dims("x", std::vector<Index>{kMost}));
  const auto swizzle = Map::create(wide, {Stage{Swizzle{0, 0, 31, 31, kUp}}});
  ASSERT_TRUE(swizzle.has_value());
  EXPECT_EQ(swizzle->ranges(1), (std::vector<Range>{{0, kMost}}));
  EXPECT_EQ(*evaluate(*swizzle, Point{1}), (Point{(Index{1} << 31) + 1}));
}

TEST(CanonicalRow, OrdersMergesAndDropsTerms) {
  const auto row = canonical(Row{5, {{2, 3}, {0, 1}, {2, -3}, {1, 4}, {0, 6}, {3, 0}}});
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(*row, (Row{5, {{0, 7}, {1, 4}}}));
}

TEST(CanonicalRow, RefusesCoefficientsThatLeave64Bits) {
  EXPECT_EQ(canonical(Row{0, {{0, kMost}, {0, 1}}}).error().code, ErrorCode::Overflow);
}

TEST(Rows, PickAndDotAreWhatTheyAreCalled) {
  EXPECT_EQ(pick(3), (Row{0, {{3, 1}}}));
  EXPECT_EQ(dot(std::vector<Index>{0, -4, 0, 9}, 7), (Row{7, {{1, -4}, {3, 9}}}));
  EXPECT_EQ(dot({}), (Row{}));
}

}  // namespace map_evaluate_test
}  // namespace vl::map
