// The checker's circuits against its operations on codes: of constants a circuit is an evaluation. The operations
// themselves are held against encodings/values in tests/values_kernel, and those against the processor in tests/values.
#include "verifier/values_kernel/lemmas/circuits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/property.h"
#include "tests/support/shard.h"

namespace vl {
namespace lemmas_circuits_campaign {

using namespace values_kernel;  // NOLINT

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

// The operation whose circuit has another result on these codes, of some nine operations; "" where none has.
std::string different(Circuits& in, const Format& format, Code a, Code b, Code c) {
  const Word x = in.code(format, a), y = in.code(format, b), z = in.code(format, c);
  std::string out;
  const auto hold = [&](const char* operation, Code circuit, Code wanted) {
    if (circuit != wanted)
      out += fmt::format("{} {:x} {:x} {:x}: {:x}, not {:x}; ", operation, a, b, c, circuit, wanted);
  };
  hold("add", code_of(in.added(format, x, y)), added(format, a, b));
  hold("mul", code_of(in.multiplied(format, x, y)), multiplied(format, a, b));
  hold("fma", code_of(in.fused(format, x, y, z)), fused(format, a, b, c));
  for (const MaxRule rule : kRules)
    for (const bool max : {false, true})
      hold(max ? "max" : "min", code_of(in.extreme(format, rule, max, x, y)), extreme(format, rule, max, a, b));
  if (format.name == "bf16" || format.name == "f32")
    for (const unsigned width : {7U, 3U, 1U}) {
      const Code shared = (exponent_of(format, a) + b % 10) & 0xFF;
      hold("pack", code_of(in.packed(format, width, x, in.code(format, shared))), packed(format, width, a, shared));
    }
  if (!format.is_float) hold("saturate", code_of(in.saturated(format, x, y)), saturated(format, a, b));
  hold("is zero", in.zero(format, x) == 1, format.zero(a));
  hold("is NaN", in.nan(format, x) == 1, format.nan(a));
  hold("signals", in.signalling(format, x) == 1, format.signalling(a));
  hold("is infinite", in.infinite(format, x) == 1, format.infinite(a));
  if (!format.nan(a) && !format.nan(b))
    hold("is before", in.before(format, x, y) == 1, format.place(a) < format.place(b));
  return out;
}

// All pairs of VL_SHARD=0/1 are 6·65,536.
TEST(Circuits, AreTheOperationsOnPairsOfTheSmallFormats) {
  const test::Shard shard = test::shard_of(48);
  Circuits in;
  std::size_t compared = 0, number = 0;
  for (const char* name : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "i8", "u8"})
    for (Code a = 0; a < 256; ++a)
      for (Code b = 0; b < 256; ++b, ++number)
        if (shard.has(number)) {
          ASSERT_EQ(different(in, format_of(name), a, b, test::digest(number) & 255), "") << name;
          ++compared;
        }
  EXPECT_EQ(in.variables, 1);
  EXPECT_GE(compared, 6 * 65536 / 48 * 9 / 10U);
}

// Codes near each other, near what cancels a product, and near the ends.
TEST(Circuits, AreTheOperationsOnRandomCodesOfTheOthers) {
  Circuits in;
  std::size_t compared = 0;
  for (const char* name : {"f16", "bf16", "f32", "f64", "dl16", "i16", "i32", "i64"}) {
    const Format& format = format_of(name);
    test::for_all(240, name, [&] {
      test::WideEngine random = *test::engines<test::WideEngine>();
      Code a = random() & format.mask(), b = random() & format.mask(), c = random() & format.mask();
      const auto way = random.below(4);
      if (way == 1) b = ((a ^ format.sign()) + random.below(5)) & format.mask();
      if (way == 2) a &= format.sign() | (format.mask() >> 6), b &= format.sign() | (format.mask() >> 5);
      if (way == 3) c = ((multiplied(format, a, b) ^ format.sign()) + random.below(3)) & format.mask();
      RC_ASSERT(different(in, format, a, b, c) == "");
      ++compared;
    });
  }
  EXPECT_EQ(in.variables, 1);
  EXPECT_EQ(compared, 8 * 240U);
}

TEST(Circuits, ConvertAsTheOperationsDo) {
  Circuits in;
  std::size_t compared = 0;
  const char* const floats[] = {"f16", "bf16", "f32", "f64", "dl16", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"};
  for (const char* from : floats)
    for (const char* to : floats) {
      const Format &type = format_of(from), &wide = format_of(to);
      test::for_all(60, fmt::format("{} into {}", from, to), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const Code a = random() & type.mask() & (random.below(3) == 0 ? type.sign() | type.mask() >> 4 : type.mask());
        RC_ASSERT(code_of(in.converted(type, wide, in.code(type, a))) == converted(type, wide, a));
        ++compared;
      });
    }
  EXPECT_EQ(compared, 81 * 60U);
}

}  // namespace lemmas_circuits_campaign
}  // namespace vl
