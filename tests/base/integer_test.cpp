// Checked integers at the edges of 64 bits, against 128-bit arithmetic, and rounding towards minus infinity.
#include "encodings/base/integer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>

namespace vl {
namespace base_integer_test {

using Wide = __int128;

constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr Index kLeast = std::numeric_limits<Index>::min();
constexpr std::array<Index, 17> kEdges = {
    kLeast, kLeast + 1, -(Index{1} << 62), -(Index{1} << 32), -3037000500,    -3,        -2,   -1, 0, 1,
    2,      3,          3037000500,        Index{1} << 32,    Index{1} << 62, kMost - 1, kMost};

std::optional<Index> narrow(Wide value) {
  if (value < kLeast || value > kMost) return std::nullopt;
  return static_cast<Index>(value);
}

TEST(CheckedAdd, AgreesWith128BitsOnAllPairsOfEdges) {
  int overflows = 0;
  for (const Index a : kEdges)
    for (const Index b : kEdges) {
      const auto expected = narrow(Wide{a} + b);
      ASSERT_EQ(checked_add(a, b), expected) << a << " + " << b;
      if (!expected) ++overflows;
    }
  EXPECT_GT(overflows, 20);
}

TEST(CheckedMul, AgreesWith128BitsOnAllPairsOfEdges) {
  int overflows = 0;
  for (const Index a : kEdges)
    for (const Index b : kEdges) {
      const auto expected = narrow(Wide{a} * b);
      ASSERT_EQ(checked_mul(a, b), expected) << a << " * " << b;
      if (!expected) ++overflows;
    }
  EXPECT_GT(overflows, 100);
}

TEST(Accumulate, SucceedsIffProductAndSumBothFit) {
  int fits = 0;
  for (const Index start : kEdges)
    for (const Index a : kEdges)
      for (const Index b : kEdges) {
        const auto product = narrow(Wide{a} * b);
        const auto expected = product ? narrow(Wide{start} + *product) : std::nullopt;
        Index sum = start;
        ASSERT_EQ(accumulate(sum, a, b), expected.has_value()) << start << " + " << a << " * " << b;
        if (!expected) continue;
        ASSERT_EQ(sum, *expected);
        ++fits;
      }
  EXPECT_GT(fits, 1000);
}

struct Quotient {
  const char* name;
  Index value, divisor, floor, mod, ceil;
};

class Division : public testing::TestWithParam<Quotient> {};

TEST_P(Division, RoundsAsWritten) {
  const Quotient& q = GetParam();
  EXPECT_EQ(floor_div(q.value, q.divisor), q.floor);
  EXPECT_EQ(floor_mod(q.value, q.divisor), q.mod);
  EXPECT_EQ(ceil_div(q.value, q.divisor), q.ceil);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Division,
    testing::Values(Quotient{"Zero", 0, 4, 0, 0, 0}, Quotient{"BelowOne", 3, 4, 0, 3, 1},
                    Quotient{"Exact", 8, 4, 2, 0, 2}, Quotient{"Above", 9, 4, 2, 1, 3},
                    Quotient{"MinusOne", -1, 4, -1, 3, 0}, Quotient{"MinusExact", -8, 4, -2, 0, -2},
                    Quotient{"MinusAbove", -9, 4, -3, 3, -2}, Quotient{"ByOne", -7, 1, -7, 0, -7},
                    Quotient{"Sticks", 150, 64, 2, 22, 3}, Quotient{"MostByOne", kMost, 1, kMost, 0, kMost},
                    Quotient{"MostByMost", kMost, kMost, 1, 0, 1}, Quotient{"LeastByOne", kLeast, 1, kLeast, 0, kLeast},
                    Quotient{"LeastByTwo", kLeast, 2, -4611686018427387904, 0, -4611686018427387904},
                    Quotient{"LeastByThree", kLeast, 3, -3074457345618258603, 1, -3074457345618258602},
                    Quotient{"LeastByMost", kLeast, kMost, -2, kMost - 1, -1}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Division, RestoresTheValueOnASmallBox) {
  for (Index w = 1; w <= 12; ++w)
    for (Index x = -40; x <= 40; ++x) {
      const Index q = floor_div(x, w);
      const Index r = floor_mod(x, w);
      ASSERT_TRUE(0 <= r && r < w) << x << " by " << w;
      ASSERT_EQ(x, w * q + r);
      ASSERT_TRUE(w * ceil_div(x, w) >= x && w * (ceil_div(x, w) - 1) < x) << x << " by " << w;
    }
}

RC_GTEST_PROP(DivisionLaws, HoldForEveryValueAndEveryPositiveDivisor, ()) {
  const Index x = *rc::gen::oneOf(rc::gen::arbitrary<Index>(), rc::gen::elementOf(kEdges));
  const Index w = *rc::gen::suchThat(rc::gen::oneOf(rc::gen::arbitrary<Index>(), rc::gen::elementOf(kEdges)),
                                     [](Index v) { return v > 0; });
  const Wide q = floor_div(x, w);
  const Wide r = floor_mod(x, w);
  const Wide up = ceil_div(x, w);
  RC_ASSERT(0 <= r && r < w);
  RC_ASSERT(w * q + r == x);
  RC_ASSERT(w * up >= x && w * (up - 1) < x);
}

std::optional<Index> product(std::vector<Index> values) { return checked_product(values); }

TEST(CheckedProduct, OfNothingIsOne) { EXPECT_EQ(product({}), 1); }
TEST(CheckedProduct, MultipliesTheExtentsOfADeviceShape) { EXPECT_EQ(product({100, 3, 5, 64}), 96000); }
TEST(CheckedProduct, OfAnEmptySpaceIsZeroWhereverTheZeroStands) {
  EXPECT_EQ(product({0}), 0);
  EXPECT_EQ(product({kMost, kMost, 0}), 0);
  EXPECT_EQ(product({0, kMost, kMost}), 0);
  EXPECT_EQ(product({kMost, 0, kMost}), 0);
}
TEST(CheckedProduct, ReachesTheLargestNumber) {
  EXPECT_EQ(product({kMost}), kMost);
  EXPECT_EQ(product({Index{1} << 31, Index{1} << 31}), Index{1} << 62);
  EXPECT_EQ(product({7, 7, 73, 127, 337, 92737, 649657}), kMost);
}
TEST(CheckedProduct, SaysThatItOverflows) {
  EXPECT_EQ(product({Index{1} << 32, Index{1} << 31}), std::nullopt);
  EXPECT_EQ(product({kMost, 2}), std::nullopt);
  EXPECT_EQ(product({2, kMost, 1}), std::nullopt);
}

}  // namespace base_integer_test
}  // namespace vl
