// The facts on which the proofs stand: the classes of results against every pair of codes of 8 bits and against many of
// the others, and each law of laws.h on codes of every type, those of 32 and 64 bits at random and at their edges.
#include "verifier/neutral/laws.h"

#include <gtest/gtest.h>

#include "tests/support/drawn_codes.h"

namespace vl {
namespace neutral_laws_campaign {

using namespace neutral;  // NOLINT: the folder under test
using test::drawn_code;
using values::MaxRule;

const Format& of(std::string_view name) { return *values::find_format(name); }

// Each flush, and each rounding.
constexpr values::Mode kModes[] = {{},
                                   {values::Rounding::TowardZero, values::Flush::Results, values::Integers::Wrap},
                                   {values::Rounding::NearestAway, values::Flush::Both, values::Integers::Wrap}};

Classes one(Class found) { return static_cast<Classes>(found); }

TEST(Classes, HoldEveryResultOfEightBits) {
  int decided = 0;
  for (const char* name : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"})
    for (const values::Mode& mode : kModes) {
      const Format& format = of(name);
      for (Code a = 0; a <= 0xFF; ++a)
        for (Code b = 0; b <= 0xFF; b += mode == values::Mode{} ? 1 : 3) {
          const Classes x = class_of(format, a), y = class_of(format, b);
          const auto possible = [&](Classes classes, Code result) { return (classes & class_of(format, result)) != 0; };
          ASSERT_TRUE(possible(sum_of(format, mode.flush, x, y), values::add(format, a, b, mode)))
              << name << a << " " << b;
          ASSERT_TRUE(possible(product_of(format, mode.flush, x, y), values::mul(format, a, b, mode)))
              << name << a << " " << b;
          for (Code c = (a + b) % 31; c <= 0xFF; c += 31)
            ASSERT_TRUE(possible(fused_of(format, mode.flush, x, y, class_of(format, c), false),
                                 values::fma(format, a, b, c, mode)))
                << name << a << " " << b << " " << c;
          decided += 2;
        }
    }
  EXPECT_EQ(decided, 4 * 2 * (65536 + 2 * 256 * 86));
}

TEST(Classes, HoldResultsOfWiderTypes) {
  int decided = 0;
  for (const char* name : {"f16", "bf16", "dl16", "f32", "f64"}) {
    const Format& format = of(name);
    test::for_all(40'000, name, [&] {
      test::WideEngine random = *test::engines<test::WideEngine>();
      const Code a = drawn_code(format, random);
      const Code b = random.below(4) == 0 ? values::negated(format, a) ^ random.below(4) : drawn_code(format, random);
      const Code c = random.below(3) == 0 ? random.below(4) : drawn_code(format, random);
      const Classes x = class_of(format, a), y = class_of(format, b), z = class_of(format, c);
      const values::Mode mode = test::one_of(random, kModes);
      const auto possible = [&](Classes classes, Code result) {
        const bool out = (classes & class_of(format, result)) != 0;
        if (!out) RC_LOG() << rc::toString(std::array{a, b, c});
        return out;
      };
      RC_ASSERT(possible(sum_of(format, mode.flush, x, y), values::add(format, a, b, mode)));
      RC_ASSERT(possible(product_of(format, mode.flush, x, y), values::mul(format, a, b, mode)));
      RC_ASSERT(possible(fused_of(format, mode.flush, x, y, z, false), values::fma(format, a, b, c, mode)));
      ++decided;
    });
  }
  EXPECT_EQ(decided, 200'000);
}

// f16 in f32: products are exact, so a fused sum from +0 is never -0; bf16 in f32: 2^-133 times 2^-17 is not exact.
TEST(Classes, OfFusedSumsKnowWhenProductsAreExact) {
  const auto sums = [&](const char* type, const char* wide) {
    const Question q{Operation::Dot,   of(type), of(wide),         Start::Zero,           Tree::Sequential,
                     MaxRule::NanWins, true,     Equality::AnyNan, CodeSet::all(of(type))};
    return partial_sums(q);
  };
  EXPECT_EQ(sums("f16", "f32") & kNegativeZero, 0);
  EXPECT_NE(sums("bf16", "f32") & kNegativeZero, 0);
  EXPECT_NE(sums("f32", "f32") & kNegativeZero, 0);
  EXPECT_EQ(sums("f8e4m3", "f16") & kNegativeZero, 0);
  EXPECT_NE(sums("f16", "f16") & kNegativeZero, 0);
  EXPECT_EQ(sums("f32", "f64") & kNegativeZero, 0);
  const Format& bf16 = of("bf16");
  const Code tiny = values::convert(bf16, of("f32"), 0x0001);                    // 2^-133
  const Code other = values::convert(of("f64"), of("f32"), 0x3EE0000000000000);  // 2^-17
  EXPECT_EQ(values::mul(of("f32"), tiny, other), 0u);
}

TEST(Classes, CoverTheCodesOfASet) {
  const Format& f16 = of("f16");
  EXPECT_EQ(classes_of(f16, CodeSet::all(f16)), 255);
  EXPECT_EQ(classes_of(f16, zeros(f16)), kNegativeZero | kPositiveZero);
  EXPECT_EQ(classes_of(f16, finite_codes(f16)), kNegative | kNegativeZero | kPositiveZero | kPositive);
  EXPECT_EQ(classes_of(f16, nans(f16)), kQuietNan | kSignallingNan);
  EXPECT_EQ(classes_of(f16, CodeSet::of(0x7C00)), one(kPositiveInfinity));
  EXPECT_EQ(classes_of(of("f8e4m3fnuz"), CodeSet::all(of("f8e4m3fnuz"))),
            kNegative | kPositiveZero | kPositive | kQuietNan);
  for (const char* name : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "dl16", "f16", "bf16"})
    for (Code code = 0; code <= of(name).mask(); ++code)
      ASSERT_EQ(classes_of(of(name), CodeSet::of(code)), one(class_of(of(name), code))) << name << " " << code;
}

// The laws on single operations, for every code of 16 bits and many of the wider types.
void assert_laws(const Format& format, Code x) {
  const bool signalling = values::is_signalling(format, x);
  const Code same = values::quieted(format, x);
  if (has_negative_zero(format)) {
    const Code minus = negative_zero(format);
    RC_ASSERT(values::add(format, x, minus) == same);
    RC_ASSERT(values::add(format, minus, x) == same);
    const Code plus = x == minus ? 0 : same;
    RC_ASSERT(values::add(format, x, 0) == plus);
    RC_ASSERT(values::add(format, 0, x) == plus);
  }
  RC_ASSERT(values::mul(format, x, values::one(format)) == same);
  RC_ASSERT(values::mul(format, values::one(format), x) == same);
  if (signalling || is_nan(format, x)) return;
  const Code low = *at_order(format, lowest_order(format)), high = *at_order(format, highest_order(format));
  RC_ASSERT(values::maximum(format, MaxRule::NanWins, x, low) == x);
  RC_ASSERT(values::maximum(format, MaxRule::NanLoses, low, x) == x);
  RC_ASSERT(values::minimum(format, MaxRule::NanWins, high, x) == x);
  RC_ASSERT(values::maximum(format, MaxRule::NanLoses, x, default_nan(format)) == x);
  // A product that is less than half of a quantum: the least number times an eighth.
  if (is_infinite(format, x) || is_zero(format, x) || format.special == values::Special::NoSubnormals) return;
  const Code eighth = values::one(format) - (Code{3} << format.fraction_bits);
  for (const Code p : {Code{1}, values::negated(format, 1)}) RC_ASSERT(values::fma(format, p, eighth, x) == x);
}

TEST(Laws, HoldForEveryCode) {
  int decided = 0;
  for (const Format& format : values::formats()) {
    if (!format.is_float()) continue;
    const bool small = format.bits <= 16;
    test::for_all(small ? 1 : 200'000, std::string(format.name), [&] {
      if (small)
        for (Code code = 0; code <= format.mask(); ++code, ++decided) assert_laws(format, code);
      else assert_laws(format, (*test::some_codes<1>(format))[0]), ++decided;
    });
  }
  EXPECT_EQ(decided, 3 * 65536 + 4 * 256 + 400'000);
}

// The equalities are kept by every operation: operands that are equal give results that are equal.
TEST(Laws, EqualitiesAreCongruences) {
  int decided = 0;
  for (const char* name : {"f8e4m3", "f8e5m2", "f8e4m3fnuz"})
    for (const Operation operation : {Operation::Sum, Operation::Prod, Operation::Max, Operation::Min})
      for (const MaxRule rule : {MaxRule::NanWins, MaxRule::NanLoses, MaxRule::X86})
        for (const Equality equal : {Equality::AnyNan, Equality::AnyNanAndZero}) {
          const Format& format = of(name);
          const Question q{operation, format, format, Start::First,        Tree::Any,
                           rule,      false,  equal,  CodeSet::all(format)};
          std::vector<std::pair<Code, Code>> alike;
          for (Code a = 0; a <= 0xFF; ++a)
            for (Code b = 0; b < a; ++b)
              if (equals(q, a, b)) alike.emplace_back(a, b);
          for (const auto& [a, b] : alike)
            for (Code c = 0; c <= 0xFF; ++c, ++decided) {
              ASSERT_TRUE(equals(q, combined(q, a, c), combined(q, b, c))) << name << a << " " << b << " " << c;
              ASSERT_TRUE(equals(q, combined(q, c, a), combined(q, c, b))) << name << a << " " << b << " " << c;
            }
        }
  EXPECT_GT(decided, 100'000);
}

}  // namespace neutral_laws_campaign
}  // namespace vl
