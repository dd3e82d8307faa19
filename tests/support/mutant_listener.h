// For tests/mutants.py, which appends this to a source that every test program has. The log gets one line before each
// test, which names a test that crashes, and one after it: its file, CPU seconds and the mutants that it reached.
// Tables that are made before the first test are reached by all tests.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mutant_switches.h"

namespace vl::test {
class MutantListener : public testing::EmptyTestEventListener {
  std::FILE* out_ = std::fopen(std::getenv("VL_MUTANTS_LOG"), "a");
  double start_ = 0;
  static double spent() {
    double sum = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage use{};
      getrusage(who, &use);
      for (const timeval& t : {use.ru_utime, use.ru_stime}) sum += double(t.tv_sec) + double(t.tv_usec) / 1e6;
    }
    return sum;
  }
  void reached() {
    for (int i = 0; i < vl_mutants::kMost; ++i)
      if (vl_mutants::reached[i]) std::fprintf(out_, "%d ", i);
    std::fprintf(out_, "\n");
    std::fflush(out_);
  }
  void OnTestProgramStart(const testing::UnitTest&) override {
    std::fprintf(out_, "tables\t\t");
    reached();
  }
  void OnTestStart(const testing::TestInfo& test) override {
    std::memset(vl_mutants::reached, 0, vl_mutants::kMost);
    std::fprintf(out_, "start\t%s.%s\n", test.test_suite_name(), test.name());
    std::fflush(out_);
    start_ = spent();
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    const char* how = test.result()->Failed() ? "failed" : "passed";
    std::fprintf(out_, "%s\t%s.%s\t%s\t%.3f\t", how, test.test_suite_name(), test.name(), test.file(),
                 spent() - start_);
    reached();
  }
};
}  // namespace vl::test

// The linker is told to look for this name; nothing else needs the listener.
extern "C" const bool vl_mutant_listener = [] {
  if (std::getenv("VL_MUTANTS_LOG")) testing::UnitTest::GetInstance()->listeners().Append(new vl::test::MutantListener);
  return true;
}();
