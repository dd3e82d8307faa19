// Budgets and second opinions: each reason for an undecided answer, hard cases among easy ones, a second opinion that
// is missing or wrong, and interrupted runs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "tests/support/process.h"

namespace vl {
namespace cli_budgets_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

// Twelve modes whose strides neither nest nor repeat, over 9^12 elements: a question that no solver answers in a
// moment.
const std::string kHard =
    "S[(9,9,9,9,9,9,9,9,9,9,9,9):(1234567891,987654321,192837465,918273645,564738291,546372819,1029384756,657483921,"
    "123123127,777777777,444444443,333333331)]";
const std::string kHardTensor = "i8[282429536481]";

Json last_verdict(const Ran& ran) {
  Json out;
  std::istringstream in(ran.out);
  for (std::string line; std::getline(in, line);) {
    const Json record = Json::parse(line);
    if (record.at("kind") == "verdict") out = record;
  }
  return out;
}

std::string without_times(const std::string& text) {
  return test::with_matches_replaced(text, R"("(certificate_)?micros": ?[-+.0-9e]+)", "\"micros\":0");
}

Ran ask_hard(Words more) {
  Words arguments{"check", "--layout", kHard, "--tensor", kHardTensor, "--claim", "injective", "--format", "jsonl"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return verify_layout(arguments);
}

TEST(Budget, EachHasItsOwnReason) {
  for (const std::string engine : {"smt", "smt-2", "cvc5"}) {
    const std::vector<std::pair<std::string, Words>> table{
        {"rlimit", {"--rlimit", "5000"}},
        {"timeout", {"--timeout", "0.001", "--rlimit", "4000000000"}},
        {"memout", {"--memory", "1"}}};
    for (const auto& [reason, limits] : table) {
      Words arguments{"--engine", engine};
      if (reason != "timeout") arguments.insert(arguments.end(), {"--timeout", "600"});
      arguments.insert(arguments.end(), limits.begin(), limits.end());
      const Ran ran = ask_hard(arguments);
      EXPECT_EQ(ran.code, 5) << engine << ran.err;
      EXPECT_EQ(last_verdict(ran).at("verdict"), "unknown") << engine;
      EXPECT_EQ(last_verdict(ran).at("reason"), reason) << engine << ran.out;
    }
  }
}

TEST(Budget, StandsInTheRunLineWithTheSeeds) {
  const Ran ran = ask_hard({"--engine", "cvc5", "--rlimit", "5000", "--timeout", "2.5", "--memory", "300"});
  const Json run = Json::parse(ran.out.substr(0, ran.out.find('\n')));
  EXPECT_EQ(run.at("budget").dump(), R"({"seconds":2.5,"rlimit":5000,"memory_mib":300})");
  EXPECT_EQ(run.at("seeds").dump(), R"({"z3":0,"cvc5":0})");
  EXPECT_TRUE(run.at("engines").at("cvc5").is_string());
}

/// A case file: `hard`, which the impostor below recognises, then three easy ones.
std::string cases() {
  std::string out = "schema = 1\n";
  for (const char* name : {"hard", "easy-1", "easy-2", "easy-3"})
    out += fmt::format(
        "[[case]]\nid = \"{}\"\nlayout = \"S[(3,5):({},7)]\"\ntensor = \"i8[15]\"\nexpect = {{ injective = \"proved\" "
        "}}\n",
        name, std::string_view(name) == "hard" ? 40961 : 35);
  return out;
}

/// A folder with a program cvc5 that proves everything but what has the number 40961 in it: for that it lacks units
/// when it is asked first, and hangs when it is asked again, after it wrote its process number into the file `hangs`.
class FakeCvc5 {
 public:
  FakeCvc5() {
    write(R"sh(#!/bin/sh
for a; do case "$a" in --rlimit=*) units=${a#--rlimit=};; esac; done
while read -r line; do
  case "$line" in *40961*) hard=1;; esac
  [ "$line" = "(check-sat)" ] && break
done
[ "$hard" ] || { echo unsat; exit; }
[ -e FOLDER/asked ] && { echo $$ >FOLDER/begin; mv FOLDER/begin FOLDER/hangs; sleep 1000; }
: >FOLDER/asked
echo unknown
echo "(:all-statistics ((\"a\" 0) (\"resource::resourceUnitsUsed\" $units)))"
)sh");
  }
  void write(const std::string& script) const {
    folder_.file("cvc5", test::with_matches_replaced(script, "FOLDER", folder_.path().c_str()));
    std::filesystem::permissions(folder_.at("cvc5"), std::filesystem::perms::owner_all);
  }
  [[nodiscard]] Words command(Words arguments) const {
    arguments.insert(arguments.begin(),
                     {fmt::format("PATH={}:/usr/bin:/bin", folder_.path()), test::program("verify-layout")});
    return arguments;
  }
  [[nodiscard]] Ran run(Words arguments) const { return test::run("/usr/bin/env", command(std::move(arguments))); }
  [[nodiscard]] const Folder& folder() const { return folder_; }

 private:
  Folder folder_;
};

/// Runs the cases, tells the program to end while the hard one hangs in its second pass, and gives what it said.
Ran interrupted(const FakeCvc5& fake, const std::string& format, int signal, const std::string& jobs) {
  const Folder& folder = fake.folder();
  for (const char* name : {"asked", "hangs"}) std::filesystem::remove(folder.at(name));
  folder.file("cases.toml", cases());
  Words words =
      fake.command({"check", folder.at("cases.toml"), "--engine", "cvc5", "--format", format, "--jobs", jobs});
  words.insert(words.begin(), "env");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, folder.at("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, folder.at("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  EXPECT_EQ(::posix_spawn(&child, "/usr/bin/env", &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  for (int i = 0; i < 600'000 && !std::filesystem::exists(folder.at("hangs")); ++i) ::usleep(1000);
  EXPECT_TRUE(std::filesystem::exists(folder.at("hangs")));
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), test::read_text(folder.at("out")),
          test::read_text(folder.at("err"))};
}

bool runs(const std::string& pid) {
  std::istringstream in(test::read_text("/proc/" + pid + "/stat"));
  std::string number, name, state;
  return (in >> number >> name >> state) && state != "Z";
}

// The easy cases were decided although a hard one came first, nobody is left behind, and what is said is a whole
// report.
TEST(Interrupt, LeavesAReportOfWhatIsDecided) {
  const FakeCvc5 fake;
  for (const auto& [signal, jobs] : {std::pair{SIGINT, "1"}, {SIGTERM, "3"}}) {
    const Ran ran = interrupted(fake, "jsonl", signal, jobs);
    EXPECT_EQ(ran.code, 5) << ran.err;
    EXPECT_NE(ran.err.find("interrupted"), std::string::npos);
    std::string said;
    std::istringstream in(ran.out);
    for (std::string line; std::getline(in, line);) {
      const Json record = Json::parse(line);
      if (record.at("kind") != "verdict") continue;
      said += fmt::format("{} {} {};", record.at("case").get<std::string>(), record.at("verdict").get<std::string>(),
                          record.at("reason").is_null() ? "" : record.at("reason").get<std::string>());
      EXPECT_NE(record.at("as_expected"), false);
    }
    EXPECT_EQ(said, "hard unknown interrupted;easy-1 proved ;easy-2 proved ;easy-3 proved ;");
    EXPECT_NE(ran.out.find(R"("kind":"summary","cases":4,"proved":3,"refuted":0,"unknown":1)"), std::string::npos)
        << ran.out;
    std::string pid = test::read_text(fake.folder().at("hangs"));
    pid.erase(pid.find_last_not_of('\n') + 1);
    for (int i = 0; i < 600'000 && runs(pid); ++i) ::usleep(1000);
    EXPECT_FALSE(runs(pid));
  }
}

TEST(Interrupt, LeavesAWholeDocumentInEveryFormat) {
  const FakeCvc5 fake;
  const Json json = Json::parse(interrupted(fake, "json", SIGINT, "2").out);
  EXPECT_EQ(json.at("results").size(), 4U);
  EXPECT_EQ(json.at("results")[0].at("reason"), "interrupted");
  const Json sarif = Json::parse(interrupted(fake, "sarif", SIGINT, "2").out);
  EXPECT_EQ(sarif.at("runs")[0].at("results").size(), 1U);
  pugi::xml_document junit;
  ASSERT_TRUE(junit.load_string(interrupted(fake, "junit", SIGTERM, "1").out.c_str()));
  EXPECT_STREQ(junit.child("testsuites").child("testsuite").attribute("tests").value(), "4");
  EXPECT_STREQ(junit.child("testsuites").child("testsuite").attribute("errors").value(), "1");
  EXPECT_EQ(junit.select_node("//error").node().attribute("type").value(), std::string("interrupted"));
  const Ran text = interrupted(fake, "text", SIGINT, "1");
  EXPECT_NE(text.out.find("4 cases: 3 proved, 0 refuted, 1 unknown"), std::string::npos) << text.out;
}

// An open case among others that are decided.
TEST(Passes, GiveTheSameAnswersForAnyNumberOfJobs) {
  const Folder folder;
  std::string document = "schema = 1\n";
  for (int i = 0; i < 6; ++i)
    document +=
        fmt::format("[[case]]\nid = \"{}\"\nlayout = \"{}\"\ntensor = \"{}\"\nexpect = {{ injective = \"{}\" }}\n", i,
                    i == 1 ? kHard : fmt::format("S[(3,5):({},7)]", 35 + i), i == 1 ? kHardTensor : "i8[15]",
                    i == 1 ? "unknown" : "proved");
  const std::string file = folder.file("cases.toml", document);
  const Words common{"check",     file,   "--engine", "smt",   "--rlimit", "20000",
                     "--timeout", "1000", "--format", "jsonl", "--jobs"};
  std::vector<Ran> runs;
  for (const char* jobs : {"1", "2", "4"}) {
    Words words = common;
    words.emplace_back(jobs);
    runs.push_back(verify_layout(words));
    EXPECT_EQ(runs.back().code, 0) << runs.back().out;
    EXPECT_EQ(without_times(runs.back().out), without_times(runs.front().out));
  }
  EXPECT_NE(runs.front().out.find(R"("proved":5,"refuted":0,"unknown":1)"), std::string::npos) << runs.front().out;
}

// It lacked units in the first pass; in the second it has more of them, and answers.
TEST(Passes, GiveAHardCaseTheWholeBudget) {
  const FakeCvc5 fake;
  fake.write(R"sh(#!/bin/sh
for a; do case "$a" in --rlimit=*) units=${a#--rlimit=};; esac; done
while read -r line; do
  case "$line" in *40961*) hard=1;; esac
  [ "$line" = "(check-sat)" ] && break
done
[ "$hard" ] && echo "$units" >>FOLDER/asked
[ "$hard" ] && [ "$units" -lt 4000000 ] || { echo unsat; exit; }
echo unknown
echo "(:all-statistics ((\"a\" 0) (\"resource::resourceUnitsUsed\" $units)))"
)sh");
  const std::string file = fake.folder().file("cases.toml", cases());
  for (const char* jobs : {"1", "3"}) {
    const Ran ran = fake.run({"check", file, "--engine", "cvc5", "--jobs", jobs});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("4 cases: 4 proved"), std::string::npos) << ran.out;
  }
  EXPECT_EQ(test::read_text(fake.folder().at("asked")), "200000\n4000000\n200000\n4000000\n");
}

const Words kDense{"check", "--layout", "S[(8,8):(8,1)]", "--tensor", "i8[64]", "--claim", "injective", "--format"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(SecondOpinion, ThatIsMissingIsSaidAndChangesNothing) {
  const auto asked = [](const Words& more) {  // without a cvc5 along PATH
    return test::run("/usr/bin/env", with(with({"PATH=/nowhere", test::program("verify-layout")}, kDense), more));
  };
  const Ran crossed = asked({"jsonl", "--cross-check", "--explain-engine"});
  EXPECT_EQ(crossed.code, 0) << crossed.err;
  EXPECT_EQ(last_verdict(crossed).at("verdict"), "proved");
  EXPECT_NE(crossed.out.find("abstains (not-installed)"), std::string::npos) << crossed.out;
  EXPECT_NE(crossed.out.find("smt-2: collides: there is none"), std::string::npos) << crossed.out;
  EXPECT_TRUE(Json::parse(crossed.out.substr(0, crossed.out.find('\n'))).at("engines").at("cvc5").is_null());
  const Ran alone = asked({"jsonl", "--engine", "cvc5"});
  EXPECT_EQ(alone.code, 5);
  EXPECT_EQ(last_verdict(alone).at("reason"), "not-installed");
}

TEST(SecondOpinion, ThatIsThereIsAskedUnderCrossCheck) {
  const Ran ran = verify_layout(with(kDense, {"jsonl", "--cross-check", "--explain-engine"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* said :
       {"smt: collides: there is none", "smt-2: collides: there is none", "cvc5: collides: there is none"})
    EXPECT_NE(ran.out.find(said), std::string::npos) << ran.out;
}

// Elements 1 and 8 collide; this cvc5 denies it.
TEST(SecondOpinion, ThatDiffersEndsIn11WithAllThatItTakesToSeeItAgain) {
  const FakeCvc5 fake;
  const Words colliding{"check",   "--layout",  "S[(8,8):(1,1)]", "--tensor", "i8[64]",
                        "--claim", "injective", "--cross-check",  "--format"};
  const std::string dumps = fake.folder().at("dumps");
  const Ran ran = fake.run(with(colliding, {"jsonl", "--dump-smt", dumps}));
  EXPECT_EQ(ran.code, 11) << ran.err << ran.out;
  const Json record = last_verdict(ran);
  EXPECT_EQ(record.at("verdict"), "unknown");
  EXPECT_EQ(record.at("reason"), "engines-disagree");
  EXPECT_EQ(record.at("layout"), "S[(8,8):(1,1)]");
  const Json& clash = record.at("disagreements").at(0);
  EXPECT_EQ(clash.at("question"), "collides");
  EXPECT_EQ(clash.at("engines")[0].at("witness").dump(), R"({"p":[1],"q":[8]})");
  EXPECT_EQ(clash.at("engines")[1].dump(), R"({"engine":"cvc5","said":"there is none","witness":null})");
  EXPECT_NE(record.at("reproduce").get<std::string>().find("rlimit 20000000"), std::string::npos);
  ASSERT_EQ(record.at("smtlib").size(), 2U);
  for (const Json& file : record.at("smtlib"))
    EXPECT_NE(test::read_text(file.get<std::string>()).find("(check-sat)"), std::string::npos) << file;
  const Ran text = fake.run(with(colliding, {"text"}));
  EXPECT_EQ(text.code, 11);
  for (const char* part :
       {"cvc5 on 'collides': there is none", "p = [1], q = [8]", "seeds: z3 0, cvc5 0", "--dump-smt DIR"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
}

// What it says is sat has no such model: that is its fault, and neither a witness nor our bug.
TEST(SecondOpinion, ThatCannotBeReplayedIsAFault) {
  const FakeCvc5 fake;
  fake.write("#!/bin/sh\necho sat\necho '((v0 3) (v1 3))'\n");
  const Ran ran = fake.run(with(kDense, {"jsonl", "--engine", "cvc5"}));
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_EQ(last_verdict(ran).at("reason"), "solver-fault") << ran.out;
}

}  // namespace cli_budgets_test
}  // namespace vl
