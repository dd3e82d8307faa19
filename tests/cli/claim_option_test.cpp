// Claims on the command line: NAME, NAME=ARG, NAME<=K and NAME=key=value; key=value.
#include <gtest/gtest.h>

#include "verifier/session/claim_text.h"

namespace vl::cli {
namespace cli_claim_option_test {

session::ClaimRequest read(const std::string& text, const session::ClaimSetting& setting = {}) {
  auto claim = session::claim_of(text, setting);
  EXPECT_TRUE(std::holds_alternative<session::ClaimRequest>(claim)) << text << ": " << std::get<std::string>(claim);
  return std::get<session::ClaimRequest>(claim);
}

std::string said(const std::string& text, const session::ClaimSetting& setting = {}) {
  const auto claim = session::claim_of(text, setting);
  EXPECT_TRUE(std::holds_alternative<std::string>(claim)) << text;
  return std::holds_alternative<std::string>(claim) ? std::get<std::string>(claim) : "";
}

TEST(ClaimOption, TakesTheLayoutBehindItsNameWhole) {
  EXPECT_EQ(read("equal=S[8:1] + R[2:8]").text("with")->text, "S[8:1] + R[2:8]");
  EXPECT_EQ(read("equal = ComposeLayout(3, 3, 3, S[64:1], swizzle_inner=False)").text("with")->text,
            " ComposeLayout(3, 3, 3, S[64:1], swizzle_inner=False)");
}

TEST(ClaimOption, TakesKeysInAnyOrder) {
  const session::ClaimRequest slice = read("slice=with=S[(2,1):(-2,4)] + 6; region = 3:5");
  EXPECT_EQ(slice.claim->name, "slice");
  EXPECT_EQ(slice.text("with")->text, "S[(2,1):(-2,4)] + 6");
  ASSERT_EQ(slice.arguments.size(), 2U);
  EXPECT_EQ(slice.arguments[1].key, "region");
  EXPECT_EQ(slice.arguments[1].text.text, "3:5");
}

TEST(ClaimOption, OfAMeasureIsWhatIsExpectedOrItsLimit) {
  EXPECT_EQ(read("padding=21000").expected, question::Expectation(Index{21000}));
  session::ClaimSetting setting;
  setting.access = "lanes=8 width=2 at=[lane, 0]";
  EXPECT_EQ(read("wavefronts=8", setting).expected, question::Expectation(Index{8}));
  const session::ClaimRequest limited = read("conflicts<=4", setting);
  EXPECT_EQ(limited.at_most, 4);
  EXPECT_FALSE(limited.expected.has_value());
  EXPECT_EQ(read("conflicts=at_most=4", setting).at_most, 4);
}

TEST(ClaimOption, AboutAnAccessTakesTheOnesOfTheOptions) {
  session::ClaimSetting setting;
  setting.access = "lanes=8 width=2 at=[lane, 0]";
  const session::ClaimRequest claim = read("conflict-free", setting);
  ASSERT_EQ(claim.arguments.size(), 2U);
  EXPECT_EQ(claim.arguments[0].text.text, *setting.access);
  EXPECT_EQ(claim.arguments[1].text.text, "sm_90");
  setting.hardware = "gfx950";
  EXPECT_EQ(read("conflict-free=access=lanes=4 width=4 at=[0, lane]", setting).arguments[0].text.text,
            "lanes=4 width=4 at=[0, lane]");
  EXPECT_EQ(read("conflict-free", setting).arguments[1].text.text, "gfx950");
}

TEST(ClaimOption, OfABaseIsItsAlignment) {
  EXPECT_EQ(read("aligned=1024").arguments[0].text.text, "1024");
  EXPECT_EQ(read("aligned=base=128").arguments[0].text.text, "128");
}

TEST(ClaimOption, OfABufferIsALayoutOrKeysWithOne) {
  EXPECT_EQ(read("disjoint=S[8:2] + 1").text("with")->text, "S[8:2] + 1");
  EXPECT_EQ(read("disjoint=ComposeLayout(3, 3, 3, S[64:1], swizzle_inner=False)").text("with")->text,
            "ComposeLayout(3, 3, 3, S[64:1], swizzle_inner=False)");
  const session::ClaimRequest claim = read("disjoint=at = -4; with = S[8:2]; with_tensor = f16[2,4]");
  EXPECT_EQ(claim.text("with")->text, "S[8:2]");
  ASSERT_EQ(claim.arguments.size(), 3U);
  EXPECT_EQ(claim.arguments[0].key, "at");
  EXPECT_EQ(claim.arguments[0].text.text, "-4");
  EXPECT_EQ(claim.arguments[2].text.text, "f16[2,4]");
}

struct Wrong {
  std::string text;
  std::string says;
};

TEST(ClaimOption, ThatIsWrongSaysWhatWasExpected) {
  const std::vector<Wrong> table = {
      {"injectiv", "is not a claim"},
      {"injective=3", "has no argument"},
      {"covers-once", "needs --nests"},
      {"equal", "needs a second layout"},
      {"disjoint", "needs a second layout"},
      {"disjoint=at=4", "needs a second layout"},
      {"disjoint=with=S[2]; to=4", "no key 'to'"},
      {"slice", "needs the result to judge"},
      {"slice=region=3:5", "needs the result to judge"},
      {"slice=3:5", "expected key=value"},
      {"slice=with=S[2]; with=S[3]", "given twice"},
      {"slice=region=1:2; region=1:2; with=S[1]", "given twice"},
      {"conflict-free", "needs --access"},
      {"conflict-free=acces=lanes=4", "no key 'acces'"},
      {"wavefronts=many", "needs one integer"},
      {"conflicts<=-1", "not negative"},
      {"conflicts<=", "needs one integer"},
      {"conflicts=at_most=-1", "not negative"},
      {"padding<=4", "has no limit"},
      {"injective<=4", "has no limit"},
      {"aligned", "alignment in bytes"},
      {"fits", "bytes of one memory"},
      {"compatible", "needs an operation"},
  };
  for (const Wrong& wrong : table)
    EXPECT_NE(said(wrong.text).find(wrong.says), std::string::npos) << wrong.text << ": " << said(wrong.text);
}

}  // namespace cli_claim_option_test
}  // namespace vl::cli
