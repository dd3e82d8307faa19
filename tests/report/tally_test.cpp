// Exit codes from counted answers: the most severe wins, and an undecided answer never gives 0.
#include <gtest/gtest.h>

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
