// check --cross-check for all sizes: Z3 and isl are asked about the cells of a proof, and the verdicts stay what they
// are.
#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_cross_check_test {

Json cross_checked(const std::string& layout, const std::string& where) {
  Words words = {"check",    "--format", "jsonl",   "--tensor",  "f16[M,N]",
                 "--layout", layout,     "--claim", "injective", "--cross-check"};
  if (!where.empty()) words.insert(words.end(), {"--where", where});
  const Ran ran = verify_layout(words);
  const auto verdicts = records(ran.out).of("verdict");
  EXPECT_EQ(verdicts.size(), 1U) << ran.out << ran.err;
  return verdicts.empty() ? Json::object() : verdicts.front();
}

TEST(AllSizesCrossCheck, AsksZ3AboutTheCellsOfAProof) {
  const Json record = cross_checked("S[(M,N):(P,1)]", "P >= N");
  EXPECT_EQ(record.at("verdict"), "proved");
  EXPECT_EQ(record.at("certificate"), "checked");
  EXPECT_EQ(record.at("note"), "for all sizes; z3 agrees on 1 of 1 questions; isl cannot state it");
}

TEST(AllSizesCrossCheck, AsksIslWhereAllIsLinear) {
  const Json record = cross_checked("S[(M,N):(1@laneid,32)]", "M <= 32, N >= 2");
  EXPECT_EQ(record.at("verdict"), "proved");
  EXPECT_EQ(record.at("note"), "for all sizes; z3 agrees on 1 of 1 questions; isl agrees on 1 of 1 questions");
}

TEST(AllSizesCrossCheck, LeavesARefutationAsItIs) {
  const Json record = cross_checked("S[(M,N):(P,1)]", "");
  EXPECT_EQ(record.at("verdict"), "refuted");
  EXPECT_EQ(record.at("holds").dump(), R"([["P >= N"],["M = 1"],["N = 1"]])");
}

}  // namespace cli_all_sizes_cross_check_test
}  // namespace vl
