// f16, bf16, f32 and f64 against the processor, which rounds to nearest even here. Its operations are reached through
// volatile variables, because a compiler folds x + -0 to x.
//
// f16 and bf16 are computed in double and rounded once more: sums and products of 11-bit (8-bit) significands are exact
// in double's 53 bits when the exponents are near, and where a sum is not exact, double rounding to p bits from at
// least 2p + 2 bits is the same as rounding once (Figueroa 1995); this holds for subnormals too, whose precision is
// smaller.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "encodings/values/arithmetic.h"
#include "tests/support/property.h"

namespace vl {
namespace values_processor_campaign {

using namespace values;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *find_format(name); }

template <class Float, class Bits>
struct Processor {
  static Float number(Code code) { return std::bit_cast<Float>(static_cast<Bits>(code)); }
  static Code add(Code a, Code b) {
    volatile Float x = number(a), y = number(b);
    volatile Float out = x + y;
    return std::bit_cast<Bits>(static_cast<Float>(out));
  }
  static Code mul(Code a, Code b) {
    volatile Float x = number(a), y = number(b);
    volatile Float out = x * y;
    return std::bit_cast<Bits>(static_cast<Float>(out));
  }
  static Code fma(Code a, Code b, Code c) {
    volatile Float x = number(a), y = number(b), z = number(c);
    volatile Float out = std::fma(static_cast<Float>(x), static_cast<Float>(y), static_cast<Float>(z));
    return std::bit_cast<Bits>(static_cast<Float>(out));
  }
};
using F32 = Processor<float, std::uint32_t>;
using F64 = Processor<double, std::uint64_t>;

// Bits, but any NaN is as good as another.
bool same(const Format& format, Code a, Code b) { return a == b || (is_nan(format, a) && is_nan(format, b)); }

// Codes at which something changes: zeros, ends of the subnormals, powers of two with neighbours, the ends, NaNs.
std::vector<Code> edges(const Format& format) {
  std::vector<Code> out{0, 1, 2, 3, infinity(format, false), default_nan(format), infinity(format, false) + 1};
  const Code unit = Code{1} << format.fraction_bits;
  for (const Code exponent :
       {Code{1}, Code{2}, Code{24}, static_cast<Code>(format.bias - 1), static_cast<Code>(format.bias),
        static_cast<Code>(format.bias + 1), static_cast<Code>(format.bias + static_cast<int>(format.fraction_bits)),
        static_cast<Code>(format.bias / 2), static_cast<Code>(2 * format.bias)})
    for (const Code fraction : {Code{0}, Code{1}, unit / 2, unit - 2, unit - 1})
      out.push_back(exponent * unit + fraction);
  const std::size_t positive = out.size();
  for (std::size_t i = 0; i < positive; ++i) out.push_back(out[i] | format.sign());
  return out;
}

// A code whose exponent is near another one's, or any.
Code random_code(const Format& format, test::WideEngine& random, Code near) {
  const Code any = random() & format.mask();
  if (random.below(2) == 0) return any;
  const Code fraction = (Code{1} << format.fraction_bits) - 1;
  const Code exponent = near + (random.below(8) << format.fraction_bits) - (Code{4} << format.fraction_bits);
  return ((exponent & ~fraction) | (any & fraction)) & format.mask();
}

template <class Unit>
int compare_all(const Format& format, int random_cases) {
  int decided = 0;
  const auto agrees = [&](Code a, Code b, Code c) {
    decided += 3;
    return same(format, add(format, a, b), Unit::add(a, b)) && same(format, mul(format, a, b), Unit::mul(a, b)) &&
           same(format, fma(format, a, b, c), Unit::fma(a, b, c));
  };
  const auto all = edges(format);
  for (const Code a : all)
    for (const Code b : all)
      for (const Code c : {Code{0}, format.sign(), Code{1}, a, b, negated(format, a), one(format)})
        EXPECT_TRUE(agrees(a, b, c)) << format.name << std::hex << " " << a << " " << b << " " << c;
  test::for_all(random_cases, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Code a = random_code(format, random, one(format)), b = random_code(format, random, a);
    const bool cancels = random.below(3) == 0;
    const Code near = cancels ? negated(format, mul(format, a, b)) : random_code(format, random, mul(format, a, b));
    const Code c = cancels && random.below(2) == 0 ? near ^ random.below(4) : near;
    const bool right = agrees(a, b, c);
    if (!right) RC_LOG() << rc::toString(std::array{a, b, c});
    RC_ASSERT(right);
  });
  return decided;
}

TEST(Processor, AgreesOnF32) { EXPECT_GT((compare_all<F32>(of("f32"), 1'000'000)), 3'000'000); }
TEST(Processor, AgreesOnF64) { EXPECT_GT((compare_all<F64>(of("f64"), 1'000'000)), 3'000'000); }

