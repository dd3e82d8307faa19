// Exit codes from counted answers: the most severe wins, and an undecided answer never gives 0.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "verifier/report/report.h"

namespace vl::report {
namespace report_tally_test {

using question::Proved;
using question::Reason;
using question::Refuted;
using question::Unknown;

Case with(question::Verdict verdict, std::optional<Expectation> expected = {}, bool as_expected = true) {
  Case c;
  Answer answer;
  answer.claim = "in-bounds";
  answer.verdict = std::move(verdict);
  answer.expected = std::move(expected);
  answer.as_expected = as_expected;
  c.answers.push_back(std::move(answer));
  return c;
}

Case rejected(bool expected) {
  Case c;
  c.diagnostic = Diagnostic{"a.toml", 1, 1, "no", {}, 0};
  c.expected_invalid = expected;
  return c;
}

Case accepted() {
  Case c;
  c.expected_invalid = true;
  return c;
}

Case warned() {
  Case c = with(Proved{"strided", {}, {}});
  c.reading = use::Reading{use::Undecidable{"nothing"}, {}, "", {"the tensor has another size"}, 0, {}};
  return c;
}

Case skipped() {
  Case c;
  c.skipped = "no tensor";
  c.occurrences = 2;
  return c;
}

Case not_judged() {
  Case c;
  c.not_judged = true;
  return c;
}

int code_of(const std::vector<Case>& cases) {
  Tally tally;
  for (const Case& c : cases) count(c, tally);
  return exit_code(tally);
}

const Case kProved = with(Proved{"strided", {}, {}});
const Case kRefuted = with(Refuted{"strided", {}});
const Case kTimeout = with(Unknown{Reason::Timeout, "", "smt"});
const Case kDisagree = with(Unknown{Reason::EnginesDisagree, "", ""});

TEST(ExitCode, IsZeroOnlyWhenEverythingIsProvedOrAsExpected) {
  EXPECT_EQ(code_of({kProved}), 0);
  EXPECT_EQ(code_of({with(Refuted{"strided", {}}, Expectation("refuted"))}), 0);
  EXPECT_EQ(code_of({with(Unknown{Reason::Vacuous, "", ""}, Expectation("vacuous"))}), 0);
  EXPECT_EQ(code_of({rejected(true)}), 0);
}

TEST(ExitCode, NamesWhatIsWrong) {
  EXPECT_EQ(code_of({kRefuted}), 10);
  EXPECT_EQ(code_of({with(Proved{"strided", {}, {}}, Expectation("refuted"), false)}), 10);
  EXPECT_EQ(code_of({kTimeout}), 5);
  EXPECT_EQ(code_of({with(Unknown{Reason::Vacuous, "", ""})}), 5);
  EXPECT_EQ(code_of({with(Unknown{Reason::Unsupported, "", ""})}), 5);
  EXPECT_EQ(code_of({rejected(false)}), 2);
  EXPECT_EQ(code_of({kDisagree}), 11);
}

TEST(ExitCode, IsThatOfTheMostSevereAnswer) {
  EXPECT_EQ(code_of({kProved, kTimeout}), 5);
  EXPECT_EQ(code_of({kTimeout, rejected(false)}), 2);
  EXPECT_EQ(code_of({rejected(false), kRefuted}), 10);
  EXPECT_EQ(code_of({kRefuted, kDisagree, rejected(false)}), 11);
}

TEST(Tally, CountsAnswersExpectedOnesIncludedAndMeasuresAsProved) {
  Tally tally;
  for (const Case& c : {kProved, kRefuted, kTimeout, rejected(false), rejected(true),
                        with(Proved{"strided", {}, 21000}, Expectation(Index{21000})),
                        with(Refuted{"strided", {}}, Expectation("refuted"))})
    count(c, tally);
  EXPECT_EQ(tally.cases, 7);
  EXPECT_EQ(tally.proved, 2);
  EXPECT_EQ(tally.refuted, 2);
  EXPECT_EQ(tally.unknown, 1);
  EXPECT_EQ(tally.errors, 1);
  EXPECT_EQ(tally.unexpected, 0);
}

// What the README says of the exit code, without the code of tally.cpp: 0 if and only if nothing fails and something
// was judged.
rc::Gen<Case> any_case() {
  return rc::gen::element(kProved, kRefuted, kTimeout, kDisagree, rejected(false), rejected(true),
                          with(Refuted{"strided", {}}, Expectation("refuted")),
                          with(Proved{"strided", {}, {}}, Expectation("refuted"), false),
                          with(Unknown{Reason::Vacuous, "", ""}, Expectation("vacuous")), accepted(), warned(),
                          skipped(), not_judged());
}

RC_GTEST_PROP(Tally, SummaryListAndExitCodeAgree, ()) {
  const auto cases = *rc::gen::container<std::vector<Case>>(any_case());
  const Policy policy{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  Tally tally;
  std::string told;
  for (const Case& c : cases) {
    count(c, tally, policy);
    told += to_annotations(c, policy);
  }
  const auto lines = [](const std::string& text, std::string_view start) {
    std::istringstream in(text);
    std::size_t n = 0;
    for (std::string line; std::getline(in, line);) n += line.starts_with(start) ? 1 : 0;
    return n;
  };
  const std::size_t failed = lines(failures_to_text(tally), "FAILED");
  const auto summary = nlohmann::json::parse(summary_line(tally));
  RC_ASSERT(summary.at("failed") == failed);
  const std::size_t warnings =
      policy.strict
          ? 0
          : static_cast<std::size_t>(std::ranges::count_if(cases, [](const Case& c) { return !c.warnings().empty(); }));
  RC_ASSERT(lines(told, "::") == failed + warnings);
  const bool judged =
      std::ranges::any_of(cases, [](const Case& c) { return c.expected_invalid || !c.answers.empty(); });
  RC_ASSERT((exit_code(tally) == 0) == (failed == 0 && judged));
  RC_ASSERT((to_text(tally).find("as expected") != std::string::npos) <= (failed == 0));
  RC_ASSERT((to_text(tally).find("FAILED") != std::string::npos) == (failed > 0 && judged));
}

TEST(Tally, OfNothingIsBadInput) { EXPECT_EQ(code_of({}), 2); }

TEST(Tally, CountsEachCaseOnceHoweverManyErrorsItHas) {
  Case more = rejected(false);
  more.further = true;
  Tally tally;
  for (const Case& c : {rejected(false), more, kProved}) count(c, tally);
  EXPECT_EQ(tally.cases, 2);
  EXPECT_EQ(tally.errors, 2);
  EXPECT_EQ(tally.failures.size(), 2U);
}

TEST(Quiet, KeepsWhatFails) {
  Case both = kRefuted;
  both.answers.push_back(kProved.answers.front());
  ASSERT_TRUE(failing_part(both, {}));
  EXPECT_EQ(failing_part(both, {})->answers.size(), 1U);
  EXPECT_FALSE(failing_part(kProved, {}));
  EXPECT_FALSE(failing_part(warned(), {}));
  EXPECT_TRUE(failing_part(warned(), {.strict = true}));
}

TEST(Junit, NeverLetsAnUndecidedAnswerPass) {
  const std::string xml = to_junit({kProved, kRefuted, kTimeout});
  EXPECT_NE(xml.find(R"(tests="3" failures="1" errors="1")"), std::string::npos) << xml;
}

TEST(Sarif, HasAResultForEverythingThatIsNotAsItShouldBe) {
  const std::string sarif =
      to_sarif({"0", "0", "0", "0", {}}, {kProved, kRefuted, kTimeout, rejected(false), rejected(true)});
  std::size_t results = 0;
  for (std::size_t at = sarif.find("ruleId"); at != std::string::npos; at = sarif.find("ruleId", at + 1)) ++results;
  EXPECT_EQ(results, 3U) << sarif;
}

}  // namespace report_tally_test
}  // namespace vl::report
