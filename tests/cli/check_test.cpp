// check, equal, families, claims and --version as programs: records, engines and files.
#include "tests/cli/records.h"

namespace vl {
namespace cli_check_test {

// ---- the records

TEST(Jsonl, OfTheIssuesExampleIsWhatTheInterfacesSay) {
  const Ran ran = verify_layout({"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  const Records run = records(ran.out);
  ASSERT_EQ(run.all.size(), 8U);
  const Json& head = run.all.front();
  EXPECT_EQ(head.at("kind"), "run");
  EXPECT_EQ(head.at("schema"), "verify-layout/1");
  EXPECT_TRUE(head.at("version").is_string());
  EXPECT_TRUE(test::has_match(head.at("engines").at("z3").get<std::string>(), R"(^\d+\.\d+\.\d+)"));
  EXPECT_EQ(
      answers(run),
      "well-formed=proved in-bounds=proved injective=proved bijective=proved offset-identity=proved padding=21000 ");
  for (const Json& record : run.of("verdict")) {
    // The documented fields, in their order; others may stand among them.
    Words known;
    for (const char* key : {"kind",     "case",        "file",           "line",    "layout",
                            "claim",    "asked",       "verdict",        "value",   "engine",
                            "scope",    "certificate", "counterexample", "minimal", "reason",
                            "expected", "as_expected", "warnings",       "micros",  "certificate_micros"})
      known.emplace_back(key);
    Words found;
    for (const auto& [key, value] : record.items())
      if (std::ranges::find(known, key) != known.end()) found.push_back(key);
    EXPECT_EQ(found, known) << record;
    EXPECT_TRUE(record.at("case").is_null());
    EXPECT_EQ(record.at("layout"), kDoc);
    EXPECT_EQ(record.at("scope"), "instance");
    EXPECT_TRUE(record.at("counterexample").is_null());
    EXPECT_TRUE(record.at("reason").is_null());
    EXPECT_TRUE(record.at("expected").is_null());
    EXPECT_TRUE(record.at("as_expected").is_null());
    EXPECT_TRUE(record.at("file").is_null());
    EXPECT_TRUE(record.at("line").is_null());
    EXPECT_TRUE(record.at("minimal").is_null());
    EXPECT_EQ(record.at("warnings"), Json::array());
    EXPECT_TRUE(record.at("engine").is_string());
    EXPECT_TRUE(record.at("micros").is_number());
    EXPECT_EQ(record.at("value").is_null(), record.at("claim") != "padding");
    const std::string certificate = record.at("certificate");
    EXPECT_TRUE(certificate == "checked" || certificate == "trusted") << certificate;
    EXPECT_EQ(record.contains("trusted"), certificate == "trusted");
  }
  const Json& summary = run.all.back();
  const Json expected = {{"kind", "summary"}, {"cases", 1},       {"proved", 6},  {"refuted", 0},    {"unknown", 0},
                         {"vacuous", 0},      {"unsupported", 0}, {"errors", 0},  {"unexpected", 0}, {"failed", 0},
                         {"not_judged", 0},   {"found", 0},       {"skipped", 0}, {"unread", 0},     {"known", 0},
                         {"ignored", 0},      {"gone", 0}};
  EXPECT_EQ(summary, expected);
}

TEST(Jsonl, NamesTheWitnessOfARefutation) {
  // An expanded host: both rows lie in the same memory.
  const Ran ran = verify_layout(
      {"check", "--layout", "SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)",
       "--tensor", "f16[2,64]", "--strides", "0,1", "--claim", "injective", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 10);
  const auto verdicts = records(ran.out).of("verdict");
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].at("verdict"), "refuted");
  EXPECT_EQ(verdicts[0].at("counterexample").dump(), R"({"a":[0,0],"b":[1,0],"physical":[0,0]})");
  EXPECT_EQ(verdicts[0].at("certificate"), "checked");
}

TEST(Jsonl, KeepsTheOrderOfTheInputWhateverTheNumberOfJobs) {
  const Folder folder;
  std::string document = "schema = 1\n";
  for (int i = 0; i < 24; ++i)  // large cases first, so that the later ones finish earlier
    document += fmt::format(
        "[[case]]\nid = \"case-{:02}\"\nlayout = \"SpyreTensorLayout((5, 100, 150), torch.float16)\"\n"
        "tensor = \"f16[5,100,150]\"\nexpect = {{ {} }}\n",
        23 - i, i < 4 ? "onto = \"refuted\", padding = 21000" : "injective = \"proved\"");
  folder.file("b/z.toml", document);
  folder.file("a/second.toml", kGood);
  folder.file("bad.toml", kBad);
  const Ran one = verify_layout({"check", folder.path(), "--format", "jsonl", "--jobs", "1"});
  const Ran four = verify_layout({"check", folder.path(), "--format", "jsonl", "--jobs", "4"});
  EXPECT_EQ(one.code, 2);
  EXPECT_EQ(four.code, 2);
  EXPECT_EQ(without_times(one.out), without_times(four.out));
  Words order;
  for (const Json& record : records(one.out).all) {
    if (!record.contains("case")) continue;
    const std::string id = record.at("case").is_null() ? "" : record.at("case").get<std::string>();
    if (order.empty() || order.back() != id) order.push_back(id);
  }
  ASSERT_EQ(order.size(), 26U);
  EXPECT_EQ(order[0], "good");
  EXPECT_EQ(order[1], "case-23");
  EXPECT_EQ(order[24], "case-00");
  EXPECT_EQ(order[25], "bad");
  const auto errors = records(one.out).of("error");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].at("line"), 4);
  EXPECT_EQ(errors[0].at("column"), 38);  // torch.float64
  EXPECT_TRUE(errors[0].at("message").is_string());
  const Json summary = records(one.out).of("summary").at(0);
  EXPECT_EQ(summary.at("cases"), 26);
  EXPECT_EQ(summary.at("refuted"), 4);
  EXPECT_EQ(summary.at("proved"), 26);
  EXPECT_EQ(summary.at("errors"), 1);
  EXPECT_EQ(summary.at("unexpected"), 0);
}

TEST(Jsonl, SaysWhatWasExpected) {
  const Folder folder;
  const Ran ran =
      verify_layout({"check", "--format", "jsonl",
                     folder.file("it.toml", fmt::format("schema = 1\n[[case]]\nid = \"it\"\nlayout = '{}'\n"
                                                        "tensor = 'f16[5,100,150]'\n"
                                                        "expect = {{ in-bounds = 'proved', padding = 7 }}\n",
                                                        kDoc))});
  EXPECT_EQ(ran.code, 10);
  const auto verdicts = records(ran.out).of("verdict");
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].at("case"), "it");
  EXPECT_EQ(verdicts[0].at("expected"), "proved");
  EXPECT_EQ(verdicts[0].at("as_expected"), true);
  EXPECT_EQ(verdicts[1].at("expected"), 7);
  EXPECT_EQ(verdicts[1].at("verdict"), "proved");  // it was computed exactly, for any expectation
  EXPECT_EQ(verdicts[1].at("value"), 21000);
  EXPECT_EQ(verdicts[1].at("as_expected"), false);
  EXPECT_EQ(verdicts[0].at("line"), 4);
  EXPECT_EQ(records(ran.out).of("summary").at(0).at("unexpected"), 1);
}

