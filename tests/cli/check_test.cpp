// check, equal, families, claims, --version as a user sees them: exit codes, records, engines and files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/compiled_once.h"
#include "tests/support/process.h"

namespace vl {
namespace {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

const std::string kDoc =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16)";
// Two sticks a row where three are needed.
const std::string kShort =
    "SpyreTensorLayout(device_size=[100, 2, 5, 64], stride_map =[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16)";
const std::string kIssue =
    "SpyreTensorLayout(device_size=[2, 12, 1, 2, 64], stride_map =[720, 60, 64, 1200, 1], device_dtype=DataFormats.SEN169_FP16)";

const char* const kGood = R"toml(schema = 1
[[case]]
id     = "good"
layout = "SpyreTensorLayout((5, 100, 150), torch.float16)"
tensor = "f16[5,100,150]"
expect = { in-bounds = "proved", padding = 21000 }
)toml";
const char* const kVacuous = R"toml(schema = 1
[[case]]
id     = "vacuous"
layout = "SpyreTensorLayout((0, 64), torch.float16)"
tensor = "f16[0,64]"
)toml";
const char* const kBad = R"toml(schema = 1
[[case]]
id     = "bad"
layout = "SpyreTensorLayout((0, 64), torch.float64)"
tensor = "f16[0,64]"
)toml";
const char* const kOpenRefutation = R"toml(schema = 1
[[case]]
id     = "refuted"
layout = "SpyreTensorLayout(device_size=[1, 1, 64], stride_map=[64, 128, 1], device_dtype=SEN169_FP16)"
tensor = "f16[2,128]"
)toml";

/// The records of a --format jsonl run, by kind.
struct Records {
  std::vector<Json> all;
  [[nodiscard]] std::vector<Json> of(std::string_view kind) const {
    std::vector<Json> out;
    std::ranges::copy_if(all, std::back_inserter(out), [&](const Json& record) { return record.at("kind") == kind; });
    return out;
  }
};

Records records(const std::string& lines) {
  Records out;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    EXPECT_TRUE(Json::accept(line)) << line;
    if (Json::accept(line)) out.all.push_back(Json::parse(line));
  }
  EXPECT_TRUE(lines.empty() || lines.back() == '\n');
  return out;
}

std::string without_times(const std::string& text) {
  return test::with_matches_replaced(text, R"("micros": ?[-+.0-9e]+)", "\"micros\":0");
}

std::string answers(const Records& run) {
  std::string out;
  for (const Json& record : run.of("verdict"))
    out += fmt::format("{}={} ", record.at("claim").get<std::string>(),
                       record.at("value").is_null() ? record.at("verdict").get<std::string>() : record.at("value").dump());
  return out;
}

