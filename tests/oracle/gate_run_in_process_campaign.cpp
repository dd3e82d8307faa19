// The gate asks functions of a Python process that is not its child: gate_in_process.py of the adapters.
#include <gtest/gtest.h>

#include "tests/oracle/gated.h"

namespace vl::gate {
namespace oracle_gate_run_in_process_campaign {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

test::Ran in_process(const std::string& what) {
  return test::run("/usr/bin/env", {"VERIFY_LAYOUT=" + test::program("verify-layout"), kPython,
                                    VL_SOURCE_DIR "/tests/oracle/gate_in_process.py", kAdapters, what});
}

TEST(GateInProcess, FunctionsAreAskedAndJudged) {
  NEEDS_PYTHON;
  for (const char* what : {"right", "wrong"}) {
    const test::Ran ran = in_process(what);
    EXPECT_EQ(ran.code, 0) << what << ran.out << ran.err;
    EXPECT_NE(ran.out.find("done"), std::string::npos) << ran.out << ran.err;
  }
}

TEST(GateInProcess, CasesComeAsDicts) {
  NEEDS_PYTHON;
  const test::Ran ran = in_process("cases");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

TEST(GateInProcess, APytestFailsWithTheFinding) {
  NEEDS_PYTHON;
  const test::Ran ran = in_process("pytest");
  if (ran.out.find("pytest is not installed") != std::string::npos) GTEST_SKIP() << ran.out;
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("measure.size/value/"), std::string::npos) << ran.out;
}

}  // namespace oracle_gate_run_in_process_campaign
}  // namespace vl::gate
