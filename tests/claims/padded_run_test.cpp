// Operations on padded operands: the claim neutral against the execution of small images, the states of regions, and
// the claims about what padding holds.
#include "verifier/claims/padded_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/use/reference.h"
#include "encodings/values/arithmetic.h"
#include "encodings/values/state.h"
#include "tests/support/one_answer.h"
#include "tests/support/sanitized.h"

namespace vl::claims {
namespace claims_padded_run_test {

using values::Code;
using values::CodeSet;
using values::Format;

const Format& format_named(std::string_view name) { return *values::find_format(name); }

// --- What a user states.

const std::vector<use::OperationDim> kDims = {{"M", 5}, {"K", 7}, {"N", 3}};
Result<PaddingStates> read(const std::string& text) {
  return read_padding(text, kDims, format_named("f16"), CodeSet::of(0x3C00));
}

TEST(PaddingStates, TheLargestStatementsAboutARegionHold) {
  const Format& f16 = format_named("f16");
  const auto states = read("K: +0; M+K: {1} | NaN; M: any; holes: bits:0x7c00");
  ASSERT_TRUE(states.has_value()) << states.error().message;
  EXPECT_EQ(states->of(0b010, f16), CodeSet::of(0)) << "K";
  EXPECT_EQ(states->of(0b011, f16), CodeSet::of(0x3C00).united(values::nans(f16))) << "M+K";
  EXPECT_EQ(states->of(0b001, f16), CodeSet::all(f16)) << "M";
  EXPECT_EQ(states->of(0b110, f16), CodeSet::of(0)) << "K+N has K beyond";
  EXPECT_EQ(states->of(0b100, f16), CodeSet::all(f16)) << "nobody states N";
  EXPECT_EQ(states->of_holes(f16), CodeSet::of(0x7C00));
  const auto two = read("K: +0; M: {1}");
  EXPECT_EQ(two->of(0b011, f16), CodeSet::of(0).united(CodeSet::of(0x3C00))) << "two statements about parts of M+K";
  const auto all = read("valid");
  EXPECT_EQ(all->of(0b111, f16), CodeSet::of(0x3C00));
  EXPECT_EQ(all->of_holes(f16), CodeSet::of(0x3C00));
  EXPECT_EQ(read("")->of(0b010, f16), CodeSet::all(f16));
}

TEST(PaddingStates, PointIntoWhatIsWrong) {
  struct Row {
    std::string text, says;
    std::size_t offset;
  };
  for (const Row& row : std::initializer_list<Row>{{"Q: 0", "'Q' is not a dimension of the operation", 0},
                                                   {"K: 0; K: {1}", "a region is stated twice", 5},
                                                   {"K+: 0", "'' is not a dimension", 2},
                                                   {"holes: 0; holes: 0", "holes are stated twice", 9},
                                                   {"K: zero", "'zero'", 3},
                                                   {"K:", "found nothing", 2},
                                                   {"K: 0;; N: 0", "found nothing", 5}}) {
    const auto states = read(row.text);
    ASSERT_FALSE(states.has_value()) << row.text;
    EXPECT_NE(states.error().message.find(row.says), std::string::npos) << row.text << ": " << states.error().message;
    EXPECT_EQ(states.error().offset, row.offset) << row.text;
  }
}

// --- Execution: a matrix of 2x3 elements in rows of `pitch`, read in columns of 4. Column 3 is a pad, or the next
// row's first element where the pitch is 3.

struct Reduction {
  std::string name, arithmetic;
  Code (*node)(const Format& format, Code a, Code b);
  bool zero_first = false;
};
const Reduction kReductions[] = {
    {"sum", "order=seq", [](const Format& f, Code a, Code b) { return values::add(f, a, b); }, false},
    {"sum", "order=seq start=+0", [](const Format& f, Code a, Code b) { return values::add(f, a, b); }, true},
    {"prod", "order=seq", [](const Format& f, Code a, Code b) { return values::mul(f, a, b); }, false},
    {"max", "order=seq max=nan-wins",
     [](const Format& f, Code a, Code b) { return values::maximum(f, values::MaxRule::NanWins, a, b); }, false},
    {"min", "order=seq max=nan-loses",
     [](const Format& f, Code a, Code b) { return values::minimum(f, values::MaxRule::NanLoses, a, b); }, false},
};

// Whether some contents give row 0 another sum with column 3 than without.
bool is_changed(const Reduction& reduction, const Format& format, const std::vector<Code>& edges, bool alias,
                Code fill) {
  const auto run = [&](std::initializer_list<Code> terms) {
    std::optional<Code> out = reduction.zero_first ? std::optional<Code>(0) : std::nullopt;
    for (const Code term : terms) out = out ? reduction.node(format, *out, term) : term;
    return *out;
  };
  for (const Code a : edges)
    for (const Code b : edges)
      for (const Code c : edges)
        for (const Code next : alias ? edges : std::vector<Code>{fill}) {
          const Code with = run({a, b, c, next}), without = run({a, b, c});
          if (with != without && !(values::is_nan(format, with) && values::is_nan(format, without))) return true;
        }
  return false;
}

TEST(NeutralRun, IsWhatExecutionOfEveryFillShows) {
  int proved = 0, refuted = 0, open = 0;
  for (const std::string type : {"f8e5m2", "f8e4m3"}) {
    const Format& format = format_named(type);
    const std::vector<Code> edges = {0x00, 0x80, 0x38, 0x3C, 0xBC, 0x01, 0x81,
                                     0x7B, 0xFB, 0x7C, 0xFC, 0x7E, 0xFE, 0x7F};
    for (const Reduction& reduction : kReductions)
      for (Code fill = 0; fill < 256; ++fill) {
        if (fill % test::fact_or_campaign(16U, 4U) != 1 && std::ranges::find(edges, fill) == edges.end()) continue;
        const std::string word = std::string(question::word(
            test::one_answer(
                "S[2:1]", type + "[2]",
                fmt::format("claim = \"neutral\"\noperation = \"{}\"\nreduce = [1]\narithmetic = \"{}\"\noperands = "
                            "[{{ layout = \"S[(2, 4):(4, 1)]\", tensor = \"{}[2,3]\", padded = \"{}[2,4]\", padding = "
                            "\"d1: bits:{:#04x}\" }}]\n",
                            reduction.name, reduction.arithmetic, type, type, fill))
                .verdict));
        const bool changed = is_changed(reduction, format, edges, false, fill);
        ASSERT_NE(word, changed ? "proved" : "refuted") << reduction.name << " of " << type << ", fill " << fill;
        ++(word == "unknown" ? open : changed ? refuted : proved);
      }
  }
  EXPECT_GE(proved, test::fact_or_campaign(4, 10));
  EXPECT_GT(refuted, test::fact_or_campaign(200, 600));
  EXPECT_LT(open, 40) << "such as pads of a product that hardly differ from 1";
}

TEST(NeutralRun, ReadsElementsWhereAnIndexHasTheirSlot) {
  const Format& format = format_named("f8e5m2");
  int proved = 0, refuted = 0;
  for (const std::string contents : {"any", "0", "-0", "{1}", "[-1..1]", "NaN", "-inf"}) {
    std::vector<Code> edges;
    const auto allowed = values::parse_state(contents, format, nullptr);
    for (const Code code : {0x00, 0x80, 0x3C, 0xBC, 0x38, 0x01, 0x81, 0x7B, 0xFB, 0x7C, 0xFC, 0x7E, 0xFE})
      if (allowed->contains(code)) edges.push_back(code);
    for (const Reduction& reduction : kReductions) {
      const auto answer = test::one_answer(
          "S[2:1]", "f8e5m2[2]",
          fmt::format(
              "claim = \"neutral\"\noperation = \"{}\"\nreduce = [1]\narithmetic = \"{}\"\noperands = [{{ layout = "
              "\"S[(2, 4):(3, 1)]\", tensor = \"f8e5m2[2,3]\", padded = \"f8e5m2[2,4]\", padding = \"d1: {}\", "
              "contents = \"{}\" }}]\n",
              reduction.name, reduction.arithmetic,
              reduction.name == "prod"  ? "{1}"
              : reduction.name == "max" ? "-inf"
              : reduction.name == "min" ? "NaN"
                                        : "-0",
              contents));
      const bool changed = is_changed(reduction, format, edges, true, 0);
      const std::string word(question::word(answer.verdict));
      EXPECT_NE(word, changed ? "proved" : "refuted") << reduction.name << " of " << contents;
      proved += word == "proved", refuted += word == "refuted";
      if (const auto* found = std::get_if<Refuted>(&answer.verdict)) {
        EXPECT_NE(found->counterexample.explanation.find("which is element [1, 0]"), std::string::npos)
            << found->counterexample.explanation;
      }
    }
  }
  EXPECT_GE(proved + refuted, 28);
  EXPECT_GE(proved, 6);
  EXPECT_GE(refuted, 6);
}

// --- What the text of a layout does not tell.

std::string sum_of(const std::string& layout, const std::string& tensor, const std::string& padding) {
  return fmt::format(
      "claim = \"neutral\"\noperation = \"sum\"\nreduce = [1]\narithmetic = \"accumulate=f32 start=+0\"\n"
      "operands = [{{ layout = \"{}\", tensor = \"{}\", padding = \"{}\" }}]\n",
      layout, tensor, padding);
}

TEST(NeutralRun, IsOpenWhereADimensionOfSizeOneMayLieAlongLanes) {
  const std::string one = "SpyreTensorLayout((5, 1), torch.float16)";
  const auto word = [&](const std::string& padding) {
    return std::string(question::word(
        test::one_answer("SpyreTensorLayout((5,), torch.float16)", "f16[5]", sum_of(one, "f16[5,1]", padding))
            .verdict));
  };
  EXPECT_EQ(word("0"), "proved") << "whether or not the lanes are read";
  EXPECT_EQ(word("any"), "unknown");
}

TEST(NeutralRun, ReadsTheEndsOfTilesThatNoIndexReaches) {
  // Rows 0 to 17, 18 to 35 and 36 to 52 of three cores, each in a tile of 32.
  const std::string text =
      "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <3x1>, memref<1x1x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>";
  const auto word = [&](const std::string& padding) {
    return std::string(question::word(
        test::one_answer(
            "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x2xf32, #tt.memory_space<l1>>>", "f32[1,2]",
            fmt::format("claim = \"neutral\"\noperation = \"sum\"\nreduce = [0]\narithmetic = \"start=+0\"\noperands = "
                        "[{{ layout = \"{}\", tensor = \"f32[53,2]\", padding = \"{}\" }}]\n",
                        text, padding))
            .verdict));
  };
  EXPECT_EQ(word("0"), "proved");
  EXPECT_EQ(word("d0: 0; holes: 0"), "proved");
  EXPECT_NE(word("d0: 0"), "proved") << "nobody states the holes";
}

}  // namespace claims_padded_run_test
}  // namespace vl::claims
