// The checker's circuits against its operations on codes: of constants a circuit is an evaluation. The operations
// themselves are held against encodings/values in tests/checker, and those against the processor in tests/values.
#include "verifier/checker/lemmas/circuits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/shard.h"

namespace vl {
namespace lemmas_circuits_campaign {

using namespace checker;  // NOLINT: whose circuits and operations are compared

// The code of a word of constants, or an error: a circuit of constants has no variables.
Code code_of(const Word& word) {
  Code out = 0;
  for (std::size_t k = 0; k < word.size(); ++k) {
    EXPECT_TRUE(word[k] == 1 || word[k] == -1);
    if (word[k] == 1) out |= Code{1} << k;
  }
  return out;
}

constexpr MaxRule kRules[] = {MaxRule::NanWins, MaxRule::NanLoses, MaxRule::X86};

// Every operation on these codes; how many were compared.
std::size_t compare(Circuits& in, const Format& format, Code a, Code b, Code c) {
  const Word x = in.code(format, a), y = in.code(format, b), z = in.code(format, c);
  const std::string which = fmt::format("{} {:x} {:x} {:x}", format.name, a, b, c);
  EXPECT_EQ(code_of(in.added(format, x, y)), added(format, a, b)) << which;
  EXPECT_EQ(code_of(in.multiplied(format, x, y)), multiplied(format, a, b)) << which;
  EXPECT_EQ(code_of(in.fused(format, x, y, z)), fused(format, a, b, c)) << which;
  std::size_t out = 3;
  for (const MaxRule rule : kRules)
    for (const bool max : {false, true}) {
      EXPECT_EQ(code_of(in.extreme(format, rule, max, x, y)), extreme(format, rule, max, a, b)) << which;
      ++out;
    }
  if (format.name == "bf16" || format.name == "f32")
    for (const unsigned width : {7U, 3U, 1U}) {
      const Code shared = (exponent_of(format, a) + b % 10) & 0xFF;
      EXPECT_EQ(code_of(in.packed(format, width, x, in.code(format, shared))), packed(format, width, a, shared))
          << which;
    }
  if (!format.is_float) {
    EXPECT_EQ(code_of(in.saturated(format, x, y)), saturated(format, a, b)) << which;
  }
  EXPECT_EQ(in.zero(format, x) == 1, format.zero(a)) << which;
  EXPECT_EQ(in.nan(format, x) == 1, format.nan(a)) << which;
  EXPECT_EQ(in.signalling(format, x) == 1, format.signalling(a)) << which;
  EXPECT_EQ(in.infinite(format, x) == 1, format.infinite(a)) << which;
  if (!format.nan(a) && !format.nan(b)) {
    EXPECT_EQ(in.before(format, x, y) == 1, format.place(a) < format.place(b)) << which;
  }
  return out;
}

// All pairs of VL_SHARD=0/1 are 6·65,536.
TEST(Circuits, AreTheOperationsOnPairsOfTheSmallFormats) {
  const test::Shard shard = test::shard_of(48);
  std::mt19937_64 random(11);
  Circuits in;
  std::size_t compared = 0, number = 0;
  for (const char* name : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "i8", "u8"})
    for (Code a = 0; a < 256; ++a)
      for (Code b = 0; b < 256; ++b, ++number)
        if (shard.has(number)) compared += compare(in, format_of(name), a, b, random() & 255);
  EXPECT_EQ(in.variables, 1);
  EXPECT_GE(compared, 9 * 6 * 65536 / 48 * 9 / 10);
}

// Codes near each other, near what cancels a product, and near the ends.
TEST(Circuits, AreTheOperationsOnRandomCodesOfTheOthers) {
  std::mt19937_64 random(20261124);
  Circuits in;
  std::size_t compared = 0;
  for (const char* name : {"f16", "bf16", "f32", "f64", "dl16", "i16", "i32", "i64"}) {
    const Format& format = format_of(name);
    for (int i = 0; i < 240; ++i) {
      Code a = random() & format.mask(), b = random() & format.mask(), c = random() & format.mask();
      if (i % 4 == 1) b = ((a ^ format.sign()) + random() % 5) & format.mask();
      if (i % 4 == 2) a &= format.sign() | (format.mask() >> 6), b &= format.sign() | (format.mask() >> 5);
      if (i % 4 == 3) c = ((multiplied(format, a, b) ^ format.sign()) + random() % 3) & format.mask();
      compared += compare(in, format, a, b, c);
    }
  }
  EXPECT_EQ(in.variables, 1);
  EXPECT_GE(compared, 8 * 240 * 9);
}

TEST(Circuits, ConvertAsTheOperationsDo) {
  std::mt19937_64 random(3);
  Circuits in;
  std::size_t compared = 0;
  const char* const floats[] = {"f16", "bf16", "f32", "f64", "dl16", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"};
  for (const char* from : floats)
    for (const char* to : floats) {
      const Format &type = format_of(from), &wide = format_of(to);
      for (int i = 0; i < 60; ++i, ++compared) {
        const Code a = random() & type.mask() & (i % 3 == 0 ? type.sign() | type.mask() >> 4 : type.mask());
        ASSERT_EQ(code_of(in.converted(type, wide, in.code(type, a))), converted(type, wide, a))
            << from << " into " << to << fmt::format(" {:x}", a);
      }
    }
  EXPECT_EQ(compared, 81 * 60U);
}

}  // namespace lemmas_circuits_campaign
}  // namespace vl