TEST(Json, IsOneDocumentWithTheSameRecords) {
  const Words common{"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--format"};
  Words json = common, lines = common;
  json.emplace_back("json");
  lines.emplace_back("jsonl");
  const Ran document = verify_layout(json);
  EXPECT_EQ(document.code, 0);
  ASSERT_TRUE(Json::accept(document.out)) << document.out;
  const Json parsed = Json::parse(document.out);
  EXPECT_EQ(parsed.at("schema"), "verify-layout/1");
  auto verdicts = records(verify_layout(lines).out).of("verdict");
  ASSERT_EQ(parsed.at("results").size(), verdicts.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    Json here = parsed.at("results").at(i);
    for (const char* time : {"micros", "certificate_micros"}) here[time] = verdicts[i][time] = 0;
    EXPECT_EQ(here, verdicts[i]);
  }
  EXPECT_EQ(parsed.at("summary").at("proved"), 6);
}

TEST(OtherFormats, AreWellFormed) {
  const Folder folder;
  const std::string cases = folder.file("c.toml", kOpenRefutation);
  const Ran sarif = verify_layout({"check", cases, "--format", "sarif"});
  EXPECT_EQ(sarif.code, 10);
  ASSERT_TRUE(Json::accept(sarif.out)) << sarif.out;
  EXPECT_EQ(Json::parse(sarif.out).at("version"), "2.1.0");
  EXPECT_GE(Json::parse(sarif.out).at("runs").at(0).at("results").size(), 1U);
  const Ran junit = verify_layout({"check", cases, "--format", "junit"});
  EXPECT_EQ(junit.code, 10);
  EXPECT_TRUE(junit.out.starts_with("<?xml")) << junit.out;
  EXPECT_NE(junit.out.find("<failure"), std::string::npos) << junit.out;
}

// ---- the issue's examples

