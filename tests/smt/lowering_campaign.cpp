// The lowering of maps into both theories against the definition of a map: the solver is asked for every value, and for
// a second one. Each shard is its own test, so that two cores share them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "encodings/map/text.h"
#include "encodings/smt/solver.h"
#include "tests/support/maps.h"

namespace vl::smt {
namespace smt_lowering_campaign {

constexpr std::size_t kShards = 4;
constexpr int kMapsPerShard = 250;
constexpr std::size_t kAllPoints = 24;  // a domain of at most so many points is compared on all of them
constexpr std::size_t kSampled = 12;

/// All points of a small domain; of a larger one its corners and a sample.
auto chosen_points(const map::Space& domain) {
  return test::drawn([domain](test::Engine& engine) {
    std::vector<Point> points = test::all_points(domain);
    if (points.size() <= kAllPoints) return points;
    std::vector<Point> sample{points.front(), points.back()};
    while (sample.size() < kSampled) sample.push_back(points[engine.below(points.size())]);
    return sample;
  });
}

bool agrees(const map::Map& f, const std::vector<Point>& points, Theory theory, Form form = Form::Digits) {
  const auto lowered = lowered_outputs(f, points, theory, form);
  std::vector<Point> want;
  for (const Point& x : points) want.push_back(test::naive(f, x));
  return lowered.has_value() && *lowered == want;
}

void expect_agreement_on_random_maps(int maps, Theory theory, Form form = Form::Digits) {
  const bool swizzled = theory == Theory::BitVectors;
  int points = 0, swizzles = 0;
  test::for_all(maps, [&] {
    const map::Map f = *test::maps({.swizzles = swizzled, .rank = 4, .volume = 40, .least_extent = 1, .stages = 3});
    const std::vector<Point> at = *chosen_points(f.domain());
    RC_ASSERT(agrees(f, at, theory, form));
    points += static_cast<int>(at.size());
    for (const map::Stage& stage : f.stages()) swizzles += std::holds_alternative<map::Swizzle>(stage) ? 1 : 0;
  });
  EXPECT_GE(points, maps * 5);
  EXPECT_GE(swizzles, swizzled ? maps / 4 : 0);
}

class Lowering : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Lowering, ToIntegersAgreesWithTheDefinition) {
  expect_agreement_on_random_maps(kMapsPerShard, Theory::Integers);
}

TEST_P(Lowering, ToBitVectorsAgreesWithTheDefinition) {
  expect_agreement_on_random_maps(kMapsPerShard, Theory::BitVectors);
}

TEST_P(Lowering, ToTheSecondEncodingAgreesWithTheDefinition) {
  expect_agreement_on_random_maps(60, GetParam() % 2 == 0 ? Theory::Integers : Theory::BitVectors, Form::Functions);
}

INSTANTIATE_TEST_SUITE_P(Shard, Lowering, testing::Range(std::uint32_t{0}, std::uint32_t{kShards}));

struct Case {
  const char* name;
  const char* map;
  std::vector<Point> points;
  bool integers;  // also lowered to integers: no swizzle
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

class WideLowering : public testing::TestWithParam<Case> {};

TEST_P(WideLowering, AgreesWithTheDefinitionAtTheLimits) {
  const auto f = map::parse(GetParam().map);
  ASSERT_TRUE(f.has_value()) << f.error().message;
  const std::vector<Point>& points = GetParam().points;
  EXPECT_TRUE(agrees(*f, points, Theory::BitVectors));
  EXPECT_TRUE(agrees(*f, points, Theory::Automatic));
  EXPECT_TRUE(agrees(*f, points, Theory::BitVectors, Form::Functions));
  if (!GetParam().integers) return;
  EXPECT_TRUE(agrees(*f, points, Theory::Integers));
  EXPECT_TRUE(agrees(*f, points, Theory::Integers, Form::Functions));
}

constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr Index k62 = Index{1} << 62;

INSTANTIATE_TEST_SUITE_P(
    Table, WideLowering,
    testing::Values(
        Case{"Identity", "(x:9223372036854775807)", {{0}, {1}, {k62 - 1}, {k62}, {k62 + 1}, {kMost - 1}}, true},
        Case{"LargestValue", "(x:2) -> affine(9223372036854775807*x0)", {{0}, {1}}, true},
        Case{"LeastValue", "(x:2) -> affine(-9223372036854775807*x0 - 1)", {{0}, {1}}, true},
        Case{"CancellingTerms",
             "(x:2, y:2) -> affine(9223372036854775807*x0 - 9223372036854775807*x1)",
             {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
             true},
        Case{"SplitOfALargeValue",
             "(x:9223372036854775807) -> split(0; 3000000007, 64, 1)",
             {{0}, {k62 - 1}, {k62}, {kMost - 1}},
             true},
        Case{"SplitOfANegativeValue",
             "(x:4611686018427387905) -> affine(-x0) -> split(0; 1000003, 7, 1)",
             {{0}, {1}, {7}, {1000003}, {k62 - 1}, {k62}},
             true},
        Case{"SplitByALargeWeight",
             "(x:9223372036854775807) -> affine(x0 - 4611686018427387904) -> split(0; 4611686018427387904, 1)",
             {{0}, {1}, {k62 - 1}, {k62}, {k62 + 1}, {kMost - 1}},
             true},
        Case{"SwizzleOfTheHighestBitsDown",
             "(x:4611686018427387904) -> swizzle(0; 0, 31, 31, down)",
             {{0}, {1}, {Index{1} << 31}, {Index{3} << 60}, {k62 - 1}, {k62 / 3}},
             false},
        Case{"SwizzleOfTheHighestBitsUp",
             "(x:4611686018427387904) -> swizzle(0; 30, 1, 31, up)",
             {{0}, {1}, {Index{1} << 30}, {Index{1} << 61}, {k62 - 1}, {k62 / 3}},
             false},
        Case{"SwizzleBeyondTheValue", "(x:4) -> swizzle(0; 1, 1, 60, up)", {{0}, {1}, {2}, {3}}, false},
        Case{"SwizzleOverlapping",
             "(x:4611686018427387904) -> swizzle(0; 0, 61, 1, down)",
             {{1}, {k62 - 1}, {k62 / 3}},
             false},
        Case{"NegativeBesideASwizzle",
             "(x:16, y:8) -> affine(x0, -9*x1 - 5) -> swizzle(0; 0, 2, 2, down) -> split(1; 8, 3, 1)",
             {{0, 0}, {15, 7}, {7, 3}, {13, 6}},
             false},
        Case{"OnePointOnly", "(x:1) -> affine(x0, 0, -3)", {{0}}, true},
        Case{"RankZero", "() -> affine(0, 12, -7) -> split(2; 5, 1)", {{}}, true}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Lowering, OfASwizzleToIntegersIsABug) {
  const auto f = map::parse("(x:4) -> swizzle(0; 0, 1, 1, down)");
  const std::vector<Point> points{{1}};
  EXPECT_THROW(static_cast<void>(lowered_outputs(*f, points, Theory::Integers)), InternalError);
}

TEST(Z3, IsThePinnedVersion) { EXPECT_EQ(z3_version().substr(0, 2), "5."); }

}  // namespace smt_lowering_campaign
}  // namespace vl::smt
