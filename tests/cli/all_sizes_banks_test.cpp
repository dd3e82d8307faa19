// check --access for all sizes: which pitches are free of conflicts, what an access costs whatever the sizes are, and
// what is said where a lane leaves the tensor at some of them.
#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_banks_test {

Json asked(const std::string& layout, const std::string& tensor, const std::string& where, const std::string& claim,
           const std::string& access) {
  Words words = {"check", "--format", "jsonl", "--tensor", tensor, "--layout", layout, "--claim", claim};
  if (!where.empty()) words.insert(words.end(), {"--where", where});
  if (!access.empty()) words.insert(words.end(), {"--access", access});
  const Ran ran = verify_layout(words);
  const auto verdicts = records(ran.out).of("verdict");
  EXPECT_EQ(verdicts.size(), 1U) << ran.out << ran.err;
  return verdicts.empty() ? Json::object() : verdicts.front();
}

const std::string kColumn = "lanes=8 width=16 at=[lane, 0]";

// Eight rows of 16 bytes are free of conflicts iff they are an odd number of 16 bytes apart.
TEST(AllSizesBanks, SaysWhichPitchesAreFreeOfConflicts) {
  const Json record = asked("S[(8,64):(P,1)]", "f16[8,64]", "P >= 64, P % 8 == 0", "conflict-free", kColumn);
  EXPECT_EQ(record.at("verdict"), "refuted");
  EXPECT_EQ(record.at("holds").dump(), R"([["P % 16 == 8"]])");
  EXPECT_EQ(record.at("exact"), true);
  EXPECT_EQ(record.at("counterexample").at("sizes").dump(), R"({"P":64})");
  EXPECT_EQ(record.at("counterexample").at("wavefronts"), 8);
}

TEST(AllSizesBanks, MeasuresWhatDoesNotDependOnSizes) {
  const std::string tile = "S[(M,64):(64,1)]", swizzled = "ComposeLayout(3, 3, 3, S[(M,64):(64,1)])";
  const Json plain = asked(tile, "f16[M,64]", "M >= 8", "wavefronts", kColumn);
  EXPECT_EQ(plain.at("verdict"), "proved");
  EXPECT_EQ(plain.at("value"), nullptr);
  EXPECT_EQ(plain.at("value_expression"), "8");
  EXPECT_EQ(asked(swizzled, "f16[M,64]", "M >= 8", "wavefronts", kColumn).at("value_expression"), "1");
  EXPECT_EQ(asked("S[(8,64):(P,1)]", "f16[8,64]", "", "wavefronts", kColumn).at("verdict"), "unknown");
}

TEST(AllSizesBanks, SaysWhereALaneLeavesTheTensor) {
  const Json record = asked("S[(M,64):(64,1)]", "f16[M,64]", "M >= 4", "conflicts<=7", kColumn);
  EXPECT_EQ(record.at("verdict"), "unknown");
  EXPECT_NE(record.dump().find("[7, 0], outside of the tensor where M <= 7"), std::string::npos) << record.dump();
}

TEST(AllSizesBanks, AreAboutOneMemoryAndPlainLanes) {
  const std::string lanes = "S[(32,N):(1@laneid,1)]";
  EXPECT_EQ(asked(lanes, "f16[32,N]", "", "conflict-free", kColumn).at("verdict"), "unsupported");
  const std::string tile = "S[(M,64):(64,1)]";
  EXPECT_EQ(asked(tile, "f16[M,64]", "", "conflict-free", "lanes=8 width=2 tv=S[(8,1):(1,1)]").at("verdict"),
            "unsupported");
  const Ran ran = verify_layout({"check", "--tensor", "f16[M,64]", "--layout", tile, "--claim", "conflict-free",
                                 "--access", "lanes=8 width=16 at=[lane]"});
  EXPECT_EQ(ran.code, 2) << ran.out;
}

