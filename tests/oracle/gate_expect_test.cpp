// Expectations: each of the reasons for which a run is red, and the repair that makes it green again.
#include <gtest/gtest.h>

#include "oracle/gate/expect.h"
#include "oracle/gate/formats.h"
#include "oracle/gate/update.h"

namespace vl::gate {
namespace oracle_gate_expect_test {

const std::string kRequest =
    R"({"op":"derive.slice","family":"tirx","layout":"S[(2,2,2):(1,2,4)]","tensor":{"dtype":"u8","shape":[8]},"region":[[3,5]]})";
const std::string kSignature = "tirx/derive.slice/value/bijective";

std::string file_text(const std::string& known = "",
                      const std::string& head = "versions = \">=1.0, <2\"\ngenerator = " + std::to_string(kGenerator) +
                                                "\n") {
  return "# ours\nschema = 1\npeer = \"mine\"\n" + head + "[minimum.\"tirx/derive.slice\"]\nagree = 0.5  # of all\n" +
         known;
}

std::string known_text(const std::string& more = "issue = \"https://example.org/1\"\n",
                       const std::string& answer = R"({"ok":{"layout":"S[2:1]"}})") {
  return "[[known]]\nsignature = '" + kSignature + "'\ncase = '" + kRequest + "'\nanswer = '" + answer +
         "'\njudgement = \"disagree\"\n" + more;
}

Expectations read(const std::string& text) {
  const auto out = read_expectations("expect.toml", text);
  const auto* wrong = std::get_if<std::vector<Diagnostic>>(&out);
  EXPECT_EQ(wrong, nullptr) << (wrong != nullptr ? wrong->front().message : "") << "\n" << text;
  return wrong == nullptr ? std::get<Expectations>(out) : Expectations();
}

Peer peer(const std::string& version = "1.2") {
  Peer out;
  out.name = "mine", out.version = version;
  return out;
}

// A run of 100 slices, of which so many disagree, with one signature.
CampaignResult run_with(std::uint64_t disagree, const std::string& signature = kSignature) {
  CampaignResult out;
  OpTotals op;
  op.family = "tirx", op.op = "derive.slice", op.asked = 100;
  op.words[static_cast<std::size_t>(Word::Agree)] = 100 - disagree;
  op.words[static_cast<std::size_t>(Word::Disagree)] = disagree;
  if (disagree > 0) {
    Finding finding;
    finding.signature = signature, finding.family = "tirx", finding.op = op.op, finding.judgement = "disagree";
    finding.kind = "value", finding.detail = "element [1] | lies at 1", finding.count = disagree;
    finding.request = *parse_json(kRequest);
    op.findings.emplace(signature, finding);
  }
  out.ops.push_back(std::move(op));
  return out;
}

KnownAnswer answered(Word word, const std::string& layout = "S[2:1]") {
  KnownAnswer out;
  out.reply = {ReplyKind::Ok, *parse_json(R"({"layout":")" + layout + "\"}"), {}, 0};
  out.judgement.word = word;
  return out;
}

std::vector<std::string> reasons(const std::string& text, const CampaignResult& result,
                                 const std::vector<KnownAnswer>& answers = {}, const std::string& version = "1.2",
                                 int today = 20261124) {
  std::map<std::string, std::string> known;
  std::vector<std::string> out;
  for (const Red& red : compare(read(text), peer(version), result, answers, true, today, &known))
    out.push_back(red.reason);
  return out;
}

using Reasons = std::vector<std::string>;

TEST(GateExpect, GreenIsWhatWasExpected) {
  EXPECT_EQ(reasons(file_text(), run_with(0)), Reasons{});
  EXPECT_EQ(reasons(file_text(known_text()), run_with(3), {answered(Word::Disagree)}), Reasons{});
}

TEST(GateExpect, EachReasonIsRed) {
  EXPECT_EQ(reasons(file_text(), run_with(1)), Reasons{"new"});
  EXPECT_EQ(reasons(file_text(known_text()), run_with(0), {answered(Word::Agree)}), Reasons{"stale"});
  EXPECT_EQ(reasons(file_text(known_text()), run_with(1), {answered(Word::Disagree, "S[2:7]")}), Reasons{"changed"});
  EXPECT_EQ(reasons(file_text(known_text()), run_with(1), {answered(Word::Error)}), Reasons{"changed"});
  EXPECT_EQ(reasons(file_text(known_text()), run_with(1), {answered(Word::Unsupported)}), Reasons{"skipped"});
  EXPECT_EQ(reasons(file_text(known_text()), run_with(60), {answered(Word::Disagree)}), Reasons{"minimum"});
  EXPECT_EQ(reasons(file_text(), run_with(0), {}, "2.0"), Reasons{"version"});
  EXPECT_EQ(reasons(file_text("", "generator = 99\n"), run_with(0)), Reasons{"generator"});
  EXPECT_EQ(
      reasons(file_text(known_text("issue = \"x\"\nuntil = 2026-01-01\n")), run_with(1), {answered(Word::Disagree)}),
      Reasons{"expired"});
  EXPECT_EQ(
      reasons(file_text(known_text("issue = \"x\"\nuntil = 2027-01-01\n")), run_with(1), {answered(Word::Disagree)}),
      Reasons{});
  EXPECT_EQ(reasons(file_text(known_text("")), run_with(1), {answered(Word::Disagree)}), Reasons{"no-issue"});
  const std::string rated = known_text("issue = \"x\"\nrate = [0.02, 0.05]\n");
  EXPECT_EQ(reasons(file_text(rated), run_with(3), {answered(Word::Disagree)}), Reasons{});
  EXPECT_EQ(reasons(file_text(rated), run_with(1), {answered(Word::Disagree)}), Reasons{"rate"});
  EXPECT_EQ(reasons(file_text(rated), run_with(9), {answered(Word::Disagree)}), Reasons{"rate"});
}

TEST(GateExpect, AGlobCoversAtMostTwentySignatures) {
  std::string text = file_text(known_text());
  text.replace(text.find(kSignature), kSignature.size(), "tirx/derive.slice/*");
  CampaignResult result = run_with(1);
  for (int k = 0; k < 19; ++k) {
    Finding finding = result.ops[0].findings.begin()->second;
    finding.signature += "," + std::to_string(k);
    result.ops[0].findings.emplace(finding.signature, finding);
  }
  EXPECT_EQ(reasons(text, result), Reasons{});
  Finding one = result.ops[0].findings.begin()->second;
  one.signature += ",more";
  result.ops[0].findings.emplace(one.signature, one);
  EXPECT_EQ(reasons(text, result), Reasons{"glob"});
}

TEST(GateExpect, OnlyAMissedMinimumIsTooLittle) {
  EXPECT_EQ(code_of({}), 0);
  EXPECT_EQ(code_of({{"minimum", "", "", 0}}), 5);
  EXPECT_EQ(code_of({{"minimum", "", "", 0}, {"new", "", "", 0}}), 10);
}

TEST(GateExpect, VersionsAreComparedPartByPart) {
  EXPECT_TRUE(satisfies("0.27.0.post1", ">=0.26, <0.28"));
  EXPECT_FALSE(satisfies("0.9", ">=0.26"));
  EXPECT_TRUE(satisfies("0.100", ">0.26"));
  EXPECT_TRUE(satisfies("1.2", "==1.2"));
  EXPECT_FALSE(satisfies("1.2.1", "==1.2"));
  EXPECT_TRUE(satisfies("anything", ""));
  EXPECT_TRUE(matches("a/*/c", "a/b/x/c"));
  EXPECT_FALSE(matches("a/*/c", "a/b/d"));
}

TEST(GateExpect, FilesAreRefusedWithTheirLine) {
  const std::pair<std::string, std::size_t> kRejects[] = {
      {"schema = 2\npeer = \"x\"\n", 0},
      {"schema = 1\n", 0},
      {"schema = 1\npeer = \"x\"\nextra = 1\n", 3},
      {file_text("", "versions = 7\n"), 4},
      {"schema = 1\npeer = \"x\"\n[minimum.\"derive.slice\"]\nagree = 0.5\n", 3},
      {"schema = 1\npeer = \"x\"\n[minimum.\"tirx/place\"]\nagree = 1.5\n", 4},
      {"schema = 1\npeer = \"x\"\n[minimum.\"tirx/place\"]\nagre = 0.5\n", 4},
      {"schema = 1\npeer = \"x\"\n[[known]]\nsignature = \"a\"\ncase = 'no'\njudgement = \"disagree\"\n", 5},
      {file_text(known_text("until = \"soon\"\n")), 0},
      {file_text(known_text("rate = [1]\n")), 0},
      {file_text(known_text("convention = \"scaled\"\n")), 0},  // which is none of a slice
      {"schema = 1\npeer = \"x\"\n[[known]\n", 0},
      {"", 0},
  };
  for (const auto& [text, line] : kRejects) {
    const auto out = read_expectations("expect.toml", text);
    const auto* wrong = std::get_if<std::vector<Diagnostic>>(&out);
    ASSERT_NE(wrong, nullptr) << text;
    EXPECT_FALSE(wrong->front().message.empty());
    EXPECT_TRUE(line == 0 || wrong->front().line == line) << text << wrong->front().message;
  }
}

TEST(GateExpect, AnUpdateRaisesMinimaAndKeepsComments) {
  const std::string text = file_text(known_text());
  const CampaignResult result = run_with(10);
  std::map<std::string, std::string> known;
  const auto reds = compare(read(text), peer("2.5"), result, {answered(Word::Agree)}, true, 20261124, &known);
  const auto updated_text = updated(text, read(text), peer("2.5"), result, reds, {});
  ASSERT_TRUE(updated_text.has_value());
  EXPECT_NE(updated_text->find("agree = 0.882  # of all"), std::string::npos) << *updated_text;  // 98 % of 90 of 100
  EXPECT_NE(updated_text->find("versions = \"==2.5\""), std::string::npos);
  EXPECT_EQ(updated_text->find("[[known]]"), std::string::npos) << "a stale entry stays";
  EXPECT_TRUE(updated_text->starts_with("# ours\n"));
  // It never lowers a minimum without being told, and accepts nothing without an issue.
  const auto lower = updated(text, read(text), peer(), run_with(80), {}, {});
  EXPECT_NE(lower->find("agree = 0.5  # of all"), std::string::npos);
  const auto told = updated(text, read(text), peer(), run_with(80), {}, {{"tirx/derive.slice"}, {}, ""});
  EXPECT_NE(told->find("agree = 0.196  # of all"), std::string::npos) << *told;
  EXPECT_FALSE(updated(text, read(text), peer(), result, {}, {{}, {kSignature}, ""}).has_value());
  EXPECT_FALSE(updated(text, read(text), peer(), result, {}, {{}, {"no/such"}, "https://x"}).has_value());
  EXPECT_FALSE(updated(text, read(text), peer(), result, {}, {{}, {kSignature}, "https://x"}).has_value()) << "known";
  const auto accepted = updated(file_text(), read(file_text()), peer(), result, {}, {{}, {kSignature}, "https://x"});
  ASSERT_TRUE(accepted.has_value());
  EXPECT_EQ(reasons(*accepted, result), Reasons{});
}

// A mend may answer, and it may refuse.
TEST(GateExpect, AnUpdateRemovesWhatIsRefusedNowAndKeepsWhatIsStillAFinding) {
  const std::string text = file_text(known_text());
  for (const auto& [word, stays] : {std::pair{Word::Refused, false},
                                    {Word::AcceptedInvalid, false},
                                    {Word::RefusedValid, true},
                                    {Word::Unsupported, true}}) {
    std::map<std::string, std::string> known;
    const auto reds = compare(read(text), peer(), run_with(0), {answered(word)}, true, 20261124, &known);
    ASSERT_EQ(reds.size(), 1U) << name(word);
    EXPECT_EQ(reds[0].reason, word == Word::Unsupported ? "skipped" : "changed");
    const auto next = updated(text, read(text), peer(), run_with(0), reds, {});
    ASSERT_TRUE(next.has_value());
    EXPECT_EQ(next->find("[[known]]") != std::string::npos, stays) << name(word) << *next;
  }
}

TEST(GateExpect, EveryFormatNamesTheFinding) {
  Report report;
  report.peer = peer();
  report.result = run_with(2);
  const auto cage = Cage::choose(CageWish::None, {});
  report.cage = &*cage;
  report.expected_file = "expect.toml";
  report.reds = compare(read(file_text()), report.peer, report.result, {}, true, 20261124, &report.known);
  EXPECT_EQ(exit_code(report), 10);
  for (const std::string& text : {to_text(report), to_jsonl(report), to_junit(report), to_sarif(report),
                                  to_markdown(report), to_annotations(report)})
    EXPECT_NE(text.find("derive.slice/value/bijective"), std::string::npos) << text;
  EXPECT_TRUE(parse_json(to_sarif(report).substr(0, to_sarif(report).size() - 1)).has_value());
  EXPECT_NE(to_junit(report).find("failures=\"1\""), std::string::npos) << to_junit(report);
  report.reds.clear();
  report.known[kSignature] = "https://example.org/1";
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_NE(to_junit(report).find("failures=\"0\""), std::string::npos);
  EXPECT_NE(to_sarif(report).find("suppressions"), std::string::npos);
  EXPECT_NE(to_sarif(report).find("\"uri\":\"expect.toml\""), std::string::npos);
  report.expected_file.clear();
  report.adapter_file = "gate/adapter.py";
  EXPECT_NE(to_sarif(report).find("\"uri\":\"gate/adapter.py\""), std::string::npos) << to_sarif(report);
}

// The first case of each word with its reason, whatever the order in which ranges are added.
TEST(GateExpect, AReportSaysWhyAnswersWereNone) {
  const auto of = case_of(*parse_json(kRequest));
  ASSERT_TRUE(of.has_value());
  const auto range = [&](std::uint64_t index, const std::string& why) {
    OpTotals out;
    out.family = "tirx", out.op = "derive.slice";
    out.add(index, *of, {}, {.word = Word::Unsupported, .kind = "unsupported", .detail = why}, Standing::Within);
    return out;
  };
  OpTotals sum = range(9, "the later one");
  sum.add(range(4, "no slices"));
  sum.add(range(7, "in between"));
  EXPECT_EQ(sum.unjudged.at(Word::Unsupported).why, "no slices");
  // However much a peer says, and whatever: its start is kept, which ends with a whole character.
  const auto kept = [&](const std::string& why) { return range(1, why).unjudged.at(Word::Unsupported).why; };
  EXPECT_EQ(kept("\x1b[2J" + std::string(99'999, 'a')), "\\u001b[2J" + std::string(196, 'a'));
  std::string letters = "x";
  for (int k = 0; k < 500; ++k) letters += "\u00e4";
  EXPECT_EQ(kept(letters), letters.substr(0, 199));
  Report report;
  report.peer = peer();
  report.result.ops.push_back(sum);
  const auto cage = Cage::choose(CageWish::None, {});
  report.cage = &*cage;
  EXPECT_NE(to_text(report).find("unsupported, for one: no slices"), std::string::npos) << to_text(report);
  EXPECT_NE(to_jsonl(report).find("\"why\":\"no slices\""), std::string::npos);
}

TEST(GateExpect, EveryFormatSaysThatTheRunEndedEarly) {
  Report report;
  report.peer = peer();
  report.result = run_with(0);
  const auto cage = Cage::choose(CageWish::None, {});
  report.cage = &*cage;
  report.gone = "it ended";
  for (const bool early : {false, true}) {
    report.result.ended_early = early;
    for (const std::string& text : {to_junit(report), to_sarif(report), to_markdown(report), to_annotations(report)})
      EXPECT_EQ(text.find("ended early") != std::string::npos, early) << text;
    EXPECT_EQ(to_text(report).find("ENDED EARLY") != std::string::npos, early);
    EXPECT_EQ(to_sarif(report).find("\"executionSuccessful\":false") != std::string::npos, early);
    EXPECT_EQ(to_junit(report).find("failures=\"1\"") != std::string::npos, early) << to_junit(report);
    EXPECT_NE(to_jsonl(report).find(early ? "\"ended_early\":true" : "\"ended_early\":false"), std::string::npos);
  }
}

// An entry is judged under the convention of the run in which it was found.
TEST(GateExpect, AnEntryKeepsItsConvention) {
  CampaignResult result = run_with(2);
  Finding& finding = result.ops[0].findings.begin()->second;
  finding.op = "derive.tile", finding.convention = "unscaled";
  finding.request = *parse_json(
      R"({"op":"derive.tile","family":"tirx","layout":"S[2:1]","tensor":{"dtype":"u8","shape":[2]},"outer":"S[2:1] + 3","outer_shape":[2]})");
  const auto text = updated(file_text(), read(file_text()), peer(), result, {}, {{}, {kSignature}, "https://x"});
  ASSERT_TRUE(text.has_value());
  const Expectations expected = read(*text);
  ASSERT_EQ(expected.known.size(), 1U);
  EXPECT_EQ(expected.known[0].of->convention, "unscaled");
}

}  // namespace oracle_gate_expect_test
}  // namespace vl::gate
