// The claim padding-state about reductions, against the execution of the padding of small results: every operand's
// region holds one code, so from left to right there is one result, which is computed here with doubles. What rows of
// sets are is executed in row_states_campaign.cpp; here it is about their regions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "encodings/values/arithmetic.h"
#include "encodings/values/code_set.h"
#include "tests/support/one_answer.h"

namespace vl {
namespace rows_padding_campaign {

using values::Code;
using values::Format;

const Format& format_of(std::string_view name) { return *values::find_format(name); }

std::string word_of(const std::string& layout, const std::string& tensor, const std::string& claim) {
  const question::Answer answer = test::one_answer(layout, tensor, "claim = \"padding-state\"\n" + claim);
  return std::string(question::word(answer.verdict));
}

// --- Numbers as doubles, each operation rounded into the format.

double number(const Format& f, Code code) { return std::bit_cast<double>(values::convert(f, format_of("f64"), code)); }
Code code_of(const Format& f, double x) { return values::convert(format_of("f64"), f, std::bit_cast<Code>(x)); }
double rounded(const Format& f, double x) { return number(f, code_of(f, x)); }

// The result of a row of numbers from left to right, with a start +0 or none.
double result_of(const Format& f, const std::string& operation, std::vector<double> row, bool zero) {
  if (operation == "exx2")
    for (double& x : row) x = rounded(f, x * x);
  std::optional<double> out = zero ? std::optional(0.0) : std::nullopt;
  for (const double x : row) {
    if (!out) out = x;
    else if (operation == "prod") out = rounded(f, *out * x);
    else if (operation == "max") out = std::isnan(*out) || std::isnan(x) ? NAN : std::max(*out, x);
    else if (operation == "min") out = std::isnan(*out) || std::isnan(x) ? NAN : std::min(*out, x);
    else out = rounded(f, *out + x);
  }
  return operation == "mean" ? rounded(f, *out / 3) : *out;
}

std::string state_of(const Format& f, double x) {
  return std::isnan(x) ? "NaN" : fmt::format("bits:{:#04x}", code_of(f, x));
}

struct Counted {
  int proved = 0, refuted = 0, open = 0;
  void take(const std::string& word, bool holds, const std::string& what) {
    ASSERT_NE(word, holds ? "refuted" : "proved") << what;
    if (word == "unknown") ++open;
    else ++(holds ? proved : refuted);
  }
};

const std::vector<Code> kEdges = {0x00, 0x80, 0x3C, 0xBC, 0x01, 0x81, 0x7B, 0xFB, 0x7C, 0xFC, 0x7E, 0x35};

// Three rows of four: 2x3 elements, row 2 is beyond in d0. Its sum reads d0 three times and d0+d1 once.
TEST(PaddingStateOfReductions, IsWhatExecutionOfTheRowsBeyondShows) {
  const Format& f = format_of("f8e5m2");
  Counted counted;
  for (const std::string operation : {"sum", "mean", "prod", "max", "min", "exx2"})
    for (const bool zero : {false, true})
      for (const Code a : kEdges)
        for (const Code c : kEdges) {
          if (zero && (operation == "prod" || operation == "max" || operation == "min")) continue;
          const double x = number(f, a), y = number(f, c);
          // -0 and 0 are equal numbers to std::max.
          if ((operation == "max" || operation == "min") && x == 0 && y == 0 && a != c) continue;
          const double got = result_of(f, operation, {x, x, x, y}, zero);
          for (const Code other : {Code{0x00}, Code{0x80}, Code{0x3C}, Code{0x7C}, code_of(f, got)}) {
            const double claimed = number(f, other);
            const bool holds = std::isnan(got) ? std::isnan(claimed) : other == code_of(f, got);
            const std::string state = state_of(f, claimed);
            const std::string word = word_of(
                "S[2:1]", "f8e5m2[2]",
                fmt::format(
                    "operation = \"{}\"\nreduce = [1]\narithmetic = \"order=seq start={}\"\nstate = \"d0: {}\"\n"
                    "operands = [{{ layout = \"S[(3, 4):(4, 1)]\", tensor = \"f8e5m2[2,3]\", padded = "
                    "\"f8e5m2[3,4]\", contents = \"any\", padding = \"d0: bits:{:#04x}; d1: any; d0+d1: "
                    "bits:{:#04x}\" }}]\n",
                    operation, zero ? "+0" : "first", state, a, c));
            counted.take(word, holds, fmt::format("{} of {:#x} and {:#x}, claimed {}", operation, a, c, state));
          }
        }
  EXPECT_GE(counted.proved, 1400);
  EXPECT_GE(counted.refuted, 4600);
  EXPECT_EQ(counted.open, 0);
}

// out[M,N] of x[2,3] and y[3,2], padded to [3,4] and [4,3]. x holds a in row 2, b in column 3 and c in their corner; y
// d in row 3, e in column 2 and g in their corner. Elements are 1 in x and 1 in y.
// In any order a sum of ones is one of few numbers: the image is proved, and no single number.
TEST(PaddingStateOfReductions, HasAllOrders) {
  const auto word = [](const std::string& order, const std::string& state) {
    return word_of("S[2:1]", "f8e5m2[2]",
                   fmt::format("operation = \"sum\"\nreduce = [1]\narithmetic = \"order={}\"\nstate = \"d0: "
                               "{}\"\noperands = [{{ layout = \"S[(3, 4):(4, 1)]\", tensor = \"f8e5m2[2,3]\", padded = "
                               "\"f8e5m2[3,4]\", padding = \"d0: {{1}}; d0+d1: {{0.125}}\" }}]\n",
                               order, state));
  };
  // f8e5m2 has 3 and 3.5 behind each other: ((1 + 1) + 1) + 1/8 is 3, and (1 + 1/8) is a tie and 1.
  EXPECT_EQ(word("seq", "{3}"), "proved");
  EXPECT_NE(word("any", "{3}"), "refuted");
  EXPECT_EQ(word("any", "[0.125..16]"), "proved");
  EXPECT_EQ(word("any", "{4}"), "refuted");
}

TEST(PaddingStateOfReductions, IsWhatExecutionOfAMatmulShows) {
  const Format& f = format_of("f8e5m2");
  Counted counted;
  const std::vector<Code> few = {0x00, 0x3C, 0xBC, 0x7C, 0x01};
  std::uint64_t draw = 1;
  const auto next = [&] {
    draw = draw * 6364136223846793005U + 1442695040888963407U;
    return few[static_cast<std::size_t>(draw >> 33) % few.size()];
  };
  for (int i = 0; i < 400; ++i) {
    const Code a = next(), b = next(), c = next(), d = next(), e = next(), g = next();
    const auto product = [&](Code p, Code q) { return rounded(f, number(f, p) * number(f, q)); };
    const Code one = 0x3C;
    struct Region {
      const char* name;
      double got;
    };
    const auto sum = [&](Code p, Code q, Code r, Code s) {
      return result_of(f, "sum", {product(p, q), product(p, q), product(p, q), product(r, s)}, true);
    };
    for (const Region& region : {Region{"M", sum(a, one, c, d)}, {"N", sum(one, e, b, g)}, {"M+N", sum(a, e, c, g)}})
      for (const Code other : {Code{0x00}, Code{0x42}, code_of(f, region.got)}) {
        const double claimed = number(f, other);
        const bool holds = std::isnan(region.got) ? std::isnan(claimed) : other == code_of(f, region.got);
        std::string once;
        for (const char* name : {"M", "N", "M+N"})
          once += fmt::format("{}{}: {}", once.empty() ? "" : "; ", name,
                              name == std::string_view(region.name) ? state_of(f, claimed) : "any");
        const std::string word = word_of(
            "S[(2, 2):(2, 1)]", "f8e5m2[2,2]",
            fmt::format(
                "operation = \"matmul\"\narithmetic = \"order=seq start=+0\"\nstate = \"{}\"\noperands = [{{ layout = "
                "\"S[(3, 4):(4, 1)]\", tensor = \"f8e5m2[2,3]\", padded = \"f8e5m2[3,4]\", contents = \"{{1}}\", "
                "padding "
                "= \"M: bits:{:#04x}; K: bits:{:#04x}; M+K: bits:{:#04x}\" }}, {{ layout = \"S[(4, 3):(3, 1)]\", "
                "tensor = \"f8e5m2[3,2]\", padded = \"f8e5m2[4,3]\", contents = \"{{1}}\", padding = \"K: "
                "bits:{:#04x}; "
                "N: bits:{:#04x}; K+N: bits:{:#04x}\" }}]\n",
                once, a, b, c, d, e, g));
        counted.take(word, holds,
                     fmt::format("{} of {:#x} {:#x} {:#x} {:#x} {:#x} {:#x}", region.name, a, b, c, d, e, g));
      }
  }
  EXPECT_GE(counted.proved, 1200);
  EXPECT_GE(counted.refuted, 2000);
  EXPECT_EQ(counted.open, 0);
}

// Column 3 of rows of 3 has the next row's first element: what is stated of padding is not there.
TEST(PaddingStateOfReductions, KnowsThatASlotOfAnElementIsNoPad) {
  const auto word = [](const std::string& operation, const std::string& contents, const std::string& state) {
    const bool reduces = operation == "max";
    return word_of(
        reduces ? "S[3:1]" : "S[(2, 3):(3, 1)]", reduces ? "f16[3]" : "f16[2,3]",
        fmt::format("operation = \"{}\"\n{}state = \"d1: {}\"\noperands = [{{ layout = \"S[(2, 4):(3, 1)]\", "
                    "tensor = \"f16[2,3]\", padded = \"f16[2,4]\", contents = \"{}\", padding = \"0\" }}]\n",
                    operation, reduces ? "reduce = [0]\n" : "", state, contents));
  };
  EXPECT_EQ(word("abs", "{0}", "{0}"), "proved");
  EXPECT_EQ(word("abs", "{1}", "{0}"), "refuted") << "element [1, 0] is 1";
  EXPECT_EQ(word("abs", "{1}", "{0, 1}"), "proved");
  EXPECT_NE(word("max", "{1}", "0"), "proved") << "the maximum of element [1, 0] and a pad";
  EXPECT_EQ(word("max", "{1}", "0 | {1}"), "proved");
}

// Rows have results at their own pads: of 2x3 in 3x4, d1 is column 3 of rows 0 and 1, and d0 row 2.
TEST(PaddingStateOfRows, HasTheRegionsOfTheResult) {
  const auto word = [](const std::string& operation, const std::string& padding, const std::string& state,
                       const std::string& contents = "finite") {
    return word_of("S[(2, 3):(4, 1)]", "f16[2,3]",
                   fmt::format("operation = \"{}\"\nreduce = [1]\nstate = \"{}\"\noperands = [{{ layout = "
                               "\"S[(3, 4):(4, 1)]\", tensor = \"f16[2,3]\", padded = \"f16[3,4]\", contents = \"{}\", "
                               "padding = \"{}\" }}]\n",
                               operation, state, contents, padding));
  };
  EXPECT_EQ(word("softmax", "d1: -inf; d0: 0", "d1: {0}; d0+d1: any"), "proved");
  EXPECT_EQ(word("softmax", "d1: -inf; d0: 0; d0+d1: 0", "d0: {0.25}"), "proved") << "four equal ones";
  EXPECT_EQ(word("softmax", "d1: -inf; d0: 0; d0+d1: -inf", "d0+d1: {0}"), "proved");
  EXPECT_EQ(word("softmax", "d1: -inf; d0: 0; d0+d1: -inf", "d0: {0}"), "refuted") << "a third";
  EXPECT_EQ(word("softmax", "d1: -inf; d0: -inf", "d0: NaN"), "proved");
  EXPECT_EQ(word("softmax", "d1: -inf", "d1: {0}", "any"), "refuted") << "NaN beside NaN";
  EXPECT_EQ(word("sort", "d1: NaN; d0: 0; d0+d1: -inf", "d1: NaN; d0+d1: any"), "proved");
  EXPECT_EQ(word("sort", "d1: NaN; d0: 0; d0+d1: -inf", "d0+d1: {-inf}"), "refuted") << "it is sorted to the front";
  EXPECT_EQ(word("sort", "d1: NaN; d0: 0; d0+d1: -inf", "d0: 0 | {-inf}"), "proved");
  EXPECT_EQ(word("cumsum", "d1: 0; d0: 0", "d1: 0; d0+d1: any"), "refuted");
  EXPECT_EQ(word("cumsum", "d1: 0; d0: 0", "d0: 0"), "proved");
  EXPECT_EQ(word("cumsum-reverse", "d1: 0; d0: {1}", "d1: 0; d0+d1: any"), "proved");
  EXPECT_EQ(word("rmsnorm", "d1: 0", "d1: 0; d0+d1: any"), "proved") << "1/sqrt of 10^-5 and more is finite";
  EXPECT_EQ(word("rmsnorm", "d1: 0", "d1: 0; d0+d1: any", "any"), "refuted") << "NaN";
  EXPECT_EQ(word("softmax", "d1: -inf; d0: 0", "d1: {0}"), "refuted") << "the corner is a region of its own";
}

// Column 3 of rows of 3 is the next row's first element, which is what its pads hold.
TEST(PaddingStateOfRows, KnowThatASlotOfAnElementIsNoPad) {
  const auto word = [](const std::string& contents, const std::string& state) {
    return word_of("S[(2, 3):(3, 1)]", "f16[2,3]",
                   fmt::format("operation = \"sort\"\nreduce = [1]\nstate = \"{}\"\noperands = [{{ layout = "
                               "\"S[(2, 4):(3, 1)]\", tensor = \"f16[2,3]\", padded = \"f16[2,4]\", contents = \"{}\", "
                               "padding = \"NaN\" }}]\n",
                               state, contents));
  };
  EXPECT_NE(word("{1}", "d1: NaN"), "proved");
  EXPECT_EQ(word("{1}", "d1: NaN | {1}"), "proved");
}

TEST(PaddingStateOfReductions, IsUnsupportedWhereNothingIsKnown) {
  const auto word = [](const std::string& operation, const std::string& type, const std::string& result,
                       const std::string& more) {
    return word_of(
        "S[2:1]", result + "[2]",
        fmt::format("operation = \"{}\"\nreduce = [1]\nstate = \"d0: any\"\n{}operands = [{{ layout = "
                    "\"S[(3, 4):(4, 1)]\", tensor = \"{}[2,3]\", padded = \"{}[3,4]\", padding = \"0\" }}]\n",
                    operation, more, type, type));
  };
  EXPECT_EQ(word("sum", "f16", "f16", ""), "proved");
  EXPECT_EQ(word("sum", "f16", "f32", ""), "unsupported") << "the state would be read as one of f16";
  EXPECT_EQ(word("sum", "f16", "f16", "arithmetic = \"flush=both\"\n"), "unsupported");
  EXPECT_EQ(word("argmax", "f16", "f16", ""), "unsupported") << "places are integers";
  EXPECT_EQ(word("argmax", "f16", "i32", ""), "proved");
  EXPECT_EQ(word("any", "f16", "f16", ""), "proved");
  EXPECT_EQ(word("any", "f16", "u8", ""), "proved");
  EXPECT_EQ(word("variance", "f16", "f32", ""), "unsupported");
  EXPECT_EQ(word("variance", "i32", "i32", ""), "unsupported");
  EXPECT_EQ(word("mean", "i32", "i32", ""), "unsupported");
  EXPECT_EQ(word("sum", "i32", "i32", ""), "proved");
}

}  // namespace rows_padding_campaign
}  // namespace vl
