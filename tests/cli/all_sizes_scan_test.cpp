// check of files whose layouts have names: each is judged for all sizes, under the asserts in front of it.
#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_scan_test {

const char* const kCopy = R"py(
def rows(M, N, P):
    assert P >= N, "rows overlap"
    return S[(M, N) : (P, 1)]

def any_rows(M, N, P):
    return S[(M, N) : (P, 1)]

def sticks(N, M):
    return SpyreTensorLayout((N, M, 150), torch.float16)
)py";

std::vector<Json> verdicts_of(const Words& words, int code) {
  Words all = {"check", "--format", "jsonl"};
  all.insert(all.end(), words.begin(), words.end());
  const Ran ran = verify_layout(all);
  EXPECT_EQ(ran.code, code) << ran.out << ran.err;
  return records(ran.out).of("verdict");
}

TEST(AllSizesScan, AssertsAreConditionsOfTheAnswer) {
  const Folder folder;
  const auto found = verdicts_of({folder.file("a.py", kCopy), "--claim", "injective"}, 10);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].at("verdict"), "proved");
  EXPECT_EQ(found[0].at("scope"), "all-sizes");
  EXPECT_EQ(found[0].at("tensor"), "u8[M*N]");
  EXPECT_EQ(found[0].at("where").dump(), R"(["P >= N"])");
  EXPECT_EQ(found[0].at("line"), 4);
  EXPECT_EQ(found[1].at("verdict"), "refuted");
  EXPECT_EQ(found[1].at("where"), Json::array());
  EXPECT_EQ(found[1].at("holds").dump(), R"([["P >= N"],["M = 1"],["N = 1"]])");
  EXPECT_EQ(found[1].at("line"), 7);
  EXPECT_EQ(found[2].at("verdict"), "proved");
  EXPECT_EQ(found[2].at("tensor"), "f16[N,M,150]");
}

TEST(AllSizesScan, GivenConditionsStandInPlaceOfAsserts) {
  const Folder folder;
  const auto found = verdicts_of({folder.file("a.py", kCopy), "--claim", "injective", "--where", "P >= 2*N"}, 0);
  ASSERT_EQ(found.size(), 2U);  // both texts with P are one
  EXPECT_EQ(found[0].at("where").dump(), R"(["P >= 2*N"])");
  EXPECT_EQ(found[0].at("occurrences"), 2);
}

// With M = 2, N = 3 and P = 2, elements [0, 2] and [1, 0], numbers 2 and 3, are at 2.
TEST(AllSizesScan, DefinedNamesMakeAnInstance) {
  const Folder folder;
  const auto found = verdicts_of(
      {folder.file("a.py", kCopy), "--claim", "injective", "--define", "M=2", "--define", "N=3", "--define", "P=2"},
      10);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].at("scope"), "instance");
  EXPECT_EQ(found[0].at("counterexample").dump(), R"({"a":[2],"b":[3],"physical":[2]})");
}

TEST(AllSizesScan, ALayoutOnTheCommandLineMayStateItsTensor) {
  const auto found =
      verdicts_of({"--layout", "SpyreTensorLayout((N, M, 150), torch.float16)", "--claim", "padding"}, 0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("tensor"), "f16[N,M,150]");
  EXPECT_EQ(found[0].at("value_expression"), "42*N*M");
}

}  // namespace cli_all_sizes_scan_test
}  // namespace vl
