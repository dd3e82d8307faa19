// Verdicts that rest on case tables along rows; and tables against every row of few elements of 8-bit types, which
// takes longest and so comes last: faults that are planted end with the first test that finds them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/neutral/program_held.h"
#include "tests/neutral/read_program.h"
#include "tests/support/shard.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/place.h"

namespace vl {
namespace neutral_program_tables_campaign {

namespace chain = neutral::program;
using chain::Program;
using test::Dense;
using test::read_program;
using values::Code;

constexpr const char* kSoftmaxInParts =
    "m = max x over 1 keep\nd = sub x m\ne = exp d\ns = sum e over 1 keep from +0\ny = div e s\n";
constexpr const char* kRmsnormInParts =
    "q = square x\nm = mean q over 1 keep from +0\ne = add m 1e-5\nr = rsqrt e\ny = mul x r\n";

struct Rows {
  const char* padding;
  const char* lines;  // from x to y
};
constexpr Rows kRows[] = {
    {"-inf", "y = softmax x over 1\n"},
    {"-inf", "y = softmax x over 1 accumulate f32 from +0\n"},
    {"0", "y = softmax x over 1\n"},
    {"0", "y = rmsnorm x over 1\n"},
    {"0", "y = rmsnorm x over 1 accumulate f32 from +0\n"},
    {"0", "y = layernorm x over 1 accumulate f32 from +0\n"},
    {"0", "y = layernorm x over 1\n"},
    {"finite", "y = layernorm x over 1 from +0\n"},
    {"-inf", kSoftmaxInParts},
    {"0", kSoftmaxInParts},
    {"0", kRmsnormInParts},
    {"any", kRmsnormInParts},
    {"0", "s = sum x over 1 keep from +0\ny = div x s\n"},
    {"-inf", "m = max x over 1 keep\ny = sub x m\n"},
    {"any", "m = max x over 1 keep\ny = sub x m\n"},
    {"-inf", "m = max x over 1 keep\nd = sub x m\ne = add d 1\nf = mask e with 0\ny = sum f over 1 keep from +0\n"},
};

// Contents of some rows of n elements: all there are where these are few, else drawn.
class Contents {
 public:
  Contents(Index n, test::WideEngine& random) : n_(n), random_(random) {}

  static constexpr Index kAtOnce = 256;

  [[nodiscard]] Index batches() const {
    return n_ == 1 ? 1 : n_ == 2 ? test::cases(kTelling.size(), kAtOnce) : test::cases(2, 78);
  }
  [[nodiscard]] Code at(Index batch, Index row, Index column) {
    if (n_ == 2 && column == 0)
      return batches() == kAtOnce ? static_cast<Code>(batch) : kTelling.at(static_cast<std::size_t>(batch));
    return n_ <= 2 ? static_cast<Code>(row) : random_() & 0xFF;
  }

 private:
  // Zeros, ones, the greatest, infinities and NaNs of the types.
  static constexpr std::array<Code, 12> kTelling{0x00, 0x80, 0x01, 0x3C, 0xBC, 0x7B,
                                                 0xFB, 0x7C, 0xFC, 0x7E, 0x7F, 0x40};

