// Programs that answer, and programs that would never end: each one ends, and the limit that ended it is known.
#include "encodings/base/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace vl::smt {
namespace smt_child_test {

using std::chrono::milliseconds;
using End = Spoken::End;

ChildLimits within(int cpu, int wall) {
  ChildLimits limits;
  limits.cpu = milliseconds(cpu);
  limits.wall = milliseconds(wall);
  return limits;
}

Spoken shell(const std::string& commands, const ChildLimits& limits) {
  return speak("sh", {"-c", commands}, "", nullptr, limits);
}

/// A process is there and has not ended.
bool runs(const std::string& pid) {
  std::ifstream in("/proc/" + pid + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return (in >> number >> name >> state) && state != "Z";
}

/// A killed process is gone, at the latest when the system gets to it.
bool ended(const std::string& pid) {
  for (int i = 0; i < 600'000 && runs(pid); ++i) ::usleep(1000);
  return !runs(pid);
}

TEST(Child, IsSentAScriptAndThenAReplyToItsFirstLine) {
  std::string line;
  const Spoken spoken = speak("cat", {}, "a\nb\n",
                              [&](std::string_view first) {
                                line = first;
                                return std::string("c\n");
                              },
                              {});
  EXPECT_EQ(spoken.end, End::Exited);
  EXPECT_EQ(spoken.status, 0);
  EXPECT_EQ(spoken.text, "a\nb\nc\n");
  EXPECT_EQ(line, "a");
}

TEST(Child, TakesAScriptThatIsLongerThanAnyPipe) {
  const std::string script(3'000'000, 'x');
  EXPECT_EQ(speak("cat", {}, script, nullptr, {}).text, script);
  EXPECT_EQ(speak("wc", {"-c"}, script, nullptr, {}).text, "3000000\n");
}

TEST(Child, MayStopListening) {
  const Spoken spoken = speak("true", {}, std::string(3'000'000, 'x'), nullptr, {});
  EXPECT_EQ(spoken.end, End::Exited);
  EXPECT_EQ(spoken.status, 0);
}

TEST(Child, KeepsItsStatusItsSignalAndItsErrors) {
  const Spoken failed = shell("echo out; echo err >&2; exit 3", {});
  EXPECT_EQ(failed.end, End::Exited);
  EXPECT_EQ(failed.status, 3);
  EXPECT_EQ(failed.text, "out\nerr\n");
  const Spoken crashed = shell("kill -SEGV $$", {});
  EXPECT_EQ(crashed.end, End::Crashed);
  EXPECT_EQ(crashed.status, SIGSEGV);
}

TEST(Child, ThatIsNotThereIsNotStarted) {
  for (const char* name : {"no-such-program-anywhere", "/no/such/program"}) {
    const Spoken spoken = speak(name, {}, "", nullptr, {});
    EXPECT_EQ(spoken.end, End::NotStarted);
    EXPECT_EQ(spoken.status, ENOENT);
  }
}

TEST(Child, ThatSleepsIsEndedByTheClock) { EXPECT_EQ(shell("sleep 1000", within(60'000, 100)).end, End::Time); }

TEST(Child, ThatComputesWithoutEndIsEndedByItsProcessorTime) {
  EXPECT_EQ(shell("while :; do :; done", within(50, 600'000)).end, End::Time);
}

TEST(Child, ThatIgnoresEverySignalItCanIsEndedAllTheSame) {
  EXPECT_EQ(shell("trap '' INT TERM HUP XCPU ALRM; while :; do sleep 1; done", within(60'000, 100)).end, End::Time);
}

TEST(Child, ThatTakesMemoryWithoutEndIsEndedByIt) {
  ChildLimits limits = within(600'000, 600'000);
  limits.memory_mib = 64;
  EXPECT_EQ(speak("tail", {"/dev/zero"}, "", nullptr, limits).end, End::Memory);
}

TEST(Child, ThatWritesWithoutEndIsEnded) { EXPECT_EQ(speak("yes", {}, "", nullptr, {}).end, End::Flooded); }

TEST(Child, EndsWhenItIsToldTo) {
  const std::atomic<bool> stop{true};
  ChildLimits limits = within(600'000, 600'000);
  limits.stop = &stop;
  EXPECT_EQ(shell("sleep 1000", limits).end, End::Stopped);
}

TEST(Child, TakesWhatItStartedWithIt) {
  std::atomic<bool> stop{false};
  ChildLimits limits = within(600'000, 600'000);
  limits.stop = &stop;
  const auto stopping = [&](std::string_view) {  // once it has said what it started
    stop = true;
    return std::string();
  };
  const Spoken killed = speak("sh", {"-c", "sleep 1000 & echo $!; wait"}, "", stopping, limits);
  ASSERT_EQ(killed.end, End::Stopped);
  ASSERT_GT(killed.text.size(), 1U);
  EXPECT_TRUE(ended(killed.text.substr(0, killed.text.size() - 1)));
  const Spoken left = shell("sleep 1000 >/dev/null 2>&1 </dev/null & echo $!", {});
  ASSERT_EQ(left.end, End::Exited);
  ASSERT_GT(left.text.size(), 1U);
  EXPECT_TRUE(ended(left.text.substr(0, left.text.size() - 1)));
}

}  // namespace smt_child_test
}  // namespace vl::smt
