// --baseline, --update-baseline and comments `verify-layout: ignore`: what is known is no failure, what is new is one,
// and what is gone is said.
#include "verifier/report/baseline.h"
#include "tests/cli/records.h"
#include "verifier/session/scan.h"

namespace vl {
namespace cli_baseline_test {

// Two layouts whose elements overlap, one that is right, and one that is an error.
const std::string kText =
    "a = S[(2,2):(1,1)]\n"
    "b = S[(8,4):(4,1)]\n"
    "c = SpyreTensorLayout((4, 64), torch.float64)\n"
    "d = S[(3,3):(1,1)]\n";

// "a.py:1 injective refuted new", one a line, of what has a field `baseline` or `ignored`.
Words marked(const Ran& run) {
  Words out;
  for (const Json& record : records(run.out).all) {
    if (record["kind"] == "summary") continue;
    if (!record.contains("baseline") && !record.contains("ignored") && record["kind"] != "unused-ignore") continue;
    const std::string file = record["file"];
    const auto text = [&](const char* field) {
      return record.contains(field) && record[field].is_string() ? record[field].get<std::string>() : std::string("-");
    };
    out.push_back(fmt::format("{}:{} {} {} {}{}", file.substr(file.rfind('/') + 1), record["line"].dump(),
                              record["kind"].get<std::string>(), text("claim"), text("baseline"),
                              record.contains("ignored") ? " ignored: " + text("ignored") : ""));
  }
  return out;
}

Json summary_of(const Ran& run) { return records(run.out).of("summary").at(0); }

// The other formats agree with the exit code.
void expect_two_known_and_one_gone(const Folder& folder, Words run) {
  for (const char* format : {"sarif", "junit", "github", "text"})
    run.insert(run.end(), {"--output", std::string(format) + "=" + folder.at(format)});
  EXPECT_EQ(verify_layout(run).code, 0);
  const Json results = Json::parse(test::read_text(folder.at("sarif")))["runs"][0]["results"];
  Words states;
  for (const Json& result : results) states.push_back(result["baselineState"]);
  EXPECT_EQ(states, (Words{"unchanged", "unchanged", "absent"})) << results;
  const std::string junit = test::read_text(folder.at("junit"));
  EXPECT_NE(junit.find("failures=\"0\" errors=\"0\""), std::string::npos) << junit;
  EXPECT_NE(junit.find("<skipped type=\"known\""), std::string::npos) << junit;
  EXPECT_EQ(test::read_text(folder.at("github")).find("::error"), std::string::npos);
  EXPECT_NE(test::read_text(folder.at("text")).find(" 2 known, 1 gone"), std::string::npos);
}

TEST(Baseline, WhatStandsInItIsKnownWhatIsNewIsRedAndWhatIsGoneIsSaid) {
  const Folder folder;
  const std::string text = folder.file("src/a.py", kText);
  const std::string file = folder.at("known.json");
  const Words run = {"check", "--scan", folder.at("src"), "--baseline", file, "--format", "jsonl", "--quiet"};
  const auto with = [&](const char* option) {
    Words words = run;
    words.emplace_back(option);
    return verify_layout(words);
  };
  EXPECT_EQ(verify_layout(run).code, 2) << "there is no such file yet";
  const Ran made = with("--update-baseline");
  EXPECT_EQ(made.code, 0) << made.out << made.err;
  const std::string content = test::read_text(file);
  const Json parsed = Json::parse(content);
  EXPECT_EQ(parsed["baseline"], 1);
  ASSERT_EQ(parsed["findings"].size(), 3U) << content;
  EXPECT_EQ(parsed["findings"][0]["file"], "src/a.py");
  EXPECT_EQ(std::ranges::count(content, '\n'), 5) << "a finding is a line";
  EXPECT_EQ(content.find(folder.path()), std::string::npos) << "names are relative to the baseline";

  // The same again, and after lines were moved: nothing fails, and an update writes the same bytes.
  test::write_text(text, "\n\n" + kText);
  const Ran again = verify_layout(run);
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_EQ(summary_of(again)["known"], 3) << again.out;
  EXPECT_EQ(summary_of(again)["failed"], 0);
  EXPECT_EQ(with("--update-baseline").code, 0);
  EXPECT_EQ(test::read_text(file), content);

  // One is mended, and one is new.
  test::write_text(
      text,
      "a = S[(2,2):(2,1)]\nc = SpyreTensorLayout((4, 64), torch.float64)\nd = S[(3,3):(1,1)]\ne = S[(5,5):(1,1)]\n");
  const Words whole = {"check", text, "--baseline", file, "--format", "jsonl"};
  const Ran changed = verify_layout(whole);
  EXPECT_EQ(changed.code, 10) << changed.out;
  EXPECT_EQ(marked(changed), (Words{"a.py:2 error - known", "a.py:3 verdict injective known",
                                    "a.py:4 verdict injective new", "a.py:null gone injective gone"}));
  EXPECT_EQ(summary_of(changed)["failed"], 1);
  EXPECT_EQ(summary_of(changed)["gone"], 1);

  // Gone alone is green, and red with --strict (whose warnings are none here).
  test::write_text(text, "c = SpyreTensorLayout((4, 64), torch.float64)\nd = S[(3,3):(1,1)]\n");
  EXPECT_EQ(verify_layout(run).code, 0);
  EXPECT_EQ(with("--strict").code, 10);
  expect_two_known_and_one_gone(folder, whole);
  EXPECT_EQ(with("--update-baseline").code, 0);
  EXPECT_EQ(Json::parse(test::read_text(file))["findings"].size(), 2U);
}

// An entry is gone only where the run has looked for it.
TEST(Baseline, WhatARunDoesNotAskStaysAsItIs) {
  const Folder folder;
  folder.file("a.py", kText);
  folder.file("b.py", "S[(4,4):(1,1)]\n");
  const std::string file = folder.at("known.json");
  ASSERT_EQ(verify_layout({"check", "--scan", folder.path(), "--baseline", file, "--update-baseline"}).code, 0);
  const std::string content = test::read_text(file);
  // One file, or another claim.
  for (const Words& words :
       {Words{"check", folder.at("b.py"), "--strict"}, Words{"check", folder.at("b.py"), "--claim", "in-bounds"},
        Words{"check", folder.at("a.py"), "--claim", "in-bounds"}}) {
    Words run = words;
    run.insert(run.end(), {"--baseline", file, "--format", "jsonl"});
    const Ran ran = verify_layout(run);
    EXPECT_EQ(ran.out.find("\"kind\":\"gone\""), std::string::npos) << ran.out;
    EXPECT_EQ(summary_of(ran)["gone"], 0);
    run.emplace_back("--update-baseline");
    verify_layout(run);
    EXPECT_EQ(test::read_text(file), content) << run[2];
  }
  std::filesystem::remove(folder.at("a.py"));
  EXPECT_EQ(
      summary_of(verify_layout({"check", "--scan", folder.path(), "--baseline", file, "--format", "jsonl"}))["gone"],
      3);
}

// What was undecided and is refuted now is new; what is refuted and becomes undecided is known.
TEST(Baseline, AWorseAnswerIsNew) {
  const auto marked_as = [](const char* before, question::Verdict now) {
    report::Baseline baseline("/x");
    const std::string text = fmt::format(
        R"({{"baseline":1,"findings":[{{"file":"a","layout":"L","tensor":"T","claim":"c","verdict":"{}"}}]}})", before);
    EXPECT_FALSE(baseline.read(text).has_value());
    question::Case c;
    c.layout = "L", c.tensor = "T", c.place.file = "/x/a", c.occurrences = 1;
    question::Answer answer;
    answer.claim = "c";
    answer.verdict = std::move(now);
    c.answers.push_back(std::move(answer));
    baseline.compare(c);
    return c.answers[0].excuse.baseline;
  };
  using Mark = question::Excuse::Baseline;
  const question::Unknown unknown{question::Reason::Timeout, "", {}};
  EXPECT_EQ(marked_as("unknown", question::Refuted{}), Mark::New);
  EXPECT_EQ(marked_as("unknown", unknown), Mark::Known);
  EXPECT_EQ(marked_as("refuted", unknown), Mark::Known);
  EXPECT_EQ(marked_as("refuted", question::Refuted{}), Mark::Known);
  EXPECT_EQ(marked_as("refuted", question::Unknown{question::Reason::EnginesDisagree, "", {}}), Mark::None);
}

TEST(Baseline, ABrokenFileIsAnErrorWithItsPlaceAndStaysAsItIs) {
  struct Row {
    const char* text;
    const char* says;
  };
  const std::string finding = R"({"file":"a","layout":"L","tensor":"T","claim":"c","verdict":"refuted"})";
  const Folder folder;
  const std::string text = folder.file("a.py", kText);
  const std::vector<std::pair<std::string, const char*>> rows = {
      {"", ":1:1: expected a baseline"},
      {"[]", ":1:1: expected a baseline"},
      {"{\"findings\":[]}", ":1:1: expected \"baseline\":1"},
      {"{\"baseline\":2,\"findings\":[]}", ":1:13: version 2 of the format; expected 1"},
      {"{\"baseline\":1}", ":1:1: expected \"findings\""},
      {"{\"baseline\":1,\"findings\":[]} x", ":1:30: "},
      {"{\"baseline\":1,\"finding\":[]}", ":1:15: a baseline has no field 'finding'"},
      {"{\"baseline\":1,\"findings\":[\n<<<<<<< HEAD\n" + finding + "]}", ":2:1: expected a finding"},
      {"{\"baseline\":1,\"findings\":[\n" + finding + ",\n" + finding + "\n]}", ":3:1: this finding stands here twice"},
      {"{\"baseline\":1,\"findings\":[\n{\"file\":\"a\"}]}", ":2:1: this finding lacks 'layout'"},
      {"{\"baseline\":1,\"findings\":[\n{\"file\":\"a\",\"line\":\"3\"}]}", ":2:13: a finding has no field 'line'"},
      {"{\"baseline\":1,\"findings\":[\n{\"file\":3}]}", ":2:9: expected a text"},
  };
  for (const auto& [content, says] : rows) {
    const std::string file = folder.file("known.json", content);
    const Ran ran = verify_layout({"check", text, "--baseline", file, "--update-baseline"});
    EXPECT_EQ(ran.code, 2) << content;
    EXPECT_NE(ran.err.find(file + says), std::string::npos) << says << "\n" << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(test::read_text(file), content);
  }
  EXPECT_EQ(verify_layout({"check", "--layout", "S[8:1]", "--baseline", folder.at("x")}).code, 64);
  EXPECT_EQ(verify_layout({"check", text, "--update-baseline"}).code, 64);
}

TEST(IgnoreComment, ExcusesOneClaimAtOnePlace) {
  const Folder folder;
  const std::string text = folder.file("a.py",
                                       "a = S[(2,2):(1,1)]  # verify-layout: ignore injective both halves are one\n"
                                       "b = S[(2,2):(1,1)]\n"
                                       "// verify-layout: ignore in-bounds -- of the other claim\n"
                                       "/* verify-layout: ignore injective a broadcast */\n"
                                       "c = S[(3,3):(1,1)]\n"
                                       "# verify-layout: ignore error it is cut in the log\n"
                                       "d = SpyreTensorLayout((4, 64), torch.float64)\n"
                                       "e = S[(4,4):(4,1)]  # verify-layout: ignore injective it is right\n"
                                       "# verify-layout: ignore bijective not asked here\n"
                                       "f = S[(5,5):(5,1)]\n"
                                       "See `verify-layout: ignore CLAIM reason` in the manual.\n");
  const Words run = {"check", text, "--format", "jsonl"};
  const Ran ran = verify_layout(run);
  EXPECT_EQ(ran.code, 10) << ran.out;
  EXPECT_EQ(marked(ran),
            (Words{"a.py:1 verdict injective - ignored: both halves are one",
                   "a.py:5 verdict injective - ignored: a broadcast", "a.py:7 error - - ignored: it is cut in the log",
                   "a.py:3 unused-ignore in-bounds -", "a.py:8 unused-ignore injective -"}));
  EXPECT_EQ(summary_of(ran)["failed"], 1) << "line 2 has the same layout and no comment";
  EXPECT_EQ(summary_of(ran)["ignored"], 3);
  const Ran strict = verify_layout({"check", text, "--strict", "--claim", "injective", "--format", "jsonl"});
  EXPECT_EQ(strict.code, 10);
  EXPECT_GE(summary_of(strict)["failed"], 2);
  const Json sarif = Json::parse(verify_layout({"check", text, "--format", "sarif"}).out)["runs"][0]["results"];
  EXPECT_EQ(sarif[0]["suppressions"][0]["justification"], "both halves are one") << sarif;
  EXPECT_EQ(sarif[0]["suppressions"][0]["kind"], "inSource");
}

TEST(IgnoreComment, WithoutAReasonOrOfNoClaimIsAnError) {
  const Folder folder;
  const std::string text = folder.file("a.py",
                                       "S[8:1]  # verify-layout: ignore injective\n"
                                       "S[9:1]  # verify-layout: ignore injektive for the test\n"
                                       "# verify-layout: ignore\n"
                                       "# verify-layout: ignored are such words\n");
  const Ran ran = verify_layout({"check", text});
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_NE(ran.err.find("a.py:1:11: expected a reason after 'verify-layout: ignore injective'"), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("a.py:2:11: 'injektive' is not a claim to ignore"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("a.py:3:3: expected a claim and a reason"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("a.py:4"), std::string::npos) << ran.err;
}

// However the text is cut into parts, the comments and their lines are the same.
TEST(IgnoreComment, ThePartsInWhichATextIsReadDoNotMatter) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += fmt::format("{}\n# verify-layout: ignore injective reason {}\nS[(2,2):(1,1)]\n",
                        std::string(static_cast<std::size_t>(i * 7 % 900), '.'), i);
  const auto found = [&](std::size_t block) {
    session::ScanOptions options;
    options.block = block;
    std::size_t at = 0;
    const session::Scanned scanned = session::scan(
        "a",
        [&](char* buffer, std::size_t most) {
          const std::size_t size = text.copy(buffer, most, at);
          at += size;
          return size;
        },
        options);
    std::string out;
    for (const question::IgnoreComment& comment : scanned.comments)
      out += fmt::format("{}:{} {}\n", comment.line, comment.column, comment.reason);
    for (const auto& item : scanned.all)
      out += std::visit([](const auto& one) { return fmt::format("{}<{} ", one.at.place.line, one.at.ignores.size()); },
                        item);
    return out;
  };
  const std::string whole = found(1 << 20);
  EXPECT_EQ(std::ranges::count(whole, '\n'), 300);
  EXPECT_EQ(std::ranges::count(whole, '<'), 300) << "each comment makes a finding of its own";
  for (const std::size_t block : {std::size_t{13}, std::size_t{4096}, std::size_t{65536}, std::size_t{70001}})
    EXPECT_EQ(found(block), whole) << block;
}

}  // namespace cli_baseline_test
}  // namespace vl