TEST(Check, ShowsThePaddingThatPassesEveryRangeCheck) {
  const Ran ran = verify_layout({"check", "--layout", kDoc, "--tensor", "f16[5,100,150]"});
  EXPECT_EQ(ran.code, 0);
  for (const char* said : {"21000", "20958", "[0, 2, 0, 22]", "[1, 0, 0, 0]", "bijective"})
    EXPECT_NE(ran.out.find(said), std::string::npos) << said << "\n" << ran.out;
}

TEST(Check, CrossChecksTheTiledLayoutOfTheIssue) {
  const Ran ran =
      verify_layout({"check", "--layout", kIssue, "--tensor", "f16[40,60]", "--cross-check", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(
      answers(records(ran.out)),
      "well-formed=proved in-bounds=proved injective=proved bijective=proved offset-identity=proved padding=672 ");
}

TEST(Check, CrossChecksARefutation) {
  const Ran ran = verify_layout({"check", "--layout", kShort, "--tensor", "f16[5,100,150]", "--claim", "in-bounds",
                                 "--cross-check", "--explain-engine", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 10) << ran.out;
  const Json verdict = records(ran.out).of("verdict").at(0);
  EXPECT_EQ(verdict.at("counterexample").at("a"), Json({0, 0, 128}));
  const std::string attempts = verdict.at("attempts").dump();
  for (const char* engine : {"strided", "gf2", "enumerate", "presburger", "smt"})
    EXPECT_NE(attempts.find(engine), std::string::npos) << attempts;
}

TEST(Check, DecidesAHugeTensorWithoutWalkingOverIt) {
  const Ran ran = verify_layout({"check", "--layout", "SpyreTensorLayout((4096, 100000, 151), torch.float16)",
                                 "--tensor", "f16[4096,100000,151]", "--explain-engine"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_TRUE(ran.out.find("engine strided") != std::string::npos || ran.out.find("engine smt") != std::string::npos);
  EXPECT_EQ(ran.out.find("enumerate"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("16793600000"), std::string::npos) << ran.out;  // 100000 * 4096 * (192 - 151)
}

TEST(Check, AsksTheEngineThatIsForced) {
  for (const std::string engine : {"strided", "enumerate", "presburger", "smt"}) {
    const Ran ran = verify_layout({"check", "--layout", "SpyreTensorLayout((4, 6), torch.float16)", "--tensor",
                                   "f16[4,6]", "--claim", "in-bounds", "--claim", "injective", "--claim", "bijective",
                                   "--engine", engine, "--format", "jsonl"});
    EXPECT_EQ(ran.code, 0) << engine << ran.out;
    for (const Json& record : records(ran.out).of("verdict")) {
      EXPECT_EQ(record.at("verdict"), "proved") << record;
      EXPECT_EQ(record.at("engine"), engine) << record;
    }
  }
}

TEST(Check, TakesTheNumberOfAMeasuringClaim) {
  const Words common{"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--claim"};
  for (const auto& [claim, code] :
       std::vector<std::pair<std::string, int>>{{"padding=21000", 0}, {"padding=20999", 10}}) {
    Words arguments = common;
    arguments.push_back(claim);
    EXPECT_EQ(verify_layout(arguments).code, code) << claim;
  }
}

TEST(Check, ReadsAHostViewFromItsFlags) {
  // Rows of 60 that start every 64 elements, on a device whose rows hold 60.
  const Words common{"check",
                     "--layout",
                     "SpyreTensorLayout(device_size=[40, 60], stride_map=[64, 1], device_dtype=SEN169_FP16)",
                     "--tensor",
                     "f16[40,60]",
                     "--claim",
                     "in-bounds",
                     "--claim",
                     "bijective",
                     "--format",
                     "jsonl"};
  const auto asked = [&](const Words& more) {
    Words arguments = common;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return verify_layout(arguments);
  };
  EXPECT_EQ(answers(records(asked({"--strides", "64,1", "--offset", "256"}).out)),
            "in-bounds=proved bijective=proved ");
  for (const Words& wrong :
       {Words{}, Words{"--strides", "[60, 1]"}, Words{"--strides", "64,1", "--view-offset", "1"}}) {
    const Ran ran = asked(wrong);
    EXPECT_EQ(ran.code, 10) << ran.out;
    EXPECT_EQ(answers(records(ran.out)), "in-bounds=refuted bijective=refuted ");
  }
  // Without a stride for the rest of an offset, [0,59] + 1 leaves the row; row 0 does that first.
  EXPECT_NE(asked({"--strides", "64,1", "--view-offset", "1"}).out.find(R"("a":[0,59])"), std::string::npos);
}

// ---- --dump-smt

std::vector<std::string> solve_dumps(const Folder& folder) {
  std::vector<std::string> answers;
  for (const auto& [name, content] : folder.content()) {
    if (!name.ends_with(".smt2")) continue;
    EXPECT_NE(content.find("(check-sat)"), std::string::npos) << name;
    const Ran ran = test::run(VL_Z3_BINARY, {"-T:60", folder.at(name)});
    answers.push_back(fmt::format("{} {}", name, ran.out.substr(0, ran.out.find('\n'))));
  }
  return answers;
}

TEST(DumpSmt, OfProofsIsUnsatisfiable) {
  const Folder folder;
  const Ran ran = verify_layout({"check", "--layout", "SpyreTensorLayout((4, 70), torch.float16)", "--tensor",
                                 "f16[4,70]", "--claim", "in-bounds", "--claim", "injective", "--claim", "bijective",
                                 "--dump-smt", folder.at("new/dumps")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  const auto answered = solve_dumps(folder);
  EXPECT_GE(answered.size(), 3U);
  for (const std::string& answer : answered) EXPECT_TRUE(answer.ends_with(" unsat")) << answer;
}

TEST(DumpSmt, OfRefutationsIsSatisfiable) {
  const Folder folder;
  const Ran ran =
      verify_layout({"check", "--layout",
                     "SpyreTensorLayout(device_size=[1, 4, 64], stride_map=[64, 70, 1], device_dtype=SEN169_FP16)",
                     "--tensor", "f16[4,70]", "--claim", "in-bounds", "--dump-smt", folder.path()});
  EXPECT_EQ(ran.code, 10) << ran.out << ran.err;
  const auto answered = solve_dumps(folder);
  EXPECT_GE(answered.size(), 1U);
  for (const std::string& answer : answered) EXPECT_TRUE(answer.ends_with(" sat")) << answer;
}

// ---- the small commands

TEST(Equal, ComparesAConstructorWithItsRawForm) {
  const std::string size = "SpyreTensorLayout((5, 100, 150), torch.float16";
  EXPECT_EQ(verify_layout({"equal", "--layout", kDoc, "--with", size + ")", "--tensor", "f16[5,100,150]"}).code, 0);
  const Ran other = verify_layout(
      {"equal", "--layout", kDoc, "--with", size + ", [1, 0, 2])", "--tensor", "f16[5,100,150]", "--format", "jsonl"});
  EXPECT_EQ(other.code, 10);
  const Json verdict = records(other.out).of("verdict").at(0);
  EXPECT_EQ(verdict.at("claim"), "equal");
  // [0,0,64] starts the second stick: 1*5*64 = 320 on the one, 1*100*64 on the other; all before lie together.
  EXPECT_EQ(verdict.at("counterexample").at("a"), Json({0, 0, 64}));
  EXPECT_EQ(
      verify_layout({"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--claim", "equal=" + size + ")"}).code,
      0);
}

TEST(List, NamesEveryFamilyAndClaim) {
  const Ran families = verify_layout({"families"});
  EXPECT_EQ(families.code, 0);
  for (const char* said : {"spyre", "SpyreTensorLayout(", "offset-identity"})
    EXPECT_NE(families.out.find(said), std::string::npos) << said;
  const Ran claims = verify_layout({"claims"});
  EXPECT_EQ(claims.code, 0);
  for (const char* said : {"well-formed", "in-bounds", "injective", "onto", "bijective", "offset-identity", "padding",
                           "equal", "physical"})
    EXPECT_NE(claims.out.find(said), std::string::npos) << said;
}

TEST(Help, IsOnStdoutAndNamesEveryFlag) {
  const Ran version = verify_layout({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(test::has_match(version.out, R"(verify-layout \d+\.\d+\.\d+)")) << version.out;
  EXPECT_NE(version.out.find("z3"), std::string::npos);
  const Ran help = verify_layout({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* said : {"check", "explain", "equal", "exec", "families", "claims", "--version"})
    EXPECT_NE(help.out.find(said), std::string::npos) << said;
  const Ran check = verify_layout({"check", "--help"});
  EXPECT_EQ(check.code, 0);
  for (const char* flag :
       {"--layout", "--tensor", "--strides", "--offset", "--view-offset", "--family", "--claim", "--format",
        "--timeout", "--engine", "--cross-check", "--explain-engine", "--jobs", "--dump-smt"})
    EXPECT_NE(check.out.find(flag), std::string::npos) << flag;
  EXPECT_EQ(help.err + check.err, "");
}

}  // namespace cli_check_test
}  // namespace vl
