// Certificates of answers for all sizes: they are accepted again, state what was shown, and are rejected with other
// texts.
#include <filesystem>

#include "tests/cli/records.h"
#include "verifier/checker/certificate.h"
#include "verifier/checker/check.h"

namespace vl {
namespace cli_all_sizes_certificates_test {

const Words kRows = {"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16)"};

Words with(Words words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
  return words;
}

TEST(AllSizesCertificates, AreAcceptedAgain) {
  const Words all[] = {
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--claim", "equal=(M,N):(N,1)"},
      with(kRows, {"--claim", "bytes"}),
      {"--tensor", "f16[M,64]", "--layout", "ComposeLayout(3, 3, 3, S[(M,64):(64,1)])", "--where",
       "R >= 0, R + 8 <= M, C >= 0, C <= 7", "--claim", "conflict-free", "--access",
       "lanes=8 width=16 at=[R + lane, 8*C]"},
  };
  for (const Words& words : all) {
    const Folder folder;
    EXPECT_EQ(verdict_of(with(words, {"--certificates", folder.at("c")}), 0).at("certificate"), "checked");
    Words again = {"cert"};
    for (const auto& entry : std::filesystem::directory_iterator(folder.at("c")))
      again.push_back(entry.path().string());
    EXPECT_EQ(again.size(), 2U);
    EXPECT_EQ(called(again).code, 0);
  }
}

TEST(AllSizesCertificates, ARefutationHasTheCertificateOfItsInstance) {
  const Folder folder;
  verdict_of(
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--claim", "injective", "--certificates", folder.at("c")},
      10);
  const Ran ran = called({"cert", folder.at("c/refuted/layout.0-injective.json")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("refuted injective of S[(2,2):(1,1)] for f16[2,2]"), std::string::npos) << ran.out;
  // The instance's strides are numbers, and its certificate says these.
  verdict_of({"--tensor", "f16[M,N]", "--strides", "P,1", "--layout",
              "SpyreTensorLayout((M, N), (P, 1), torch.float16, [0, 1])", "--claim", "injective", "--certificates",
              folder.at("c")},
             10);
  EXPECT_EQ(called({"cert", folder.at("c/refuted/layout.0-injective.json")}).code, 0);
}

// A bound that allows a size of 0 stays: such tensors are among those that are asked about.
TEST(AllSizesCertificates, KeepABound) {
  const Folder folder;
  const Json record = verdict_of(
      with(kRows, {"--where", "M >= 0, N % M == 0", "--claim", "injective", "--certificates", folder.at("c")}), 0);
  EXPECT_EQ(record.at("symbols").at("M").at("low"), 0);
  ASSERT_EQ(record.at("verdict"), "proved");
  const auto made = checker::certificate_in(test::read_text(folder.at("c/layout.0-injective.json")));
  EXPECT_EQ(made->statement.rule->symbols.at(0).low, 0);
  EXPECT_EQ(made->statement.arguments->at("where"), "M >= 0");
}

// The certificate states the conditions under which it is shown, and no others.
TEST(AllSizesCertificates, StateFewerConditions) {
  const Folder folder;
  const Json shown = verdict_of(
      with(kRows, {"--where", "(M*M + N*N) % (M + N) == 0", "--claim", "bijective", "--certificates", folder.at("c")}),
      0);
  EXPECT_EQ(shown.at("holds").dump(), "[[]]");
  const std::string path = folder.at("c/layout.0-bijective.json");
  EXPECT_EQ(called({"cert", path}).code, 0);
  auto certificate = checker::certificate_in(test::read_text(path));
  EXPECT_TRUE(certificate->statement.rule->where.empty());
  EXPECT_FALSE(certificate->statement.arguments && certificate->statement.arguments->contains("where"));
  // With the condition in its texts it is about another rule than that which it states.
  certificate->statement.arguments.emplace();
  (*certificate->statement.arguments)["where"] = "(M*M + N*N) % (M + N) == 0";
  certificate->digest = checker::digest(certificate->statement);
  test::write_text(path, checker::print(*certificate, false));
  EXPECT_NE(called({"cert", path}).code, 0);
}

// A tensor without elements leaves the whole box as padding. No size makes a tensor of -1 rows.
TEST(AllSizesCertificates, PaddingOfNoElementIsTheBoxAndOfFewerIsNothing) {
  const Folder folder;
  const auto found = verdicts_of(
      {"--tensor", "f16[0,M]", "--layout",
       "SpyreTensorLayout(device_size=[3, 5, 64], stride_map=[64, M, 1], device_dtype=DataFormats.SEN169_FP16)",
       "--claim", "padding", "--certificates", folder.at("c")},
      0);
  EXPECT_EQ(found.at(0).at("value_expression"), "960");
  const auto right = checker::certificate_in(test::read_text(folder.at("c/layout.0-padding.json")));
  ASSERT_TRUE(right.has_value());
  EXPECT_EQ(checker::check(*right), std::nullopt);
  checker::Certificate wrong = *right;
  wrong.statement.rule->logical[0].number = -1;  // 960 - (-1)·M
  wrong.statement.value_expression = checker::ExpressionText{"+", 0, {{{}, 960}, {"M", 0}}};
  wrong.digest = checker::digest(wrong.statement);
  EXPECT_NE(checker::check(wrong).value_or("").find("below 0"), std::string::npos)
      << checker::check(wrong).value_or("accepted");
}

// A certificate states no view where the layout's family does not read views.
TEST(AllSizesCertificates, LeaveOutAViewThatTheFamilyIgnores) {
  const Folder folder;
  verdicts_of(
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--claim", "in-bounds", "--certificates", folder.at("c")},
      0);
  const std::string path = folder.at("c/layout.0-in-bounds.json");
  EXPECT_EQ(called({"cert", path}).code, 0);
  const auto right = checker::certificate_in(test::read_text(path));
  ASSERT_TRUE(right.has_value());
  for (const auto& [key, text] : std::vector<std::pair<std::string, std::string>>{
           {"offset", "5"}, {"view_offset", "64"}, {"view_offset", "T"}, {"strides", "N, 2"}}) {
    checker::Certificate wrong = *right;
    wrong.statement.arguments.emplace();
    (*wrong.statement.arguments)[key] = text;
    wrong.digest = checker::digest(wrong.statement);
    test::write_text(path, checker::print(wrong, false));
    EXPECT_NE(called({"cert", path}).code, 0) << key << " " << text;
  }
}

TEST(AllSizesCertificates, AWayBackIsProvedOfALayoutToItself) {
  const Folder folder;
  const std::string layout =
      "tensor<1xalign(L*N*M, A)xf32, #ttcore.metal_layout<logical_shape = LxNxM, dim_alignments = Ax1x1, "
      "collapsed_intervals = dense<[[0, 3]]> : tensor<1x2xi64>, l1, sharded>>";
  const auto asked = [&](const std::string& with, int code) {
    test::write_text(folder.at("c.toml"),
                     fmt::format("schema = 1\n[[case]]\nid = \"back\"\nlayout = \"{}\"\ntensor = \"f32[L,N,M]\"\n"
                                 "[[case.claim]]\nclaim = \"remap\"\nwith = \"{}\"\n",
                                 layout, with));
    return verdict_of({folder.at("c.toml"), "--certificates", folder.at("c")}, code);
  };
  EXPECT_EQ(asked(layout, 0).at("certificate"), "checked");
  const std::string path = folder.at("c/back.0-remap.json");
  EXPECT_EQ(called({"cert", path}).code, 0);
  // Another layout that is read from, with its own digest: whoever reads the texts again rejects it.
  auto changed = checker::certificate_in(test::read_text(path));
  (*changed->statement.arguments)["with"] = "tensor<1x(L*N*M)xf32, " + layout.substr(layout.find('#'));
  changed->digest = checker::digest(changed->statement);
  test::write_text(path, checker::print(*changed, false));
  EXPECT_EQ(called({"cert", path}).code, 10);
  EXPECT_EQ(asked((*changed->statement.arguments)["with"], 5).at("verdict"), "unsupported");
}

}  // namespace cli_all_sizes_certificates_test
}  // namespace vl
