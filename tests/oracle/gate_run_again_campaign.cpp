// The gate as a program: cases that are asked again, of other processes, by other threads, and from files.
#include <fmt/format.h>

#include "oracle/gate/operations.h"
#include "tests/oracle/gated.h"

namespace vl::gate {
namespace oracle_gate_run_again_campaign {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

// Also of a run that was stopped and went on with another number of threads.
TEST(GateRun, TheTotalsAreTheSameForAnyNumberOfThreads) {
  NEEDS_PYTHON;
  const json first = gated({"--count", "1", "--op", "measure.size"}, reference()).lines.front();
  if (first.at("cage") != "full") {
    EXPECT_EQ(gated({"--count", "10", "--threads", "2"}, reference()).code, 2);
    GTEST_SKIP() << "without namespaces there is one process at a time";
  }
  const auto run = [&](const std::string& threads, const test::Folder& folder, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--count", "3000", "--seed", "7", "--op", "derive.slice", "--op", "place", "--threads",
                             threads, "--out", folder.path()});
    Gated gate = gated(more, reference("derive.slice:odd"));
    for (json& line : gate.lines) line.erase("seconds"), line.erase("starts");
    return std::pair(gate.lines, gate.code);
  };
  const test::Folder one, three, stopped;
  const auto alone = run("1", one);
  EXPECT_EQ(alone.second, 10);
  EXPECT_EQ(run("3", three), alone);
  const std::string bytes = test::read_text(one.at("reference-7.json"));
  EXPECT_EQ(test::read_text(three.at("reference-7.json")), bytes);
  EXPECT_NE(run("3", stopped, {"--seconds", "0.05", "--no-shrink"}).second, 0);
  EXPECT_NE(test::read_text(stopped.at("reference-7.json")), bytes);
  EXPECT_EQ(run("2", stopped), alone);
  EXPECT_EQ(test::read_text(stopped.at("reference-7.json")), bytes);
}

// 18,000 numbers are a window and the start of another one, so the last two of 20 shards have all of them.
TEST(GateRun, AFrequentFindingIsThrottledAlikeInThreadsAndShards) {
  NEEDS_PYTHON;
  const auto run = [&](const test::Folder& folder, std::vector<std::string> more) {
    more.insert(more.end(), {"--count", "18000", "--seed", "7", "--op", "measure.size", "--throttle", "--no-shrink",
                             "--repeat", "0", "--out", folder.path()});
    return gated(more, reference("measure.size:unit"));
  };
  const test::Folder one, three, many;
  const Gated alone = run(one, {});
  EXPECT_EQ(alone.code, 10);
  const json row = alone.of("operation").at(0);
  const int asked = row.at("asked"), throttled = row.at("throttled");
  EXPECT_LE(asked + throttled, 18'000);
  EXPECT_GE(asked + throttled, 17'900);
  EXPECT_GE(throttled, 1'000);
  const std::string bytes = test::read_text(one.at("reference-7.json"));
  if (alone.lines.front().at("cage") == "full") {
    EXPECT_EQ(run(three, {"--threads", "3"}).code, 10);
    EXPECT_EQ(test::read_text(three.at("reference-7.json")), bytes);
  }
  for (const char* shard : {"18/20", "19/20"}) EXPECT_EQ(run(many, {"--shard", shard}).code, 10);
  std::vector<std::string> merge{"gate", "merge"};
  for (const auto& [name, content] : many.content()) merge.push_back(many.at(name));
  EXPECT_EQ(test::verify_layout(merge).out, bytes);
}

// A thread whose process dies in every case does not keep the others from saying so.
TEST(GateRun, ThreadsSurviveCrashesAndEndTogether) {
  NEEDS_PYTHON;
  const Gated gate =
      gated({"--count", "1500", "--threads", "3", "--no-shrink"}, {kPython, kAdapters + "hostile.py", "abort"});
  if (gate.code == 2) GTEST_SKIP() << gate.err;
  EXPECT_EQ(gate.code, 10) << gate.err;
  EXPECT_EQ(gate.lines.back().at("ended_early"), true);
  EXPECT_NE(gate.lines.back().at("gone").dump().find("given up"), std::string::npos) << gate.lines.back().dump();
}

// It gives the first replica of one layout, and both of the other.
TEST(GateRun, ReplayedCasesAreJudgedUnderOneConvention) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const auto adapter = adapter_of(folder,
                                  "@layout_gate.op('place', family='tirx')\n"
                                  "def place(c):\n"
                                  "    both = '100' in c['layout']\n"
                                  "    return ['m'], [[[0], [100]], [[1], [101]]] if both else [[0], [1]]\n");
  const auto request = [](const char* copies) {
    return R"({"op":"place","family":"tirx","layout":"S[2:1] + R[2:)" + std::string(copies) +
           R"(]","tensor":{"dtype":"u8","shape":[2]},"at":"all"})";
  };
  const auto code = [&](const std::string& lines) {
    std::vector<std::string> words{"gate", "replay", folder.file("cases.jsonl", lines)};
    words.insert(words.end(), kPatience.begin(), kPatience.end());
    words.emplace_back("--");
    words.insert(words.end(), adapter.begin(), adapter.end());
    return test::verify_layout(words).code;
  };
  const auto finding = [&](const char* copies, const std::string& convention) {
    return R"({"kind":"finding","convention":)" + convention + ",\"case\":" + request(copies) + "}\n";
  };
  EXPECT_EQ(code(request("100") + "\n"), 0);
  EXPECT_EQ(code(request("50") + "\n"), 0);
  EXPECT_EQ(code(request("100") + "\n" + request("50") + "\n"), 10);  // no value fits both
  EXPECT_EQ(code(finding("100", "\"all\"")), 0);
  EXPECT_EQ(code(finding("100", "\"base-only\"")), 10);
  EXPECT_EQ(code(finding("50", "\"all\"")), 10);
  EXPECT_EQ(code(finding("50", "null")), 0);
  EXPECT_EQ(code(finding("50", "\"scaled\"")), 2);
}

