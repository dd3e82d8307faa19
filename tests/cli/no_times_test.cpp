// --no-times: what a command prints twice is equal byte by byte, and names no time.
#include "tests/cli/records.h"

namespace vl {
namespace cli_no_times_test {

// Every spelling under which a report tells a time: fields of JSON, and JUnit's attribute.
const Words kTimes = {"micros\"", "\"seconds\"", "\"time\"", " time=\""};

Words with(Words words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(NoTimes, TwoRunsPrintTheSameBytes) {
  const Folder folder;
  const std::string cases = folder.file("a.toml", kGood);
  const std::string log = folder.file("a.log", "x S[(8,4):(4,1)]\ny S[(2,2):(1,1)]\n");
  const Words check = {"check", cases, log, "--no-times"};
  const Words compatible = {"compatible", "add",          "--no-times", "--operand",   "u8[8] S[8:1]",
                            "--operand",  "u8[8] S[8:1]", "--result",   "u8[8] S[8:1]"};
  const Words neutral = {"neutral", "max", "--type", "f8e4m3", "--no-times"};
  const std::vector<Words> commands = {
      with(check, {"--format", "text"}),
      with(check, {"--format", "json"}),
      with(check, {"--format", "jsonl"}),
      with(check, {"--format", "junit"}),
      with(check, {"--format", "sarif"}),
      with(check, {"--format", "github"}),
      {"equal", "S[8:1]", "S[8:2]", "--tensor", "u8[8]", "--no-times", "--format", "junit"},
      with(compatible, {"--format", "json"}),
      with(neutral, {"--format", "json"}),
      with(neutral, {"--fill", "0", "--format", "json"}),
      {"transfer", "exp", "f8e4m3", "0", "--claims", "{1}", "--no-times", "--format", "json"},
      {"fuzz", "--family", "tirx", "--seed", "7", "--count", "64", "--no-times", "--format", "jsonl"},
      {"fuzz", "--what", "neutral", "--seed", "7", "--count", "16", "--no-times"},
  };
  for (const Words& words : commands) {
    const Ran once = verify_layout(words);
    const std::string said = fmt::format("{}", fmt::join(words, " "));
    EXPECT_GT(once.out.size(), 20U) << said << once.err;
    EXPECT_EQ(verify_layout(words).out, once.out) << said;
    for (const std::string& time : kTimes) EXPECT_EQ(once.out.find(time), std::string::npos) << said << once.out;
  }
}

// The same commands without the option name a time, so the words above are those that reports use.
TEST(NoTimes, WithoutItTimesAreTold) {
  const Words layout = {"check", "--layout", "S[8:1]", "--tensor", "u8[8]"};
  const std::string lines = verify_layout(with(layout, {"--format", "jsonl"})).out;
  EXPECT_NE(lines.find("micros\""), std::string::npos) << lines;
  EXPECT_NE(lines.find("\"seconds\""), std::string::npos) << lines;
  EXPECT_NE(verify_layout(with(layout, {"--format", "junit"})).out.find(" time=\""), std::string::npos);
  const std::string fuzz = verify_layout({"fuzz", "--family", "tirx", "--seed", "7", "--count", "8"}).out;
  EXPECT_NE(fuzz.find("\"seconds\""), std::string::npos) << fuzz;
}

}  // namespace cli_no_times_test
}  // namespace vl
