// Rows in programs (softmax, norms, orders, cumulative sums, means): what the parser takes, states worked by hand, and
// verdicts. Random programs with rows are in program_random_campaign.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/neutral/program_held.h"
#include "tests/neutral/read_program.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/explain.h"
#include "verifier/neutral/program/place.h"
#include "verifier/neutral/words.h"
#include "verifier/values_kernel/check.h"

namespace vl {
namespace neutral_program_rows_campaign {

namespace chain = neutral::program;
using chain::Program;
using test::read_program;

TEST(ProgramRows, RejectsWithPlaces) {
  struct Row {
    std::string text;
    std::size_t offset;
    const char* message;
  };
  const std::string a = "a = input f16[4,6] tile(2,4)\n";  // 29 bytes
  const Row rows[] = {
      {a + "b = softmax a\n", 42, "expected 'over'"},
      {a + "b = softmax a over 0,1\n", 48, "along one dimension"},
      {a + "b = softmax a over 1 keep\n", 50, "an option of softmax"},
      {a + "b = softmax a over 1 fused\n", 50, "an option of softmax"},
      {a + "b = softmax a over 1 k 2\n", 50, "an option of softmax"},
      {a + "b = softmax a over 1 divide P\n", 50, "divides by no count"},
      {a + "b = softmax a over 1\nequal bits\noutput b\n", 29, "not compared by bits"},
      {a + "b = topk a over 1 k 7\n", 45, "k is 7, of 6 elements"},
      {a + "b = topk a over 1 k 17\n", 49, "not 1 to 16"},
      {a + "b = topk a over 1 keep\n", 47, "an option of topk"},
      {a + "b = argmax a over 1 ties best\n", 54, "expected first, last or unspecified"},
      {a + "b = argmax a over 1 accumulate f32\n", 49, "accumulates nothing"},
      {a + "b = argmax a over 1 rule x86\n", 49, "no rule x86"},
      {a + "b = sort a over 1 rule nan-loses\n", 47, "it has no other rule"},
      {a + "b = cumsum a over 1 ties last\n", 49, "breaks no ties"},
      {a + "b = mean a over 1 divide Q\n", 54, "expected N or P"},
      {a + "b = mean a over 1 ties last\n", 47, "expected accumulate"},
      {a + "b = sum a over 1 divide P\n", 46, "expected accumulate"},
      {a + "b = layernorm a over 1 from -0\n", 57, "expected first or +0"},
      {a + "b = topk a over 1 k 1 k 2\n", 51, "'k' is said twice"},
      {a + "b = sum a over 1 keep from +0 keep\n", 59, "'keep' is said twice"},
      {a + "b = argmax a over 1 ties last ties last\n", 59, "'ties' is said twice"},
      {a + "equal bits\nequal any-nan\n", 46, "is said twice"},
      {"a = input f16[2] tile(4) padding any padding -0\n", 37, "padding is said twice"},
      {"a = input f16[2] tile(4) contents any contents {0}\n", 38, "contents is said twice"},
      {"a = input f16[2] tile(4) stick(8)\n", 25, "the padded size is said twice"},
      {"a = input f16[2] tile(4) padding 0: any; 0: -0\n", 41, "the region 0 is said twice"},
      {a + "b = exx2 a over 1\n", 33, "a program has no exx2"},
      {"a = input i16[4,6] tile(2,4)\nb = variance a over 1\n", 50, "an operation on floats"},
      {"a = input i8[]\nb = argmax a over 0\n", 33, "no dimension of a"},
      {"a = input i8[3,2147483648]\nb = argmax a over 1\n", 45, "more places than an i32 has"},
      {a + "b = argmax a over 1\nc = add a b\n", 59, "operands have to agree"},
  };
  int decided = 0;
  for (const Row& row : rows) {
    const auto program = chain::parse_program(row.text);
    ASSERT_FALSE(program.has_value()) << row.text;
    EXPECT_NE(program.error().message.find(row.message), std::string::npos) << row.text << program.error().message;
    EXPECT_EQ(program.error().offset, row.offset) << row.text << program.error().message;
    ++decided;
  }
  EXPECT_EQ(decided, 32);
}

TEST(ProgramRows, StatesByRegion) {
  struct Row {
    const char* line;
    chain::Region region;
    const char* state;
  };
  const char* kUnit = "+0 | [1.4013e-45 .. 1]";
  // [3,5] in tiles of 2 × 4: [4,8]. l is -inf behind 1 and 0 behind 0.
  const Row rows[] = {
      {"softmax l over 1", 0, kUnit},
      {"softmax l over 1", 2, "+0"},  // exp(-inf) beside a finite maximum
      {"softmax l over 1", 1, kUnit},
      {"softmax l over 1", 3, "+0"},
      {"softmax l over 0", 1, kUnit},                           // 0 is no low value
      {"softmax x over 1", 2, "+0 | [1.4013e-45 .. 1] | NaN"},  // elements may be -inf
      {"softmax far over 1", 2, "+0"},                          // exp(-2000 + 1000)
      {"softmax near over 1", 2, kUnit},
      {"logsumexp l over 1", 0, "any"},
      {"layernorm l over 1", 0, "any"},
      {"argmax l over 1", 0, "[0 .. 4]"},
      {"argmax l over 1", 1, "[0 .. 7]"},  // of a row of padding
      {"argmax l over 1 keep", 2, "any"},  // unwritten
      {"topk-indices l over 1 k 2", 0, "[0 .. 4]"},
      {"topk-indices l over 1 k 2", 2, "any"},
      {"topk l over 1 k 2", 1, "-inf | 0"},
      {"sort ones over 1", 0, "{1}"},
      {"sort ones over 1", 2, "+0 | {1}"},
      {"cumsum ones over 1 from +0", 0, "+0 | [1.4013e-45 .. 10]"},
      {"mean ones over 1 from +0", 0, "+0 | [1.4013e-45 .. 3.2]"},
      {"mean ones over 1 from +0", 1, "+0"},
      {"mean ones over 1 divide P from +0", 0, "+0 | [1.4013e-45 .. 3.2]"},  // the reference divides by 5
  };
  int decided = 0;
  for (const Row& row : rows) {
    const Program program = read_program(
        "x = input f32[3,5] tile(2,4) padding -inf\n"
        "l = input f32[3,5] tile(2,4) padding 0: 0; 1: -inf; 0+1: -inf contents finite\n"
        "far = input f32[3,5] tile(2,4) padding {-2000} contents [-1000..1000]\n"
        "near = input f32[3,5] tile(2,4) padding {-1100} contents [-1000..1000]\n"
        "ones = input f32[3,5] tile(2,4) padding +0 contents {1}\n"
        "r = " +
        std::string(row.line) + "\noutput r\n");
    chain::Images images;
    const chain::States states(program, {}, images);
    const std::size_t last = program.nodes.size() - 1;  // r; what it does not read is dropped
    const chain::Node& node = program.nodes[last];
    EXPECT_EQ(neutral::set_in_words(*node.type, states.of(last)[row.region]), row.state)
        << row.line << " " << row.region;
    ++decided;
  }
  EXPECT_EQ(decided, 22);
}

struct Judged {
  const char* padding;
  const char* lines;
  const char* verdict;
};
const Judged kJudged[] = {
    {"-inf", "y = softmax x over 1\n", "proved"},
    {"0", "y = softmax x over 1\n", "refuted"},
    {"{-65504}", "y = softmax x over 1\n", "refuted"},  // a row of -65504
    {"-inf", "y = logsumexp x over 1\n", "proved"},
    {"any", "y = softmax x over 0\n", "refuted"},  // kJudged are padded, too
    // What softmax leaves behind its kJudged: 0, which a sum from +0 does not see; NaN of kJudged that are NaN
    // throughout.
    {"-inf contents finite", "s = softmax x over 1\ny = sum s over 1 from +0\n", "proved"},
    {"-inf contents finite", "s = softmax x over 1\ne = exp s\ny = sum e over 1 from +0\n", "unknown"},
    {"-inf", "s = softmax x over 1\ny = sum s over 1 from +0\n", "proved"},  // by cases
    {"+0", "y = layernorm x over 1 from +0\n", "proved"},
    {"+0", "y = layernorm x over 1\n", "refuted"},
    {"0", "y = rmsnorm x over 1 from +0\n", "proved"},
    {"{1}", "y = rmsnorm x over 1 from +0\n", "refuted"},
    {"+0", "n = layernorm x over 1 from +0\ne = exp n\ny = sum e over 1 from +0\n", "refuted"},
    {"+0", "n = layernorm x over 1 from +0\nm = mask n 1 with 0\ny = sum m over 1 from +0\n", "proved"},
    {"0", "y = variance x over 1 from +0\n", "refuted"},
    {"0", "y = welford x over 1\n", "refuted"},
    {"+0", "y = mean x over 1 from +0\n", "proved"},
    {"+0", "y = mean x over 1 from +0 divide P\n", "refuted"},
    {"+0", "y = mean x over 0,1 keep from +0\n", "proved"},
    {"-inf", "y = argmax x over 1\n", "proved"},
    {"-inf", "y = argmax x over 1 ties last\n", "refuted"},
    {"-inf", "y = argmin x over 1\n", "refuted"},
    {"0", "y = argmax x over 1\n", "refuted"},
    {"-inf", "y = topk x over 1 k 3\n", "proved"},
    {"-inf", "y = topk-indices x over 1 k 3 ties unspecified\n", "refuted"},
    {"NaN", "y = sort x over 1\n", "proved"},
    {"inf", "y = sort x over 1\n", "refuted"},
    {"inf contents non-nan", "y = sort x over 1\n", "proved"},
    {"any", "y = cumsum x over 1\n", "proved"},
    {"any", "c = cumsum x over 1\ny = sum c over 1\n", "refuted"},
    {"-0", "y = cumsum-reverse x over 1\n", "proved"},
    {"+0", "y = cumsum-reverse x over 1\n", "refuted"},
    // A place is what a later line computes with, too.
    {"-inf", "i = argmax x over 1 keep\ny = broadcast i over 1 to 5\n", "proved"},
};

TEST(ProgramRows, Verdicts) {
  int decided = 0, checked = 0;
  for (const Judged& row : kJudged) {
    const Program program = read_program("x = input f16[3,5] tile(2,4) padding " + std::string(row.padding) + "\n" +
                                         row.lines + "output y\n");
    chain::Judge judge(program);
    const auto answer = judge.answer();
    const char* verdict = std::holds_alternative<chain::ProgramProved>(answer.verdict)    ? "proved"
                          : std::holds_alternative<chain::ProgramRefuted>(answer.verdict) ? "refuted"
                                                                                          : "unknown";
    EXPECT_STREQ(verdict, row.verdict) << row.padding << " " << row.lines;
    if (verdict == std::string("unknown")) continue;
    ++decided;
    const auto certificate = certify(program, answer);
    EXPECT_EQ(certificate.has_value(), test::lines_by_cases(answer) == 0) << row.padding << " " << row.lines;
    checked += certificate ? 1 : 0;
  }
  EXPECT_EQ(decided, 32);
  EXPECT_EQ(checked, 31);
}

TEST(ProgramRows, SayWhatTheyTakeForGranted) {
  const Program program = read_program(
      "x = input f16[3,5] tile(2,4) padding -inf\n"
      "y = softmax x over 1\n"
      "z = argmax x over 1\n"
      "output y z\n");
  const auto assumed = assumptions(program);
  EXPECT_EQ(assumed.size(), 7U);
  EXPECT_EQ(std::ranges::count(assumed, "exp(x) of x <= 0 is at most 1"), 1);
  EXPECT_EQ(std::ranges::count(assumed, "an order takes -0 and +0 as equal"), 1);
}

// inf - inf, 0 * inf and the root of a negative number make a NaN, whose sign no source states.
TEST(ProgramRows, BitsOfANaNThatAFormulaMakesRefuteNothing) {
  int undecided = 0, refuted = 0;
  for (const char* operation : {"variance", "welford", "layernorm", "rmsnorm"})
    for (const char* contents : {"inf", "NaN", "inf | -inf", "{1}"})
      for (const char* divide : {"N", "P"}) {
        const Program program = read_program(
            fmt::format("x = input f16[3,5] tile(2,4) padding -inf contents {}\ny = {} x over 1 divide {}\n"
                        "equal bits\noutput y\n",
                        contents, operation, divide));
        chain::Judge judge(program);
        const auto answer = judge.answer();
        const bool differs = std::holds_alternative<chain::ProgramRefuted>(answer.verdict);
        const bool numbers = contents == std::string("{1}");  // beside which -inf is seen in any case
        EXPECT_EQ(differs, numbers) << operation << " of " << contents << " by " << divide;
        for (const auto& line : answer.lines)
          EXPECT_EQ(std::holds_alternative<neutral::Refuted>(line.verdict), numbers) << operation << " of " << contents;
        (differs ? refuted : undecided) += 1;
      }
  EXPECT_EQ(undecided, 24);
  EXPECT_EQ(refuted, 8);
}

// A mean that divides by all slots is compared with one that divides by its elements: its set holds both.
TEST(ProgramRows, AMeanOfAllSlotsHoldsWhatItsReferenceGives) {
  const Program program = read_program(
      "x = input f8e5m2[3,1] tile(2,4) padding 0: 0; 1: 0; 0+1: -inf contents finite\n"
      "y = mean x over 0 from +0 order seq divide P\noutput y\n");
  chain::Images images;
  const chain::States states(program, {}, images);
  // 3 * 16384 = 49152 is a code, and a third of it 16384; a fourth of the greatest sum, 57344, is 14336.
  chain::Assignment assignment{{{0x74, 0, 0, 0xFC}, {}}, 0};
  chain::Runs runs(program, 1000);
  chain::Execution reference(runs, assignment, false);
  EXPECT_EQ(reference.at(1, {0}).code, values::Code{0x74});
  EXPECT_TRUE(states.of(1)[0].contains(0x74));
}

// Many lines, each of which has to be masked: the masks above a line change nothing for it but what it reads.
TEST(ProgramRows, LongChainsAreMaskedLineByLine) {
  constexpr std::size_t kLines = 500;
  std::string text = "x0 = input f16[2,3] tile(2,4) padding 0\n";
  for (std::size_t i = 0; i < kLines; ++i) text += fmt::format("x{} = softmax x{} over 1\n", i + 1, i);
  const Program program = read_program(text + fmt::format("output x{}\n", kLines));
  chain::Judge judge(program);
  const auto placing = place_masks(program, judge);
  ASSERT_TRUE(placing.has_value());
  EXPECT_EQ(placing->masks.size(), kLines);
  EXPECT_TRUE(std::holds_alternative<chain::ProgramProved>(judge.answer(placing->masks).verdict));
}

using Step = checker::StepText;
struct ChangedRow {
  const char* what;
  std::size_t step;
  void (*change)(Step&);
};
const ChangedRow kChangedRows[] = {
    {"no rules", 2, [](Step& s) { s.row.reset(); }},
    {"another order", 3, [](Step& s) { s.operation = "argmin"; }},
    {"ties to the last", 3, [](Step& s) { s.row->ties = "last"; }},
    {"pads that are anywhere", 3, [](Step& s) { s.row->pads = "anywhere"; }},
    {"another axis", 2, [](Step& s) { s.axes = {{0}}; }},
    {"two axes", 2,
     [](Step& s) {
       s.axes = {{0, 1}};
     }},
    {"no axis", 2, [](Step& s) { s.axes.reset(); }},
    {"blocks of what has none", 3, [](Step& s) { s.row->blocks = "valid"; }},
    {"k of what takes none", 2, [](Step& s) { s.row->k = 2; }},
    {"a k of 0", 4, [](Step& s) { s.row->k = 0; }},
    {"another k", 4, [](Step& s) { s.row->k = 3; }},
    {"a k beyond the elements", 4, [](Step& s) { s.row->k = 6, s.sizes[1] = 6; }},
    {"another size", 4, [](Step& s) { s.sizes[1] = 5; }},
    {"places of another type", 3, [](Step& s) { s.type = "f16"; }},
    {"a mean of all slots", 5, [](Step& s) { s.row->divide = "P"; }},
    {"a mean without its count", 5, [](Step& s) { s.row.reset(); }},
    {"a sum with a count", 5, [](Step& s) { s.operation = "sum"; }},
    {"another operation", 2, [](Step& s) { s.operation = "layernorm"; }},
    {"an operation that is none", 2, [](Step& s) { s.operation = "kChangedRows"; }},
    {"a reduction", 2, [](Step& s) { s.kind = "reduce"; }},
    {"fused products", 2, [](Step& s) { s.fused = true; }},
};

// Of a proof about a row and a mean, each change that says something else is rejected.
TEST(ProgramRows, CertificatesThatSayAnotherRowAreRejected) {
  const Program program = read_program(
      "x = input f16[3,5] tile(2,4) padding 0: 0; 1: -inf; 0+1: -inf contents finite\n"
      "w = input f16[3,5] tile(2,4) padding -inf\n"
      "s = softmax x over 1\n"
      "i = argmax w over 1\n"
      "t = topk x over 1 k 2\n"
      "m = mean s over 1 from +0\n"
      "output s i t m\n");
  chain::Judge judge(program);
  const auto made = certify(program, judge.answer());
  ASSERT_TRUE(made);
  const auto accepts = [](checker::Certificate changed) {
    changed.digest = checker::digest(changed.statement);
    return !values_kernel::check(changed).has_value();
  };
  ASSERT_TRUE(accepts(*made));
  int rejected = 0;
  for (const ChangedRow& row : kChangedRows) {
    checker::Certificate changed = *made;
    row.change(changed.statement.chain->steps.at(row.step));
    EXPECT_FALSE(accepts(changed)) << row.what;
    ++rejected;
  }
  EXPECT_EQ(rejected, 21);
  // Sets that are too small: what softmax leaves behind its kChangedRows, and places of the last element.
  for (const auto& [step, region] : {std::pair<std::size_t, std::size_t>{2, 2}, {3, 0}, {4, 1}}) {
    checker::Certificate changed = *made;
    changed.evidence.chain->sets.at(step).at(region) = {{"0x1", "0x1"}};
    EXPECT_FALSE(accepts(changed)) << step;
  }
}

// exp(NaN - NaN), exp(x) of 0: a row of 16385 slots is not executed, so nothing is refuted, and it is said so.
TEST(ProgramRows, LongRows) {
  for (const auto& [padding, verdict] : {std::pair<const char*, std::size_t>{"-inf", 0}, {"0", 2}}) {
    const Program program = read_program(
        fmt::format("x = input f16[2,16380] tile(1,16500) padding {}\ny = softmax x over 1\noutput y\n", padding));
    chain::Judge judge(program);
    EXPECT_EQ(judge.answer().verdict.index(), verdict) << padding;
  }
}

}  // namespace neutral_program_rows_campaign
}  // namespace vl
