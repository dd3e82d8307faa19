// Images and preimages of pointwise functions, against a look at every operand.
#include "verifier/neutral/transfer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/values/state.h"
#include "tests/support/drawn_codes.h"
#include "verifier/neutral/words.h"

namespace vl {
namespace neutral_transfer_campaign {

using neutral::Function;
using test::drawn_codes;
using values::Code;
using values::CodeRange;
using values::CodeSet;
using values::Format;
using values::MaxRule;

constexpr MaxRule kRules[] = {MaxRule::NanWins, MaxRule::NanLoses, MaxRule::X86};

const Format& format_of(std::string_view name) { return *values::find_format(name); }

CodeSet state(std::string_view text, const Format& format) { return *values::parse_state(text, format, nullptr); }

std::vector<Function> functions_of(unsigned arity, const Format& format) {
  std::vector<Function> out;
  for (int i = 0; i <= static_cast<int>(Function::Where); ++i) {
    const auto function = static_cast<Function>(i);
    if (neutral::arity(function) == arity && neutral::is_defined(function, format)) out.push_back(function);
  }
  return out;
}

template <class Visit>
void each(const CodeSet& set, Visit visit) {
  for (const CodeRange& range : set.ranges())
    for (Code code = range.first;; ++code) {
      visit(code);
      if (code == range.last) break;
    }
}

// The image by its definition, as one bit per code.
std::vector<bool> union_of_results(Function function, const Format& format, MaxRule rule, const CodeSet& a,
                                   const CodeSet* b) {
  std::vector<bool> out(format.mask() + 1);
  const auto take = [&](const CodeSet& results) { each(results, [&](Code code) { out[code] = true; }); };
  each(a, [&](Code x) {
    if (b == nullptr) take(neutral::results_of(function, format, rule, std::vector<Code>{x}));
    else each(*b, [&](Code y) { take(neutral::results_of(function, format, rule, std::vector<Code>{x, y})); });
  });
  return out;
}

std::string name_of(Function function, const Format& format) {
  return fmt::format("{} of {}", neutral::name(function), format.name);
}

std::vector<bool> bits_of(const Format& format, const CodeSet& set) {
  std::vector<bool> out(format.mask() + 1);
  each(set, [&](Code code) { out[code] = true; });
  return out;
}

// Whose image is what lies between those of two ends, if the choices are too many.
bool by_ends(Function function) { return function == Function::Add || function == Function::Mul; }

// Every code of 8 bits as the only operand and random sets of them: the image is the union of the results.
TEST(Transfer, ImagesOfOneOperandAreExactInSmallFormats) {
  int decided = 0;
  for (const char* type : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "i8", "u8", "dl16"}) {
    const Format& format = format_of(type);
    for (const Function function : functions_of(1, format))
      test::for_all(format.bits == 8 ? 8 : 1, name_of(function, format), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const MaxRule rule = test::one_of(random, kRules);
        const std::vector<CodeSet> set{drawn_codes(format, random, format.bits == 8 ? 1 + random.below(3) : 1)};
        const auto found = neutral::image(function, format, rule, set);
        RC_ASSERT(found.exact);
        RC_ASSERT((bits_of(format, found.codes) == union_of_results(function, format, rule, set[0], nullptr)));
        ++decided;
      });
  }
  EXPECT_GE(decided, 1000);
}

// Wide formats: the image of a large set has the results of each code that was drawn from it.
TEST(Transfer, ImagesOfOneOperandMissNothingInWideFormats) {
  int decided = 0;
  for (const char* type : {"f32", "f64", "i32", "i64"}) {
    const Format& format = format_of(type);
    for (const Function function : functions_of(1, format))
      test::for_all(12, name_of(function, format), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const MaxRule rule = test::one_of(random, kRules);
        const std::vector<CodeSet> set{drawn_codes(format, random, 1 + random.below(4))};
        const auto found = neutral::image(function, format, rule, set);
        for (int j = 0; j < 40; ++j) {
          const Code x = test::one_of(random, set[0]);
          const CodeSet results = neutral::results_of(function, format, rule, std::vector<Code>{x});
          RC_ASSERT(results.is_subset_of(found.codes));
          ++decided;
        }
      });
  }
  EXPECT_GE(decided, 45000);
}

