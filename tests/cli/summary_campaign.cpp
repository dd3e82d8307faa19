// The summary, the closing list and the exit code of check, and its options about them.
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "tests/cli/records.h"

namespace vl {
namespace cli_summary_campaign {

std::size_t lines_with(const std::string& text, std::string_view start) {
  std::istringstream in(text);
  std::size_t n = 0;
  for (std::string line; std::getline(in, line);) n += line.starts_with(start) ? 1 : 0;
  return n;
}

// What a case asks, and how many failures that is. The layout [5,100,150] has 21,000 slots of padding and is right.
struct Asked {
  const char* keys;
  std::size_t failures;
};
constexpr Asked kAsked[] = {
    {"expect = { in-bounds = 'proved' }", 0},
    {"expect = { in-bounds = 'refuted', padding = 21000 }", 1},
    {"expect = { in-bounds = 'refuted', padding = 20999, onto = 'refuted' }", 2},
    {"expect = 'invalid'", 1},
    {"expect = { inbounds = 'proved' }", 1},
    {"expect = { padding = 'many' }", 1},
    {"expect = {}", 1},
    {"bogus = 1\nexpect = { padding = 'many' }", 2},
    {"", 0},
};

RC_GTEST_PROP(Summary, ListAndExitCodeAgreeOnRandomFiles, ()) {
  const Folder folder;
  std::string document = "schema = 1\n";
  std::size_t failures = 0;
  const auto picks = *rc::gen::resize(6, rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(
                                             rc::gen::inRange<std::size_t>(0, std::size(kAsked)))));
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const Asked& asked = kAsked[picks[i]];
    failures += asked.failures;
    document += fmt::format("[[case]]\nid = '{}'\nlayout = '{}'\ntensor = 'f16[5,100,150]'\n{}\n", i, kDoc, asked.keys);
  }
  const std::string file = folder.file("c.toml", document);
  const Ran text = verify_layout({"check", file, "--output", "jsonl=" + folder.at("out.jsonl")});
  const Records run = records(test::read_text(folder.at("out.jsonl")));
  RC_ASSERT(lines_with(text.out, "FAILED ") == failures);
  RC_ASSERT(run.of("summary").at(0).at("failed") == failures);
  RC_ASSERT(run.of("summary").at(0).at("cases") == picks.size());
  RC_ASSERT((text.code == 0) == (failures == 0));
  const std::string last = text.out.substr(text.out.rfind('\n', text.out.size() - 2) + 1);
  RC_ASSERT((last.find("as expected") != std::string::npos) <= (failures == 0));
}

// The other cases of the file are judged, and every error is told once, with its place.
TEST(BadCase, IsAnErrorOfItsOwn) {
  const Folder folder;
  const std::string file = folder.file("broken.toml", fmt::format(R"toml(schema = 1
colour = 3
[[case]]
id     = "a"
layout = "{0}"
tensor = "f16[5,100,150]"
expect = {{ injectiv = "proved", in-bounds = "yes" }}
[[case]]
id     = "b"
layout = "{0}"
tensor = "f16[5,100,150]"
expect = {{ in-bounds = "proved" }}
[[case]]
id     = "b"
layout = "{0}"
tensor = "f16[5,100,150]"
[[case]]
id     = "c"
tensor = "f16[5,100,150]"
)toml",
                                                                  kDoc));
  const Ran ran = verify_layout({"check", file, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 2) << ran.out;
  const Records run = records(ran.out);
  std::vector<std::pair<std::size_t, std::string>> errors;
  for (const Json& error : run.of("error"))
    errors.emplace_back(error.at("line").get<std::size_t>(), error.at("case").get<std::string>());
  const std::vector<std::pair<std::size_t, std::string>> expected = {
      {2, file}, {7, "a"}, {7, "a"}, {14, "b"}, {17, "c"}};
  EXPECT_EQ(errors, expected) << ran.out;
  EXPECT_EQ(run.of("verdict").size(), 1U);
  EXPECT_EQ(run.of("summary").at(0).at("failed"), 5);
  EXPECT_NE(ran.err.find("did you mean 'injective'?"), std::string::npos) << ran.err;
  EXPECT_EQ(lines_with(ran.err, "error:"), 5U) << ran.err;
}

TEST(Nothing, IsNotASuccess) {
  const Folder folder;
  std::filesystem::create_directory(folder.at("empty"));
  EXPECT_EQ(verify_layout({"check", folder.at("empty")}).code, 2);
  const std::string profile = folder.file("p.toml",
                                          "schema = 1\nname = \"p\"\nbanks = 32\nbytes_per_bank = 4\nlanes = 32\n"
                                          "[phases]\n4 = 1\n");
  const Ran ran = verify_layout({"check", profile});
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_NE(ran.out.find("nothing was judged"), std::string::npos) << ran.out;
}

TEST(Quiet, PrintsOnlyWhatFails) {
  const Folder folder;
  const std::string good = folder.file("good.toml", kGood), refuted = folder.file("refuted.toml", kOpenRefutation);
  const Ran silent = verify_layout({"check", good, "--quiet"});
  EXPECT_EQ(silent.out, "1 case: 2 proved, 0 refuted, 0 unknown; all 2 as expected\n");
  const Ran ran = verify_layout({"check", good, refuted, "--quiet"});
  EXPECT_EQ(ran.code, 10);
  EXPECT_EQ(ran.out.find("good"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("FAILED refuted in-bounds " + refuted + ":4 refuted: "), std::string::npos) << ran.out;
}

TEST(Quiet, LeavesFilesWhole) {
  const Folder folder;
  const std::string good = folder.file("good.toml", kGood), report = folder.at("report.xml");
  EXPECT_EQ(verify_layout({"check", good, "--quiet", "--output", "junit=" + report}).code, 0);
  EXPECT_NE(test::read_text(report).find("tests=\"2\""), std::string::npos) << test::read_text(report);
}

TEST(Certificates, OfOneIdInTwoFilesAreTwo) {
  const Folder folder;
  const std::string cases = "schema = 1\n[[case]]\nid = 'one'\nlayout = 'S[{}:1]'\ntensor = 'u8[{}]'\n";
  const std::string a = folder.file("a.toml", fmt::format(fmt::runtime(cases), 8, 8));
  const std::string b = folder.file("b.toml", fmt::format(fmt::runtime(cases), 9, 9));
  const std::string out = folder.at("certificates");
  EXPECT_EQ(verify_layout({"check", a, b, "--certificates", out}).code, 0);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out)) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 6);  // well-formed, in-bounds, injective of each
}

