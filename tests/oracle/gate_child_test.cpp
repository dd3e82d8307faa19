// One process of an adapter: the clock of its answers, and how it fails to start.
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "oracle/gate/child.h"
#include "tests/oracle/gated.h"

namespace vl::gate {
namespace oracle_gate_child_test {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

// The gate judges other answers while the adapter writes these, 1.8 MB that no pipe holds: that is not its time. A
// clock that counts it fails in every try; one that does not fails only where the machine is so busy that the rest
// takes as long as the timeout, and has then twice the time.
TEST(GateChild, TheTimeInWhichNobodyReadsIsNotTheAdapters) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const std::vector<std::string> command = adapter_of(folder,
                                                      "@layout_gate.op('place', family='tirx')\n"
                                                      "def place(c): return ['m'], [[i] for i in range(200000)]\n");
  const auto cage = Cage::choose(CageWish::Auto, {});
  ASSERT_TRUE(cage.has_value());
  std::vector<Reply> replies;
  for (std::chrono::milliseconds time{1000}; time.count() <= 128'000; time *= 2) {
    ChildOptions options;
    options.command = command;
    options.timeout = time;
    options.start_timeout = std::chrono::minutes(10);
    Child child(*cage, options);
    ASSERT_EQ(child.start(), std::nullopt);
    child.submit(
        {R"({"op":"place","family":"tirx","layout":"S[8:1]","tensor":{"dtype":"u8","shape":[8]},"at":"all"})"});
    std::this_thread::sleep_for(time + time / 4);
    replies = child.collect();
    ASSERT_EQ(replies.size(), 1);
    if (replies.front().kind == ReplyKind::Ok) return;
  }
  FAIL() << replies.front().detail;
}

TEST(GateChild, AProgramThatDoesNotRunIsNamed) {
  const Gated none = gated({"smoke"}, {"no-such-program-anywhere"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("no program no-such-program-anywhere"), std::string::npos) << none.err;
  const test::Folder folder;
  ::chmod(folder.path().c_str(), 0755);
  const std::string script = folder.file("adapter.py", "import layout_gate\n");
  ::chmod(script.c_str(), 0644);
  const Gated plain = gated({"smoke"}, {script});
  EXPECT_EQ(plain.code, 2);
  EXPECT_NE(plain.err.find("did you mean python3 " + script), std::string::npos) << plain.err;
}

TEST(GateChild, SignalsHaveNames) {
  EXPECT_EQ(ended_by_signal(25), "ended by signal 25, File size limit exceeded");
  EXPECT_EQ(ended_by_signal(99), "ended by signal 99");
}

}  // namespace oracle_gate_child_test
}  // namespace vl::gate
