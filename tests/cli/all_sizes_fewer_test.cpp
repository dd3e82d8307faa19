// check for all sizes where the claim holds without a condition: the condition is none that a proof may be lost by.
#include "tests/cli/records.h"
#include "verifier/checker/certificate.h"

namespace vl {
namespace cli_all_sizes_fewer_test {

const char* const kRows = "SpyreTensorLayout((M, N), torch.float16)";

Json asked(const char* layout, const char* where, const char* claim, const Words& more = {}) {
  Words words = {"check", "--format", "jsonl", "--tensor", "f16[M,N]", "--layout", layout, "--claim", claim};
  if (*where != 0) words.insert(words.end(), {"--where", where});
  words.insert(words.end(), more.begin(), more.end());
  const Ran ran = verify_layout(words);
  const auto verdicts = records(ran.out).of("verdict");
  EXPECT_EQ(verdicts.size(), 1U) << ran.out << ran.err;
  return verdicts.empty() ? Json::object() : verdicts.front();
}

// Rows of whole sticks are told apart whatever M and N are, so also where one divides the other.
TEST(AllSizesFewer, AConditionThatIsNotNeededLosesNoProof) {
  EXPECT_EQ(asked(kRows, "", "bijective").at("verdict"), "proved");
  for (const char* where : {"N % M == 0", "M % N == 0", "N % M == 0, M*N % 7 == 3", "N >= M*M + 3, N % 3 == 1",
                            "(M*M + N*N) % (M + N) == 0"}) {
    const Json record = asked(kRows, where, "bijective");
    EXPECT_EQ(record.at("verdict"), "proved") << where << record;
    EXPECT_EQ(record.at("certificate"), "checked") << where;
    EXPECT_EQ(record.at("holds").dump(), "[[]]") << where;
  }
  const Json measured = asked(kRows, "N % M == 0", "padding");
  EXPECT_EQ(measured.at("value_expression"), "-M*N + 64*M*ceil(N/64)");
}

// Rows P apart overlap at M = N = 2 and P = 1; there M divides N, and P too is divided by 1.
TEST(AllSizesFewer, AConditionThatIsNeededStays) {
  const Json kept = asked("S[(M,N):(P,1)]", "P >= N, P % M == 0", "injective");
  EXPECT_EQ(kept.at("verdict"), "proved") << kept;
  const Json refuted = asked("S[(M,N):(P,1)]", "N % M == 0", "injective");
  EXPECT_EQ(refuted.at("verdict"), "refuted") << refuted;
  EXPECT_EQ(refuted.at("counterexample").at("sizes").dump(), R"({"M":2,"N":2,"P":1})");
}

// A bound that allows a size of 0 stays: such tensors are among those that are asked about.
TEST(AllSizesFewer, ABoundStays) {
  const Folder folder;
  const Json record = asked(kRows, "M >= 0, N % M == 0", "injective", {"--certificates", folder.at("c")});
  EXPECT_EQ(record.at("symbols").at("M").at("low"), 0);
  ASSERT_EQ(record.at("verdict"), "proved");
  const auto made = checker::certificate_in(test::read_text(folder.at("c/layout.0-injective.json")));
  EXPECT_EQ(made->statement.rule->symbols.at(0).low, 0);
  EXPECT_EQ(made->statement.arguments->at("where"), "M >= 0");
}

// What no size satisfies is proved of none.
TEST(AllSizesFewer, WhatNoSizesSatisfyIsNotProved) {
  for (const char* where : {"N % M == 0, N % M == 1", "M*N == 5, M*N == 6", "M*M == 2*N*N"})
    EXPECT_NE(asked(kRows, where, "injective").at("verdict"), "proved") << where;
}

// Below 64 columns a box of N // 64 sticks has no slot, and a tensor of no rows has no element: each instance is
// vacuous, whatever holds without the condition.
TEST(AllSizesFewer, WhatIsVacuousAtAllSizesIsNotProved) {
  const auto verdict = [](const std::string& layout, const std::string& tensor, const std::string& where,
                          const std::string& claim) {
    const Ran ran = verify_layout(
        {"check", "--layout", layout, "--tensor", tensor, "--where", where, "--claim", claim, "--format", "jsonl"});
    return records(ran.out).of("verdict").at(0).at("verdict").get<std::string>();
  };
  const std::string no_stick =
      "SpyreTensorLayout(device_size=[M, N//64, 64], stride_map =[N, 64, 1], device_dtype=DataFormats.SEN169_FP16)";
  for (const char* where : {"N <= 63", "N*N <= 3969", "N % 64 == N"})
    for (const char* claim : {"injective", "offset-identity"})
      EXPECT_NE(verdict(no_stick, "f16[M,N]", where, claim), "proved") << where << claim;
  for (const char* claim : {"bijective", "offset-identity", "in-bounds", "injective"})
    EXPECT_NE(verdict("SpyreTensorLayout((M, N), torch.float16)", "f16[M,N]", "M >= 0, M*N == 0", claim), "proved")
        << claim;
}

// The certificate states the conditions under which it is shown, and no others.
TEST(AllSizesFewer, TheCertificateStatesFewerConditions) {
  const Folder folder;
  EXPECT_EQ(asked(kRows, "(M*M + N*N) % (M + N) == 0", "bijective", {"--certificates", folder.at("c")}).at("verdict"),
            "proved");
  const std::string path = folder.at("c/layout.0-bijective.json");
  EXPECT_EQ(verify_layout({"cert", path}).code, 0);
  auto certificate = checker::certificate_in(test::read_text(path));
  EXPECT_TRUE(certificate->statement.rule->where.empty());
  EXPECT_FALSE(certificate->statement.arguments && certificate->statement.arguments->contains("where"));
  // With the condition in its texts it is about another rule than that which it states.
  certificate->statement.arguments.emplace();
  (*certificate->statement.arguments)["where"] = "(M*M + N*N) % (M + N) == 0";
  certificate->digest = checker::digest(certificate->statement);
  test::write_text(path, checker::print(*certificate, false));
  EXPECT_NE(verify_layout({"cert", path}).code, 0);
}

}  // namespace cli_all_sizes_fewer_test
}  // namespace vl