TEST(FailFast, EndsAtTheFirstFailure) {
  const Folder folder;
  const std::string good = folder.file("good.toml", kGood), refuted = folder.file("refuted.toml", kOpenRefutation);
  const Ran ran = verify_layout({"check", good, refuted, good, good, "--fail-fast", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 10);
  EXPECT_EQ(records(ran.out).of("summary").at(0).at("cases"), 2) << ran.out;
  EXPECT_NE(ran.err.find("2 cases not judged"), std::string::npos) << ran.err;
}

TEST(Warnings, AreInEveryFormatAndFailWithStrict) {
  const Folder folder;
  const std::string older =
      "SpyreTensorLayout(device_size=[2, 64], dim_map=[0, 0], stride_map=[64, 1], device_dtype=SEN169_FP16)";
  const std::string file =
      folder.file("w.toml", fmt::format("schema = 1\n[[case]]\nid = 'w'\nlayout = '{}'\ntensor = 'f16[128]'\n", older));
  for (const char* format : {"text", "json", "jsonl", "junit", "sarif", "github"}) {
    const Ran ran = verify_layout({"check", file, "--format", format});
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_NE(ran.out.find("stride_map decides"), std::string::npos) << format << "\n" << ran.out;
    const Ran strict = verify_layout({"check", file, "--strict", "--format", format});
    EXPECT_EQ(strict.code, 10) << strict.out;
    EXPECT_NE(strict.out.find("stride_map decides"), std::string::npos) << format << "\n" << strict.out;
  }
}

TEST(Output, WritesFurtherFormats) {
  const Folder folder;
  const std::string file = folder.file("r.toml", kOpenRefutation);
  const Ran ran = verify_layout({"check", file, "--format", "github", "--output", "json=" + folder.at("a.json"),
                                 "--output", "junit=" + folder.at("b.xml")});
  EXPECT_EQ(ran.code, 10);
  EXPECT_NE(ran.out.find("::error file=" + file + ",line=4,col=11,title=refuted in-bounds::refuted: element [0, 64]"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(Json::parse(test::read_text(folder.at("a.json"))).at("summary").at("failed"), lines_with(ran.out, "::"));
  EXPECT_NE(test::read_text(folder.at("b.xml")).find("<failure"), std::string::npos);
  EXPECT_EQ(verify_layout({"check", file, "--output", "yaml=x"}).code, 64);
  EXPECT_EQ(verify_layout({"check", file, "--output", "json=" + folder.at("no/such/folder")}).code, 2);
}

TEST(Usage, NamesTheNearestAndListsAllInALine) {
  const std::vector<std::pair<Words, const char*>> table = {
      {{"chek"}, "'chek' is not a subcommand; did you mean 'check'?"},
      {{"check", "--clam", "x"}, "'--clam' is not an option of verify-layout check; did you mean '--claim'?"},
      {{"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--claim", "injectiv"}, "did you mean 'injective'?"},
      {{"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--format", "jsn"}, "did you mean 'json'?"},
      {{"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--engine", "strided2"}, "did you mean 'strided'?"},
      {{"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--family", "spire"}, "did you mean 'spyre'?"},
      {{"exec", "pakc"}, "did you mean 'pack'?"},
      {{"fuzz", "--count", "1e99"}, "'1e99' is not a whole number below 2^64"},
  };
  for (const auto& [words, message] : table) {
    const Ran ran = verify_layout(words);
    EXPECT_EQ(ran.code, 64) << ran.err;
    EXPECT_NE(ran.err.find(message), std::string::npos) << message << "\n" << ran.err;
    EXPECT_EQ(ran.err.find("->"), std::string::npos) << ran.err;
    EXPECT_LE(std::ranges::count(ran.err, '\n'), 2) << ran.err;
  }
}

TEST(Summary, WhatATextDerivesIsANoteAndNoWarning) {
  const Ran ran = verify_layout({"check", "--strict", "--tensor", "f16[8,128]", "--layout",
                                 "SpyreTensorLayout([8,128], torch.float16).restickify(0)"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("  note: restickify(0): device_size [2, 8, 64] -> [1, 128, 64]"), std::string::npos)
      << ran.out;
}

TEST(Summary, AWarningAboutTheSecondLayoutIsCarried) {
  const std::vector<std::string> asked{
      "check",
      "--tensor",
      "f16[8,128]",
      "--layout",
      "SpyreTensorLayout([8,128], torch.float16)",
      "--claim",
      "equal="
      "SpyreTensorLayout(device_size=[2, 8, 64], stride_map =[64, 128, 1], dim_map =[1, 0, 1], "
      "device_dtype=DataFormats.SEN169_FP16)"};
  const Ran ran = verify_layout(asked);
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("warning: with: stride_map decides"), std::string::npos) << ran.out;
  auto strict = asked;
  strict.emplace_back("--strict");
  EXPECT_EQ(verify_layout(strict).code, 10);
}

}  // namespace cli_summary_campaign
}  // namespace vl
