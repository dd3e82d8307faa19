// Results that somebody else's operation gave: what cannot be right is refuted, and only wrong questions are bad input.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_law_results_test {

using test::Ran;
using test::verify_layout;
using Json = nlohmann::json;

Ran check(const std::string& layout, const std::string& tensor, const std::string& claim) {
  return verify_layout({"check", "--layout", layout, "--tensor", tensor, "--claim", claim, "--format", "jsonl"});
}

Json verdict_of(const Ran& ran) {
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);)
    if (Json record = Json::parse(line); record["kind"] == "verdict") return record;
  return {};
}

struct Row {
  const char* layout;
  const char* tensor;
  const char* claim;
  const char* words;
  int have, want;
};

TEST(LawResults, OfTheWrongSizeAreRefuted) {
  for (const Row& row : std::vector<Row>{
           {"S[(4,4):(4,1)]", "f16[4,4]", "slice=region=0:2,0:3; with=S[(3,5):(5,1)]", "f16[2,3]: 6 and not 15", 15, 6},
           {"S[(4,4):(4,1)]", "f16[4,4]", "slice=region=0:2,0:3; with=TileLayout(S[6]).tile(S[2], (2), (6))", "6 and",
            12, 6},
           {"S[8]", "f16[8]", "pack=factor=2; with=S[8]", "4 and not 8", 8, 4},
           {"S[8]", "f16[8]", "canonical=with=S[9]", "8 and not 9", 9, 8},
           {"S[8]", "f16[8]", "tile=outer=S[2]; outer_shape=2; with=S[8]", "16 and not 8", 8, 16}}) {
    const Ran ran = check(row.layout, row.tensor, row.claim);
    EXPECT_EQ(ran.code, 10) << row.claim << ran.out << ran.err;
    const Json verdict = verdict_of(ran);
    EXPECT_EQ(verdict["verdict"], "refuted") << row.claim;
    EXPECT_EQ(verdict["counterexample"], Json({{"have", row.have}, {"want", row.want}})) << row.claim;
    EXPECT_NE(ran.out.find(row.words), std::string::npos) << ran.out;
  }
}

TEST(LawResults, OfAnImpossibleOperationAreRefuted) {
  for (const Row& row : std::vector<Row>{
           {"S[(4,2):(3,1)]", "f16[8]", "pack=factor=2; with=S[4]", "the stride 3 is a multiple of 2", 1, 0},
           {"S[(4,2):(3,1)]", "f16[8]", "pack=factor=2; with=S[7]", "the stride 3 is a multiple of 2", 1, 0},
           {"S[(2,8):(1@warpid,8@laneid)]", "f16[16]", "fuse=axis=tx; with=S[(2,8):(32@tx,8@tx)]", "laneid reaches 56",
            0, 1}}) {
    const Ran ran = check(row.layout, row.tensor, row.claim);
    EXPECT_EQ(ran.code, 10) << row.claim << ran.out << ran.err;
    EXPECT_EQ(verdict_of(ran)["counterexample"], Json({{"have", row.have}, {"want", row.want}})) << row.claim;
    EXPECT_NE(ran.out.find(row.words), std::string::npos) << ran.out;
  }
}

TEST(LawResults, OfAWrongQuestionAreBadInput) {
  for (const char* claim :
       {"slice=region=0:2,0:5; with=S[6]",              // outside of the tensor
        "slice=region=0:2,0:3; with=S[(3,5):(5,1)",     // no layout
        "slice=region=0:2,0:3; regoin=0:2; with=S[6]",  // an unknown key
        "slice=with=S[6]",                              // a missing one
        "permute=order=0,0; with=S[16]", "pack=factor=0; with=S[16]", "tile=outer=S[3]; outer_shape=2,2; with=S[64]"})
    EXPECT_NE(check("S[(4,4):(4,1)]", "f16[4,4]", claim).code, 10) << claim;
  EXPECT_EQ(check("S[(4,4):(4,1)]", "f16[4,4]", "slice=region=0:2,0:5; with=S[6]").code, 2);
  EXPECT_EQ(check("S[(4,4):(4,1)]", "f16[4,4]", "slice=region=0:2,0:3; with=S[(3,5):(5,1)").code, 2);
}

TEST(LawResults, OfTheRightSizeAreJudgedByTheirPlaces) {
  EXPECT_EQ(check("S[(4,4):(4,1)]", "f16[4,4]", "slice=region=0:2,0:3; with=S[(2,3):(4,1)]").code, 0);
  const Json no = verdict_of(check("S[(4,4):(4,1)]", "f16[4,4]", "slice=region=0:2,0:3; with=S[(2,3):(3,1)]"));
  EXPECT_EQ(no["counterexample"]["a"], Json({1, 0}));
  EXPECT_EQ(check("S[(4,2):(4,1)]", "f16[8]", "pack=factor=2; with=S[4:2]").code, 0);
}

}  // namespace cli_law_results_test
}  // namespace vl
