// check --claim equal for all sizes: two texts with names have the same places, or the smallest sizes at which they do
// not. What is expected was worked out by hand, as the comments say.
#include <filesystem>

#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_equal_test {

Words words_for(const std::string& layout, const std::string& other, std::vector<std::string> more = {}) {
  Words out = {"check", "--format", "jsonl", "--tensor", "f16[M,N]", "--layout", layout, "--claim", "equal=" + other};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

Json verdict_of(const Words& words) {
  const Ran ran = verify_layout(words);
  const auto verdicts = records(ran.out).of("verdict");
  EXPECT_EQ(verdicts.size(), 1U) << ran.out << ran.err;
  return verdicts.empty() ? Json::object() : verdicts.front();
}

Json asked(const std::string& layout, const std::string& other, std::vector<std::string> more = {}) {
  return verdict_of(words_for(layout, other, std::move(more)));
}

constexpr const char* kRows = "S[(M,N):(N,1)]";

TEST(AllSizesEqual, IsProvedAcrossNotations) {
  for (const char* other : {"S[M*N:1]", "(M,N):(N,1)", "make_layout(make_shape(M, N), LayoutRight{})"}) {
    const Json record = asked(kRows, other);
    EXPECT_EQ(record.at("verdict"), "proved") << other;
    EXPECT_EQ(record.at("holds").dump(), "[[]]") << other;
    EXPECT_EQ(record.at("certificate"), "checked") << other;
  }
}

// L1 and DRAM have no place in common at any size; 1x1 is the smallest.
TEST(AllSizesEqual, TellsMemoriesApart) {
  const auto in = [](const std::string& memory) {
    return "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<(M)x(N)xf16, " + memory + ">>";
  };
  EXPECT_EQ(asked(in("#tt.memory_space<l1>"), in("#l1")).at("verdict"), "proved");
  const Json record = asked(in("#tt.memory_space<l1>"), in("#tt.memory_space<dram>"));
  EXPECT_EQ(record.at("verdict"), "refuted") << record.dump();
  EXPECT_EQ(record.at("counterexample").dump(),
            R"({"sizes":{"M":1,"N":1},"a":[0,0],"physical":[0,0,0,3],"other":[0,0,0,2]})");
  EXPECT_EQ(asked(in("#tt.memory_space<l1>"), in("#mine")).at("verdict"), "unsupported");
}

// Of one row or one column both orders are one: 2 x 2 is the smallest matrix that tells them apart.
TEST(AllSizesEqual, IsRefutedByTheSmallestSizes) {
  const Json record = asked(kRows, "(M,N):(1,M)");
  EXPECT_EQ(record.at("verdict"), "refuted");
  EXPECT_EQ(record.at("counterexample").dump(), R"({"sizes":{"M":2,"N":2},"a":[0,1],"physical":[1],"other":[2]})");
  EXPECT_EQ(record.at("minimal"), true);
}

// K rows of N are M rows of N only where K is M.
TEST(AllSizesEqual, SaysWhereTheSecondLayoutIsOne) {
  const Json record = asked("(M,N):(K,1)", "(K,N):(K,1)");
  EXPECT_EQ(record.at("verdict"), "proved");
  EXPECT_EQ(record.at("holds").dump(), R"([["M*N == K*N"]])");
  EXPECT_EQ(record.at("exact"), false);
}

TEST(AllSizesEqual, OfOtherNamesOrKindsIsUnsupported) {
  for (const char* other : {"S[(M,N):(P,1)]", "SpyreTensorLayout((M, N), torch.float16)", "(?,N):(N,1)"}) {
    const Json record = asked(kRows, other);
    EXPECT_EQ(record.at("verdict"), "unsupported") << other;
  }
  EXPECT_EQ(verify_layout(words_for(kRows, "S[(M,N:(N,1)]")).code, 2);
}

TEST(AllSizesEqual, TakesNumbersForTheNamesOfBothTexts) {
  for (const std::vector<std::string>& numbers : {std::vector<std::string>{"--at-sizes", "M=4, N=5"},
                                                  std::vector<std::string>{"--define", "M=4", "--define", "N=5"}}) {
    const Json same = asked(kRows, "(M,N):(N,1)", numbers);
    EXPECT_EQ(same.at("verdict"), "proved");
    EXPECT_FALSE(same.contains("scope") && same.at("scope") == "all-sizes");
    const Json other = asked(kRows, "(M,N):(1,M)", numbers);
    EXPECT_EQ(other.at("counterexample").dump(), R"({"a":[0,1],"physical":[1],"other":[4]})");
  }
  EXPECT_EQ(asked(kRows, "(M,N):(N,1)", {"--define", "M=4"}).at("verdict"), "proved");  // for all N
}

TEST(AllSizesEqual, AndBytesHaveCertificatesThatAreAcceptedAgain) {
  const Folder folder;
  const auto accepted = [&](const Words& words) {
    EXPECT_EQ(verify_layout(words).code, 0);
    Words again = {"cert"};
    for (const auto& entry : std::filesystem::directory_iterator(folder.at("c")))
      again.push_back(entry.path().string());
    EXPECT_EQ(again.size(), 2U);
    const Ran ran = verify_layout(again);
    std::filesystem::remove_all(folder.at("c"));
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  };
  accepted(words_for(kRows, "(M,N):(N,1)", {"--certificates", folder.at("c")}));
  accepted({"check", "--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16)", "--claim", "bytes",
            "--certificates", folder.at("c")});
}

}  // namespace cli_all_sizes_equal_test
}  // namespace vl
