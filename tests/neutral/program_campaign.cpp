// Programs: what the parser takes and rejects, states of padding and verdicts worked by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/neutral/read_program.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/explain.h"
#include "verifier/neutral/program/place.h"
#include "verifier/neutral/words.h"

namespace vl {
namespace neutral_program_campaign {

namespace chain = neutral::program;
using chain::Program;
using test::read_program;

const std::string kExpMatmul =
    "A = input f32[32,33] tile(32,32) padding 0\n"
    "B = input f32[33,32] tile(32,32) padding 0\n"
    "a = exp A\n"
    "b = exp B\n"
    "C = matmul a b accumulate f32 from +0\n"
    "output C\n";

struct Refused {
  std::string text;
  std::size_t offset;
  const char* message;
};
const std::string kInput = "a = input f16[4,6] tile(2,4)\n";  // 29 bytes
const Refused kRefused[] = {
    {"", 0, "output NAME"},
    {"a = input f16[4,6]\n", 19, "output NAME"},
    {"a = input f17[4,6]\n", 10, "'f17' is no type"},
    {"a = input f16\n", 13, "sizes"},
    {"a = input f16[0]\n", 14, "size from 1 to 2^32"},
    {"a = input f16[4,-6]\n", 16, "size from 1 to 2^32"},
    {"a = input f16[99999999999999999999]\n", 14, "size from 1 to 2^32"},
    {"a = input f16[1,1,1,1,1,1,1,1,1]\n", 10, "at most 8 dimensions"},
    {"a = input f16[4294967296,4294967296]\n", 4, "too many slots"},
    {"a = input f16[M=4,M=6]\n", 18, "another name"},
    {"a = input f16[4,6] tile(2,2,2)\n", 23, "a tile of 3 dimensions"},
    {"a = input f16[4,6] padding 2..\n", 27, "expected any"},
    {"a = input f16[4,6] tile(2,4) padding 0: 0\n", 37, "has no padding"},
    {"a = input f16[4,6] tile(2,4) padding 7: 0\n", 37, "no dimension of a"},
    {"a = input f16[4,6] padding\n", 26, "found nothing"},
    {"a = input f16[4,6] around 3\n", 19, "expected tile"},
    {"a = input f16[4,6] layout \"x\"\n", 26, "layouts cannot be read"},
    {"= input f16[4]\n", 0, "a name"},
    {"a input f16[4]\n", 2, "expected '='"},
    {kInput + "a = exp a\n", 29, "defined already"},
    {kInput + "b = exp c\n", 37, "'c' is not defined above"},
    {kInput + "b = expo a\n", 33, "no operation"},
    {kInput + "b = pointwise a over 1\n", 33, "a program has no pointwise: its reductions are sum"},
    {kInput + "b = dot a\n", 33, "'dot' is no operation here"},
    {kInput + "b = exp a a\n", 39, "the end of the line"},
    {kInput + "b = add a\n", 38, "expected a name"},
    {kInput + "c = input f16[4,6]\nb = add a c\n", 58, "operands have to agree"},
    {kInput + "b = and a a\n", 33, "no meaning for f16"},
    {kInput + "b = sum a 0\n", 39, "expected accumulate"},
    {kInput + "b = argmax a\n", 41, "expected 'over'"},
    {"a = input f16[]\nb = sum a\n", 24, "no dimension to reduce"},
    {kInput + "b = sum a over 2\n", 44, "no dimension of a"},
    {kInput + "b = sum a over 0,0\n", 46, "twice"},
    {"a = constant f16\n", 16, "expected a number"},
    {"a = constant f16 x\n", 17, "expected a number"},
    {"a = constant f16 1e9\n", 17, "no number of f16"},
    {"a = constant i8 1.5\n", 16, "expected an integer of i8"},
    {"a = constant f16[4] 1 contents any\n", 22, "expected tile, stick, layout or padding"},
    {kInput + "b = add 1 2\n", 37, "the name of an operand"},
    {kInput + "b = add a 1e9\n", 39, "no number of f16"},
    {kInput + "b = add a 1 2\n", 41, "the end of the line"},
    {kInput + "c = input f16[6]\nb = add a c\n", 56, "operands have to agree"},
    {kInput + "c = input f16[5,6] tile(2,4)\nb = add a c\n", 68, "operands have to agree"},
    {kInput + "c = constant f16[5,6] 0\nb = add a c\n", 63, "operands have to agree"},
    {kInput + "b = broadcast a to [4,4]\n", 48, "of the same size or from 1"},
    {kInput + "b = broadcast a to [4]\n", 48, "of the same size or from 1"},
    {kInput + "b = broadcast a to [4,6] (0,0)\n", 48, "of the same size or from 1"},
    {kInput + "b = sum a over 0 accumulate f8e5m2\n", 46, "does not hold every number"},
    {kInput + "b = max a over 0 from +0\n", 46, "no start +0"},
    {kInput + "b = sum a over 0 order up\n", 52, "expected any or seq"},
    {kInput + "b = matmul a a\n", 40, "matmul takes"},
    {kInput + "b = transpose a (0,0)\n", 45, "each dimension"},
    {kInput + "b = transpose a 1\n", 45, "an order of dimensions"},
    {kInput + "b = reshape a [5,5]\n", 43, "24 elements, and the shape 25"},
    {kInput + "b = slice a over 0 at 2..2\n", 51, "FIRST < END <= 4"},
    {kInput + "b = slice a over 0 at 0..2 step 0\n", 61, "step from 1"},
    {kInput + "b = slice a over 0 at 0..2 step\n", 60, "how far"},
    {kInput + "b = reverse a\n", 42, "dimensions, as (0,1)"},
    {kInput + "b = reverse a (2)\n", 44, "no dimension of a"},
    {kInput + "b = reverse a (1,1)\n", 46, "twice"},
    {kInput + "b = pad a low (0) high (0,0) with 0\n", 43, "a has 2 dimensions"},
    {kInput + "b = pad a low (0,x) high (0,0) with 0\n", 46, "number up to 2^32"},
    {kInput + "b = pad a low (-2,0) high (-2,0) with 0\n", 37, "nothing is left"},
    {kInput + "b = pad a low (0,1) high (0,0)\n", 59, "expected 'with'"},
    {kInput + "b = pad a low (0,1) high (0,0) with a\n", 65, "a number or f16[]"},
    {kInput + "b = pad a low (0,1) high (0,0) with x\n", 65, "expected a number"},
    {kInput + "b = matmul a a contract (0)\n", 56, "expected dimensions"},
    {kInput + "b = matmul a a contract (0,1) (0,1)\n", 53, "one dimension of each"},
    {kInput + "b = matmul a a contract (0) (1)\n", 40, "matmul takes"},
    {kInput + "b = matmul a a contract (0) (0) batch (0) (1)\n", 67, "none that is contracted"},
    {kInput + "b = matmul a a contract (0) (0) batch (1,0) (x)\n", 74, "no dimension of a"},
    {kInput + "b = matmul a a contract (0) (0) batch (1) ()\n", 67, "as many dimensions"},
    {kInput + "b = broadcast a over 0 to 3\n", 50, "has the size 4"},
    {kInput + "b = mask a 1 with\n", 46, "expected a number"},
    {kInput + "b = mask a 1 with inf2\n", 47, "expected a number"},
    {kInput + "b = mask a 0 with 1\n", 40, "has no padding"},
    {kInput + "b = cast a i33\n", 40, "'i33' is no type"},
    {kInput + "b = not a\n", 37, "no meaning for f16"},
    {kInput + "b = lt a 0 -> i2\n", 43, "'i2' is no type"},
    {kInput + "b = lt a 0 ->\n", 42, "expected a type"},
    {kInput + "b = cast a i1\nc = sum b\n", 51, "no meaning for i1"},
    {kInput + "b = cast a i1\nc = add b b\n", 47, "no meaning for i1"},
    {kInput + "b = cast a i1\nc = matmul b b\n", 54, "matmul takes"},
    {kInput + "b = cast a i1\nc = softmax b over 1\n", 55, "no meaning for i1"},
    {kInput + "b = cast a i1\nc = where b b a\n", 57, "operands have to agree"},
    {kInput + "b = unknown pointwise a -> f16\n", 51, "in quotes"},
    {kInput + "b = unknown elements a -> f16[4]\n", 50, "in quotes"},
    {kInput + "b = unknown numbers \"f\" a -> f16\n", 61, "sizes"},
    {kInput + "b = unknown pointwise \"f\" a -> f16[4]\n", 60, "is no type"},
    {kInput + "b = unknown a -> f16[4]\n", 41, "in quotes"},
    {kInput + "b = unknown \"\" a -> f16[4]\n", 41, "in quotes"},
    {kInput + "b = unknown \"f a -> f16[4]\n", 41, "in quotes"},
    {kInput + "b = unknown \"f\" a f16[4]\n", 47, "expected a name, found 'f16[4]'"},
    {kInput + "b = unknown \"f\" a ->\n", 49, "expected a type"},
    {kInput + "b = unknown \"f\" a -> f16[4] padding 0\n", 57, "expected tile, stick or layout"},
    {kInput + "output b\n", 36, "'b' is not defined"},
    {kInput + "equal exactly\noutput a\n", 35, "expected bits"},
};

TEST(Program, RejectsWithPlaces) {
  int decided = 0;
  for (const Refused& row : kRefused) {
    const auto program = chain::parse_program(row.text);
    ASSERT_FALSE(program.has_value()) << row.text;
    EXPECT_NE(program.error().message.find(row.message), std::string::npos) << row.text << program.error().message;
    EXPECT_EQ(program.error().offset, row.offset) << row.text << program.error().message;
    ++decided;
  }
  EXPECT_EQ(decided, 97);
}

// exp(0) = 1, and 31 products of ones come to the 33 of the valid elements.
TEST(Program, ExpMakesPaddingReachAMatmul) {
  const Program program = read_program(kExpMatmul);
  chain::Judge judge(program);
  const auto answer = judge.answer();
  const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict);
  ASSERT_NE(refuted, nullptr);
  EXPECT_EQ(headline(program, *refuted), "C[0,0] is 64 where the reference has 33");
  const auto words = explained(program, *refuted);
  const auto has = [&](const std::string& text) { return std::ranges::find(words, text) != words.end(); };
  EXPECT_TRUE(has("slot a[0,33] (tile 1, face 0, row 0, lane 1): 1"));
  EXPECT_TRUE(has("a 1 33..63 is {1}"));
  EXPECT_TRUE(has("step 33: 33 + 1 = 34"));
  const auto placing = place_masks(program, judge);
  ASSERT_TRUE(placing.has_value());
  EXPECT_TRUE(placing->cheapest);
  EXPECT_EQ(placing->cost.slots, 31 * 32);  // one side is enough: the other one holds ones
  EXPECT_EQ(placing->masks.size(), 1u);
}

struct RegionState {
  const char* line;
  chain::Region region;
  const char* state;
};
// x is [3,5] in tiles of 2 × 4: [4,8].
const RegionState kRegionStates[] = {
    {"exp x", 2, "{1}"},
    {"neg x", 1, "0"},
    {"relu x", 3, "0"},
    {"log x", 2, "-inf"},
    {"add x y", 2, "any"},
    {"mul x z", 2, "0"},        // 0 times finite
    {"mul x y", 2, "0 | NaN"},  // 0 times inf
    {"max x z", 2, "[-0 .. 3.40282e+38]"},
    {"transpose x (1,0)", 1, "0"},
    {"mask x 1 with -inf", 2, "-inf"},
    {"mask x 1 with -inf", 1, "0"},
    {"slice x over 1 at 0..3", 2, "any"},
    {"slice x over 1 at 0..3", 1, "0"},
    {"concat x x over 0", 1, "nothing"},  // 6 kRegionStates fill their tiles
    {"concat x x over 0", 2, "0"},
    {"sum x over 1", 1, "0"},  // of kRegionStates of padding
    {"sum x over 1 from +0", 1, "+0"},
    {"reshape x [15] tile(8)", 1, "any"},
    {"cast x f16", 3, "0"},
    {"add x 1", 2, "{1}"},  // a number is broadcast into the padding
    {"max x one", 3, "{1}"},
    {"add x row", 2, "{-1}"},  // of a row its own padding
    {"add x row", 1, "{1}"},
    {"mul x wide", 1, "0"},  // a constant takes the padding of the others, and holds what it says
    {"mul x bare", 1, "0 | NaN"},
    {"lt x 1 -> i1", 2, "{1}"},
    {"where x one y", 2, "any"},
    {"where one x y", 2, "0"},
    {"cast x i8", 2, "{0}"},
    {"cast x i1", 2, "{0}"},
    {"unknown pointwise \"f\" x -> i1", 2, "any"},
    {"unknown numbers \"f\" x -> f32[3,5] tile(2,4)", 0, "any"},
    {"unknown numbers \"f\" x -> f32[3,5] tile(2,4)", 2, "any"},
    {"slice x over 1 at 0..5 step 2", 1, "0"},
    {"slice x over 1 at 0..5 step 2", 2, "any"},
    {"reverse x (1)", 1, "0"},
    {"reverse x (1)", 2, "any"},
    {"reverse x (0)", 2, "0"},
    {"pad x low (0,0) high (0,0) with 1", 2, "0"},
    {"pad x low (0,0) high (0,-2) with 1", 1, "0"},
    {"pad x low (0,0) high (0,-2) with 1", 2, "any"},
    {"pad one_row low (0,1) high (0,0) with 1", 0, "{1}"},
    {"broadcast row to [3,5] (1)", 2, "{-1}"},
    {"broadcast row to [3,5] tile(2,1)", 1, "{1}"},
    {"broadcast row to [5,3] (0) tile(2,4)", 1, "{-1}"},
};

TEST(Program, StatesByRegion) {
  int decided = 0;
  for (const RegionState& row : kRegionStates) {
    const Program program = read_program(
        "x = input f32[3,5] tile(2,4) padding 0\n"
        "y = input f32[3,5] tile(2,4) padding any contents finite\n"
        "z = input f32[3,5] tile(2,4) padding finite\n"
        "one = constant f32 1\n"
        "one_row = constant f32[1,5] 1\n"
        "row = input f32[5] tile(4) contents {1} padding {-1}\n"
        "wide = constant f32[3,5] 2 padding finite\n"
        "bare = constant f32[3,5] 2\n"
        "r = " +
        std::string(row.line) + "\noutput r\n");
    chain::Images images;
    const chain::States states(program, {}, images);
    const std::size_t last = program.nodes.size() - 1;  // r; what it does not read is dropped
    const chain::Node& node = program.nodes[last];
    if (std::string(row.line) == "add x y") {
      EXPECT_TRUE(states.of(last)[row.region].contains(0x7F800000));
      EXPECT_FALSE(states.of(last)[row.region].contains(0x7F800001));  // an addition makes a signalling NaN quiet
    } else EXPECT_EQ(neutral::set_in_words(*node.type, states.of(last)[row.region]), row.state) << row.line;
    ++decided;
  }
  EXPECT_EQ(decided, 45);
}

// One line each: what is proved, and what is not.
TEST(Program, Verdicts) {
  struct Row {
    const char* text;
    const char* verdict;
  };
  const Row rows[] = {
      // Sums start with their first element: +0 changes a row of -0, and -0 nothing.
      {"x = input f32[2,5] tile(2,4) padding +0\ny = sum x over 1\noutput y\n", "refuted"},
      {"x = input f32[2,5] tile(2,4) padding -0\ny = sum x over 1\noutput y\n", "proved"},
      {"x = input f32[2,5] tile(2,4) padding +0\ny = sum x over 1 from +0\noutput y\n", "proved"},
      // Padding of rows has no part in a sum over columns.
      {"x = input f32[3,4] tile(2,4) padding any\ny = sum x over 1\noutput y\n", "proved"},
      // Zeros that are equal only up to their sign: good, until something takes a reciprocal.
      {"x = input f32[2,5] tile(2,4) padding 0\ny = sum x over 1\noutput y\nequal any-nan+zero\n", "proved"},
      {"x = input f32[2,5] tile(2,4) padding 0\ny = sum x over 1\nz = recip y\noutput z\nequal any-nan+zero\n",
       "refuted"},
      {"x = input f32[2,5] tile(2,4) padding -0\ny = sum x over 1\nz = recip y\noutput z\nequal any-nan+zero\n",
       "proved"},
      // exp(-inf) is +0, which a sum from +0 does not see.
      {"x = input f32[2,5] tile(2,4) padding -inf\ne = exp x\ny = sum e over 1 from +0\noutput y\n", "proved"},
      {"x = input f32[2,5] tile(2,4) padding 0\ne = exp x\ny = sum e over 1 from +0\noutput y\n", "refuted"},
      // Zeros on one side are enough, if the other side is finite.
      {"x = input f16[2,5] tile(2,4) padding 0\ny = input f16[5,2] tile(4,2) padding any\n"
       "z = matmul x y accumulate f32 from +0\noutput z\n",
       "refuted"},
      {"x = input f16[2,5] tile(2,4) padding 0\ny = input f16[5,2] tile(4,2) padding finite\n"
       "z = matmul x y accumulate f32 from +0\noutput z\n",
       "proved"},
      // A product rounded into f16: 1·0 is 0, and what padding became is not an output.
      {"x = input f16[2,5] tile(2,4) padding any\ny = exp x\noutput y\n", "proved"},
      // max over padding of zeros: contents below 0 are lost, -0 among them.
      {"x = input f32[2,5] tile(2,4) padding 0\ny = max x over 1\noutput y\n", "refuted"},
      {"x = input f32[2,5] tile(2,4) padding 0 contents [0..inf]\ny = max x over 1\noutput y\n", "refuted"},
      {"x = input f32[2,5] tile(2,4) padding 0 contents [1..inf]\ny = max x over 1\noutput y\n", "proved"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const Program program = read_program(row.text);
    chain::Judge judge(program);
    const auto answer = judge.answer();
    const char* verdict = std::holds_alternative<chain::ProgramProved>(answer.verdict)    ? "proved"
                          : std::holds_alternative<chain::ProgramRefuted>(answer.verdict) ? "refuted"
                                                                                          : "unknown";
    EXPECT_STREQ(verdict, row.verdict) << row.text;
    ++decided;
  }
  EXPECT_EQ(decided, 15);
}

// Signalling NaNs of f8e5m2 are 0x7D and 0xFD, and their quiet twins have 0x02 more: a run makes them quiet, and an
// implementation that does nothing leaves them.
TEST(Program, ACastIntoTheSameTypeMayMakeANaNQuiet) {
  for (unsigned code = 0; code < 256; ++code) {
    const std::string text =
        "A = input f8e5m2[3] contents bits:" + fmt::format("{:#04x}", code) + "\nb = cast A f8e5m2\noutput b\n";
    const Program program = read_program(text);
    chain::Images images;
    const auto set = chain::States(program, {}, images).of(1)[0];
    const bool signalling = (code & 0x7F) == 0x7D;
    EXPECT_TRUE(set.contains(code)) << code;
    EXPECT_TRUE(set.contains(signalling ? code | 0x02 : code)) << code;
    EXPECT_EQ(set.count() == 1, (code & 0x7F) <= 0x7C) << code << ": a number is one code";
  }
}

// A program of 200 operations: it takes milliseconds; what is asserted is that each of 50 sums is decided.
TEST(Program, LongChains) {
  std::string text = "t0 = input f32[32,33] tile(32,32) padding 0\n";
  int last = 0;
  const auto add = [&](const std::string& operation) {
    text += "t" + std::to_string(last + 1) + " = " + operation + "\n";
    ++last;
  };
  const auto t = [&](int i) { return "t" + std::to_string(i); };
  for (int i = 0; i < 50; ++i) {
    add("abs " + t(last));
    add("sum " + t(last) + " over 1 from +0 keep");
    add("broadcast " + t(last) + " over 1 to 33");
    add("mask " + t(last) + " with 0");
  }
  text += "output " + t(last) + "\n";
  const Program program = read_program(text);
  EXPECT_EQ(program.nodes.size(), 201u);
  chain::Judge judge(program);
  const auto answer = judge.answer();
  EXPECT_TRUE(std::holds_alternative<chain::ProgramProved>(answer.verdict));
  EXPECT_EQ(answer.lines.size(), 50u);
  EXPECT_TRUE(std::ranges::all_of(answer.lines, &chain::LineAnswer::checked));
}

}  // namespace neutral_program_campaign
}  // namespace vl
