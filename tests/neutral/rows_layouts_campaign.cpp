// The claim neutral about rows of operands with layouts, against the execution of whole matrices by rows_brute.h. The
// matrix has few elements and its pads behind them in their row, between them, or in the slot of another element.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/neutral/rows_brute.h"
#include "tests/support/one_answer.h"

namespace vl {
namespace rows_layouts_campaign {

using namespace neutral;  // NOLINT: the folder under test
using rows_brute::Executed;
using rows_brute::of;
using rows_brute::Slot;
using rows_brute::Slots;

// A matrix in memory, and the rows of results: numbers 0 to 5 are elements, 6 and above pads.
struct Shape {
  std::string layout, tensor, padded, reduce;
  std::vector<std::vector<int>> rows;
};
const Shape kBehind{"S[(2, 4):(4, 1)]", "[2,3]", "[2,4]", "[1]", {{0, 1, 2, 6}, {3, 4, 5, 7}}};
const Shape kAlias{"S[(2, 4):(3, 1)]", "[2,3]", "[2,4]", "[1]", {{0, 1, 2, 3}, {3, 4, 5, 6}}};
const Shape kBetween{"S[(2, 3):(3, 1)]", "[2,2]", "[2,3]", "[0, 1]", {{0, 1, 6, 2, 3, 7}}};

// Some contents for which some row of the matrix has another result with its pads. Rows are independent but for the
// elements that they share, so each is looked at with all choices for its own numbers.
bool is_changed_by(const Question& question, const Shape& shape, const std::vector<Code>& edges, Code fill) {
  const Executed executed(question);
  for (const std::vector<int>& numbers : shape.rows) {
    std::vector<int> free;
    for (const int number : numbers)
      if (number < 6 && std::ranges::find(free, number) == free.end()) free.push_back(number);
    // A number stands for an element of the row if it is below the row's own: of kAlias 3 is a pad of the first row.
    const std::size_t own = shape.reduce == "[1]" ? 3 : 4;
    std::vector<std::size_t> at(free.size(), 0);
    for (bool more = true; more;) {
      Slots row;
      std::size_t seen = 0;
      for (const int number : numbers) {
        const auto f = static_cast<std::size_t>(std::ranges::find(free, number) - free.begin());
        const bool pad = number >= 6 || seen >= own;
        seen += pad ? 0 : 1;
        row.push_back({number >= 6 ? fill : edges[at[f]], pad, false});
      }
      if (executed.changes(row)) return true;
      more = false;
      for (std::size_t& digit : at) {
        if (++digit < edges.size()) {
          more = true;
          break;
        }
        digit = 0;
      }
    }
  }
  return false;
}

struct Row {
  std::string name, result, arithmetic;  // the result's tensor; {} stands for the kept dimensions
  Operation operation;
  Ties ties = Ties::First;
  unsigned k = 1;
  Start start = Start::First;
  Divide divide = Divide::Logical;
};

std::string claim_of(const Row& row, const Shape& shape, const std::string& type, Code fill) {
  return fmt::format(
      "claim = \"neutral\"\noperation = \"{}\"\nreduce = {}\narithmetic = \"order=seq {}\"\ndivide = \"{}\"\noperands "
      "= [{{ layout = \"{}\", tensor = \"{}{}\", padded = \"{}{}\", padding = \"bits:{:#04x}\", contents = \"any\" "
      "}}]\n",
      row.name, shape.reduce, row.arithmetic, row.divide == Divide::Padded ? "P" : "N", shape.layout, type,
      shape.tensor, type, shape.padded, fill);
}

const std::vector<Row> kRows = {
    {"softmax", "same", "", Operation::Softmax},
    {"layernorm", "same", "", Operation::LayerNorm},
    {"layernorm", "same", "start=+0", Operation::LayerNorm, Ties::First, 1, Start::Zero},
    {"rmsnorm", "same", "", Operation::RmsNorm},
    {"sort", "same", "ties=first", Operation::Sort},
    {"sort", "same", "ties=last", Operation::Sort, Ties::Last},
    {"sort-descending", "same", "ties=first", Operation::SortDescending},
    {"cumsum", "same", "", Operation::CumSum},
    {"cumsum-reverse", "same", "", Operation::CumSumReverse},
    {"cumsum-reverse", "same", "start=+0", Operation::CumSumReverse, Ties::First, 1, Start::Zero},
    {"logsumexp", "kept", "", Operation::LogSumExp},
    {"variance", "kept", "", Operation::Variance},
    {"welford", "kept", "", Operation::Welford},
    {"argmax", "kept", "ties=first", Operation::ArgMax},
    {"argmax", "kept", "ties=last", Operation::ArgMax, Ties::Last},
    {"argmax", "kept", "", Operation::ArgMax, Ties::Unspecified},
    {"argmin", "kept", "ties=first", Operation::ArgMin},
    {"mean", "kept", "", Operation::Mean},
    {"mean", "kept", "start=+0", Operation::Mean, Ties::First, 1, Start::Zero},
    {"mean", "kept", "", Operation::Mean, Ties::First, 1, Start::First, Divide::Padded},
    {"topk", "two", "ties=first", Operation::TopK, Ties::First, 2},
    {"topk-indices", "two", "ties=first", Operation::TopKIndices, Ties::First, 2},
    {"topk-indices", "two", "ties=last", Operation::TopKIndices, Ties::Last, 2},
};

std::string word_of_answer(const Row& row, const Shape& shape, const std::string& type, Code fill) {
  const bool whole = shape.reduce != "[1]";
  std::string layout = shape.layout, tensor = shape.tensor;
  if (row.result == "kept") layout = whole ? "S[1:1]" : "S[2:1]", tensor = whole ? "[1]" : "[2]";
  if (row.result == "kept" && whole) layout = "S[(1, 1):(1, 1)]", tensor = "[1,1]";
  if (row.result == "same") layout = whole ? "S[(2, 2):(2, 1)]" : "S[(2, 3):(3, 1)]";
  if (row.result == "two") layout = "S[(2, 2):(2, 1)]", tensor = "[2,2]";
  return std::string(question::word(test::one_answer(layout, type + tensor, claim_of(row, shape, type, fill)).verdict));
}

// The answers about every operation in one shape; fills are edges, and one in `step` of the others.
void compare_with_execution(const Shape& shape, Code step, int least_proved, int least_refuted) {
  int proved = 0, refuted = 0, open = 0;
  const std::vector<Code> common = {0x00, 0x80, 0x3C, 0xBC, 0x01, 0x7B, 0xFB, 0x7C, 0xFC, 0x7E};
  const Format& format = of("f8e5m2");
  for (const Row& row : kRows) {
    if (row.result == "two" && shape.reduce != "[1]") continue;  // topk searches one dimension
    for (Code fill = 0; fill < 256; ++fill) {
      if (fill % step != 3 && std::ranges::find(common, fill) == common.end()) continue;
      std::vector<Code> edges = common;
      if (std::ranges::find(edges, fill) == edges.end()) edges.push_back(fill);
      Question question{row.operation, format, format, row.start};
      question.contents = CodeSet::all(format);
      question.tree = Tree::Sequential;
      question.ties = row.ties, question.k = row.k, question.divide = row.divide;
      const bool changed = is_changed_by(question, shape, edges, fill);
      const std::string word = word_of_answer(row, shape, "f8e5m2", fill);
      ASSERT_NE(word, changed ? "proved" : "refuted")
          << row.name << " " << row.arithmetic << " over " << shape.layout << ", fill " << fill;
      if (word == "unknown") ++open;
      else ++(changed ? refuted : proved);
    }
  }
  EXPECT_GE(proved, least_proved);
  EXPECT_GE(refuted, least_refuted);
  EXPECT_LT(open, 32) << "such as logarithms, of which few values are known";
}

TEST(RowsOfLayouts, WithPadsBehindAreWhatExecutionShows) { compare_with_execution(kBehind, 5, 90, 1200); }
TEST(RowsOfLayouts, WithPadsBetweenAreWhatExecutionShows) { compare_with_execution(kBetween, 16, 20, 450); }
TEST(RowsOfLayouts, WithElementsForPadsAreWhatExecutionShows) { compare_with_execution(kAlias, 16, 25, 550); }

std::string mean_of(const std::string& type, const std::string& state, const std::string& contents) {
  return fmt::format(
      "claim = \"neutral\"\noperation = \"mean\"\nreduce = [1]\narithmetic = \"start=+0\"\noperands = [{{ layout = "
      "\"S[(2, 4):(4, 1)]\", tensor = \"{}[2,3]\", padded = \"{}[2,4]\", padding = \"{}\", contents = \"{}\" }}]\n",
      type, type, state, contents);
}
std::string word_of_mean(const std::string& type, const std::string& state, const std::string& contents) {
  return std::string(question::word(test::one_answer("S[2:1]", type + "[2]", mean_of(type, state, contents)).verdict));
}

// (0 + 0 + 0 + 2^-24)/3 is rounded to 0: the sum is another one, and its quotient is not.
TEST(RowsOfLayouts, AMeanIsNotRefutedByASumOfTheSameQuotient) {
  EXPECT_NE(word_of_mean("f16", "bits:0x0001", "{0}"), "refuted");
  EXPECT_EQ(word_of_mean("f16", "bits:0x0002", "{0}"), "refuted") << "2^-23 / 3 is rounded to 2^-24";
  EXPECT_EQ(word_of_mean("f16", "0", "any"), "proved");
  EXPECT_EQ(word_of_mean("i32", "0", "any"), "proved");
  EXPECT_EQ(word_of_mean("i32", "{1}", "any"), "unknown") << "no source says how integers are divided";
}

std::string words_of_refutation(const std::string& layout, const std::string& tensor, const std::string& claim) {
  const auto answer = test::one_answer(layout, tensor, claim);
  const auto* refuted = std::get_if<question::Refuted>(&answer.verdict);
  return refuted == nullptr ? std::string(question::word(answer.verdict)) : refuted->counterexample.explanation;
}

testing::AssertionResult starts(const std::string& text, std::string_view with) {
  return (text.starts_with(with) ? testing::AssertionSuccess() : testing::AssertionFailure()) << text;
}

TEST(RowsOfLayouts, RefutationsNameTheResultAndThePad) {
  // 1/(1 + 1 + 1 + 1) and 1/(1 + 1 + 1).
  const Row softmax{"softmax", "same", "", Operation::Softmax};
  EXPECT_TRUE(starts(words_of_refutation("S[(2, 3):(3, 1)]", "f16[2,3]", claim_of(softmax, kBehind, "f16", 0)),
                     "result [0, 0] is 0x3400 (0.25); without padding it is 0x3555"));
  // The row -1, -1, -1 and the pad 0 behind it, at 3.
  const Row argmax{"argmax", "kept", "ties=first", Operation::ArgMax};
  EXPECT_TRUE(starts(words_of_refutation("S[2:1]", "f16[2]", claim_of(argmax, kBehind, "f16", 0)),
                     "result [0] is place 3; without padding it is place 0: input [0, 3] (m 3) holds "
                     "0x0000 (0)"));
}

TEST(RowsOfLayouts, AreInputErrorsOrUnsupportedWhereTheySayTooLittle) {
  const auto error = [](const std::string& claim) {
    auto file = session::parse_cases(
        "test.toml",
        fmt::format("schema = 1\n[[case]]\nid = \"a\"\nlayout = \"S[(2, 3):(3, 1)]\"\ntensor = "
                    "\"f16[2,3]\"\n[[case.claim]]\n{}operands = [{{ layout = \"S[(2, 3):(3, 1)]\", tensor = "
                    "\"f16[2,3]\" }}]\n",
                    claim));
    const question::Case judged = session::judge(file.cases.front(), {});
    return judged.diagnostic ? judged.diagnostic->message : std::string();
  };
  EXPECT_EQ(error("claim = \"neutral\"\noperation = \"softmax\"\n"),
            "name the dimensions along which softmax has its rows");
  EXPECT_EQ(error("claim = \"neutral\"\noperation = \"sort\"\nreduce = [1, 1]\n"),
            "the dimension 1 of a row is named twice or is none of the input [2,3]");
  EXPECT_EQ(error("claim = \"neutral\"\noperation = \"sort\"\nreduce = [2]\n"),
            "the dimension 2 of a row is named twice or is none of the input [2,3]");
  EXPECT_EQ(error("claim = \"neutral\"\noperation = \"sort\"\nreduce = []\n"), "a row has at least one dimension");
  EXPECT_EQ(error("claim = \"neutral\"\noperation = \"softmax\"\nreduce = [1]\ndivide = \"M\"\n"), "expected N or P");
  EXPECT_EQ(word_of_answer({"softmax", "same", "", Operation::Softmax, Ties::First, 1, Start::First, Divide::Padded},
                           kBehind, "f16", 0),
            "unsupported")
      << "softmax divides by no count";
}

// Rows 0 to 17, 18 to 35 and 36 to 52 of three cores, each in a tile of 32: positions that no index reaches are read,
// and may lie anywhere among the elements.
TEST(RowsOfLayouts, EndsOfTilesAreAnywhereInARow) {
  const auto word = [](const std::string& operation, const std::string& padding) {
    const bool same = operation == "cumsum" || operation == "sort";
    return std::string(question::word(
        test::one_answer(
            same ? "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<53x2xf32, #tt.memory_space<l1>>>"
                 : "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x2xf32, #tt.memory_space<l1>>>",
            same ? "f32[53,2]" : "f32[1,2]",
            fmt::format("claim = \"neutral\"\noperation = \"{}\"\nreduce = [0]\narithmetic = \"{}\"\noperands "
                        "= [{{ layout = \"#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <3x1>, "
                        "memref<1x1x!tt.tile<32x32, f32>, "
                        "#tt.memory_space<l1>>>\", tensor = \"f32[53,2]\", padding = \"{}\" }}]\n",
                        operation, "start=first ties=first", padding))
            .verdict));
  };
  EXPECT_EQ(word("argmax", "-inf"), "unknown") << "a hole that ties with an element may be before it";
  EXPECT_EQ(word("sort", "NaN"), "proved") << "it is behind every number, wherever it is";
  EXPECT_EQ(word("cumsum", "any"), "unknown");
  EXPECT_EQ(word("cumsum", "-0"), "proved");
  EXPECT_EQ(word("logsumexp", "-inf"), "proved");
  EXPECT_EQ(word("variance", "0"), "unknown") << "no row of this tensor is shown";
}

// The same tensor: 53 elements, index 53 and 42 holes. A run that leaves out the holes shows nothing: 42 and 42 times
// -1 are 0 together.
TEST(RowsOfLayouts, RunsHaveTheHolesOfTheirTiles) {
  const auto answer = [](const std::string& operation, const std::string& contents, const std::string& padding,
                         const std::string& more = "") {
    return test::one_answer(
               "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x2xf32, #tt.memory_space<l1>>>",
               "f32[1,2]",
               fmt::format("claim = \"neutral\"\noperation = \"{}\"\nreduce = [0]\narithmetic = \"start=first\"\n{}"
                           "operands = [{{ layout = \"#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <3x1>, "
                           "memref<1x1x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>\", tensor = \"f32[53,2]\", "
                           "contents = \"{}\", padding = \"{}\" }}]\n",
                           operation, more, contents, padding))
        .verdict;
  };
  const auto word = [](const question::Verdict& verdict) { return std::string(question::word(verdict)); };
  EXPECT_EQ(word(answer("sum", "{0}", "d0: {42}; holes: {-1}")), "unknown") << "they cancel";
  EXPECT_EQ(word(answer("sum", "{0}", "d0: {42}; holes: {-2}")), "refuted");
  EXPECT_EQ(word(answer("sum", "{0}", "d0: {42}; holes: 0")), "refuted");
  EXPECT_EQ(word(answer("prod", "{3}", "d0: {2}; holes: {1}")), "refuted");
  EXPECT_EQ(word(answer("max", "{1}", "d0: {0}; holes: {0}")), "proved");
  EXPECT_EQ(word(answer("mean", "{0}", "d0: {42}; holes: 0", "divide = \"P\"\n")), "unknown")
      << "nobody says whether holes are counted";
  // The holes alone: the pad is one that no index reaches, so that it has a slot and no element.
  const question::Verdict alone = answer("sum", "{0}", "d0: 0; holes: {1}");
  const auto* refuted = std::get_if<question::Refuted>(&alone);
  ASSERT_NE(refuted, nullptr);
  const std::string& words = refuted->counterexample.explanation;
  EXPECT_NE(words.find("without padding it is"), std::string::npos) << words;
  EXPECT_NE(words.find("a position that no index reaches"), std::string::npos) << words;
  EXPECT_NE(words.find("53 elements and 43 pads"), std::string::npos) << words;
}

}  // namespace rows_layouts_campaign
}  // namespace vl
