// States: each word of the grammar as codes, and texts that are rejected with the place of their error.
#include "encodings/values/state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "encodings/values/arithmetic.h"

namespace vl {
namespace values_state_test {

using namespace values;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *values::find_format(name); }

CodeSet state(const char* text, const char* type) {
  const CodeSet valid({{5, 9}});
  const auto out = parse_state(text, of(type), &valid);
  EXPECT_TRUE(out.has_value()) << text << ": " << (out ? "" : out.error().message);
  return out ? *out : CodeSet();
}

TEST(States, AreSetsOfCodes) {
  struct Row {
    const char* type;
    const char* text;
    CodeSet want;
  };
  const Row rows[] = {
      {"f16", "any", CodeSet({{0, 0xFFFF}})},
      {"f64", "unwritten", CodeSet({{0, ~Code{0}}})},
      {"f16", "0", CodeSet({{0, 0}, {0x8000, 0x8000}})},
      {"f16", "+0", CodeSet::of(0)},
      {"f16", " -0 ", CodeSet::of(0x8000)},
      {"i8", "0", CodeSet::of(0)},
      {"f8e4m3fnuz", "0", CodeSet::of(0)},
      {"f16", "inf|-inf", CodeSet({{0x7C00, 0x7C00}, {0xFC00, 0xFC00}})},
      {"f16", "NaN", CodeSet({{0x7C01, 0x7FFF}, {0xFC01, 0xFFFF}})},
      {"dl16", "NaN", CodeSet({{0x7FFF, 0x7FFF}, {0xFFFF, 0xFFFF}})},
      {"f8e5m2fnuz", "NaN", CodeSet::of(0x80)},
      {"f16", "finite", CodeSet({{0, 0x7BFF}, {0x8000, 0xFBFF}})},
      {"i8", "finite", CodeSet({{0, 0xFF}})},
      {"f16", "{1, -1}", CodeSet({{0x3C00, 0x3C00}, {0xBC00, 0xBC00}})},
      {"f16", "{-0,inf,0}", CodeSet({{0, 0}, {0x7C00, 0x7C00}, {0x8000, 0x8000}})},
      {"f16", "0 | {1}", CodeSet({{0, 0}, {0x3C00, 0x3C00}, {0x8000, 0x8000}})},
      {"f16", "[0..1]", CodeSet({{0, 0x3C00}, {0x8000, 0x8000}})},
      {"f16", "[-1..1]", CodeSet({{0, 0x3C00}, {0x8000, 0xBC00}})},
      {"f16", "[-inf..-65504]", CodeSet({{0xFBFF, 0xFC00}})},
      {"f16", "[0.1..0.2]", CodeSet({{0x2E67, 0x3266}})},
      {"f16", "[1e9..inf]", CodeSet::of(0x7C00)},
      {"dl16", "[8e9..inf]", CodeSet({{0x7FBA, 0x7FFE}})},
      {"f16", "[-1e300..1e300]", CodeSet({{0, 0x7BFF}, {0x8000, 0xFBFF}})},
      {"dl16", "[-8573157376..-8e9]", CodeSet({{0xFFBA, 0xFFFE}})},
      {"f8e4m3fnuz", "[-240..240]", CodeSet({{0, 0x7F}, {0x81, 0xFF}})},
      {"i8", "[-128..127]", CodeSet({{0, 0xFF}})},
      {"i8", "{-1, 7}", CodeSet({{7, 7}, {0xFF, 0xFF}})},
      {"f64", "[1..2]", CodeSet({{0x3FF0000000000000, 0x4000000000000000}})},
      {"f64", "[-inf..-1e308]", CodeSet({{0xFFE1CCF385EBC8A0, 0xFFF0000000000000}})},
      {"u8", "[250..255]", CodeSet({{250, 255}})},
      {"i64", "{-9223372036854775808}", CodeSet::of(Code{1} << 63)},
      {"f64", "{9007199254740992, 0.1}",
       CodeSet({{0x3FB999999999999A, 0x3FB999999999999A}, {0x4340000000000000, 0x4340000000000000}})},
      {"f64", "{0.1000000000000000055511151231257827}", CodeSet::of(0x3FB999999999999A)},
      {"f32", "{-0016777216.000}", CodeSet::of(0xCB800000)},
      {"f16", "bits:0x7FFF", CodeSet::of(0x7FFF)},
      {"f16", "bits:17", CodeSet::of(17)},
      {"f16", "valid", CodeSet({{5, 9}})},
      {"f16", "valid|bits:0xA", CodeSet({{5, 10}})},
  };
  for (const Row& row : rows) EXPECT_EQ(state(row.text, row.type), row.want) << row.type << " " << row.text;
}

TEST(States, OfContentsHaveTwoWordsMore) {
  EXPECT_EQ(*parse_state("non-nan", of("f16"), nullptr), nans(of("f16")).complement(of("f16")));
  EXPECT_EQ(parse_state("no-negative-zero", of("f16"), nullptr)->count(), 65535u);
  EXPECT_FALSE(parse_state("valid", of("f16"), nullptr).has_value());
}

struct RefusedState {
  const char* type;
  const char* text;
  std::size_t offset;
  const char* message;
};
const RefusedState kRefusedStates[] = {
    {"f16", "", 0, "expected any, unwritten"},
    {"f16", "zero", 0, "found 'zero'"},
    {"f16", "0|", 2, "found nothing"},
    {"f16", "0 1", 2, "expected '|' or the end, found '1'"},
    {"f16", "non-nan", 0, "found 'non-nan'"},
    {"dl16", "-inf", 0, "dl16 has no infinity; its largest numbers are 0xfffe (-8.57316e+09) and 0x7ffe"},
    {"dl16", "0|inf", 2, "dl16 has no infinity"},
    {"f8e4m3", "{1, -inf}", 4, "f8e4m3 has no infinity"},
    {"f8e4m3fnuz", "-0", 0, "f8e4m3fnuz has no -0"},
    {"i32", "NaN", 0, "i32 has no NaN"},
    {"i32", "{nan}", 1, "i32 has no NaN"},
    {"i8", "{128}", 1, "128 is no integer of i8"},
    {"u8", "{-1}", 1, "-1 is no integer of u8"},
    {"i8", "{1.5}", 1, "expected an integer of i8, found '1.5'"},
    {"i64", "{9223372036854775808}", 1, "is no integer of i64"},
    {"f16", "{0.1}", 1, "0.1 is no number of f16; the nearest is 0x2e66 (0.0999756)"},
    {"f16", "{1e6}", 1, "1e6 is no number of f16; the nearest is 0x7c00 (inf)"},
    {"f8e4m3", "{1000}", 1, "1000 is no number of f8e4m3"},
    {"f16", "{1,}", 3, "expected a number, found ''"},
    {"f16", "{}", 1, "expected a number, found ''"},
    {"f16", "{1", 2, "expected ',' or '}'"},
    {"f16", "{infinity}", 1, "expected a number, found 'infinity'"},
    {"f16", "{1e999}", 1, "out of the range of f64"},
    {"f64", "{9007199254740993}", 1, "9007199254740993 is no number of f64; the nearest is 9007199254740992"},
    {"f32", "{-9007199254740993}", 1, "is no number of f64"},
    {"f64", "{9007199254740993.0}", 1, "is no number of f64"},
    {"f64", "{90071992547409930e-1}", 1, "is no number of f64"},
    {"f64", "{1e23}", 1, "1e23 is no number of f64"},
    {"f16", "{1.00000000000000001}", 1, "is no number of f64; the nearest is 1"},
    {"f64", "[18446744073709551617..1e20]", 1, "is no number of f64"},
    {"f16", "[1..0]", 1, "no number of f16 lies in the interval"},
    {"f16", "[1.00001..1.00002]", 1, "no number of f16 lies in the interval"},
    {"dl16", "[inf..inf]", 1, "no number of dl16 lies in the interval"},
    {"dl16", "[-inf..-inf]", 1, "no number of dl16 lies in the interval"},
    {"f16", "[1,2]", 2, "expected '..', found ',2]'"},
    {"f16", "[1..2", 5, "expected ']'"},
    {"f16", "[a..2]", 1, "expected a number, found 'a'"},
    {"f16", "[NaN..2]", 1, "expected a number, found 'NaN'"},
    {"f16", "bits:", 5, "expected a code as in bits:0x7FFF"},
    {"f16", "bits:0x", 5, "expected a code"},
    {"f16", "bits:7FFF", 5, "expected a code"},
    {"f16", "bits:0x10000", 5, "f16 has 16 bits; its largest code is 0xffff"},
    {"f64", "bits:0x10000000000000000", 5, "f64 has 64 bits"},
    {"f16", "bits:-1", 5, "expected a code"},
};

TEST(States, RejectWithThePlaceAndWhatWasExpected) {
  for (const RefusedState& row : kRefusedStates) {
    const CodeSet valid = CodeSet::of(0);
    const auto out = parse_state(row.text, of(row.type), &valid);
    ASSERT_FALSE(out.has_value()) << row.type << " " << row.text;
    EXPECT_EQ(out.error().offset, row.offset) << row.text << ": " << out.error().message;
    EXPECT_NE(out.error().message.find(row.message), std::string::npos) << row.text << ": " << out.error().message;
  }
}

// Every interval between two codes of a small format is the set of codes whose numbers lie in it.
TEST(States, IntervalsAreExactOnEightBits) {
  int decided = 0;
  for (const char* name : {"f8e5m2", "f8e4m3", "f8e4m3fnuz"}) {
    const Format &format = of(name), &f64 = of("f64");
    for (Code a = 0; a <= 0xFF; a += 5)
      for (Code b = 0; b <= 0xFF; b += 5) {
        if (!is_finite(format, a) || !is_finite(format, b)) continue;
        const auto number = [&](Code code) { return std::bit_cast<double>(values::convert(format, f64, code)); };
        if (number(a) > number(b)) continue;
        // A little inside of a, a little outside of b, so that the ends are numbers of f64 alone.
        const std::string text = fmt::format("[{:.17g}..{:.17g}]", number(a) * (number(a) < 0 ? 0.9999 : 1.0001),
                                             number(b) * (number(b) < 0 ? 0.9999 : 1.0001));
        const double low = number(a) * (number(a) < 0 ? 0.9999 : 1.0001);
        const double high = number(b) * (number(b) < 0 ? 0.9999 : 1.0001);
        const auto found = parse_state(text, format, nullptr);
        for (Code code = 0; code <= 0xFF; ++code) {
          const bool inside = !is_nan(format, code) && low <= number(code) && number(code) <= high;
          ASSERT_EQ(found.has_value() && found->contains(code), inside) << name << " " << text << " " << code;
          ++decided;
        }
      }
  }
  EXPECT_GT(decided, 500'000);
}

TEST(CodeSets, AreSets) {
  const CodeSet a({{5, 9}, {1, 2}, {3, 3}, {20, 30}});
  EXPECT_EQ(a, CodeSet({{1, 3}, {5, 9}, {20, 30}}));
  EXPECT_EQ(a.count(), 19u);
  EXPECT_TRUE(a.contains(9));
  EXPECT_FALSE(a.contains(4));
  EXPECT_FALSE(a.contains(31));
  const Format& u8 = of("u8");
  EXPECT_EQ(a.complement(u8), CodeSet({{0, 0}, {4, 4}, {10, 19}, {31, 255}}));
  EXPECT_EQ(a.complement(u8).complement(u8), a);
  EXPECT_EQ(CodeSet::all(of("f64")).complement(of("f64")), CodeSet());
  EXPECT_EQ(CodeSet::all(of("f64")).count(), ~Code{0});
  EXPECT_EQ(a.intersected(CodeSet({{2, 6}, {25, 99}})), CodeSet({{2, 3}, {5, 6}, {25, 30}}));
  EXPECT_TRUE(CodeSet({{6, 7}}).is_subset_of(a));
  EXPECT_FALSE(CodeSet({{6, 10}}).is_subset_of(a));
  const auto found = extent(of("f16"), CodeSet({{0x7C01, 0x8001}, {0x3C00, 0x3C00}}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->low, -2);
  EXPECT_EQ(found->high, 0x3C00);
}

// tt-mlir's getFillValueAttr: a float's own infinities, an integer's greatest and least.
TEST(States, AreWhatAFillWrites) {
  struct Row {
    const char *type, *fill;
    std::optional<Code> want;
  };
  const Row rows[] = {{"f16", "zero", 0},        {"f16", "one", 0x3C00},     {"f16", "inf", 0x7C00},
                      {"f16", "neginf", 0xFC00}, {"f32", "one", 0x3F800000}, {"i8", "inf", 0x7F},
                      {"i8", "neginf", 0x80},    {"u8", "inf", 0xFF},        {"u8", "neginf", 0},
                      {"i32", "one", 1},         {"dl16", "inf", {}},        {"f8e4m3", "neginf", {}},
                      {"f8e4m3", "one", 0x38}};
  for (const Row& row : rows) {
    const auto codes = codes_of_fill(row.fill, of(row.type));
    ASSERT_EQ(codes.has_value(), row.want.has_value()) << row.type << " " << row.fill;
    if (codes) {
      EXPECT_EQ(*codes, CodeSet::of(*row.want)) << row.type << " " << row.fill;
    }
  }
}

}  // namespace values_state_test
}  // namespace vl
