// swizzle: the smallest swizzle on the command line, the answer that there is none, and refusals. Also the words of
// `check` about an access.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/support/process.h"
#include "verifier/checker/certificate.h"

namespace vl {
namespace cli_swizzle_test {

using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;

Ran swizzle(const std::string& layout, const std::string& tensor, const std::vector<std::string>& accesses,
            std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"swizzle", "--layout", layout, "--tensor", tensor};
  for (const std::string& access : accesses) arguments.insert(arguments.end(), {"--access", access});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return verify_layout(arguments);
}

TEST(SwizzleCommand, PrintsALayoutThatIsProvedFree) {
  const std::string access = "lanes=8 width=16 at=[lane, 8*j] for j=0:8";
  const Ran ran = swizzle("S[(8,64):(64,1)]", "f16[8,64]", {access});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "ComposeLayout(3, 3, 3, S[(8,64):(64,1)])\n");
  const Ran checked = verify_layout({"check", "--layout", ran.out.substr(0, ran.out.size() - 1), "--tensor",
                                     "f16[8,64]", "--claim", "conflict-free", "--access", access});
  EXPECT_EQ(checked.code, 0) << checked.out;
}

TEST(SwizzleCommand, SaysHowManyWereRefutedInJson) {
  const Ran ran =
      swizzle("S[(8,64):(64,1)]", "f16[8,64]", {"lanes=8 width=16 at=[lane, 8*j] for j=0:8"}, {"--format", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(json["answer"], "found");
  EXPECT_EQ(json["rejected"], 22);  // all of (M,B,S) with M >= 3, S >= B and M+B+S <= 9 before the last, and no swizzle
  EXPECT_EQ(json["swizzle"]["swizzle_len"], 3);
}

TEST(SwizzleCommand, ProvesThatThereIsNone) {
  // Runs of 16 bytes stay whole, so a column of 32 rows meets 8 groups of 4 banks at most.
  const Ran ran =
      swizzle("S[(32,64):(64,1)]", "f16[32,64]", {"lanes=8 width=16 at=[lane, 0]", "lanes=32 width=2 at=[lane, 0]"});
  EXPECT_EQ(ran.code, 10) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("none: none of the 51 swizzles"), std::string::npos) << ran.out;
}

TEST(SwizzleCommand, CertifiesThatThereIsNone) {
  const test::Folder folder;
  const std::vector<std::string> accesses{"lanes=8 width=16 at=[lane, 0] base=16", "lanes=32 width=2 at=[lane, 0]"};
  const Ran ran = swizzle("S[(32,64):(64,1)]", "f16[32,64]", accesses,
                          {"--format", "json", "--certificates", folder.at("c"), "--compact"});
  EXPECT_EQ(ran.code, 10) << ran.out << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["trust"], "checked");
  EXPECT_EQ(verify_layout({"cert", folder.at("c/no-swizzle.cbor")}).code, 0);
  swizzle("S[(32,64):(64,1)]", "f16[32,64]", accesses, {"--certificates", folder.at("c")});
  const std::string path = folder.at("c/no-swizzle.json");
  const Ran again = verify_layout({"cert", path});
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_NE(again.out.find("proved no-swizzle of S[(32,64):(64,1)] for f16[32,64]"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("access 2 = lanes=32 width=2 at=[lane, 0]; hardware = sm_90"), std::string::npos);
  // Another text of an access, with its own digest: the checker takes it for a name, whoever reads it again does not.
  auto changed = checker::certificate_in(test::read_text(path));
  (*changed->statement.arguments)["access 2"] = "lanes=32 width=2 at=[lane, 1]";
  changed->digest = checker::digest(changed->statement);
  test::write_text(path, checker::print(*changed, false));
  EXPECT_EQ(verify_layout({"cert", path}).code, 10);
}

TEST(SwizzleCommand, RefusesBadInput) {
  const std::string access = "lanes=8 width=16 at=[lane, 0]";
  EXPECT_EQ(swizzle("ComposeLayout(3,3,3,S[(8,64):(64,1)])", "f16[8,64]", {access}).code, 2);
  EXPECT_EQ(swizzle("S[(8,64):(64,1)]", "f16[8,64]", {"lanes=9 width=16 at=[lane, 0]"}).code, 2);
  EXPECT_EQ(swizzle("S[(8,64):(1@laneid,1)]", "f16[8,64]", {access}).code, 2);
  EXPECT_EQ(swizzle("S[(8,64):(64,1)]", "f16[8,64]", {access}, {"--hardware", "sm_1"}).code, 2);
  EXPECT_EQ(swizzle("S[(8,64):(64,1)]", "f16[8,64]", {}).code, 64);
}

TEST(SwizzleCommand, AConflictIsToldAsLanesBanksAndWavefronts) {
  const Ran ran = verify_layout({"check", "--layout", "S[(16,64):(64,1)]", "--tensor", "f16[16,64]", "--claim",
                                 "conflict-free", "--access", "ldmatrix.x2 at=[lane, 8*j] for j=2:4"});
  EXPECT_EQ(ran.code, 10);
  EXPECT_NE(
      ran.out.find(
          "for j=2, lanes 0 and 1 (bytes 32 and 160) need words 8 and 40 of bank 8 in one phase: 16 wavefronts where 2 "
          "are ideal (by phase: 8, 8)"),
      std::string::npos)
      << ran.out;
}

TEST(SwizzleCommand, ALayoutOfThreadsAndValuesIsAnAccess) {
  const auto wavefronts = [](const std::string& access) {
    const Ran ran = verify_layout({"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--claim",
                                   "wavefronts", "--access", access, "--format", "jsonl"});
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    const std::size_t at = ran.out.find("\"value\":");
    return at == std::string::npos ? -1 : std::stoi(ran.out.substr(at + 8));
  };
  EXPECT_EQ(wavefronts("lanes=32 width=4 tv=S[(32,8,2):(2,64,1)]"), 1);
  EXPECT_EQ(wavefronts("lanes=32 width=2 tv=S[(8,4,16):(64,16,1)]"), 8);  // a column of 8 rows, 4 lanes in a row
}

// Number t + 8·v is element (t, v), by CuTe's order, at 64·t + v: eight lanes 128 bytes apart are in one bank.
// Row-major it would be another element.
TEST(BanksOfThreadsAndValues, AreNumbersOfTheLayoutsOwnSystem) {
  const auto asked = [](const std::string& tensor) {
    return verify_layout({"check", "--layout", "(8,64):(64,1)", "--tensor", tensor, "--access",
                          "lanes=8 width=2 tv=(8,64):(1,8)", "--claim", "wavefronts", "--format", "jsonl"});
  };
  const Ran flat = asked("f16[512]");
  EXPECT_EQ(flat.code, 0) << flat.err;
  EXPECT_NE(flat.out.find(R"("value":8)"), std::string::npos) << flat.out;
  const Ran two = asked("f16[8,64]");
  EXPECT_EQ(two.code, 2) << two.out;
  EXPECT_NE(two.err.find("first dimension fastest"), std::string::npos) << two.err;
}

}  // namespace cli_swizzle_test
}  // namespace vl
