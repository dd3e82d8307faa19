// The modes of arithmetic: flushing and rounding toward zero against the processor's control register, saturation
// against integers that are wide enough.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "encodings/values/arithmetic.h"

namespace vl {
namespace values_processor_modes_campaign {

using namespace values;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *find_format(name); }

#if defined(__x86_64__)
constexpr unsigned kFlushResults = 0x8000, kDenormalsAreZeros = 0x0040, kTowardZero = 0x6000, kMasked = 0x1F80;

// One instruction under a control register. The assembler statements stay in this order.
template <class Instruction>
Code under(unsigned control, Code a, Instruction instruction) {
  const unsigned set = kMasked | control, before = kMasked;
  float out = std::bit_cast<float>(static_cast<std::uint32_t>(a));
  asm volatile("ldmxcsr %0" ::"m"(set));
  instruction(out);
  asm volatile("ldmxcsr %0" ::"m"(before));
  return std::bit_cast<std::uint32_t>(out);
}
float number(Code code) { return std::bit_cast<float>(static_cast<std::uint32_t>(code)); }

Code sum(unsigned control, Code a, Code b) {
  const float y = number(b);
  return under(control, a, [&](float& x) { asm volatile("addss %1, %0" : "+x"(x) : "x"(y)); });
}
Code times(unsigned control, Code a, Code b) {
  const float y = number(b);
  return under(control, a, [&](float& x) { asm volatile("mulss %1, %0" : "+x"(x) : "x"(y)); });
}
Code fused(unsigned control, Code a, Code b, Code c) {
  const float y = number(b), z = number(c);
  return under(control, a, [&](float& x) { asm volatile("vfmadd213ss %2, %1, %0" : "+x"(x) : "x"(y), "x"(z)); });
}

// f32 codes at which flushing matters: both sides of the least normal number, and pairs whose sums or products are.
std::vector<Code> edges() {
  std::vector<Code> out{0, 1, 2, 3, 0x400000, 0x7FFFFE, 0x7FFFFF, 0x800000, 0x800001, 0x800002, 0xC00000, 0xFFFFFF};
  for (const Code code : {0x1000000, 0x1000001, 0x1800000, 0x20000000, 0x20000001, 0x1FFFFFFF, 0x1F800000, 0x33800000,
                          0x34000000, 0x3F000000, 0x3F7FFFFF, 0x3F7FFFFE, 0x3F800000, 0x3F800001, 0x40000000,
                          0x7F7FFFFF, 0x7F000000, 0x7F800000, 0x7FC00000})
    out.push_back(static_cast<Code>(code));
  const std::size_t positive = out.size();
  for (std::size_t i = 0; i < positive; ++i) out.push_back(out[i] | 0x80000000);
  return out;
}

TEST(ProcessorModes, FlushAndTruncateAsItDoes) {
  struct Row {
    Mode mode;
    unsigned control;
  };
  const Row rows[] = {
      {{}, 0},
      {{Rounding::NearestEven, Flush::Results, Integers::Wrap}, kFlushResults},
      {{Rounding::NearestEven, Flush::Both, Integers::Wrap}, kFlushResults | kDenormalsAreZeros},
      {{Rounding::TowardZero, Flush::None, Integers::Wrap}, kTowardZero},
      {{Rounding::TowardZero, Flush::Both, Integers::Wrap}, kTowardZero | kFlushResults | kDenormalsAreZeros}};
  const Format& f32 = of("f32");
  const bool has_fma = __builtin_cpu_supports("fma") != 0;
  const auto same = [&](Code a, Code b) { return a == b || (is_nan(f32, a) && is_nan(f32, b)); };
  std::mt19937_64 random(20261124);
  const auto small = [&] { return (random() & 0x80FFFFFF) | ((random() % 3) << 23); };
  long decided = 0, flushed = 0;
  for (const Row& row : rows) {
    const auto check = [&](Code a, Code b, Code c) {
      const Code added = add(f32, a, b, row.mode);
      ASSERT_TRUE(same(added, sum(row.control, a, b))) << std::hex << row.control << ": " << a << " + " << b;
      ASSERT_TRUE(same(mul(f32, a, b, row.mode), times(row.control, a, b)))
          << std::hex << row.control << ": " << a << " * " << b;
      if (has_fma) {
        ASSERT_TRUE(same(fma(f32, a, b, c, row.mode), fused(row.control, a, b, c)))
            << std::hex << row.control << ": " << a << " * " << b << " + " << c;
      }
      decided += has_fma ? 3 : 2;
      flushed += added != add(f32, a, b) ? 1 : 0;
    };
    const auto all = edges();
    for (const Code a : all)
      for (const Code b : all)
        for (const Code c : {Code{0}, Code{0x80000000}, Code{1}, Code{0x800000}, Code{0x80800001}}) check(a, b, c);
    for (int i = 0; i < 200'000; ++i) {
      const Code a = i % 2 == 0 ? small() : random() & 0xFFFFFFFF, b = i % 4 < 3 ? small() : random() & 0xFFFFFFFF;
      check(a, b, small());
      check(a & 0x9FFFFFFF, (random() & 0x807FFFFF) | 0x3F000000 | (random() & 0x1800000), small());
    }
  }
  EXPECT_GT(decided, 5 * 2 * 400'000);
  EXPECT_GT(flushed, 100'000);
}
#endif

TEST(Saturation, GivesTheNearestInteger) {
  const Mode saturate{Rounding::NearestEven, Flush::None, Integers::Saturate};
  long decided = 0, beyond = 0;
  for (const char* name : {"i8", "u8", "i16"}) {
    const Format& format = of(name);
    const bool is_signed = format.kind == Kind::Signed;
    const long long high = (1LL << (format.bits - (is_signed ? 1 : 0))) - 1, low = is_signed ? -high - 1 : 0;
    const auto value = [&](Code code) {
      return static_cast<long long>(code) - (is_signed && code > static_cast<Code>(high) ? (1LL << format.bits) : 0);
    };
    const auto nearest = [&](long long exact) {
      beyond += exact < low || exact > high ? 1 : 0;
      return static_cast<Code>(std::clamp(exact, low, high)) & format.mask();
    };
    const Code step = format.bits == 8 ? 1 : 193;
    for (Code a = 0; a <= format.mask(); a += step)
      for (Code b = 0; b <= format.mask(); b += step) {
        ASSERT_EQ(add(format, a, b, saturate), nearest(value(a) + value(b))) << name << " " << a << " " << b;
        ASSERT_EQ(mul(format, a, b, saturate), nearest(value(a) * value(b))) << name << " " << a << " " << b;
        const Code c = (a * 7 + b) & format.mask();
        ASSERT_EQ(fma(format, a, b, c, saturate), nearest(value(a) * value(b) + value(c))) << name << " " << a;
        ++decided;
      }
  }
  EXPECT_EQ(decided, 2 * 65536 + 340 * 340);
  EXPECT_GT(beyond, 100'000);
  const Format& i64 = of("i64");
  EXPECT_EQ(add(i64, i64.sign(), i64.mask(), saturate), i64.sign());      // the least and -1
  EXPECT_EQ(mul(i64, i64.sign(), i64.sign(), saturate), i64.sign() - 1);  // 2^126
  EXPECT_EQ(mul(i64, i64.sign(), i64.sign() - 1, saturate), i64.sign());  // near -2^126
  EXPECT_EQ(fma(i64, i64.mask(), 5, 7, saturate), 2u);                    // -1·5 + 7
  EXPECT_EQ(mul(i64, i64.sign(), i64.mask()), i64.sign());                // wraps
}

// Rounding away differs from rounding to even in ties alone, and toward zero in what is not exact.
TEST(RoundingModes, DifferWhereTheDefinitionsDo) {
  const Format& f16 = of("f16");
  const auto with = [](Rounding rounding) { return Mode{rounding, Flush::None, Integers::Wrap}; };
  EXPECT_EQ(add(f16, 0x3C00, 0x1000, with(Rounding::NearestAway)), 0x3C01u);  // 1 + 2^-11 is a tie
  EXPECT_EQ(add(f16, 0x3C01, 0x1000, with(Rounding::TowardZero)), 0x3C01u);
  EXPECT_EQ(add(f16, 0x3C01, 0x1000, with(Rounding::NearestEven)), 0x3C02u);
  EXPECT_EQ(add(f16, 0x7BFF, 0x7BFF, with(Rounding::TowardZero)), 0x7BFFu);
  EXPECT_EQ(mul(f16, 0x8001, 0x0001, with(Rounding::NearestAway)), 0x8000u);  // -2^-48
  EXPECT_EQ(mul(f16, 0x8001, 0x3800, with(Rounding::NearestAway)), 0x8001u);  // -2^-25, a tie
  EXPECT_EQ(mul(f16, 0x8001, 0x3800, with(Rounding::TowardZero)), 0x8000u);
  EXPECT_EQ(add(of("dl16"), 0x7FFE, 0x7FFE, with(Rounding::TowardZero)), 0x7FFEu);
  EXPECT_EQ(add(of("dl16"), 0x7FFE, 0x7FFE, with(Rounding::NearestAway)), 0x7FFFu);
}

}  // namespace values_processor_modes_campaign
}  // namespace vl
