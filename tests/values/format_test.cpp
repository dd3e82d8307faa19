// Formats: numbers worked by hand from the documents, and laws on all codes of the small formats.
#include "encodings/values/format.h"

#include <gtest/gtest.h>

#include <cmath>

#include "encodings/values/arithmetic.h"

namespace vl {
namespace values_format_test {

using namespace values;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *find_format(name); }

double number(const Format& format, Code code) {
  if (is_zero(format, code)) return 0;
  const Number exact = unpack(format, code);
  return std::ldexp(static_cast<double>(exact.significand), exact.exponent) * (exact.negative ? -1 : 1);
}

TEST(Formats, HaveTheNumbersOfTheirDocuments) {
  struct Row {
    const char* format;
    Code code;
    double value;
  };
  const Row rows[] = {{"f16", 0x3C00, 1},
                      {"f16", 0x7BFF, 65504},
                      {"f16", 0x0001, 0x1p-24},
                      {"f16", 0x0400, 0x1p-14},
                      {"bf16", 0x3F80, 1},
                      {"bf16", 0x0001, 0x1p-133},
                      {"f32", 0x00000001, 0x1p-149},
                      {"f32", 0x7F7FFFFF, 0x1.fffffep127},
                      {"f64", 0x0010000000000000, 0x1p-1022},
                      {"f8e4m3", 0x7E, 448},
                      {"f8e4m3", 0x01, 0x1p-9},
                      {"f8e4m3", 0x38, 1},
                      {"f8e5m2", 0x7B, 57344},
                      {"f8e5m2", 0x01, 0x1p-16},
                      {"f8e5m2", 0xBC, -1},
                      {"f8e4m3fnuz", 0x7F, 240},
                      {"f8e4m3fnuz", 0x01, 0x1p-10},
                      {"f8e4m3fnuz", 0x40, 1},
                      {"f8e5m2fnuz", 0x7F, 57344},
                      {"f8e5m2fnuz", 0x01, 0x1p-17},
                      {"f8e5m2fnuz", 0xC0, -1},
                      {"dl16", 0x7FFE, 8573157376},
                      {"dl16", 0xFFFE, -8573157376},
                      {"dl16", 0x3E00, 1},
                      {"dl16", 0x0001, 0x201p-40},
                      {"i8", 0x80, -128},
                      {"u8", 0x80, 128},
                      {"i64", ~Code{0}, -1}};
  for (const Row& row : rows) EXPECT_EQ(number(of(row.format), row.code), row.value) << row.format << " " << row.code;
}

TEST(Formats, HaveTheSpecialCodesOfTheirDocuments) {
  EXPECT_TRUE(is_infinite(of("f16"), 0xFC00));
  EXPECT_TRUE(is_signalling(of("f16"), 0x7C01));
  EXPECT_FALSE(is_signalling(of("f16"), 0x7E00));
  EXPECT_TRUE(is_nan(of("f8e4m3"), 0xFF));
  EXPECT_FALSE(has_infinity(of("f8e4m3")));
  EXPECT_TRUE(is_nan(of("f8e4m3fnuz"), 0x80));
  EXPECT_FALSE(has_negative_zero(of("f8e5m2fnuz")));
  EXPECT_TRUE(is_nan(of("dl16"), 0xFFFF));
  EXPECT_FALSE(is_zero(of("dl16"), 0x0001));
  EXPECT_FALSE(has_nan(of("i32")));
  EXPECT_EQ(find_format("f7"), nullptr);
  // NaNs: f16 2·(2^10 - 1), bf16 2·(2^7 - 1), e5m2 2·3, e4m3 2, fnuz 1, dl16 2.
  const std::pair<const char*, int> nans[] = {{"f16", 2046},     {"bf16", 254},     {"f8e5m2", 6}, {"f8e4m3", 2},
                                              {"f8e4m3fnuz", 1}, {"f8e5m2fnuz", 1}, {"dl16", 2},   {"i16", 0}};
  for (const auto& [name, want] : nans) {
    int count = 0;
    for (Code code = 0; code <= of(name).mask(); ++code) count += is_nan(of(name), code) ? 1 : 0;
    EXPECT_EQ(count, want) << name;
  }
}

// order() is strictly monotone, at_order() inverts it, and unpack() and pack() invert each other, on every code.
TEST(Formats, OrderAndPackEveryCodeOfSixteenBits) {
  int formats_seen = 0;
  for (const Format& format : formats()) {
    if (format.bits > 16) continue;
    ++formats_seen;
    for (Code code = 0; code <= format.mask(); ++code) {
      if (is_nan(format, code)) continue;
      ASSERT_EQ(at_order(format, order(format, code)), code) << format.name << " " << code;
      const auto next = at_order(format, order(format, code) + 1);
      if (next && is_finite(format, code) && is_finite(format, *next) && !(is_zero(format, code) && *next == 0)) {
        ASSERT_LT(number(format, code), number(format, *next)) << format.name << " " << code;
      }
      if (format.is_float() && is_finite(format, code) && !is_zero(format, code)) {
        ASSERT_EQ(pack(format, unpack(format, code)), code) << format.name << " " << code;
      }
      ASSERT_EQ(negated(format, negated(format, code)), code);
    }
  }
  EXPECT_EQ(formats_seen, 10);
}

TEST(Conversions, RoundAsTheirRulesSay) {
  const Format &f32 = of("f32"), &f16 = of("f16");
  EXPECT_EQ(convert(f32, f16, 0x477FF000), 0x7C00u);             // 65520, half way to 65536
  EXPECT_EQ(convert(f32, f16, 0x477FEFFF), 0x7BFFu);             // just below
  EXPECT_EQ(convert(f32, of("bf16"), 0x477FF000), 0x4780u);      // 65536
  EXPECT_EQ(convert(of("dl16"), f32, 0xFFFF), 0xFFC00000u);      // NaN, and its sign
  EXPECT_EQ(convert(f32, of("f8e4m3"), 0x43E80000), 0x7Eu);      // 464 is half way between 448 and 480
  EXPECT_EQ(convert(f32, of("f8e4m3"), 0x43E80001), 0x7Fu);      // above
  EXPECT_EQ(convert(f32, of("f8e4m3fnuz"), 0x80000000), 0x00u);  // -0 is the only zero
  EXPECT_EQ(convert(f32, f16, 0x7F802000), 0x7E01u);             // a signalling NaN is quieted and keeps its payload
  EXPECT_EQ(convert(of("i8"), of("i32"), 0x80), 0xFFFFFF80u);
  EXPECT_EQ(convert(of("i32"), of("i8"), 0x181), 0x81u);
  EXPECT_EQ(convert(of("i64"), of("f64"), (Code{1} << 53) + 1), convert(of("i64"), of("f64"), Code{1} << 53));
}

// dl16: of the 63,488 finite codes of f16, 32,768 survive the way to dl16 and back by the host's rule, ties away;
// 65504 becomes 65536 and comes back as infinity. Each dl16 number is a number of f32 and comes back.
TEST(Conversions, OfDl16AreThoseOfTheHost) {
  const Format &f16 = of("f16"), &dl16 = of("dl16"), &f32 = of("f32");
  int survive = 0, finite = 0;
  for (Code code = 0; code <= 0xFFFF; ++code) {
    if (is_finite(f16, code)) {
      ++finite;
      const Code there = convert(f16, dl16, code, Rounding::NearestAway);
      survive += convert(dl16, f16, there) == code ? 1 : 0;
    }
    ASSERT_EQ(convert(f32, dl16, convert(dl16, f32, code)), code);
  }
  EXPECT_EQ(finite, 63488);
  EXPECT_EQ(survive, 2 + 2046 + 30 * 512 * 2);  // zeros, subnormals, and normal numbers with an even fraction
  EXPECT_EQ(convert(dl16, f16, convert(f16, dl16, 0x7BFF, Rounding::NearestAway)), 0x7C00u);
  EXPECT_EQ(convert(f32, dl16, 0x30000000), 0u);  // 2^-31 is missing: its code is zero's
  EXPECT_EQ(convert(f32, dl16, 0xB0000000), 0x8000u);
  EXPECT_EQ(convert(f32, dl16, 0x30002000, Rounding::NearestAway), 1u);  // half way between 2^-31 and the least number
  EXPECT_EQ(convert(f32, dl16, 0x30002000), 0u);
  EXPECT_EQ(convert(f32, dl16, 0x7F800000), 0x7FFFu);
}

TEST(Conversions, KnowWhereTheyAreExact) {
  const std::pair<const char*, const char*> exact[] = {
      {"f16", "f32"},  {"bf16", "f32"}, {"f32", "f64"}, {"f8e5m2", "f16"},  {"f8e4m3", "f16"}, {"f8e4m3fnuz", "f16"},
      {"dl16", "f32"}, {"i8", "i32"},   {"u8", "i16"},  {"f8e4m3", "dl16"}, {"i8", "i8"},      {"f8e4m3", "bf16"}};
  for (const auto& [from, to] : exact) EXPECT_TRUE(is_exact(of(from), of(to))) << from << " " << to;
  const std::pair<const char*, const char*> inexact[] = {{"f16", "bf16"},
                                                         {"bf16", "f16"},
                                                         {"dl16", "f16"},
                                                         {"f16", "dl16"},
                                                         {"f16", "f8e5m2"},
                                                         {"u8", "i8"},
                                                         {"i8", "u8"},
                                                         {"i8", "f32"},
                                                         {"f32", "f16"},
                                                         {"bf16", "dl16"},
                                                         {"f8e4m3", "f8e4m3fnuz"},
                                                         {"f8e5m2", "f8e4m3"}};
  for (const auto& [from, to] : inexact) EXPECT_FALSE(is_exact(of(from), of(to))) << from << " " << to;
  // All pairs of small formats, by converting every code there and back.
  int decided = 0;
  for (const Format& from : formats())
    for (const Format& to : formats()) {
      if (from.bits > 16 || !from.is_float() || !to.is_float() || from == to) continue;
      bool same = true;
      for (Code code = 0; code <= from.mask(); ++code)
        if (!is_nan(from, code)) {
          const Code there = convert(from, to, code);
          same = same && !is_nan(to, there) && convert(to, from, there) == code;
        }
      EXPECT_EQ(is_exact(from, to), same) << from.name << " " << to.name;
      ++decided;
    }
  EXPECT_EQ(decided, 7 * 8);
}

TEST(Arithmetic, HasTheNumbersOfItsHeader) {
  const Format &f16 = of("f16"), &f32 = of("f32");
  EXPECT_EQ(add(f16, 0x3C00, 0x1000), 0x3C00u);
  EXPECT_EQ(add(f16, 0x8000, 0x8000), 0x8000u);
  EXPECT_EQ(add(f16, 0x8000, 0x0000), 0x0000u);
  EXPECT_EQ(add(f16, 0x7C01, 0x8000), 0x7E01u);  // quieted
  EXPECT_EQ(add(f16, 0x7C00, 0xFC00), 0x7E00u);
  EXPECT_EQ(mul(f16, 0x0001, 0xB800), 0x8000u);
  EXPECT_EQ(fma(f32, 0x00000001, 0x80000001, 0), 0x80000000u);
  EXPECT_EQ(add(f32, mul(f32, 0x00000001, 0x80000001), 0), 0u);
  EXPECT_EQ(mul(of("bf16"), 0x7F80, 0x0000), 0x7FC0u);
  EXPECT_EQ(maximum(f16, MaxRule::NanWins, 0x7E00, 0x3C00), 0x7E00u);
  EXPECT_EQ(maximum(f16, MaxRule::NanLoses, 0x7E00, 0x3C00), 0x3C00u);
  EXPECT_EQ(maximum(f16, MaxRule::X86, 0x7E00, 0x3C00), 0x3C00u);
  EXPECT_EQ(maximum(f16, MaxRule::X86, 0x3C00, 0x7E00), 0x7E00u);
  EXPECT_EQ(maximum(f16, MaxRule::NanWins, 0x0000, 0x8000), 0x0000u);
  EXPECT_EQ(maximum(f16, MaxRule::X86, 0x0000, 0x8000), 0x8000u);
  EXPECT_EQ(minimum(f16, MaxRule::NanWins, 0x0000, 0x8000), 0x8000u);
  EXPECT_EQ(minimum(of("i8"), MaxRule::NanWins, 0x80, 0x7F), 0x80u);
  EXPECT_EQ(maximum(of("u8"), MaxRule::NanWins, 0x80, 0x7F), 0x80u);
  EXPECT_EQ(mul(of("i8"), 0x10, 0x10), 0u);
  EXPECT_EQ(compare(f16, 0x8000, 0), Order::Equal);
  EXPECT_EQ(compare(f16, 0x7E00, 0), Order::Unordered);
}

}  // namespace values_format_test
}  // namespace vl
