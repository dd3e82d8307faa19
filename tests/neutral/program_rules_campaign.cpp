// Rules of case tables along rows (row_tables.h), one by one: verdicts that rest on a single rule, and rows that a
// table has to hold. Each was written for a fault of faults.cmake.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/neutral/program_held.h"
#include "tests/neutral/read_program.h"

namespace vl {
namespace neutral_program_rules_campaign {

namespace chain = neutral::program;
using chain::Program;
using test::Dense;
using test::read_program;
using values::Code;

const char* verdict_of(const chain::ProgramAnswer& answer) {
  return std::holds_alternative<chain::ProgramProved>(answer.verdict)    ? "proved"
         : std::holds_alternative<chain::ProgramRefuted>(answer.verdict) ? "refuted"
                                                                         : "unknown";
}

// What a rule about rows says too much of, and what it does not: each text and its verdict.
TEST(ProgramRules, VerdictsOfSingleRules) {
  const std::string masked = "x = input f32[8,40] tile(32,32) padding -inf\ns = softmax x over 1\ny = mask s with 0\n";
  const std::string normed =
      "x = input f32[8,40] tile(32,32) padding -inf\ns = softmax x over 1\nn = rmsnorm s over 1 from +0\n"
      "y = mask n with 0\n";
  const auto summed = [](const char* contents) {
    return fmt::format(
        "a = input f32[8,40] tile(32,32) padding -inf contents {{0}} | -inf rows 1 have finite\n"
        "b = input f32[8,40] tile(32,32) padding -inf contents {}\nx = add a b\ns = softmax x over 1\n"
        "y = mask s with 0\nm = max y over 1 rule nan-loses\noutput m\n",
        contents);
  };
  const auto corner = [](const char* pads) {
    return fmt::format(
        "x = input f32[8,40] tile(32,32) padding 0 contents [-1..1]\n"
        "b = input f32[K=40,N=40] tile(32,32) padding K: 0; N: 0; K+N: {} contents [-1..1]\n"
        "w = input f32[40,32] tile(32,32) padding 0 contents [-1..1]\n"
        "y = matmul x b from +0\no = matmul y w from +0\noutput o\n",
        pads);
  };
  const auto matmul = [](const char* contents, const char* lines) {
    return fmt::format(
        "a = input f32[8,40] tile(32,32) padding 0 contents {}\nx = abs a\n"
        "w = input f32[40,40] tile(32,32) padding 0 contents [0.5..1]\ny = matmul x w from +0\n{}output m\n",
        contents, lines);
  };
  const auto padded_rows = [](const char* pads) {
    return fmt::format(
        "x = input f32[M=3,N=5] tile(4,8) padding M: -inf | NaN; N: -inf; M+N: {} contents finite\n"
        "y = softmax x over 1\nm = min y over 0 rule nan-loses\noutput m\n",
        pads);
  };
  const auto sums = [](const char* corner_pads) {
    return fmt::format(
        "x = input f32[M=3,N=5] tile(4,8) padding M: 0; N: 0; M+N: {} contents finite\ns = sum x over 1 from +0\n"
        "t = sum s over 0 from +0\noutput t\n",
        corner_pads);
  };
  const auto reshaped = [](const char* type) {
    return fmt::format("x = input f32[3,8] contents 0\nr = reshape x [4,6] {}\ns = sum r over 1 from +0\noutput s\n",
                       type);
  };
  const auto normed_in = [](const char* type, const char* pads) {
    return fmt::format(
        "x = input {0}[8,40] tile(32,32) padding 0\nw = input {0}[40,32] tile(32,32) padding {1} contents finite\n"
        "s = rmsnorm x over 1 accumulate f32 from +0\no = matmul s w accumulate f32 from +0\noutput o\n",
        type, pads);
  };
  const char* const nan_loses = "z = mask y with 0\nm = max z over 1 rule nan-loses\n";
  const std::pair<std::string, const char*> rows[] = {
      // Rows that are NaN throughout, but for their pads.
      {masked + "m = max y over 1\noutput m\n", "proved"},
      {masked + "m = max y over 1 rule nan-loses\noutput m\n", "refuted"},
      // Pads of a matmul are made of the other operand's padding in both dimensions.
      {corner("0"), "proved"},
      {corner("any"), "refuted"},
      // Its rows with a NaN are NaN throughout, those with an infinity infinite, beside pads that are NaN.
      {matmul("[0.5..1]", nan_loses), "proved"},
      {matmul("any", nan_loses), "refuted"},
      {matmul("finite", "m = max y over 1\n"), "proved"},
      {matmul("non-nan", "m = max y over 1\n"), "refuted"},
      {normed + "m = max y over 1\noutput m\n", "proved"},
      {normed + "m = max y over 1 rule nan-loses\noutput m\n", "refuted"},
      // Each of two operands has a zero in a row, but not at the same place: such a row of sums may be -inf.
      {summed("{0}"), "proved"},
      {summed("{0} | -inf rows 1 have finite"), "unknown"},
      // Of rows of padding the softmax of elements -inf is a number, if a pad is.
      {padded_rows("-inf"), "proved"},
      {padded_rows("0"), "refuted"},
      // Sums of rows of padding are also of what stands in their corner.
      {sums("0"), "proved"},
      {sums("[0..1]"), "refuted"},
      // A maximum in which numbers win, of pads that may be NaN, or of what differs itself, is not on one side of its
      // pads.
      {"x = input f32[8,40] tile(32,32) padding 0\nm = max x over 1 keep rule nan-loses\ny = max m 0\noutput y\n",
       "refuted"},
      {"x = input f32[8,40] tile(32,32) padding 0 | NaN contents finite\nm = max x over 1 keep\ny = max m 0\noutput "
       "y\n",
       "refuted"},
      {"x = input f32[M=3,N=5] tile(4,8) padding M: {1}; N: 0; M+N: 0 contents finite\ns = sum x over 0 keep from +0\n"
       "n = max s over 1 keep\ny = max n 0\noutput y\n",
       "refuted"},
      // A softmax of elements -inf alone is NaN, and beside a number 0.
      {"x = input f32[8,40] tile(32,32) padding 0 contents -inf\ny = softmax x over 1\noutput y\n", "refuted"},
      // A product of the right operand's -0 is -0, and 0 added to it is not.
      {"a = input f32[8,40] tile(32,32) padding +0 contents [0.5..1]\n"
       "b = input f32[40,32] tile(32,32) padding +0 contents [-1..1]\no = matmul a b\noutput o\n",
       "refuted"},
      // Rows with a NaN are NaN throughout in types without infinity, too.
      {normed_in("f8e4m3", "0"), "proved"},
      {normed_in("f8e4m3", "any"), "refuted"},
      {normed_in("dl16", "0"), "proved"},
      {normed_in("dl16", "any"), "refuted"},
      // Behind a reshape nothing was written.
      {reshaped("tile(4,6)"), "proved"},
      {reshaped("tile(4,8)"), "refuted"},
  };
  for (const auto& [text, verdict] : rows) {
    const Program program = read_program(text);
    chain::Judge judge(program);
    EXPECT_STREQ(verdict_of(judge.answer()), verdict) << text;
  }
}

// Rows of a program whose first line has these codes, and what it writes where nothing is said is drawn.
TEST(ProgramRules, RowsThatAreGiven) {
  struct Given {
    const char* text;
    std::vector<Code> codes;
  };
  const Given rows[] = {
      // The maximum of a row and of the padding beside it is no element of the row, nor is that of another row.
      {"x = input f8e5m2[1,2] tile(2,2) padding {1} contents [-1..1]\nm = max x over 0,1 keep\ny = sub x m\noutput y\n",
       {0x00, 0x00, 0x3C, 0x3C}},
      {"x = input f8e5m2[2,2,2] contents finite\nm = max x over 2\nb = broadcast m to [2,2,2] (1,0)\ny = sub x b\n"
       "output y\n",
       {0x00, 0x00, 0xBC, 0xBC, 0x00, 0x00, 0x00, 0x00}},
      // Numbers win: a NaN may be below the maximum.
      {"x = input f8e5m2[1,2] contents {0} | NaN\nm = max x over 1 keep rule nan-loses\ny = sub x m\noutput y\n",
       {0x7E, 0x00}},
      // Behind a reshape nothing was written, so the padding has another factor.
      {"x = input f8e5m2[3,2] tile(2,2) padding 0 contents finite\nm = max x over 1 keep\nr = reshape m [3] tile(2)\n"
       "b = broadcast r to [3,2] (0) tile(2,2)\ny = sub x b\noutput y\n",
       {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
      // 1e-30, whose square is 0 in f32, over the root of its mean square.
      {"x = input f32[1,2] contents finite\nq = square x\nm = mean q over 1 keep from +0\ne = add m 0\nr = rsqrt e\n"
       "y = mul x r\noutput y\n",
       {0x0DA24260, 0x0DA24260}},
      // 8 over the root of something else.
      {"x = input f32[1,2] contents finite\nq = mul x 0\nm = mean q over 1 keep from +0\ne = add m 1e-5\nr = rsqrt e\n"
       "y = mul x r\noutput y\n",
       {0x41000000, 0x41000000}},
      // Or of the sum of the squares over another number.
      {"x = input f32[1,2] contents finite\nq = square x\ns = sum q over 1 keep from +0\nm = div s 1e30\ne = add m "
       "1e-5\n"
       "r = rsqrt e\ny = mul x r\noutput y\n",
       {0x41000000, 0x41000000}},
      // Each row of elements has a finite one, and rows of padding need not.
      {"x = input f8e5m2[M=1,N=2] tile(2,2) padding M: any contents finite rows N have finite\noutput x\n",
       {0x00, 0x00, 0x7E, 0x7E}},
      // A transposed column is no row of one value.
      {"x = input f8e5m2[2,1]\ny = transpose x (1,0)\noutput y\n", {0x7E, 0x3C}},
      // Behind a slice nothing was written: beside its rows, and in columns of padding alone.
      {"x = input f8e5m2[2,3] tile(2,2) padding 0 contents finite\ny = slice x over 1 at 0..1\noutput y\n",
       {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
      // A norm of four elements is that of their sum.
      {"x = input f32[1,4] contents {1}\ny = rmsnorm x over 1 from +0\noutput y\n",
       {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000}},
      // 1 less the maximum of something else, less a minimum, and 0 less a maximum that is no element.
      {"x = input f8e5m2[1,2] contents finite\nz = neg x\nm = max z over 1 keep\ny = sub x m\noutput y\n",
       {0x3C, 0x3C}},
      {"x = input f8e5m2[1,2] contents finite\nm = min x over 1 keep\ny = sub x m\noutput y\n", {0x00, 0x3C}},
      {"x = input f8e5m2[1,2] contents finite\nt = max x over 1 keep\nm = max t 1\ny = sub x m\noutput y\n",
       {0x00, 0x00}},
      // A reduced column of padding is that of the operand's columns, not of its rows.
      {"x = input f8e5m2[M=1,N=1] tile(2,2) padding M: {0}; N: {0, 1}; M+N: {0, 1} contents {0}\ny = max x over 0\n"
       "output y\n",
       {0x00, 0x3C, 0x00, 0x3C}},
      // A mean square less a squared mean is -eps.
      {"x = input f32[1,2] tile(1,3) padding bits:0x3B6F4DD4 contents bits:0x3B6F4DAD\n"
       "y = layernorm x over 1 from +0\noutput y\n",
       {0x3B6F4DAD, 0x3B6F4DAD, 0x3B6F4DD4}},
  };
  int of_cases = 0;
  for (const Given& given : rows) {
    const Program program = read_program(given.text);
    chain::Images images;
    const chain::States states(program, {}, images);
    chain::RowTables tables(program, states, images);
    test::WideEngine random(20261130);
    for (int run = 0; run < 40; ++run) {
      const Dense dense(program, random, nullptr, [&](std::size_t at, Index place) {
        const chain::Node& node = program.nodes[at];
        return node.constant ? node.contents.ranges().front().first : given.codes.at(static_cast<std::size_t>(place));
      });
      for (std::size_t at = 0; at < program.nodes.size(); ++at)
        ASSERT_TRUE(rows_are_of_cases(program, dense, tables, at, of_cases)) << given.text << program.nodes[at].name;
    }
  }
  EXPECT_GE(of_cases, 100);
}

// A layernorm of equal, nearly equal and large elements: the mean is as large as one whose square is finite can be, and
// a variance of 0 leaves eps.
TEST(ProgramRules, RowsOfLargeAndNearlyEqualElements) {
  const Program program = read_program(
      "x = input f32[1,3] tile(1,4) padding 0 contents finite\ny = layernorm x over 1 from +0\noutput y\n");
  chain::Images images;
  const chain::States states(program, {}, images);
  chain::RowTables tables(program, states, images);
  test::WideEngine random(20261130);
  int of_cases = 0;
  for (int run = 0; run < 2000; ++run) {
    const Code exponent = random.below(4) == 0 ? 188 + random.below(6) : random.below(255), sign = random.below(4) / 3;
    const Code near = (exponent << 23) | (random() & 0x7FFFFF);
    const Dense dense(program, random, nullptr, [&](std::size_t, Index place) {
      const Code code = place == 3 || random.below(2) == 0 ? near : near ^ random.below(8);
      return place == 3 ? 0 : code ^ (sign != 0 && random.below(2) == 0 ? Code{1} << 31 : 0);
    });
    ASSERT_TRUE(rows_are_of_cases(program, dense, tables, 1, of_cases)) << run;
  }
  EXPECT_GE(of_cases, 2000);
}

// Beyond the eighth case.
TEST(ProgramRules, JoinedCasesHoldEachOfThem) {
  const auto& f32 = *values::find_format("f32");
  chain::RowTable cases;
  for (Code code = 1; code <= 12; ++code)
    cases.push_back({values::CodeSet::of(code), values::CodeSet::of(100 + code), values::CodeSet::of(code)});
  const chain::RowTable table = joined(f32, cases);
  EXPECT_EQ(table.size(), chain::kMostCases);
  for (const chain::RowCase& each : cases)
    EXPECT_TRUE(std::ranges::any_of(table, [&](const chain::RowCase& row) {
      return each.elements.is_subset_of(row.elements) && each.pads.is_subset_of(row.pads) &&
             each.some.is_subset_of(row.some);
    })) << each.pads.ranges()[0].first;
}

}  // namespace neutral_program_rules_campaign
}  // namespace vl