// It is right in its first process, and one too high in every other.
TEST(GateRun, ACaseThatAFreshProcessAnswersOtherwiseIsCountedOnce) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const auto adapter = adapter_of(folder, "import os\nseen = '" + folder.path() +
                                              "/seen'\nmore = os.path.exists(seen)\nopen(seen, 'w').close()\n"
                                              "@layout_gate.op('measure.size', family='tirx')\n"
                                              "def size(c):\n"
                                              "    out = 1\n"
                                              "    for n in c['tensor']['shape']:\n        out *= n\n"
                                              "    return out + more\n");
  ::chmod(folder.path().c_str(), 0777);  // the cage's user writes there
  const Gated gate = gated({"--count", "40", "--repeat", "1", "--no-shrink"}, adapter);
  EXPECT_EQ(gate.code, 10) << gate.err;
  const json op = gate.of("operation").at(0);
  EXPECT_EQ(op.at("asked"), 40) << op.dump();
  EXPECT_EQ(op.at("unstable"), 40) << op.dump();
  EXPECT_EQ(op.at("agree"), 0) << op.dump();
  EXPECT_EQ(op.at("unstated"), 40) << op.dump();
  EXPECT_EQ(op.at("all_elements"), 0) << op.dump();
}

// In the place of the gate a script that says how it ended.
TEST(GateRun, AReportOfAnotherGeneratorSaysSo) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const auto replayed = [&](int generator) {
    const std::string report = folder.file(
        "report.jsonl", "{\"kind\":\"run\",\"generator\":" + std::to_string(generator) + "}\n" +
                            R"({"kind":"finding","case":{"op":"measure.size","family":"tirx","layout":"S[4:2]",)"
                            R"("tensor":{"dtype":"u8","shape":[4]}},"name":"tirx/measure.size@1:5"})" +
                            "\n");
    std::vector<std::string> words{"gate", "replay", report};
    words.insert(words.end(), kPatience.begin(), kPatience.end());
    words.emplace_back("--");
    for (const std::string& word : reference()) words.push_back(word);
    const test::Ran ran = test::verify_layout(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.err.find("their names mean other cases") != std::string::npos;
  };
  EXPECT_TRUE(replayed(1));
  EXPECT_FALSE(replayed(kGenerator));
}

TEST(GateRun, AShardThatEndedEarlyIsNoResult) {
  const test::Folder folder;
  const auto ran = [&](const char* early, const char* code) {
    const std::string last = R"({"kind":"gate","ended_early":)" + std::string(early) + "}";
    const std::string gate = folder.file(
        "gate.sh", fmt::format("#!/bin/sh\n[ \"$2\" = merge ] && exit 0\necho '{}'\nexit {}\n", last, code));
    ::chmod(gate.c_str(), 0755);
    return test::run("/usr/bin/env", {"VERIFY_LAYOUT=" + gate, "ADAPTER=true", "OUT=" + folder.path(), "bash",
                                      VL_SOURCE_DIR "/oracle/gate/slurm/parallel", "2", "1"})
        .code;
  };
  EXPECT_EQ(ran("false", "0"), 0);
  EXPECT_EQ(ran("false", "10"), 0);
  EXPECT_EQ(ran("false", "5"), 0);
  EXPECT_NE(ran("true", "5"), 0);
  EXPECT_NE(ran("true", "10"), 0);
  EXPECT_NE(ran("false", "2"), 0);
}

}  // namespace oracle_gate_run_again_campaign
}  // namespace vl::gate