// ---- exit codes

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
  const Words huge{"check", "--layout", "SpyreTensorLayout((4096, 100000, 151), torch.float16)", "--tensor",
                   "f16[4096,100000,151]", "--engine", "enumerate", "--format", "jsonl"};
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
    return fmt::format("schema = 1\n[[case]]\nid = \"it\"\nlayout = \"{}\"\ntensor = \"f16[5,100,150]\"\n{}\n", layout, rest);
  };
  struct Row {
    const char* name;
    std::string document;
    int code;
  };
  const std::vector<Row> table = {
      {"refuted as expected", document(kShort, "expect = { in-bounds = \"refuted\", injective = \"proved\" }"), 0},
      {"with its witness",
       document(kShort, "[[case.claim]]\nclaim = \"in-bounds\"\nexpect = \"refuted\"\ncounterexample = { a = [0, 0, 128] }"), 0},
      {"with another witness",
       document(kShort, "[[case.claim]]\nclaim = \"in-bounds\"\nexpect = \"refuted\"\ncounterexample = { a = [0, 0, 129] }"), 10},
      {"with a field it does not have",
       document(kShort, "[[case.claim]]\nclaim = \"in-bounds\"\nexpect = \"refuted\"\ncounterexample = { b = [0, 0, 128] }"), 10},
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

TEST(ExitCode, OfWrongUsageIs64WithHelpOnStderr) {
  const std::vector<Words> table = {
      {},
      {"chek"},
      {"check"},
      {"check", "--frobnicate"},
      {"check", "--layout", kDoc},
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
  EXPECT_EQ(answers(run), "well-formed=proved in-bounds=proved injective=proved bijective=proved offset-identity=proved padding=21000 ");
  for (const Json& record : run.of("verdict")) {
    // The documented fields, in their order; others may stand among them.
    Words known;
    for (const char* key : {"kind", "case", "layout", "claim", "verdict", "value", "engine", "scope", "certificate",
                            "counterexample", "reason", "expected", "as_expected", "micros"})
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
    EXPECT_EQ(record.at("as_expected"), true);
    EXPECT_TRUE(record.at("engine").is_string());
    EXPECT_TRUE(record.at("micros").is_number());
    EXPECT_EQ(record.at("value").is_null(), record.at("claim") != "padding");
    const std::string certificate = record.at("certificate");
    EXPECT_TRUE(certificate == "checked" || certificate == "trusted") << certificate;
    EXPECT_EQ(record.contains("trusted"), certificate == "trusted");
  }
  const Json& summary = run.all.back();
  const Json expected = {{"kind", "summary"}, {"cases", 1},       {"proved", 6}, {"refuted", 0},   {"unknown", 0},
                         {"vacuous", 0},      {"unsupported", 0}, {"errors", 0}, {"unexpected", 0}};
  EXPECT_EQ(summary, expected);
}

TEST(Jsonl, NamesTheWitnessOfARefutation) {
  // An expanded host: both rows lie in the same memory.
  const Ran ran = verify_layout({"check", "--layout", "SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)",
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
    document += fmt::format("[[case]]\nid = \"case-{:02}\"\nlayout = \"SpyreTensorLayout((5, 100, 150), torch.float16)\"\n"
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
  const Ran ran = verify_layout({"check", "--format", "jsonl",
                                 folder.file("it.toml", fmt::format("schema = 1\n[[case]]\nid = \"it\"\nlayout = '{}'\n"
                                                                    "tensor = 'f16[5,100,150]'\n"
                                                                    "expect = {{ in-bounds = 'proved', padding = 7 }}\n", kDoc))});
  EXPECT_EQ(ran.code, 10);
  const auto verdicts = records(ran.out).of("verdict");
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].at("case"), "it");
  EXPECT_EQ(verdicts[0].at("expected"), "proved");
  EXPECT_EQ(verdicts[0].at("as_expected"), true);
  EXPECT_EQ(verdicts[1].at("expected"), 7);
  EXPECT_EQ(verdicts[1].at("verdict"), "proved");  // it was computed exactly, whatever was expected
  EXPECT_EQ(verdicts[1].at("value"), 21000);
  EXPECT_EQ(verdicts[1].at("as_expected"), false);
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
    here["micros"] = verdicts[i]["micros"] = 0;
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
  const Ran ran = verify_layout({"check", "--layout", kIssue, "--tensor", "f16[40,60]", "--cross-check", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(answers(records(ran.out)),
            "well-formed=proved in-bounds=proved injective=proved bijective=proved offset-identity=proved padding=672 ");
}

TEST(Check, CrossChecksARefutation) {
  const Ran ran = verify_layout({"check", "--layout", kShort, "--tensor", "f16[5,100,150]", "--claim", "in-bounds",
                                 "--cross-check", "--explain-engine", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 10) << ran.out;
  const Json verdict = records(ran.out).of("verdict").at(0);
  EXPECT_EQ(verdict.at("counterexample").at("a"), Json({0, 0, 128}));
  const std::string attempts = verdict.at("attempts").dump();
  for (const char* engine : {"strided", "gf2", "enumerate", "presburger", "smt"}) EXPECT_NE(attempts.find(engine), std::string::npos) << attempts;
}

TEST(Check, DecidesAHugeTensorWithoutWalkingOverIt) {
  const Ran ran = verify_layout({"check", "--layout", "SpyreTensorLayout((4096, 100000, 151), torch.float16)", "--tensor",
                                 "f16[4096,100000,151]", "--explain-engine"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_TRUE(ran.out.find("engine strided") != std::string::npos || ran.out.find("engine smt") != std::string::npos);
  EXPECT_EQ(ran.out.find("enumerate"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("16793600000"), std::string::npos) << ran.out;  // 100000 * 4096 * (192 - 151)
}

TEST(Check, AsksTheEngineThatIsForced) {
  for (const std::string engine : {"strided", "enumerate", "presburger", "smt"}) {
    const Ran ran = verify_layout({"check", "--layout", "SpyreTensorLayout((4, 6), torch.float16)", "--tensor", "f16[4,6]",
                                   "--claim", "in-bounds", "--claim", "injective", "--claim", "bijective", "--engine", engine,
                                   "--format", "jsonl"});
    EXPECT_EQ(ran.code, 0) << engine << ran.out;
    for (const Json& record : records(ran.out).of("verdict")) {
      EXPECT_EQ(record.at("verdict"), "proved") << record;
      EXPECT_EQ(record.at("engine"), engine) << record;
    }
  }
}

TEST(Check, TakesTheNumberOfAMeasuringClaim) {
  const Words common{"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--claim"};
  for (const auto& [claim, code] : std::vector<std::pair<std::string, int>>{{"padding=21000", 0}, {"padding=20999", 10}}) {
    Words arguments = common;
    arguments.push_back(claim);
    EXPECT_EQ(verify_layout(arguments).code, code) << claim;
  }
}

TEST(Check, ReadsAHostViewFromItsFlags) {
  // Rows of 60 that start every 64 elements, on a device whose rows hold 60.
  const Words common{"check", "--layout", "SpyreTensorLayout(device_size=[40, 60], stride_map=[64, 1], device_dtype=SEN169_FP16)",
                     "--tensor", "f16[40,60]", "--claim", "in-bounds", "--claim", "bijective", "--format", "jsonl"};
  const auto asked = [&](const Words& more) {
    Words arguments = common;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return verify_layout(arguments);
  };
  EXPECT_EQ(answers(records(asked({"--strides", "64,1", "--offset", "256"}).out)), "in-bounds=proved bijective=proved ");
  for (const Words& wrong : {Words{}, Words{"--strides", "[60, 1]"}, Words{"--strides", "64,1", "--view-offset", "1"}}) {
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
  const Ran ran = verify_layout({"check", "--layout", "SpyreTensorLayout((4, 70), torch.float16)", "--tensor", "f16[4,70]", "--claim",
                                 "in-bounds", "--claim", "injective", "--claim", "bijective", "--dump-smt", folder.at("new/dumps")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  const auto answered = solve_dumps(folder);
  EXPECT_GE(answered.size(), 3U);
  for (const std::string& answer : answered) EXPECT_TRUE(answer.ends_with(" unsat")) << answer;
}

TEST(DumpSmt, OfRefutationsIsSatisfiable) {
  const Folder folder;
  const Ran ran = verify_layout({"check", "--layout", "SpyreTensorLayout(device_size=[1, 4, 64], stride_map=[64, 70, 1], device_dtype=SEN169_FP16)",
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
  const Ran other = verify_layout({"equal", "--layout", kDoc, "--with", size + ", [1, 0, 2])", "--tensor", "f16[5,100,150]", "--format", "jsonl"});
  EXPECT_EQ(other.code, 10);
  const Json verdict = records(other.out).of("verdict").at(0);
  EXPECT_EQ(verdict.at("claim"), "equal");
  // [0,0,64] starts the second stick: 1*5*64 = 320 on the one, 1*100*64 on the other; all before lie together.
  EXPECT_EQ(verdict.at("counterexample").at("a"), Json({0, 0, 64}));
  EXPECT_EQ(verify_layout({"check", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--claim", "equal=" + size + ")"}).code, 0);
}

TEST(List, NamesEveryFamilyAndClaim) {
  const Ran families = verify_layout({"families"});
  EXPECT_EQ(families.code, 0);
  for (const char* said : {"spyre", "SpyreTensorLayout(", "offset-identity"}) EXPECT_NE(families.out.find(said), std::string::npos) << said;
  const Ran claims = verify_layout({"claims"});
  EXPECT_EQ(claims.code, 0);
  for (const char* said : {"well-formed", "in-bounds", "injective", "onto", "bijective", "offset-identity", "padding", "equal", "physical"})
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
  for (const char* flag : {"--layout", "--tensor", "--strides", "--offset", "--view-offset", "--family", "--claim", "--format",
                           "--timeout", "--engine", "--cross-check", "--explain-engine", "--jobs", "--dump-smt"})
    EXPECT_NE(check.out.find(flag), std::string::npos) << flag;
  EXPECT_EQ(help.err + check.err, "");
}

}  // namespace
}  // namespace vl
