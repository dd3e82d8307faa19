// Quantised dot: what pads add, against sums that are executed with plain integers; decisions about sets of pads
// against every pair of their codes.
#include "verifier/neutral/quantised.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/property.h"

namespace vl {
namespace neutral_quantised_test {

using namespace neutral;  // NOLINT: the folder under test
using values::Code;
using values::CodeSet;

const values::Format& of(std::string_view name) { return *values::find_format(name); }

QuantisedDot dot(const char* type, const char* wide, long za, long zb, Correction correction) {
  const Code mask = of(type).mask();
  return {of(type), of(wide), static_cast<Code>(za) & mask, static_cast<Code>(zb) & mask, correction};
}

long number(const values::Format& format, Code code) { return static_cast<long>(values::order(format, code)); }

// The kernel: three sums and a constant, with these terms and then these pads.
unsigned long executed(const QuantisedDot& q, const std::vector<std::pair<long, long>>& terms, std::size_t valid) {
  const long za = number(q.type, q.zero_a), zb = number(q.type, q.zero_b);
  long ab = 0, a = 0, b = 0, count = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    ab += terms[k].first * terms[k].second;
    if (k >= valid && q.correction == Correction::Logical) continue;
    a += terms[k].first;
    b += terms[k].second;
    count += k < valid || q.correction == Correction::Padded ? 1 : 0;
  }
  return static_cast<unsigned long>(ab - za * b - zb * a + count * za * zb) & q.accumulate.mask();
}

TEST(QuantisedDot, AddsWhatAnExecutedSumDoes) {
  long neutral = 0;
  test::for_all(10'000, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const char* type = random.below(2) == 0 ? "i8" : "u8";
    const char* wide = random.below(3) == 0 ? "i16" : "i32";
    const auto any = [&] { return random.below(4) == 0 ? Code{0} : Code{random.below(0x100)}; };
    const QuantisedDot q{of(type), of(wide), any(), any(), static_cast<Correction>(random.below(3))};
    const Code a = random.below(7) == 0 ? q.zero_a : any(), b = random.below(11) == 0 ? q.zero_b : any();
    std::vector<std::pair<long, long>> terms;
    for (int k = 0; k < 3; ++k) terms.emplace_back(number(q.type, any()), number(q.type, any()));
    const unsigned long before = executed(q, terms, 3);
    terms.emplace_back(number(q.type, a), number(q.type, b));
    const unsigned long change = (executed(q, terms, 3) - before) & q.accumulate.mask();
    RC_ASSERT(added_by(q, a, b) == change);
    neutral += change == 0 ? 1 : 0;
  });
  EXPECT_GT(neutral, 500);
}

// With K of the padded run: exactly the zero point on one side. All pairs of codes, a product of factors below 2^8 in
// i32.
TEST(QuantisedDot, WithPaddedCountNeedsAZeroPoint) {
  long pairs = 0;
  for (const auto& [za, zb] : {std::pair(0L, 0L), std::pair(37L, -121L), std::pair(-128L, 127L), std::pair(-1L, 64L)}) {
    const QuantisedDot q = dot("i8", "i32", za, zb, Correction::Padded);
    for (Code a = 0; a <= 0xFF; ++a)
      for (Code b = 0; b <= 0xFF; ++b, ++pairs)
        ASSERT_EQ(added_by(q, a, b) == 0, a == q.zero_a || b == q.zero_b) << a << " " << b;
    EXPECT_FALSE(changed_by(q, CodeSet::of(q.zero_a), CodeSet::all(q.type)));
    EXPECT_FALSE(changed_by(q, CodeSet::all(q.type), CodeSet::of(q.zero_b)));
  }
  EXPECT_EQ(pairs, 4 * 65536);
}

// With K of the valid run (0, 0) is neutral for all zero points, and any other pair is not for one of three.
TEST(QuantisedDot, WithLogicalCountNeedsZeros) {
  for (Code za = 0; za <= 0xFF; ++za)
    for (Code zb = 0; zb <= 0xFF; ++zb)
      ASSERT_EQ(added_by({of("i8"), of("i32"), za, zb, Correction::LogicalCount}, 0, 0), 0u);
  long pairs = 0;
  for (Code a = 0; a <= 0xFF; ++a)
    for (Code b = 0; b <= 0xFF; ++b, ++pairs) {
      bool changed = false;
      for (const auto& [za, zb] : {std::pair(0L, 0L), std::pair(1L, 0L), std::pair(0L, 1L)})
        changed = changed || added_by(dot("i8", "i32", za, zb, Correction::LogicalCount), a, b) != 0;
      ASSERT_EQ(changed, a != 0 || b != 0) << a << " " << b;
    }
  EXPECT_EQ(pairs, 65536);
  const auto changed =
      changed_by(dot("i8", "i32", 37, -121, Correction::LogicalCount), CodeSet::of(37), CodeSet::of(0));
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->sum, 4477u);
}

// Small accumulators wrap often, so products are 0 without a factor that is.
TEST(QuantisedDot, OfSetsIsDecidedAsByEveryPair) {
  long neutral = 0, changed = 0;
  test::for_all(8'000, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    QuantisedDot q{of("i8"), of(random.below(3) == 0 ? "i16" : "i8"), random.below(0x100), random.below(0x100),
                   static_cast<Correction>(random.below(3))};
    if (random.below(4) == 0) q.zero_a &= 0xF0, q.zero_b &= 0xF0;
    const auto some = [&](Code around) {
      std::vector<values::CodeRange> out;
      for (unsigned k = 0; k < 1 + random.below(3); ++k) {
        const Code code = (around + (random.below(16) << random.below(9))) & 0xFF;
        out.push_back({code, code});
      }
      return CodeSet(std::move(out));
    };
    const CodeSet a = some(random.below(2) == 0 ? q.zero_a : 0), b = some(random.below(2) == 0 ? q.zero_b : 0);
    bool every = true;
    for (const auto& x : a.ranges())
      for (Code p = x.first; p <= x.last; ++p)
        for (const auto& y : b.ranges())
          for (Code r = y.first; r <= y.last; ++r) every = every && added_by(q, p, r) == 0;
    const auto found = changed_by(q, a, b);
    RC_ASSERT(found.has_value() == !every);
    if (found) {
      RC_ASSERT(a.contains(found->a) && b.contains(found->b));
      RC_ASSERT(added_by(q, found->a, found->b) == found->sum);
    }
    (every ? neutral : changed) += 1;
  });
  EXPECT_GT(neutral, 200);
  EXPECT_GT(changed, 200);
}

TEST(QuantisedDot, HasNoMeaningForOthers) {
  EXPECT_NE(misfit(dot("f16", "f16", 0, 0, Correction::Padded)), "");
  EXPECT_NE(misfit(dot("i32", "i64", 0, 0, Correction::Padded)), "");
  EXPECT_NE(misfit(dot("i16", "i8", 0, 0, Correction::Padded)), "");
  EXPECT_EQ(misfit(dot("u8", "i32", 0, 255, Correction::Padded)), "");
}

}  // namespace neutral_quantised_test
}  // namespace vl