  Index n_;
  test::WideEngine& random_;
};

// Calls `visit` with executions of all rows of few elements of a program.
void each_execution(const char* type, const Rows& rows, Index n, Index pads, auto visit) {
  test::WideEngine random(20261130);
  const Program program = read_program(fmt::format("x = input {}[{},{}] tile(1,{}) padding {}\n{}output y\n", type,
                                                   Contents::kAtOnce, n, n + pads, rows.padding, rows.lines));
  Contents contents(n, random);
  chain::Images images;
  const chain::States states(program, {}, images);
  chain::RowTables tables(program, states, images);
  for (Index batch = 0; batch < contents.batches(); ++batch) {
    const Dense dense(program, random, nullptr, [&](std::size_t at, Index place) {
      const chain::Node& node = program.nodes[at];
      const Point index = Dense::index_of(node, place);
      if (node.constant) return node.contents.ranges().front().first;
      if (Dense::region_of(node, index) == 0) return contents.at(batch, index[0], index[1]);
      return test::one_of(random, node.padding[Dense::region_of(node, index)]);
    });
    if (!visit(program, dense, tables)) return;
  }
}

// eps of f32 has 22 significant bits: a mean square less a square is not -eps for that many elements.
TEST(ProgramTables, WhatDoesNotCancel) {
  const auto& f32 = *values::find_format("f32");
  EXPECT_TRUE(chain::never_cancels(f32, 0x3727C5AC, 600000));
  EXPECT_FALSE(chain::never_cancels(f32, 0x3727C5AC, 700000));
  EXPECT_FALSE(chain::never_cancels(f32, 0x3F800000, 40));  // 1
  EXPECT_FALSE(chain::never_cancels(*values::find_format("f16"), 0x00A8, 2));
  EXPECT_FALSE(chain::never_cancels(*values::find_format("bf16"), 0x3728, 40));
  EXPECT_FALSE(chain::never_cancels(*values::find_format("dl16"), 0x1C9F, 2));  // near its least numbers
}

struct Verdict {
  const char* inputs;
  const char* lines;
  const char* verdict;
};

const char* verdict_of(const chain::ProgramAnswer& answer) {
  return std::holds_alternative<chain::ProgramProved>(answer.verdict)    ? "proved"
         : std::holds_alternative<chain::ProgramRefuted>(answer.verdict) ? "refuted"
                                                                         : "unknown";
}

// x[8,40] and w[40,32], in tiles of 32 × 32.
constexpr const char* kMatmul = "o = matmul y w from +0\n";
const Verdict kVerdicts[] = {
    {"padding 0 contents finite|padding 0 contents finite", "y = rmsnorm x over 1\n", "proved"},
    {"padding 0|padding finite", "y = rmsnorm x over 1\n", "proved"},
    {"padding 0 contents finite|padding any", "y = rmsnorm x over 1\n", "refuted"},
    {"padding 0 contents finite|padding 0 contents finite", kRmsnormInParts, "proved"},
    {"padding 0|padding finite", kRmsnormInParts, "proved"},
    {"padding 0 contents finite|padding any", kRmsnormInParts, "refuted"},
    // Without eps a row of tiny elements is multiplied by inf, and so are its pads.
    {"padding 0|padding 0", "q = square x\nm = mean q over 1 keep from +0\nr = rsqrt m\ny = mul x r\n", "refuted"},
    {"padding 0 contents [-1..1]|padding 0", "y = layernorm x over 1 from +0\n", "proved"},
    {"padding 0 contents [-1e30..1e30]|padding 0", "y = layernorm x over 1 from +0\n", "proved"},
    {"padding 0|padding 0", "y = layernorm x over 1 from +0\n", "proved"},
    {"padding -inf|padding finite", "y = softmax x over 1\n", "proved"},
    {"padding -inf contents finite|padding any", "y = softmax x over 1\n", "refuted"},
    {"padding 0|padding 0", "y = softmax x over 1\n", "refuted"},
    {"padding -inf|padding finite", kSoftmaxInParts, "proved"},
    {"padding -inf contents finite|padding 0", kSoftmaxInParts, "proved"},
    // As reductions with an initial value are read, whose dimension is gone.
    {"padding -inf|padding 0",
     "t = max x over 1\nm = max t -inf\nb = broadcast m to [8,40] (0) tile(32,32)\nd = sub x b\ne = exp d\n"
     "s = sum e over 1 from +0\nc = broadcast s to [8,40] (0) tile(32,32)\ny = div e c\n",
     "proved"},
    {"padding -inf contents finite|padding any", kSoftmaxInParts, "refuted"},
    {"padding 0 contents finite|padding 0", kSoftmaxInParts, "refuted"},
};

TEST(ProgramTables, VerdictsOfRowsBeforeMatmul) {
  int by_cases = 0;
  std::map<std::string, int> verdicts;
  for (const Verdict& row : kVerdicts) {
    const std::string inputs = row.inputs;
    const std::size_t bar = inputs.find('|');
    const Program program = read_program("x = input f32[8,40] tile(32,32) " + inputs.substr(0, bar) +
                                         "\nw = input f32[40,32] tile(32,32) " + inputs.substr(bar + 1) + "\n" +
                                         row.lines + kMatmul + "output o\n");
    chain::Judge judge(program);
    const auto answer = judge.answer();
    EXPECT_STREQ(verdict_of(answer), row.verdict) << program.text;
    ++verdicts[row.verdict];
    if (row.verdict != std::string("proved")) continue;
    const int lines = test::lines_by_cases(answer);
    EXPECT_EQ(certify(program, answer).has_value(), lines == 0) << program.text;  // a line by cases is trusted
    by_cases += lines;
  }
  EXPECT_EQ(by_cases, 12);
  EXPECT_EQ(verdicts["proved"] + verdicts["refuted"], 18);
}

// Pads of (0 - m)/sqrt(0 + eps), which is infinite in the type: inf times 0 is NaN. In f32 and bf16 the square of the
// mean is infinite before that is, and the row NaN throughout.
TEST(ProgramTables, LayernormOfLargeElementsBeforeMatmul) {
  const std::string f32 = "x = input f32[8,40] tile(32,32) padding 0 contents finite\n";
  const std::string in_parts =
      f32 +
      "m = mean x over 1 keep from +0\nd = sub x m\nq = square d\nz = mask q with 0\nv = mean z over 1 keep from +0\n"
      "e = add v 1e-5\nr = rsqrt e\ny = mul d r\n";
  const std::string f16 =
      "x = input f16[8,40] tile(32,32) padding 0 contents finite\ny = layernorm x over 1 accumulate f32 from +0\n";
  const std::string bf16 =
      "x = input bf16[8,40] tile(32,32) padding 0\ny = layernorm x over 1 accumulate f32 from +0\n";
  const std::string w = "w = input {}[40,32] tile(32,32) padding 0 contents finite\no = matmul y w from +0\noutput o\n";
  for (const auto& [text, type, verdict] : {std::tuple{f16, "f16", "refuted"},
                                            {bf16, "bf16", "proved"},
                                            {in_parts, "f32", "refuted"},
                                            {f32 + "y = layernorm x over 1 from +0\n", "f32", "proved"}}) {
    const Program program = read_program(text + fmt::format(fmt::runtime(w), type));
    chain::Judge judge(program);
    const auto answer = judge.answer();
    EXPECT_STREQ(verdict_of(answer), verdict) << program.text;
    EXPECT_EQ(certify(program, answer).has_value(), verdict == std::string("refuted")) << program.text;
  }
}

// A mask that hides whole rows makes them NaN; one that leaves an element in each does not.
TEST(ProgramTables, RowsThatHaveAFiniteElementAreNotNan) {
  for (const auto& [said, cases] : {std::pair<const char*, std::size_t>{"", 2}, {" rows 1 have finite", 1}}) {
    const Program program = read_program(
        fmt::format("x = input f32[8,40] tile(32,32) padding -inf contents {{0}} | -inf{}\ny = softmax x over 1\n"
                    "output y\n",
                    said));
    chain::Images images;
    const chain::States states(program, {}, images);
    chain::RowTables tables(program, states, images);
    EXPECT_EQ(tables.of(1, 1).size(), cases) << said;
    EXPECT_EQ(assumptions(program).size(), cases == 1 ? 8U : 7U) << said;
  }
  struct Row {
    const char* text;
    const char* message;
  };
  for (const Row& row : {Row{"x = input f32[3] contents -inf rows 0 have finite\n", "no finite number"},
                         Row{"x = input f32[3] rows 1 have finite\n", "is no dimension"},
                         Row{"x = input f32[3] rows 0 have numbers\n", "expected have finite"},
                         Row{"x = constant f32[3] 1 rows 0 have finite\n", "expected tile"}}) {
    const auto program = chain::parse_program(row.text + std::string("output x\n"));
    ASSERT_FALSE(program.has_value()) << row.text;
    EXPECT_NE(program.error().message.find(row.message), std::string::npos) << program.error().message;
  }
}

// What differs behind a maximum or a minimum lies on one side of the pads.
TEST(ProgramTables, DifferencesThatALaterLineUndoes) {
  struct Row {
    const char* lines;
    const char* verdict;
  };
  const Row rows[] = {
      {"m = max x over 1 keep\ny = max m 0\n", "proved"},
      {"m = max x over 1 keep\ny = max m -1\n", "refuted"},
      {"m = max x over 1 keep\nn = mul m 1\ny = max n 0\n", "proved"},
      {"m = max x over 1 keep\nn = neg m\ny = max n 0\n", "refuted"},
      {"m = max x over 1 keep\nn = neg m\ny = min n -0\n", "proved"},
      {"m = min x over 1 keep\ny = min m -0\n", "proved"},
      {"m = min x over 1 keep\ny = max m 0\n", "refuted"},
      {"m = max x over 1 keep\nn = max m 0\ny = add n m\n", "refuted"},
      {"m = max x over 1 keep\nn = sum m over 0 keep\ny = max n 0\n", "unknown"},  // a row less than 0 beside one above
      {"m = max x over 1 keep\ny = relu m\n", "unknown"},  // of which zero relu makes is not stated
      {"m = max x over 1 keep\ny = relu m\nequal any-nan+zero\n", "proved"},
  };
  int proved = 0;
  for (const Row& row : rows) {
    const Program program = read_program(std::string("x = input f32[32,40] tile(32,32) padding 0 contents finite\n") +
                                         row.lines + "output y\n");
    chain::Judge judge(program);
    const auto answer = judge.answer();
    EXPECT_STREQ(verdict_of(answer), row.verdict) << program.text;
    if (row.verdict != std::string("proved")) continue;
    ++proved;
    EXPECT_EQ(answer.leaks.size(), 1U) << program.text;
    EXPECT_FALSE(certify(program, answer)) << program.text;
    const auto placing = place_masks(program, judge);
    ASSERT_TRUE(placing.has_value()) << program.text;
    EXPECT_TRUE(placing->masks.empty()) << program.text;
  }
  EXPECT_EQ(proved, 5);
}

TEST(ProgramTables, HoldEveryRowOfFewElements) {
  int rows = 0, programs = 0;
  bool holds = true;
  // Few rows of all programs come first, and the first one that is of no case ends the test.
  for (const auto& [n, pads] : {std::pair<Index, Index>{1, 1}, {1, 3}, {3, 3}, {5, 1}, {2, 1}})
    for (const char* type : {"f8e5m2", "f8e4m3"})
      for (const Rows& each : kRows) {
        if (type == std::string("f8e4m3") && each.padding == std::string("-inf")) continue;  // it has none
        ++programs;
        each_execution(type, each, n, pads, [&](const Program& program, const Dense& dense, chain::RowTables& tables) {
          for (std::size_t at = 0; at < program.nodes.size() && holds; ++at) {
            holds = rows_are_of_cases(program, dense, tables, at, rows);
            EXPECT_TRUE(holds) << program.text << program.nodes[at].name;
          }
          return holds;
        });
        if (!holds) return;
      }
  std::printf("%d programs, %d rows of tables of several cases\n", programs, rows);
  EXPECT_GE(programs, 100);
  EXPECT_GE(rows, test::cases(100000, 1000000));
}

// A table that lacks one of its cases, of rows that there are.
TEST(ProgramTables, ACaseThatIsMissingIsFound) {
  constexpr Rows kExact[] = {
      {"-inf", "y = softmax x over 1 accumulate f32 from +0\n"},
      {"0", "y = rmsnorm x over 1 accumulate f32 from +0\n"},
      {"-inf", kSoftmaxInParts},
      {"0", kRmsnormInParts},
      {"-inf", "m = max x over 1 keep\ny = sub x m\n"},
  };
  int missing = 0, found = 0;
  for (const Rows& each : kExact) {
    std::vector<bool> seen;
    each_execution("f8e5m2", each, 2, 1, [&](const Program& program, const Dense& dense, chain::RowTables& tables) {
      const std::size_t y = program.nodes.size() - 1;
      const chain::RowTable& table = tables.of(y, 1);
      seen.resize(table.size(), false);
      for (std::size_t without = 0; without < table.size(); ++without) {
        chain::RowTable others = table;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(without));
        for (Index row = 0; row < Contents::kAtOnce && !seen[without]; ++row)
          seen[without] = !is_of_a_case(program, dense, y, 1, {row, 0}, others);
      }
      return true;
    });
    EXPECT_GE(seen.size(), 2U) << each.lines;
    missing += static_cast<int>(seen.size()), found += static_cast<int>(std::ranges::count(seen, true));
  }
  std::printf("%d cases, %d missed\n", missing, found);
  EXPECT_GE(missing, 10);
  EXPECT_EQ(found, missing);
}

}  // namespace neutral_program_tables_campaign
}  // namespace vl
