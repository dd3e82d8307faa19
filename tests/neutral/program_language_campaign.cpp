// Programs in what importers of other notations need: constants, numbers, shapes that are broadcast, truth values,
// casts, operations that are not known, and products of any dimensions; worked by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/neutral/read_program.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/place.h"
#include "verifier/neutral/words.h"

namespace vl {
namespace neutral_program_language_campaign {

namespace chain = neutral::program;
using chain::Program;
using test::read_program;

// Constants, numbers and operands of fewer dimensions: a mean of squares, its root, and a bias.
TEST(Program, NumbersAndShapesThatAreBroadcast) {
  struct Row {
    const char* lines;
    const char* verdict;
  };
  const Row rows[] = {
      {"s = sum x from +0", "proved"},
      {"s = sum x", "refuted"},
      {"y = exp x\ns = sum y", "refuted"},
      {"m = max x", "refuted"},
      {"m = max x 0\ns = sum m from +0", "proved"},
      {"y = add x 1\ns = sum y over 1 from +0", "refuted"},
      {"y = mul 0.5 x\ns = sum y over 1 from +0", "proved"},
      {"q = square x\nm = mean q from +0\ne = add m 1e-5\nr = rsqrt e\ns = mul x r\nt = sum s over 1 from +0",
       "proved"},  // r is finite, because of the 1e-5
      {"q = square x\nm = mean q from +0\nr = rsqrt m\ns = mul x r\nt = sum s over 1 from +0", "refuted"},
      {"c = constant f32[5] 0.1 tile(4) padding 0\ny = mul x c\ns = sum y from +0", "proved"},
      {"c = constant f32[5] 0.1 tile(4)\ny = mul x c\ns = sum y from +0", "refuted"},
      {"c = constant f32[1,5] 2 padding finite\ny = mul x c\ns = sum y from +0", "proved"},
      {"k = sum x over 1 from +0 keep\nd = sub x k\ns = sum d over 1 from +0", "refuted"},
      {"k = sum x from +0\ns = exp k", "proved"},
      {"a = argmax v over 0", "refuted"},
      {"a = constant f32[1,1,1,1,1,1,3,5] 1 tile(2,4)\ny = mul x a\nz = reshape y [15]\ns = prod z", "proved"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    std::string text = row.lines;
    text = "x = input f32[3,5] tile(2,4) padding 0 contents finite\nv = input f32[5] tile(4) padding 0\n" + text +
           "\noutput " + text.substr(text.rfind('\n') + 1, 1) + "\n";
    const Program program = read_program(text);
    const auto answer = chain::Judge(program).answer();
    const char* words[] = {"proved", "refuted", "unknown"};
    EXPECT_STREQ(words[answer.verdict.index()], row.verdict) << text;
    EXPECT_EQ(chain::certify(program, answer).has_value(), answer.verdict.index() != 2) << text;
    ++decided;
  }
  EXPECT_EQ(decided, 16);
}

// Shapes of products and of what is padded, and their elements by hand: x is 1, y is 2, z is 3.
TEST(Program, ShapesOfProducts) {
  struct Row {
    const char* line;
    const char* shape;
    int element;
  };
  const Row rows[] = {
      {"matmul x y", "f32[3,4]", 10},
      {"matmul x x ta", "f32[5,5]", 3},
      {"matmul x x tb", "f32[3,3]", 5},
      {"matmul y x ta tb", "f32[4,3]", 10},
      {"matmul v y", "f32[4]", 10},
      {"matmul x v", "f32[3]", 5},
      {"matmul v v", "f32[]", 5},
      {"matmul z y", "f32[2,3,4]", 30},
      {"matmul x w", "f32[2,3,4]", 20},
      {"matmul z w", "f32[2,3,4]", 60},
      {"matmul z w contract (2) (1) batch (0) (0)", "f32[2,3,4]", 60},
      {"matmul z w contract (2) (1)", "f32[2,3,2,4]", 60},
      {"matmul z y contract (2) (0)", "f32[2,3,4]", 30},
      {"matmul y z contract (0) (2)", "f32[4,2,3]", 30},
      {"matmul v z contract (0) (2)", "f32[2,3]", 15},
      {"matmul z z contract (1) (1) batch (0,2) (0,2)", "f32[2,5]", 27},
      {"matmul z z contract (0) (0) batch (2) (2)", "f32[5,3,3]", 18},
      {"pad x low (1,0) high (0,2) with 7", "f32[4,7]", 7},
      {"pad x low (-1,1) high (0,-3) with 7", "f32[2,3]", 7},
      {"pad x low (0,0) high (1,0) with one", "f32[4,5]", 1},
      {"slice x over 1 at 1..5 step 3", "f32[3,2]", 1},
      {"reverse x (0,1)", "f32[3,5]", 1},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const Program program = read_program(
        "x = constant f32[3,5] 1\ny = constant f32[5,4] 2\nv = constant f32[5] 1\nz = constant f32[2,3,5] 3\n"
        "w = constant f32[2,5,4] 4\ni = input f32[] contents {1}\none = mul i 1\nr = " +
        std::string(row.line) + "\noutput r\n");
    if (program.outputs.empty()) continue;
    const chain::Node& result = program.nodes[program.outputs[0]];
    EXPECT_EQ(shape_in_words(result), row.shape) << row.line;
    chain::Assignment assignment;
    for (const chain::Node& node : program.nodes)
      assignment.inputs.emplace_back(node.regions(), node.contents.empty() ? 0 : node.contents.ranges()[0].first);
    chain::Runs runs(program, 1 << 20);
    const auto found =
        chain::Execution(runs, assignment, true).at(program.outputs[0], Point(result.dimensions.size(), 0));
    EXPECT_EQ(found.code, std::optional(values::convert(*values::find_format("i32"), *result.type,
                                                        static_cast<values::Code>(row.element))))
        << row.line;
    EXPECT_TRUE(chain::certify(program, chain::Judge(program).answer()).has_value()) << row.line;
    ++decided;
  }
  EXPECT_EQ(decided, 22);
}

// Of what is padded: where zeros meet what is finite, and where they do not.
TEST(Program, PaddedProducts) {
  struct Row {
    const char* lines;
    const char* verdict;
  };
  const Row rows[] = {
      {"s = matmul x x tb from +0", "proved"},
      {"s = matmul x x ta from +0", "proved"},
      {"e = exp x\ns = matmul e e tb from +0", "refuted"},
      {"s = matmul x v from +0", "proved"},
      {"s = matmul x u from +0", "refuted"},
      {"s = matmul x t contract (1) (2) from +0", "proved"},
      {"e = exp t\ns = matmul e x contract (2) (1) from +0", "proved"},
      {"e = exp t\nf = exp x\ns = matmul e f contract (2) (1) from +0", "refuted"},
      {"p = pad x low (0,0) high (0,3) with 0\ns = sum p over 1 from +0", "proved"},
      {"p = pad x low (0,0) high (0,2) with 0\ns = sum p over 1 from +0", "refuted"},
      {"p = pad x low (0,0) high (0,3) with 1\ns = max p over 1", "proved"},
      {"p = slice x over 1 at 0..5 step 4\ns = sum p over 1 from +0", "refuted"},
      {"p = reverse x (1)\ns = sum p over 1 from +0", "refuted"},
      {"p = reverse x (0)\ns = sum p over 1 from +0", "proved"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const std::string text =
        "x = input f32[3,5] tile(2,4) padding 0 contents [-1e10..1e10]\nv = input f32[5] tile(4) padding 0\n"
        "u = input f32[5] tile(4)\nt = input f32[2,3,5] tile(2,4) padding 0 contents [-1e9..1e9]\n" +
        std::string(row.lines) + "\noutput s\n";
    const Program program = read_program(text);
    const auto answer = chain::Judge(program).answer();
    const char* words[] = {"proved", "refuted", "unknown"};
    EXPECT_STREQ(words[answer.verdict.index()], row.verdict) << text;
    if (answer.verdict.index() == 0) {
      EXPECT_TRUE(chain::certify(program, answer).has_value()) << text;
    }
    ++decided;
  }
  EXPECT_EQ(decided, 14);
}

// Casts between floats, integers and truth values: results of single codes.
TEST(Program, Casts) {
  struct Row {
    const char* from;
    const char* to;
    const char* result;
  };
  const Row rows[] = {
      {"f16 1.5", "i8", "{1}"},
      {"f16 -1.5", "i8", "{-1}"},
      {"f16 -0.5", "u8", "{0}"},
      {"f16 -1", "u8", "any"},
      {"f16 127", "i8", "{127}"},
      {"f16 128", "i8", "any"},
      {"f16 -128", "i8", "{-128}"},
      {"f16 -129", "i8", "any"},
      {"f16 inf", "i8", "any"},
      {"f32 255.9", "u8", "{255}"},
      {"f32 256", "u8", "any"},
      {"f64 9007199254740993", "i64", "{9007199254740992}"},
      {"f64 -9223372036854775808", "i64", "{-9223372036854775808}"},
      {"f64 9223372036854775808", "i64", "any"},
      {"f16 bits:0x7E00", "i1", "{1}"},
      {"f16 -0", "i1", "{0}"},
      {"f16 -3", "i1", "{1}"},
      {"i8 -2", "i1", "{1}"},
      {"i1 1", "f16", "{1}"},
      {"i8 -1", "u16", "{65535}"},
      {"u16 65535", "f16", "inf"},
      {"u32 4294967295", "f32", "{4.29497e+09}"},
      {"i32 16777217", "f32", "{1.67772e+07}"},
      {"i64 -9223372036854775808", "f32", "{-9.22337e+18}"},
      {"u8 200", "f8e4m3", "{192}"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const std::string text = "a = constant " + std::string(row.from) + "\nb = cast a " + row.to + "\noutput b\n";
    const Program program = read_program(text);
    chain::Images images;
    const auto set = chain::States(program, {}, images).of(1)[0];
    EXPECT_EQ(neutral::set_in_words(*program.nodes[1].type, set), row.result) << text;
    const auto answer = chain::Judge(program).answer();
    ASSERT_EQ(answer.verdict.index(), 0U);
    EXPECT_TRUE(chain::certify(program, answer).has_value()) << text;
    ++decided;
  }
  EXPECT_EQ(decided, 25);
}

// Masks by comparison, as compilers write them: a row keeps its elements, and what is behind becomes -inf.
TEST(Program, TruthValues) {
  struct Row {
    const char* lines;
    const char* verdict;
  };
  const Row rows[] = {
      {"c = lt x 1 -> i1\ns = any c over 1", "refuted"},
      {"c = gt x 1 -> i1\ns = any c over 1", "proved"},
      {"c = gt x 1 -> i1\nn = not c\ns = any n over 1", "refuted"},
      {"c = gt x 1 -> i1\nn = not c\ns = all n over 1", "proved"},
      {"c = gt x 1 -> i1\ny = where c x 0\ns = sum y over 1 from +0", "proved"},
      {"c = le x 1 -> i1\ny = where c x -inf\ns = max y over 1", "refuted"},
      {"c = gt x 1 -> i1\ny = where c x -inf\ns = max y over 1", "proved"},
      {"y = where x x -inf\ns = max y over 1", "proved"},
      {"c = cast x i1\nd = gt x 2 -> i1\ne = and c d\ns = any e over 1", "proved"},
      {"c = cast x i32\ns = sum c over 1", "proved"},
      {"e = exp x\nc = cast e u8\ns = sort c over 1", "unknown"},  // of what does not fit any code is taken
      {"f = unknown pointwise \"d.thing\" x -> f32\nr = relu f\ns = slice r over 1 at 0..4", "proved"},
      {"f = unknown pointwise \"d.thing\" x -> f32\ns = sum f over 1", "unknown"},
      {"f = unknown pointwise \"d.thing\" x -> f32\ng = mul f 0\nm = mask g with -0\ns = sum m over 1", "proved"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const std::string text =
        "x = input f32[3,5] tile(2,4) padding 0 contents non-nan\n" + std::string(row.lines) + "\noutput s\n";
    const Program program = read_program(text);
    const auto answer = chain::Judge(program).answer();
    const char* words[] = {"proved", "refuted", "unknown"};
    EXPECT_STREQ(words[answer.verdict.index()], row.verdict) << text;
    EXPECT_EQ(chain::certify(program, answer).has_value(), answer.verdict.index() != 2) << text;
    ++decided;
  }
  EXPECT_EQ(decided, 14);
}

// Unsigned ones of more than 8 bits.
TEST(Program, OtherIntegers) {
  for (const char* type : {"u16", "u32"})
    for (const auto& [padding, line, verdict] : {std::tuple{"0", "sum x over 1", 0U},
                                                 {"{1}", "sum x over 1", 1U},
                                                 {"0", "max x over 1", 0U},
                                                 {"{1}", "max x over 1", 1U},
                                                 {"{1}", "prod x over 1", 0U},
                                                 {"0", "min x over 1", 1U}}) {
      const Program program =
          read_program(fmt::format("x = input {}[3,5] tile(2,4) padding {}\ns = {}\noutput s\n", type, padding, line));
      const auto answer = chain::Judge(program).answer();
      EXPECT_EQ(answer.verdict.index(), verdict) << program.text;
      EXPECT_TRUE(chain::certify(program, answer).has_value()) << program.text;
    }
}

// 0.1 is no number of f16: 0x2E66 is the nearest; of f64 it is the nearest one that is meant.
TEST(Program, NumbersAreRoundedToNearest) {
  struct Row {
    const char* text;
    values::Code code;
  };
  const Row rows[] = {
      {"f16 0.1", 0x2E66},         {"f32 0.1", 0x3DCCCCCD},  {"f32 1e-5", 0x3727C5AC}, {"f64 0.1", 0x3FB999999999999A},
      {"bf16 3.14159", 0x4049},    {"f32 -0", 0x80000000},   {"f32 -inf", 0xFF800000}, {"i8 -1", 0xFF},
      {"f16 bits:0x7E01", 0x7E01}, {"f16[2] 1.5e0", 0x3E00}, {"f32 -.5", 0xBF000000}};
  for (const Row& row : rows) {
    const Program program = read_program("c = constant " + std::string(row.text) + "\noutput c\n");
    EXPECT_EQ(program.nodes[0].contents, values::CodeSet::of(row.code)) << row.text;
    EXPECT_TRUE(chain::assumptions(program).empty());
  }
}

// What a mask for one reader of a broadcast operand is printed as, and read again.
TEST(Program, MasksOfOperandsThatAreBroadcast) {
  const Program program = read_program(
      "x = input f32[3,5] tile(2,4) padding 0\nb = input f32[5] tile(4) padding finite contents finite\n"
      "y = add x b  # a bias\nz = mul 2 y\ns = sum z over 1 from +0\nt = exp b\nu = mul x t\noutput s u\n");
  chain::Judge judge(program);
  const auto placing = place_masks(program, judge);
  ASSERT_TRUE(placing.has_value());
  const std::string text = text_with(program, placing->masks);
  EXPECT_NE(text.find("b_masked = mask b 0 with 0\ny = add x b_masked  # a bias\n"), std::string::npos) << text;
  const Program again = read_program(text);
  EXPECT_TRUE(std::holds_alternative<chain::ProgramProved>(chain::Judge(again).answer().verdict));
}

// An operation that is not known puts out what its operands' padding holds, or a function of what has none.
TEST(Program, UnknownOperations) {
  const std::string padded = "x = input f32[2,5] tile(2,4) padding 0\n", whole = "x = input f32[2,5]\n";
  const std::string thing = "u = unknown \"d.thing\" x -> f32[2,5] tile(2,4)\n";
  struct Row {
    std::string text;
    const char* verdict;
  };
  const Row rows[] = {
      {padded + thing + "output u\n", "unknown"},
      {padded + thing + "r = relu u\noutput r\n", "unknown"},
      {padded + thing + "r = relu u\noutput x\n", "proved"},
      {whole + thing + "output u\n", "proved"},
      {whole + thing + "r = relu u\ns = sum r over 0\noutput s\n", "proved"},
      {whole + thing + "s = sum u over 1\noutput s\n", "unknown"},
      {whole + thing + "m = mask u with -0\ns = sum m over 1\noutput s\n", "proved"},
      {whole + thing + "c = cumsum u over 1\noutput c\n", "proved"},  // its pads are behind its elements
      // NaN plus -0 is NaN, maybe another one, and an unknown operation may see it.
      {"y = input f32[2,5] tile(2,4) padding -0\ns = sum y over 1 keep\nx = slice s over 1 at 0..1\n"
       "u = unknown \"d.thing\" x -> f32[2]\noutput u\n",
       "unknown"},
      // What differs without it is refuted.
      {padded + thing +
           "s = sum x over 1\nv = slice u over 1 at 0..4\nt = sum v over 1\nc = concat s t over 0\n"
           "output c\n",
       "refuted"},
      {"u = unknown \"d.random\" -> f32[2,5]\noutput u\n", "proved"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const Program program = read_program(row.text);
    const auto answer = chain::Judge(program).answer();
    const char* words[] = {"proved", "refuted", "unknown"};
    EXPECT_STREQ(words[answer.verdict.index()], row.verdict) << row.text;
    EXPECT_EQ(chain::certify(program, answer).has_value(), answer.verdict.index() != 2) << row.text;
    if (const auto* unknown = std::get_if<chain::ProgramUnknown>(&answer.verdict);
        unknown != nullptr && row.text.find("sum y") == std::string::npos) {
      EXPECT_EQ(unknown->reason, "d.thing is not known: its result may hold anything");
    }
    ++decided;
  }
  EXPECT_EQ(decided, 11);
}

// An operation of elements is a function of them: what padding holds is not read, and what its result's padding holds
// is unwritten. Of -0, which a sum of +0 and -0 may leave or not, `elements` may make another number; `numbers` may
// not.
TEST(Program, UnknownOperationsOfElements) {
  const std::string x = "x = input f32[2,5] tile(2,4)\n", y = "y = input f32[2,5] tile(2,4) padding 0\n";
  const std::string zero = y + "x = sum y over 1 keep\n", tail = "output u\nequal any-nan+zero\n";
  const std::string elements = "u = unknown elements \"d.conv\" x x -> f32[3,5] tile(2,4)\n",
                    numbers = "u = unknown numbers \"d.conv\" x x -> f32[3,5] tile(2,4)\n";
  struct Row {
    std::string text;
    const char* verdict;
  };
  const Row rows[] = {
      {x + elements + tail, "proved"},
      {x + numbers + tail, "proved"},
      {zero + elements + tail, "unknown"},  // it may see the sign of a zero
      {zero + numbers + tail, "proved"},
      {zero + numbers + "r = recip u\noutput r\nequal any-nan+zero\n", "unknown"},
      {x + numbers + "s = sum u over 1\noutput s\n", "unknown"},  // it reads what nothing wrote
      {x + numbers + "s = sum u over 0\noutput s\n", "unknown"},
      {x + numbers + "m = mask u with -0\ns = sum m over 1\noutput s\n", "proved"},
      {y + "e = exp y\nx = sum e over 1 keep\n" + numbers + tail, "unknown"},  // of another sum it may make the same
  };
  int decided = 0;
  for (const Row& row : rows) {
    const Program program = read_program(row.text);
    const auto answer = chain::Judge(program).answer();
    const char* words[] = {"proved", "refuted", "unknown"};
    EXPECT_STREQ(words[answer.verdict.index()], row.verdict) << row.text;
    EXPECT_EQ(chain::certify(program, answer).has_value(), answer.verdict.index() == 0) << row.text;
    ++decided;
  }
  EXPECT_EQ(decided, 9);
  const auto assumed = assumptions(read_program(x + elements + tail));
  EXPECT_EQ(std::ranges::count(assumed, "d.conv reads no padding of its operands"), 1);
  EXPECT_TRUE(assumptions(read_program("x = input f32[2,5]\n" + elements + tail)).empty());
}

// Each output by what it depends on, refutations first.
TEST(Program, AnswersByOutput) {
  const Program program = read_program(
      "x = input f32[2,5] tile(2,4) padding 0\ny = relu x\nu = unknown \"d.thing\" y -> f32[2]\n"
      "s = sum x over 1\nt = sum y over 1 from +0\noutput u t s y\n");
  const auto answers = chain::answer_by_output({{{}, program}});
  ASSERT_EQ(answers.size(), 4U);
  std::string words;
  for (const auto& [instances, found] : answers) {
    const Program& alone = instances[found.at].program;
    words += alone.nodes[alone.outputs[0]].name + std::to_string(found.answer.verdict.index());
    EXPECT_EQ(found.checked, found.answer.verdict.index() != 2);
  }
  EXPECT_EQ(words, "s1u2t0y0");
}

}  // namespace neutral_program_language_campaign
}  // namespace vl
