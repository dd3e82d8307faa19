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
const std::size_t kMapsPerShard = 250;
constexpr std::size_t kAllPoints = 24;  // a domain of at most so many points is compared on all of them
constexpr std::size_t kSampled = 12;

/// All points of a small domain; of a larger one its corners and a sample.
std::vector<Point> chosen_points(test::Engine& engine, const map::Space& domain) {
  std::vector<Point> points = test::all_points(domain);
  if (points.size() <= kAllPoints) return points;
  std::vector<Point> sample{points.front(), points.back()};
  while (sample.size() < kSampled)
    sample.push_back(points[static_cast<std::size_t>(test::roll(engine, 0, static_cast<Index>(points.size()) - 1))]);
  return sample;
}

void compare(const map::Map& f, const std::vector<Point>& points, Theory theory, Form form = Form::Digits) {
  const auto lowered = lowered_outputs(f, points, theory, form);
  ASSERT_TRUE(lowered.has_value()) << print(f) << ": " << lowered.error().message;
  ASSERT_EQ(lowered->size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    ASSERT_EQ((*lowered)[i], test::naive(f, points[i]))
        << print(f) << fmt::format(" at [{}]", fmt::join(points[i], ", "));
}

struct Counts {
  std::size_t maps = 0;
  std::size_t points = 0;
  std::size_t swizzles = 0;
};

void compare_random_maps(std::uint32_t seed, Theory theory, Counts& counts, Form form = Form::Digits,
                         std::size_t maps = kMapsPerShard) {
  test::Engine engine(seed);
  const test::MapKind kind{
      .swizzles = theory == Theory::BitVectors, .rank = 4, .volume = 40, .least_extent = 1, .stages = 3};
  while (counts.maps < maps) {
    const map::Map f = test::random_map(engine, kind);
    const auto points = chosen_points(engine, f.domain());
    ASSERT_NO_FATAL_FAILURE(compare(f, points, theory, form));
    ++counts.maps;
    counts.points += points.size();
    for (const map::Stage& stage : f.stages()) counts.swizzles += std::holds_alternative<map::Swizzle>(stage) ? 1U : 0U;
  }
}

class Lowering : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Lowering, ToIntegersAgreesWithTheDefinition) {
  Counts counts;
  ASSERT_NO_FATAL_FAILURE(compare_random_maps(100 + GetParam(), Theory::Integers, counts));
  EXPECT_EQ(counts.maps, kMapsPerShard);
  EXPECT_GE(kShards * kMapsPerShard, 1000U);
  EXPECT_GE(counts.points, kMapsPerShard * 5);
  EXPECT_EQ(counts.swizzles, 0U);
  RecordProperty("points", static_cast<int>(counts.points));
}

TEST_P(Lowering, ToBitVectorsAgreesWithTheDefinition) {
  Counts counts;
  ASSERT_NO_FATAL_FAILURE(compare_random_maps(200 + GetParam(), Theory::BitVectors, counts));
  EXPECT_EQ(counts.maps, kMapsPerShard);
  EXPECT_GE(counts.points, kMapsPerShard * 5);
  EXPECT_GE(counts.swizzles, kMapsPerShard / 4);
  RecordProperty("points", static_cast<int>(counts.points));
}

TEST_P(Lowering, ToTheSecondEncodingAgreesWithTheDefinition) {
  Counts counts;
  const std::size_t maps = 60;
  const Theory theory = GetParam() % 2 == 0 ? Theory::Integers : Theory::BitVectors;
  ASSERT_NO_FATAL_FAILURE(compare_random_maps(300 + GetParam(), theory, counts, Form::Functions, maps));
  EXPECT_EQ(counts.maps, maps);
  EXPECT_GE(counts.points, maps * 5);
  EXPECT_GE(counts.swizzles, theory == Theory::BitVectors ? maps / 4 : 0U);
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
  compare(*f, GetParam().points, Theory::BitVectors);
  compare(*f, GetParam().points, Theory::Automatic);
  if (GetParam().integers) compare(*f, GetParam().points, Theory::Integers);
  compare(*f, GetParam().points, Theory::BitVectors, Form::Functions);
  if (GetParam().integers) compare(*f, GetParam().points, Theory::Integers, Form::Functions);
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