// x - x and its like: the union of the results of both operands alike, but for what wraps and powers. One choice at a
// time, or by kinds of numbers alone.
TEST(Transfer, ImagesOfOneValueTwiceAreExactInSmallFormats) {
  int decided = 0, equal = 0;
  for (const char* type : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "i8", "u8", "dl16", "f16"}) {
    const Format& format = format_of(type);
    for (const Function function : functions_of(2, format))
      test::for_all(format.bits == 8 ? 8 : 1, name_of(function, format), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const MaxRule rule = test::one_of(random, kRules);
        const CodeSet set = drawn_codes(format, random, 1 + random.below(3));
        std::vector<bool> want(format.mask() + 1);
        each(set, [&](Code x) {
          each(neutral::results_of(function, format, rule, std::vector<Code>{x, x}), [&](Code y) { want[y] = true; });
        });
        const bool wraps = !format.is_float() && (function == Function::Add || function == Function::Mul);
        for (const Code most : {Code{1} << 16, Code{1}}) {
          const auto found = neutral::image(function, format, rule, std::vector{set}, most);
          const std::vector<bool> bits = bits_of(format, found.codes);
          RC_ASSERT(std::ranges::equal(want, bits, [](bool one, bool all) { return all || !one; }));
          const bool law = function != Function::Pow && !wraps && (most > 1 || !by_ends(function));
          if (law) RC_ASSERT((bits == want));
          equal += law, ++decided;
        }
      });
  }
  EXPECT_GE(decided, 1200);
  EXPECT_GE(equal, 900);
}

// f32: 0 of finite codes, and NaN beside; 1 of a quotient; of sets that are worked by hand.
TEST(Transfer, ImagesOfOneValueTwiceInWideFormats) {
  struct Row {
    Function function;
    const char *set, *image;
  };
  const Row rows[] = {
      {Function::Sub, "finite", "+0"},
      {Function::Sub, "any", "{+0} | NaN"},
      {Function::Sub, "inf", "NaN"},
      {Function::Div, "[1..2]", "{1}"},
      {Function::Div, "finite", "{1} | NaN"},
      {Function::Div, "0", "NaN"},
      {Function::Add, "[1..2]", "[2..4]"},
      {Function::Add, "-0", "-0"},
      {Function::Mul, "[2..3]", "[4..9]"},
      {Function::Max, "[1..2]", "[1..2]"},
      {Function::Max, "finite", "finite"},
      {Function::Min, "[1..2] | -inf", "[1..2] | -inf"},
      {Function::Eq, "finite", "{1}"},
      {Function::Eq, "any", "{+0, 1}"},
      {Function::Ge, "finite | inf", "{1}"},
      {Function::Ne, "finite", "+0"},
      {Function::Lt, "any", "+0"},
      {Function::Gt, "NaN", "+0"},
  };
  const auto closed = [](const Format& format, const CodeSet& set) {
    return set.intersected(nans(format)).empty() ? set : set.united(nans(format));
  };
  for (const char* type : {"f32", "f64"})
    for (const Row& row : rows) {
      const Format& format = format_of(type);
      const auto found = neutral::image(row.function, format, MaxRule::NanWins, std::vector{state(row.set, format)});
      EXPECT_EQ(closed(format, found.codes), closed(format, state(row.image, format)))
          << type << " " << neutral::name(row.function) << " " << row.set << ": "
          << neutral::set_in_words(format, found.codes);
    }
  for (const char* type : {"i32", "i16", "i64"}) {
    const Format& format = format_of(type);
    const CodeSet all = CodeSet::all(format), zero = CodeSet::of(0), one = CodeSet::of(1);
    const auto image = [&](Function function) {
      return neutral::image(function, format, MaxRule::NanWins, std::vector{all}).codes;
    };
    EXPECT_EQ(image(Function::Sub), zero);
    EXPECT_EQ(image(Function::Xor), zero);
    EXPECT_EQ(image(Function::Lt), zero);
    EXPECT_EQ(image(Function::Le), one);
    EXPECT_EQ(image(Function::And), all);
  }
}