// From row R and chunk C on, wherever these are: under the swizzle each of 8 rows is in another chunk, and without it
// all are in one. Rows of 100 bytes in place of the tile's are no multiple of what a lane reads.
TEST(AllSizesBanks, AnAccessMayStartAtAnElementThatHasAName) {
  const std::string tile = "S[(M,64):(64,1)]", swizzled = "ComposeLayout(3, 3, 3, S[(M,64):(64,1)])";
  const std::string where = "R >= 0, R + 8 <= M, C >= 0, C <= 7", column = "lanes=8 width=16 at=[R + lane, 8*C]";
  const Json proved = asked(swizzled, "f16[M,64]", where, "conflict-free", column);
  EXPECT_EQ(proved.at("verdict"), "proved");
  EXPECT_EQ(proved.at("certificate"), "checked");
  const Json refuted = asked(tile, "f16[M,64]", where, "conflict-free", column);
  EXPECT_EQ(refuted.at("verdict"), "refuted");
  EXPECT_EQ(refuted.at("counterexample").at("sizes").dump(), R"({"M":8,"R":0,"C":0})");
  EXPECT_EQ(asked(tile, "f16[M,64]", where, "wavefronts", column).at("value_expression"), "8");
  // Names of the access alone.
  const Json numbers = asked("ComposeLayout(3, 3, 3, S[(64,64):(64,1)])", "f16[64,64]", "R <= 56", "conflict-free",
                             "lanes=8 width=16 at=[R + lane, 0]");
  EXPECT_EQ(numbers.at("verdict"), "proved");
  EXPECT_EQ(numbers.at("symbols").dump(), R"({"R":{"low":1}})");
  // Without a condition some R is outside.
  const Json open = asked(swizzled, "f16[M,64]", "R >= 0", "conflict-free", "lanes=8 width=16 at=[R + lane, 0]");
  EXPECT_EQ(open.at("verdict"), "unknown");
  EXPECT_NE(open.dump().find("outside of the tensor"), std::string::npos) << open.dump();
  // The last eight rows; and a name that is defined.
  EXPECT_EQ(
      asked(swizzled, "f16[M,64]", "M >= 8", "conflict-free", "lanes=8 width=16 at=[lane + M - 8, 0]").at("verdict"),
      "proved");
  const Ran defined =
      verify_layout({"check", "--tensor", "f16[64,64]", "--layout", "S[(64,64):(64,1)]", "--where", "R <= 56",
                     "--claim", "wavefronts", "--access", "lanes=8 width=16 at=[R + lane, 0]", "--define", "R=3"});
  EXPECT_EQ(defined.code, 0) << defined.out << defined.err;
  const Ran one =
      verify_layout({"check", "--tensor", "f16[M,64]", "--layout", tile, "--where", "R + 8 <= M", "--claim",
                     "wavefronts", "--access", "lanes=8 width=16 at=[R + lane, 0]", "--at-sizes", "M=9,R=1"});
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  const Ran none = verify_layout({"check", "--tensor", "f16[M,64]", "--layout", tile, "--claim", "wavefronts",
                                  "--access", "lanes=8 width=16 at=[Q + lane, 0]"});
  EXPECT_EQ(none.code, 2) << none.out;
  EXPECT_NE(none.err.find("--access:1:22: 'Q' is not known here"), std::string::npos) << none.err;
}

// Whole periods of the swizzle, 1024 bytes of f16, lie between multiples of the base.
TEST(AllSizesBanks, ABaseOfWholePeriodsKeepsTheSwizzle) {
  const std::string swizzled = "ComposeLayout(3, 3, 3, S[(M,64):(64,1)])";
  EXPECT_EQ(asked(swizzled, "f16[M,64]", "", "aligned=2048", "").at("verdict"), "proved");
  const Json moved = asked(swizzled, "f16[M,64]", "", "aligned=512", "");
  EXPECT_EQ(moved.at("verdict"), "refuted");
  EXPECT_EQ(moved.at("counterexample").at("sizes").dump(), R"({"M":1})");
}

}  // namespace cli_all_sizes_banks_test
}  // namespace vl
