// The exit codes of check, and of wrong usage.
#include "tests/cli/records.h"

namespace vl {
namespace cli_exit_code_test {

TEST(ExitCode, IsOfTheMostSevereAnswer) {
  const Folder folder;
  const std::string good = folder.file("good.toml", kGood);
  const std::string vacuous = folder.file("vacuous.toml", kVacuous);
  const std::string bad = folder.file("bad.toml", kBad);
  const std::string refuted = folder.file("refuted.toml", kOpenRefutation);
  const std::string missing = folder.at("missing.toml");
  const std::vector<std::pair<Words, int>> table = {
      {{good}, 0},
      {{good, good}, 0},
      {{vacuous}, 5},
      {{bad}, 2},
      {{missing}, 2},
      {{refuted}, 10},
      {{good, vacuous}, 5},
      {{vacuous, bad, good}, 2},
      {{missing, good}, 2},
      {{bad, refuted}, 10},
      {{refuted, vacuous, good, missing}, 10},
      {{folder.path()}, 10},
  };
  for (const auto& [files, code] : table) {
    Words arguments{"check"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Ran ran = verify_layout(arguments);
    EXPECT_EQ(ran.code, code) << fmt::format("{}", fmt::join(files, " ")) << "\n" << ran.out << ran.err;
  }
}

TEST(ExitCode, IsUndecidedWhenTheOneEngineAskedAbstains) {
  const Words huge{"check",
                   "--layout",
                   "SpyreTensorLayout((4096, 100000, 151), torch.float16)",
                   "--tensor",
                   "f16[4096,100000,151]",
                   "--engine",
                   "enumerate",
                   "--format",
                   "jsonl"};
  const Ran ran = verify_layout(huge);
  EXPECT_EQ(ran.code, 5) << ran.out;
  const Records run = records(ran.out);
  const auto verdicts = run.of("verdict");
  ASSERT_EQ(verdicts.size(), 6U);
  EXPECT_EQ(verdicts[1].at("verdict"), "unknown");
  EXPECT_EQ(verdicts[1].at("reason"), "out-of-reach");
  EXPECT_EQ(verdicts[1].at("certificate"), "none");
  EXPECT_TRUE(verdicts[5].at("value").is_null());  // never 0
  EXPECT_EQ(run.of("summary").at(0).at("unknown"), 5);
}

TEST(ExitCode, OfAnExpectedRefutationIsSuccessAndOfAnUnexpectedPassIsNot) {
  const Folder folder;
  const auto document = [](std::string_view layout, std::string_view rest) {
    return fmt::format("schema = 1\n[[case]]\nid = \"it\"\nlayout = \"{}\"\ntensor = \"f16[5,100,150]\"\n{}\n", layout,
                       rest);
  };
  struct Row {
    const char* name;
    std::string document;
    int code;
  };
  const std::vector<Row> table = {
      {"refuted as expected", document(kShort, "expect = { in-bounds = \"refuted\", injective = \"proved\" }"), 0},
      {"with its witness",
       document(kShort,
                "[[case.claim]]\nclaim = \"in-bounds\"\nexpect = \"refuted\"\ncounterexample = { a = [0, 0, 128] }"),
       0},
      {"with another witness",
       document(kShort,
                "[[case.claim]]\nclaim = \"in-bounds\"\nexpect = \"refuted\"\ncounterexample = { a = [0, 0, 129] }"),
       10},
      {"with a field it does not have",
       document(kShort,
                "[[case.claim]]\nclaim = \"in-bounds\"\nexpect = \"refuted\"\ncounterexample = { b = [0, 0, 128] }"),
       10},
      {"refuted and expected proved", document(kShort, "expect = { in-bounds = \"proved\" }"), 10},
      {"proved and expected refuted", document(kDoc, "expect = { in-bounds = \"refuted\" }"), 10},
      {"proved and expected unknown", document(kDoc, "expect = { in-bounds = \"unknown\" }"), 10},
      {"another padding", document(kDoc, "expect = { padding = 20999 }"), 10},
      {"a padding that is refuted", document(kDoc, "expect = { padding = \"refuted\" }"), 10},
      {"padding just computed", document(kDoc, "expect = { padding = \"proved\" }"), 0},
      {"invalid and read", document(kDoc, "expect = \"invalid\""), 10},
      {"invalid and rejected", document("SpyreTensorLayout((5, -100, 150), torch.float16)", "expect = \"invalid\""), 0},
  };
  for (const Row& row : table) {
    const Ran ran = verify_layout({"check", folder.file("it.toml", row.document)});
    EXPECT_EQ(ran.code, row.code) << row.name << "\n" << ran.out << ran.err;
    EXPECT_EQ(ran.out.find("NOT AS EXPECTED") != std::string::npos, row.code == 10) << row.name << "\n" << ran.out;
  }
}

TEST(ExitCode, OfAnExpectedVacuousAnswerIsSuccess) {
  const Folder folder;
  const Ran ran = verify_layout(
      {"check", folder.file("v.toml", std::string(kVacuous) + "expect = { in-bounds = \"vacuous\", padding = 0 }\n")});
  EXPECT_EQ(ran.code, 0) << ran.out;
}

// Its own text states no tensor; a constructor's does.
TEST(ExitCode, OfALayoutWithoutATensorIsUndecided) {
  const Ran ran = verify_layout({"check", "--layout", kDoc});
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  EXPECT_EQ(ran.out.find("proved  "), std::string::npos) << ran.out;
  EXPECT_EQ(verify_layout({"check", "--layout", "SpyreTensorLayout((5, 100, 150), torch.float16)"}).code, 0);
}

TEST(ExitCode, OfWrongUsageIs64WithHelpOnStderr) {
  const std::vector<Words> table = {
      {},
      {"chek"},
      {"check"},
      {"check", "--frobnicate"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--claim", "onto-it"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--claim", "equal"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--claim", "injective=3"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--format", "xml"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--engine", "oracle"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--family", "sypre"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--jobs", "0"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--timeout", "-1"},
      {"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--timeout", "soon"},
      {"check", "cases.toml", "--layout", kDoc, "--tensor", "f16[5,100,150]"},
      {"explain", "--tensor", "f16[5,100,150]"},
      {"equal", "--layout", kDoc, "--tensor", "f16[5,100,150]"},
      {"exec"},
      {"exec", "pack", "--layout", kDoc, "--tensor", "f16[5,100,150]"},
      {"exec", "repack", "--layout", kDoc},
      {"--version", "check"},
  };
  for (const Words& arguments : table) {
    const Ran ran = verify_layout(arguments);
    EXPECT_EQ(ran.code, 64) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << fmt::format("{}", fmt::join(arguments, " "));
    EXPECT_NE(ran.err, "") << fmt::format("{}", fmt::join(arguments, " "));
  }
  EXPECT_NE(verify_layout({}).err.find("check"), std::string::npos);
  EXPECT_NE(verify_layout({"check", "--frobnicate"}).err.find("--cross-check"), std::string::npos);
}

}  // namespace cli_exit_code_test
}  // namespace vl
