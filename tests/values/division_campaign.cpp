// Quotients and square roots against the processor: of f32 and f64 its own, of the smaller formats those of doubles,
// rounded once more. A quotient or root of p-bit significands that is rounded to 53 >= 2p + 2 bits first is rounded no
// differently (Figueroa 1995).
#include "encodings/values/division.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "encodings/values/arithmetic.h"
#include "tests/support/drawn_codes.h"

namespace vl {
namespace values_division_campaign {

using namespace values;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *find_format(name); }

bool same(const Format& format, Code a, Code b) { return a == b || (is_nan(format, a) && is_nan(format, b)); }

double number(const Format& format, Code code) { return std::bit_cast<double>(convert(format, of("f64"), code)); }
Code nearest(const Format& format, double x) { return convert(of("f64"), format, std::bit_cast<Code>(x)); }

bool are_those_of_doubles(const Format& format, Code a, Code b) {
  volatile double x = number(format, a), y = number(format, b);
  return same(format, div(format, a, b), nearest(format, x / y)) &&
         same(format, root(format, a), nearest(format, std::sqrt(x))) &&
         same(format, sub(format, a, b), nearest(format, x - y));
}

TEST(Division, IsThatOfDoublesForEveryPairOfEightBits) {
  int decided = 0;
  for (const char* name : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"})
    for (Code a = 0; a <= 0xFF; ++a)
      for (Code b = 0; b <= 0xFF; ++b, ++decided)
        ASSERT_TRUE(are_those_of_doubles(of(name), a, b)) << name << " " << a << " " << b;
  EXPECT_EQ(decided, 4 * 65536);
}

TEST(Division, IsThatOfDoublesForManyPairsOfWiderFormats) {
  int decided = 0;
  for (const char* name : {"f16", "bf16", "dl16", "f32"})
    test::for_all(100'000, name, [&] {
      const auto [a, b] = *test::near_codes(of(name));
      RC_ASSERT(are_those_of_doubles(of(name), a, b));
      ++decided;
    });
  EXPECT_EQ(decided, 400'000);
}

TEST(Division, IsTheProcessorsForF64) {
  const Format& f64 = of("f64");
  int decided = 0;
  test::for_all(100'000, [&] {
    const auto [a, b] = *test::near_codes(f64);
    volatile double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
    RC_ASSERT(same(f64, div(f64, a, b), std::bit_cast<Code>(x / y)));
    RC_ASSERT(same(f64, root(f64, a), std::bit_cast<Code>(std::sqrt(x))));
    ++decided;
  });
  EXPECT_EQ(decided, 100'000);
}

// f16(8191) is 8192, so a mean of 8191 elements and one of 8192 divide by the same number.
TEST(Division, RoundsCounts) {
  EXPECT_EQ(count_code(of("f16"), 8191), count_code(of("f16"), 8192));
  EXPECT_EQ(count_code(of("dl16"), 2047), count_code(of("dl16"), 2048));
  EXPECT_NE(count_code(of("f16"), 2047), count_code(of("f16"), 2048));
  EXPECT_EQ(count_code(of("f16"), 3), 0x4200U);
  EXPECT_EQ(count_code(of("f8e4m3"), 1000), default_nan(of("f8e4m3")));
}

}  // namespace values_division_campaign
}  // namespace vl
