// diff: the elements that move, against numbers worked by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/process.h"

namespace vl {
namespace diff_test {

const std::string kMetal =
    "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <3x2>, memref<1x1x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>";

test::Ran diff(std::vector<std::string> words) {
  words.insert(words.begin(), "diff");
  return test::verify_layout(words);
}

nlohmann::json by_rules(const std::string& rules, const std::string& layout, const std::string& tensor, int code) {
  const auto run = diff({"--rules", rules, "--layout", layout, "--tensor", tensor, "--format", "json"});
  EXPECT_EQ(run.code, code) << run.err;
  return nlohmann::json::parse(run.out);
}

// 53 rows on 3 core rows. A: ceil(53 / 3) = 18 rows each; B: 96 / 3 = 32; C: ceil(64 / 3) = 22. So A and B differ in
// rows 18..31 and 36..52; rows 32..35 are on core row 1 by both, and begin there at 14 by A and at 0 by B.
TEST(Diff, TellsWhichRowsARuleMoves) {
  const auto ab = by_rules("A,B", kMetal, "f32[53,63]", 10);
  EXPECT_EQ(ab["first"]["a"], (std::vector<int>{18, 0}));
  EXPECT_EQ(ab["other_core"], (14 + 17) * 63);
  EXPECT_EQ(ab["other_place"], 4 * 63);
  EXPECT_EQ(ab["same"], 18 * 63);
  EXPECT_EQ(ab["crossing"].dump(), "[[[18,31],[36,52]],[]]");
  EXPECT_NE(ab["b"]["layout"].get<std::string>().find("dim_alignments = 96x64"), std::string::npos);
  const auto ac = by_rules("A,C", kMetal, "f32[53,63]", 10);
  EXPECT_EQ(ac["crossing"].dump(), "[[[18,21],[36,43]],[]]");
  // What is printed is a text of its own, which tt-mlir's verifier takes.
  const auto printed =
      test::verify_layout({"check", "--layout", ac["b"]["layout"], "--tensor", "f32[53,63]", "--claim", "well-formed"});
  EXPECT_EQ(printed.code, 0) << printed.out;
  const auto bc = by_rules("B,C", kMetal, "f32[53,63]", 10);
  EXPECT_EQ(bc["crossing"].dump(), "[[[22,31],[44,52]],[]]");
  EXPECT_EQ(by_rules("C,C", kMetal, "f32[53,63]", 0)["equal"], "proved");
  // 96x64 is divided alike by all three.
  for (const std::string rules : {"A,B", "A,C", "B,C"})
    EXPECT_EQ(by_rules(rules, kMetal, "f32[96,64]", 0)["same"], 96 * 64);
}

TEST(Diff, ComparesTwoLayouts) {
  const auto run = diff({"S[(2,4):(4,1)]", "S[(2,4):(1,2)]", "--tensor", "f32[2,4]"});
  EXPECT_EQ(run.code, 10);
  EXPECT_NE(run.out.find("element [0, 1] lies at m 1 in the first layout and at m 2 in the second"), std::string::npos);
  // 4·i + j = i + 2·j only for [0, 0] and [1, 3].
  EXPECT_NE(run.out.find("0 on another core, 6 at another place of their core, 2 unmoved"), std::string::npos)
      << run.out;
}

// The same cores and places in L1 and in DRAM are no places in common; an alias says neither.
TEST(Diff, TellsMemoriesApart) {
  const auto in = [](const std::string& memory) {
    return "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<2x4xf32, " + memory + ">>";
  };
  const auto run = diff({in("#tt.memory_space<l1>"), in("#tt.memory_space<dram>"), "--tensor", "f32[2,4]"});
  EXPECT_EQ(run.code, 10) << run.out;
  EXPECT_NE(run.out.find("element [0, 0] lies at c0 0, c1 0, m 0 of l1 in the first layout and at c0 0, c1 0, m 0 of "
                         "dram in the second"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("8 on another core, 0 at another place of their core, 0 unmoved"), std::string::npos);
  EXPECT_EQ(diff({in("#tt.memory_space<l1>"), in("#l1_"), "--tensor", "f32[2,4]"}).code, 0);
  const auto open = diff({in("#tt.memory_space<l1>"), in("#mine"), "--tensor", "f32[2,4]"});
  EXPECT_EQ(open.code, 5) << open.out;
  EXPECT_NE((open.out + open.err).find("whether that is one memory is not known"), std::string::npos) << open.out;
}

TEST(Diff, SaysWhatItCannotCompare) {
  struct Row {
    std::vector<std::string> words;
    int code;
    std::string want;
  };
  const std::string gap =
      "#tt.metal_layout<(d0, d1, d2) -> (d0 * 8 + d1, d2), undef, <2x2>, memref<6x3xf32, #tt.memory_space<l1>>>";
  const Row rows[] = {
      {{"--layout", kMetal, "--tensor", "f32[53,63]"}, 64, "diff needs a second layout, or --rules"},
      {{"--layout", kMetal, "--tensor", "f32[53,63]", "--rules", "A,D"}, 2, "'D' is no rule of the family metal"},
      {{"--layout", kMetal, "--tensor", "f32[53,63]", "--rules", "A"}, 2, "expected two rules, as in A,B"},
      {{"--layout", kMetal, "--tensor", "f32[53,65]", "--rules", "A,B"},
       2,
       "a rule of the layout does not hold: memref"},
      {{"--layout", kMetal, "--tensor", "f32[53,", "--rules", "A,B"}, 2, "--tensor:1:"},
      {{"--layout", gap, "--tensor", "f32[2,3,5]", "--rules", "A,B"}, 2, "without gaps"},
      {{"--layout", "S[4:1]", "--tensor", "f32[4]", "--rules", "A,B"}, 2, "have one rule"},
      {{"--layout", "S[4:1]", "--tensor", "f32[4]", "--with", "S[4:1]", "--rules", "A,B"}, 64, "excludes"},
  };
  for (const Row& row : rows) {
    const auto run = diff(row.words);
    EXPECT_EQ(run.code, row.code) << row.want;
    EXPECT_NE(run.err.find(row.want), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace diff_test
}  // namespace vl
