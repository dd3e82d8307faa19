// check --claim fits for all sizes: one memory's bytes are an expression in the sizes. What is expected was computed by
// hand from rows times columns times bytes.
#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_fits_test {

Json fits(const std::string& tensor, const std::string& layout, const std::string& bytes, const std::string& where) {
  Words words = {"check", "--format", "jsonl", "--tensor", tensor, "--layout", layout, "--claim", "fits=" + bytes};
  if (!where.empty()) words.insert(words.end(), {"--where", where});
  const Ran ran = verify_layout(words);
  const auto verdicts = records(ran.out).of("verdict");
  EXPECT_EQ(verdicts.size(), 1U) << ran.out << ran.err;
  return verdicts.empty() ? Json::object() : verdicts.front();
}

// 2*M*N bytes: 33 elements are the fewest that do not fit in 64, and of 1 x 33, 3 x 11 and their mirrors 3 + 11 is the
// least sum.
TEST(AllSizesFits, SaysWhichSizesFit) {
  const Json record = fits("f16[M,N]", "S[(M,N):(N,1)]", "64", "");
  EXPECT_EQ(record.at("verdict"), "refuted");
  EXPECT_EQ(record.at("holds").dump(), R"([["2*M*N <= 64"]])");
  EXPECT_EQ(record.at("exact"), true);
  EXPECT_EQ(record.at("counterexample").dump(), R"({"sizes":{"M":3,"N":11},"bytes":66,"capacity":64})");
}

// Offsets in 32 bits: 384*N*M bytes in 2^31, up to N*M = 5,592,405.
TEST(AllSizesFits, FindsLargeSizesThatDoNot) {
  const std::string layout = "SpyreTensorLayout((N, M, 150), torch.float16)";
  const Json record = fits("f16[N,M,150]", layout, "2147483648", "");
  EXPECT_EQ(record.at("verdict"), "refuted");
  EXPECT_EQ(record.at("holds").dump(), R"([["384*N*M <= 2147483648"]])");
  const Json& sizes = record.at("counterexample").at("sizes");
  EXPECT_GE(sizes.at("N").get<long>() * sizes.at("M").get<long>(), 5592406);
  EXPECT_EQ(fits("f16[N,M,150]", layout, "2147483648", "N <= 1000, M <= 5592").at("verdict"), "proved");
  EXPECT_EQ(fits("f16[N,M,150]", layout, "2147483648", "N <= 1000, M <= 5593").at("verdict"), "refuted");
}

// 17 elements of 4 bits are 9 bytes.
TEST(AllSizesFits, CountsElementsOfLessThanAByte) {
  EXPECT_EQ(fits("i4[M]", "S[(M):(1)]", "8", "M <= 16").at("verdict"), "proved");
  const Json record = fits("i4[M]", "S[(M):(1)]", "8", "");
  EXPECT_EQ(record.at("verdict"), "refuted");
  EXPECT_EQ(record.at("counterexample").dump(), R"({"sizes":{"M":17},"bytes":9,"capacity":8})");
}

// Each lane has N elements, and a layout of lanes alone has no memory.
TEST(AllSizesFits, IsAboutOneMemory) {
  EXPECT_EQ(fits("f16[M,N]", "S[(M,N):(1@laneid,1)]", "64", "").at("holds").dump(), R"([["2*N <= 64"]])");
  EXPECT_EQ(fits("f16[M]", "S[(M):(1@laneid)]", "64", "").at("verdict"), "unsupported");
}

TEST(AllSizesFits, AWrongNumberIsBadInput) {
  const Ran ran = verify_layout({"check", "--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--claim", "fits=x"});
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_NE(ran.err.find("error: "), std::string::npos) << ran.err;
}

}  // namespace cli_all_sizes_fits_test
}  // namespace vl