// Which NaN a sum of two operands is, bit for bit: the first one, quieted.
TEST(Processor, KeepsTheFirstNan) {
  int decided = 0;
  for (const Code a : {Code{0x7FC00001}, Code{0x7F800002}, Code{0xFFC12345}, Code{0x3F800000}, Code{0x7F800000}})
    for (const Code b : {Code{0xFFC00003}, Code{0x7F800004}, Code{0x40000000}}) {
      if (!is_nan(of("f32"), a) && !is_nan(of("f32"), b)) continue;
      const Code nan = is_nan(of("f32"), a) ? a : b;
      EXPECT_EQ(add(of("f32"), a, b), nan | 0x00400000);
      EXPECT_EQ(mul(of("f32"), a, b), nan | 0x00400000);
      EXPECT_EQ(convert(of("f32"), of("f64"), nan),
                F64::add(std::bit_cast<std::uint64_t>(static_cast<double>(F32::number(nan | 0x00400000))), 0));
      ++decided;
    }
  EXPECT_EQ(decided, 13);
}

// Rounds a double to a 16-bit format; for f16 the compiler's own type is the second opinion.
Code rounded(const Format& format, double value) {
  const Code code = std::bit_cast<std::uint64_t>(value);
  if (format == of("bf16")) {
    // By hand, without the code under test: rounding f32 to bf16 adds half of what is cut off, and 1 more where odd. It
    // starts from a double that was made odd where f32 cuts it off, so that there is no double rounding.
    float narrow = static_cast<float>(value);
    auto bits = std::bit_cast<std::uint32_t>(narrow);
    if (std::isnan(value)) return 0x7FC0;
    if (static_cast<double>(narrow) != value && std::isfinite(narrow)) {
      if (std::fabs(static_cast<double>(narrow)) > std::fabs(value)) --bits;
      bits |= 1;
    }
    if (std::isinf(narrow) && !std::isinf(value)) bits -= 1;  // beyond the largest f32: rounds to infinity below
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  }
  return convert(of("f64"), format, code);
}

TEST(Processor, AgreesOnBf16) {
  const Format& bf16 = of("bf16");
  const auto number = [](Code code) { return static_cast<double>(F32::number(code << 16)); };
  std::mt19937_64 random(7);
  std::vector<Code> sample = edges(bf16);
  while (sample.size() < 2048) sample.push_back(random() & 0xFFFF);
  long decided = 0;
  for (const Code a : sample)
    for (const Code b : sample) {
      volatile double x = number(a), y = number(b);
      const volatile double sum = x + y, times = x * y;
      ASSERT_TRUE(same(bf16, add(bf16, a, b), rounded(bf16, sum))) << std::hex << a << " + " << b;
      ASSERT_TRUE(same(bf16, mul(bf16, a, b), rounded(bf16, times))) << std::hex << a << " * " << b;
      decided += 2;
    }
  EXPECT_EQ(decided, 2 * 2048 * 2048);
}

#if defined(__FLT16_MAX__) && !defined(__clang__)
// GCC computes _Float16 in float and rounds after each operation: 24 bits are 2·11 + 2, so this is one rounding.
using Half = Processor<_Float16, std::uint16_t>;

TEST(Processor, AgreesOnF16) {
  const Format& f16 = of("f16");
  std::mt19937_64 random(8);
  std::vector<Code> sample = edges(f16);
  while (sample.size() < 2048) sample.push_back(random() & 0xFFFF);
  long decided = 0;
  for (const Code a : sample)
    for (const Code b : sample) {
      ASSERT_TRUE(same(f16, add(f16, a, b), Half::add(a, b))) << std::hex << a << " + " << b;
      ASSERT_TRUE(same(f16, mul(f16, a, b), Half::mul(a, b))) << std::hex << a << " * " << b;
      decided += 2;
    }
  EXPECT_EQ(decided, 2 * 2048 * 2048);
  for (Code code = 0; code <= 0xFFFF; ++code) {
    const float wide = static_cast<float>(Half::number(code));
    ASSERT_TRUE(same(of("f32"), convert(f16, of("f32"), code), std::bit_cast<std::uint32_t>(wide))) << code;
  }
  test::for_all(1'500'000, [&] {
    test::WideEngine drawn = *test::engines<test::WideEngine>();
    const Code near = convert(f16, of("f32"), drawn() & 0xFFFF) ^ (drawn() & 0x3FFF);
    const Code code = drawn.below(2) == 0 ? near : drawn() & 0xFFFFFFFF;
    const Code narrow = std::bit_cast<std::uint16_t>(static_cast<_Float16>(F32::number(code)));
    RC_ASSERT(same(f16, convert(of("f32"), f16, code), narrow));
  });
}
#endif

TEST(Processor, ConvertsBetweenF32AndF64) {
  long decided = 0;
  test::for_all(1'500'000, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Code near = convert(of("f32"), of("f64"), random() & 0xFFFFFFFF) ^ (random() & 0x7FFFFFFF);
    const Code code = random.below(2) == 0 ? near : random();
    const Code narrow = std::bit_cast<std::uint32_t>(static_cast<float>(F64::number(code)));
    RC_ASSERT(same(of("f32"), convert(of("f64"), of("f32"), code), narrow));
    ++decided;
  });
  EXPECT_EQ(decided, 1'500'000);
}

}  // namespace values_processor_campaign
}  // namespace vl