// The rule of corners, on all pairs: sets of more than 2^16 pairs of f16, whose results are drawn; and of 8-bit
// formats, where the image is exact.
TEST(Transfer, ImagesOfTwoOperandsAreExactInSmallFormats) {
  int decided = 0;
  for (const char* type : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "i8", "u8"}) {
    const Format& format = format_of(type);
    for (const Function function : functions_of(2, format))
      test::for_all(1, name_of(function, format), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const MaxRule rule = test::one_of(random, kRules);
        const std::vector<CodeSet> sets{drawn_codes(format, random, 2), drawn_codes(format, random, 1)};
        const auto found = neutral::image(function, format, rule, sets);
        RC_ASSERT(found.exact);
        RC_ASSERT((bits_of(format, found.codes) == union_of_results(function, format, rule, sets[0], &sets[1])));
        ++decided;
      });
  }
  EXPECT_GE(decided, 65);
}

TEST(Transfer, ImagesOfTwoOperandsMissNothing) {
  int decided = 0;
  for (const char* type : {"f16", "bf16", "dl16", "f32", "f64", "i16", "i32", "i64"}) {
    const Format& format = format_of(type);
    for (const Function function : functions_of(2, format))
      test::for_all(36, name_of(function, format), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const MaxRule rule = test::one_of(random, kRules);
        const std::vector<CodeSet> sets{drawn_codes(format, random, 1 + random.below(3)),
                                        drawn_codes(format, random, 1 + random.below(2))};
        const auto found = neutral::image(function, format, rule, sets);
        for (int j = 0; j < 20; ++j) {
          const std::vector<Code> codes{test::one_of(random, sets[0]), test::one_of(random, sets[1])};
          RC_ASSERT(neutral::results_of(function, format, rule, codes).is_subset_of(found.codes));
          ++decided;
        }
      });
  }
  EXPECT_GE(decided, 60000);
}

// A preimage: every code in it has results in the demand; in small formats, every other code has a result outside.
TEST(Transfer, PreimagesDemandNoLessAndInSmallFormatsNoMore) {
  int decided = 0;
  for (const char* type : {"f8e4m3", "f8e5m2", "i8", "f16", "f32"}) {
    const Format& format = format_of(type);
    for (const Function function : functions_of(1, format))
      test::for_all(1, name_of(function, format), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const CodeSet demand = random.below(2) == 0 ? state("[-2..4]", format) : drawn_codes(format, random, 3);
        const CodeSet found = neutral::preimage(function, format, MaxRule::NanWins, demand);
        const auto good = [&](Code code) {
          return neutral::results_of(function, format, MaxRule::NanWins, std::vector<Code>{code}).is_subset_of(demand);
        };
        if (format.bits == 8)
          each(CodeSet::all(format), [&](Code code) { RC_ASSERT(found.contains(code) == good(code)); });
        for (const CodeRange& range : found.ranges())
          for (const Code code : {range.first, range.last, range.first + (range.last - range.first) / 2})
            RC_ASSERT(good(code));
        ++decided;
      });
  }
  EXPECT_GE(decided, 150);
}

