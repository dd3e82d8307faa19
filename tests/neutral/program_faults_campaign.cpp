// The rules of case tables along rows with one fault planted, each of faults.cmake: a test of this program finds it.
// Without a fault the same tests pass: they are those of program_rules_campaign.cpp, program_tables_campaign.cpp and
// program_random_campaign.cpp.
#include <gtest/gtest.h>

#include "tests/support/process.h"

namespace vl {
namespace neutral_program_faults_campaign {

constexpr const char* kFaults[] = {
#include "faults.inc"  // of cmake/plant.cmake
};

class ProgramFaults : public testing::TestWithParam<int> {};

TEST_P(ProgramFaults, IsFoundByATest) {
  ::unsetenv("GTEST_TOTAL_SHARDS");  // the other process runs all of a suite
  ::setenv("VL_FAULT", std::to_string(GetParam() + 1).c_str(), 1);
  // The first program that shows it is enough.
  const char* said = std::getenv("RC_PARAMS");
  const std::string params = said == nullptr ? "" : said;
  ::setenv("RC_PARAMS", (params + " noshrink=1").c_str(), 1);
  test::Ran ran;
  for (const char* suite : {"ProgramRules.*", "ProgramTables.*", "ProgramRandom.Of*"}) {
    ran = test::run(std::filesystem::read_symlink("/proc/self/exe"),
                    {std::string("--gtest_filter=") + suite, "--gtest_fail_fast"});
    if (ran.code != 0) break;
  }
  ::unsetenv("VL_FAULT");
  if (said == nullptr) ::unsetenv("RC_PARAMS");
  else ::setenv("RC_PARAMS", params.c_str(), 1);
  EXPECT_EQ(ran.code, 1) << kFaults[GetParam()] << " is not found";
  const std::size_t found = ran.out.find("[  FAILED  ]");
  ASSERT_NE(found, std::string::npos) << ran.out;
  std::printf("%s: %s\n", kFaults[GetParam()], ran.out.substr(found, ran.out.find('\n', found) - found).c_str());
}

INSTANTIATE_TEST_SUITE_P(Rules, ProgramFaults, testing::Range(0, static_cast<int>(std::size(kFaults))),
                         [](const auto& each) { return std::string(kFaults[each.param]); });

}  // namespace neutral_program_faults_campaign
}  // namespace vl
