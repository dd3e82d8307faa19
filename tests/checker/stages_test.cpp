// What the stages of a map tell of its points, against all pairs of points; and the ranges of its values.
#include <gtest/gtest.h>

#include <optional>

#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "verifier/checker/kernel.h"
#include "verifier/checker/stages.h"

namespace vl::checker {
namespace checker_stages_test {

namespace test = vl::test;

bool is_told(const Map& map) {
  try {
    check_told_by_stages(map);
    return true;
  } catch (const Rejected&) {
    return false;
  }
}

// Nothing where intervals do not show that what is swizzled is not negative.
std::optional<std::vector<Interval>> known_ranges(const Map& map) {
  try {
    return ranges_of(map);
  } catch (const Rejected&) {
    return std::nullopt;
  }
}

bool is_told(const char* text) { return is_told(parse_map(text)); }

TEST(Stages, AreAcceptedOnlyOfInjectiveMaps) {
  int told = 0;
  test::for_all(3000, [&] {
    const vl::map::Map drawn = *test::maps({.volume = 120, .least_extent = 1});
    const Map map = parse_map(vl::map::print(drawn));
    const auto ranges = known_ranges(map);
    for (const vl::Point& p : test::all_points(drawn.domain())) {
      const vl::Point values = test::naive(drawn, p);
      for (std::size_t j = 0; ranges && j < values.size(); ++j)
        RC_ASSERT((*ranges)[j].low <= Wide(values[j]) && Wide(values[j]) <= (*ranges)[j].high);
    }
    if (!is_told(map)) return;
    RC_ASSERT(test::distinct_values(drawn) == drawn.domain().volume());
    ++told;
  });
  EXPECT_GT(told, 450);
}

// Worked by hand. 3·x0 + x1 of 4 by 3 is 0 to 11, each once; of 4 by 4 (0,3) and (1,0) are both 3.
TEST(Stages, TellInputsByTheReachOfTheOthers) {
  EXPECT_TRUE(is_told("(x0:4, x1:3) -> affine(3*x0 + x1)"));
  EXPECT_FALSE(is_told("(x0:4, x1:4) -> affine(3*x0 + x1)"));
  EXPECT_TRUE(is_told("(x0:4, x1:4) -> affine(3*x0 + x1, x1)"));
  EXPECT_TRUE(is_told("(x0:4, x1:3) -> affine(-3*x0 + x1 + 1)"));
  EXPECT_FALSE(is_told("(x0:4) -> affine()"));
  EXPECT_TRUE(is_told("(x0:1) -> affine()"));
}

// Tiles 3·r + c of 4 by 3, dealt to 5 cores: (t mod 5, t div 5) tells t. Without the quotient tiles 0 and 5 are one.
TEST(Stages, TellWhatIsDealt) {
  EXPECT_TRUE(is_told("(x0:4, x1:3) -> affine(3*x0 + x1) -> split(0; 5, 1)"));
  EXPECT_FALSE(is_told("(x0:4, x1:3) -> affine(3*x0 + x1) -> split(0; 5, 1) -> affine(x1)"));
  EXPECT_TRUE(is_told("(x0:4, x1:3) -> affine(3*x0 + x1) -> split(0; 12, 1) -> affine(x1)"));
}

// A small text whose stages have many values between them, and one whose rows tell one input a pass: both take more
// work than a budget of 2^20 units has.
TEST(Stages, OfLongMapsAreRefused) {
  const auto is_told_by_few = [](const std::string& text) {
    const Map map = parse_map(text.c_str());  // which is counted, too
    const Metered metered(1 << 20);
    return is_told(map);
  };
  std::string wide = "(x0:2) -> affine(x0";
  for (int i = 1; i < 20'000; ++i) wide += ", x0";
  wide += ")";
  for (int i = 0; i < 100; ++i) wide += " -> split(0; 1)";
  EXPECT_FALSE(is_told_by_few(wide));
  std::string chain = "(x0:2) -> affine(x0", sums = ") -> affine(";
  for (int i = 1; i < 20'000; ++i) {
    chain += ", x0";
    sums += "x" + std::to_string(i - 1) + " + x" + std::to_string(i) + ", ";
  }
  EXPECT_FALSE(is_told_by_few(chain + sums + "x19999)"));
}

TEST(Stages, SayNothingOfADomainWithoutPoints) { EXPECT_FALSE(is_told("(x0:0) -> affine(x0)")); }

}  // namespace checker_stages_test
}  // namespace vl::checker
