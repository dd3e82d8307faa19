// Functions that see less than the codes of their operands: of both zeros, and of one value twice; worked by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/neutral/read_program.h"
#include "verifier/neutral/program/certify.h"

namespace vl {
namespace neutral_program_twice_campaign {

namespace chain = neutral::program;
using chain::Program;
using test::read_program;

// A sum of -0 and the +0 behind it is +0, and -0 without that. What gives one result of both zeros undoes it.
TEST(Program, FunctionsThatGiveTheSameOfBothZeros) {
  const std::string zero = "y = input f32[2,5] tile(2,4) padding 0\nx = sum y over 1 keep\n";
  struct Row {
    const char *text, *verdict;
  };
  const Row rows[] = {
      {"z = mul x 2\n", "refuted"},
      {"z = exp x\n", "proved"},
      {"z = abs x\n", "proved"},
      {"z = neg x\n", "refuted"},
      {"z = add x 1\n", "proved"},
      {"z = sub 1 x\n", "proved"},
      {"b = input f32[2,1] tile(2,4) contents {-0}\nz = add b x\n", "refuted"},  // -0 + -0
      {"b = input f32[2,1] tile(2,4) contents [1 .. 2]\nz = add b x\n", "proved"},
      {"e = add x 1\nz = mul e x\n", "refuted"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const Program program = read_program(zero + row.text + "r = recip z\noutput r\nequal any-nan+zero\n");
    const auto answer = chain::Judge(program).answer();
    const char* words[] = {"proved", "refuted", "unknown"};
    EXPECT_STREQ(words[answer.verdict.index()], row.verdict) << row.text;
    EXPECT_EQ(chain::certify(program, answer).has_value(), answer.verdict.index() != 2) << row.text;
    ++decided;
  }
  EXPECT_EQ(decided, 9);
}

// Both operands are one value: x - x is 0 unless x is NaN or infinite, x / x is 1 unless it is 0, too, and x·x is not
// below 0. What reads padding before may differ: then x - x is the same where it is finite.
TEST(Program, FunctionsOfOneValueTwice) {
  struct Row {
    const char *lines, *verdict;
    bool certified = true;
  };
  const Row rows[] = {
      {"d = sub x x\ns = sum d over 1", "proved"},
      {"d = sub y y\ns = sum d over 1", "proved"},
      {"d = sub z z\ns = sum d over 1", "refuted"},  // inf - inf
      {"d = sub y x\ns = sum d over 1", "refuted"},
      {"d = div t t\ns = prod d over 1", "proved"},
      {"d = div y y\ns = prod d over 1", "refuted"},  // 0 / 0
      {"d = mul x x\ns = sum d over 1", "proved"},    // no -0 among the elements
      {"d = mul y y\ns = min d over 1", "refuted"},
      {"d = max y y\ns = max d over 1", "refuted"},
      {"d = eq y y -> i1\ns = all d over 1", "proved"},
      {"d = eq z z -> i1\ns = all d over 1", "refuted"},
      {"d = ne y y -> i1\ns = any d over 1", "proved"},
      {"m = max y over 1\ns = sub m m", "proved", false},
      {"m = max z over 1\ns = sub m m", "refuted"},
      {"e = mul y y\nm = max e over 1\nd = sub m m\ns = exp d", "refuted"},      // e is infinite, or not
      {"k = sum x over 1 keep\nd = sub k k\nr = recip d\ns = exp r", "proved"},  // no sign of a zero is left
      {"k = sum x over 1 keep\nd = sub k 0\nr = recip d\ns = exp r", "refuted"},
      {"d = sub i i\ns = sum d over 1", "proved"},
      {"d = sub i j\ns = sum d over 1", "refuted"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const std::string text =
        "x = input f32[3,5] tile(2,4) padding 0\ny = input f32[3,5] tile(2,4) padding finite contents finite\n"
        "z = input f32[3,5] tile(2,4) contents finite\nt = input f32[3,5] tile(2,4) padding [1..2]\n"
        "i = input i32[3,5] tile(2,4)\nj = input i32[3,5] tile(2,4)\n" +
        std::string(row.lines) + "\noutput s\nequal any-nan+zero\n";
    const Program program = read_program(text);
    const auto answer = chain::Judge(program).answer();
    const char* words[] = {"proved", "refuted", "unknown"};
    EXPECT_STREQ(words[answer.verdict.index()], row.verdict) << text;
    EXPECT_EQ(chain::certify(program, answer).has_value(), row.certified) << text;
    ++decided;
  }
  EXPECT_EQ(decided, 19);
}

}  // namespace neutral_program_twice_campaign
}  // namespace vl