// Facts worked out by hand.
TEST(Transfer, KnownResults) {
  struct Row {
    const char* function;
    const char* type;
    const char* a;
    const char* b;
    const char* results;
  };
  const Row rows[] = {
      {"exp", "f16", "0", "", "{1}"},
      {"exp", "f16", "{-inf}", "", "+0"},
      {"exp", "f32", "inf", "", "inf"},
      {"exp", "f16", "{1}", "", "[2..4]"},          // 2 < e < 4
      {"exp", "dl16", "[-1..0]", "", "[0.25..1]"},  // 1/4 < 1/e
      {"exp2", "f16", "{3}", "", "{8}"},
      {"exp2", "f16", "{-1}", "", "{0.5}"},
      {"log", "f32", "+0", "", "-inf"},
      {"log", "f32", "{1}", "", "+0"},
      {"log", "dl16", "0", "", "NaN"},             // there is no infinity
      {"recip", "f16", "{3}", "", "bits:0x3555"},  // 1365/4096 = 0.33325
      {"recip", "f16", "{-inf}", "", "-0"},
      {"recip", "f16", "0", "", "inf | -inf"},
      {"sqrt", "f16", "{2}", "", "bits:0x3DA8"},  // 1448/1024 = 1.41406
      {"sqrt", "f32", "{4}", "", "{2}"},
      {"rsqrt", "f32", "{0.25}", "", "{2}"},
      {"abs", "i32", "{-2147483648}", "", "{-2147483648}"},  // it wraps
      {"neg", "i32", "[1..5]", "", "[-5..-1]"},
      {"relu", "f16", "[-5..3]", "", "[0..3]"},
      {"floor", "f16", "{-0.5}", "", "{-1}"},
      {"ceil", "f16", "{-0.5}", "", "-0"},
      {"add", "f32", "inf", "finite", "inf"},
      {"sub", "i32", "{-2147483648}", "{1}", "{2147483647}"},
      {"mul", "f32", "0", "finite", "0"},
      {"div", "f16", "{1}", "{3}", "bits:0x3555"},
      {"max", "f32", "[-1..1]", "{0.5}", "[0.5..1]"},
      {"min", "f32", "-inf", "finite", "-inf"},
      {"pow", "f32", "NaN", "0", "{1}"},
      {"lt", "f32", "[0..1]", "[2..3]", "{1}"},
      {"sin", "f16", "{4}", "", "[-1..1]"},  // 4 > pi
      {"sin", "f16", "[-0.5..2]", "", "[-0.5..1]"},
  };
  for (const Row& row : rows) {
    const Format& format = format_of(row.type);
    const Function function = *neutral::find_function(row.function);
    std::vector<CodeSet> sets{state(row.a, format)};
    if (*row.b != 0) sets.push_back(state(row.b, format));
    const auto found = neutral::image(function, format, MaxRule::NanWins, sets);
    EXPECT_EQ(found.codes, state(row.results, format)) << row.function << " " << row.type << " " << row.a;
  }
  EXPECT_EQ(std::size(rows), 31u);
}

// Sets of NaN are whole: a result that can be NaN can be every quiet one.
TEST(Transfer, SaysWhichOperandsLeaveAClaim) {
  const Format& f32 = format_of("f32");
  const CodeSet inf = state("inf", f32), any = state("any", f32);
  const std::vector<CodeSet> sets{inf, any};
  const auto refuted = neutral::decide_transfer(Function::Add, f32, MaxRule::NanWins, sets, inf);
  ASSERT_TRUE(std::holds_alternative<neutral::TransferRefuted>(refuted));
  const auto& witness = std::get<neutral::TransferRefuted>(refuted);
  EXPECT_EQ(witness.operands, (std::vector<Code>{0x7F800000, 0xFF800000}));
  EXPECT_EQ(witness.results, neutral::quiet_nans(f32));
  const CodeSet allowed = inf.united(neutral::quiet_nans(f32));
  EXPECT_TRUE(std::holds_alternative<neutral::TransferProved>(
      neutral::decide_transfer(Function::Add, f32, MaxRule::NanWins, sets, allowed)));
  // gelu(-inf) is 0 or NaN, as the implementation likes: neither claim is refuted.
  const std::vector<CodeSet> minus{state("-inf", f32)};
  for (const char* claim : {"0", "NaN"})
    EXPECT_TRUE(std::holds_alternative<neutral::TransferUnknown>(
        neutral::decide_transfer(Function::Gelu, f32, MaxRule::NanWins, minus, state(claim, f32))));
}

// -x is 1 to 5 of -5 to -1 alone; the least number has itself for a negation. Every other number is in a piece whose
// end is an end of 64 bits.
TEST(NeutralTransfer, PreimagesOfSixtyFourBits) {
  const Format& i64 = format_of("i64");
  const auto of = [&](const CodeSet& demand) {
    return neutral::preimage(Function::Neg, i64, MaxRule::NanWins, demand);
  };
  EXPECT_EQ(of(CodeSet({{1, 5}})), CodeSet({{~Code{4}, ~Code{0}}}));
  EXPECT_EQ(of(CodeSet::of(i64.sign())), CodeSet::of(i64.sign()));
  EXPECT_EQ(of(CodeSet({{0, i64.mask() >> 1}})), CodeSet::of(0).united(CodeSet({{i64.sign() + 1, i64.mask()}})));
}

}  // namespace neutral_transfer_campaign
}  // namespace vl
