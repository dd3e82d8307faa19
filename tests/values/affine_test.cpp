// Affine quantisation against numbers that are computed in long double, and worked by hand.
#include "encodings/values/affine.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "encodings/values/number.h"
#include "tests/support/property.h"

namespace vl {
namespace values_affine_test {

using namespace values;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *find_format(name); }

long double number(const Format& format, Code code) {
  if (is_zero(format, code)) return 0;
  const Number exact = unpack(format, code);
  return (exact.negative ? -1.0L : 1.0L) * std::ldexp(static_cast<long double>(exact.significand), exact.exponent);
}

// The quotient is exact enough in 64 bits unless it is next to a tie; those are left to the table by hand.
TEST(Affine, AgreesWithRealNumbers) {
  long decided = 0, inner = 0;
  test::for_all(10'000, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Format& real = of(std::array{"f32", "f16", "bf16"}[random.below(3)]);
    const Format& type = of(random.below(2) == 0 ? "i8" : "u8");
    const Code scale = (one(real) + (random() % 24 << real.fraction_bits)) - (Code{14} << real.fraction_bits) +
                       (random() & ((Code{1} << real.fraction_bits) - 1));
    const Affine affine{type, real, scale, random() & 0xFF};
    RC_ASSERT(misfit(affine) == "");
    const Code q = random() & 0xFF;
    const long double exact = number(real, scale) * static_cast<long double>(order(type, q) - order(type, affine.zero));
    const Code there = dequantised(affine, q);
    if (is_finite(real, there)) {
      const auto away = [&](Code code) { return std::fabs(number(real, code) - exact); };
      for (const std::int64_t step : {-1, 1})
        if (const auto next = at_order(real, order(real, there) + step); next && is_finite(real, *next)) {
          RC_ASSERT(away(there) <= away(*next));
        }
    }
    const Code x = random() % 2 == 0 ? there : random() & real.mask();
    if (!is_finite(real, x)) return;
    const long double quotient = number(real, x) / number(real, scale);
    if (std::fabs(std::fabs(quotient - std::floor(quotient)) - 0.5L) < 1e-12L) return;
    const long double low = static_cast<long double>(order(type, largest(type, true))),
                      high = static_cast<long double>(order(type, largest(type, false)));
    const long double want =
        std::fmin(high, std::fmax(low, std::nearbyint(quotient) + static_cast<long double>(order(type, affine.zero))));
    RC_ASSERT(static_cast<long double>(order(type, requantised(affine, x))) == want);
    ++decided;
    inner += want != low && want != high ? 1 : 0;
  });
  EXPECT_GT(decided, 7'500);
  EXPECT_GT(inner, 2'500);
}

TEST(Affine, ByHand) {
  const Affine half{of("i8"), of("f16"), 0x3800, 3};
  EXPECT_EQ(dequantised(half, 7), 0x4000u);  // 0.5·4 = 2
  EXPECT_EQ(dequantised(half, 3), 0u);
  EXPECT_EQ(dequantised(half, 0), 0xBE00u);  // -1.5: a fill of 0 is not 0
  EXPECT_EQ(requantised(half, 0x4066), 7u);  // 2.2 / 0.5 = 4.4
  EXPECT_EQ(requantised(half, 0x3400), 3u);  // 0.25 / 0.5 is a tie: 0
  EXPECT_EQ(requantised(half, 0x3A00), 5u);  // 0.75 / 0.5 is a tie: 2
  EXPECT_EQ(requantised(half, 0xBA00), 1u);  // -2
  EXPECT_EQ(requantised(half, 0x7C00), 127u);
  EXPECT_EQ(requantised(half, 0xFBFF), 0x80u);
  EXPECT_EQ(requantised(half, 0x7E00), 3u);
  EXPECT_EQ(zeros(half), CodeSet::of(3));
  const Affine tiny{of("i8"), of("f8e5m2"), 0x01, 0};
  EXPECT_EQ(zeros(tiny), CodeSet::of(0));
  // Maximum: the integer that stands for the least number is the least one, as scales are more than 0.
  for (Code q = 0; q < 0xFF; ++q) {
    EXPECT_EQ(compare(of("f16"), dequantised({of("u8"), of("f16"), 0x3800, 200}, q),
                      dequantised({of("u8"), of("f16"), 0x3800, 200}, q + 1)),
              Order::Less);
  }
}

TEST(Affine, ThatIsNoneSaysWhy) {
  EXPECT_NE(misfit({of("f16"), of("f16"), 0x3C00, 0}), "");
  EXPECT_NE(misfit({of("i64"), of("f16"), 0x3C00, 0}), "");
  EXPECT_NE(misfit({of("i8"), of("i8"), 1, 0}), "");
  for (const Code scale : {0x0000, 0x8000, 0xBC00, 0x7C00, 0x7E00})
    EXPECT_NE(misfit({of("i8"), of("f16"), scale, 0}), "");
  EXPECT_NE(misfit({of("i8"), of("f16"), 0x3C00, 0x100}), "");
}

}  // namespace values_affine_test
}  // namespace vl
