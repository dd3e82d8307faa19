// The gate as a program, with adapters as programs: the honest one agrees, planted faults are found, hostile ones get
// their word and leave nothing behind.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/oracle/gated.h"
#include "tests/support/shard.h"

namespace vl::gate {
namespace oracle_gate_run_campaign {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

TEST(GateRun, TheHonestReferenceAgreesAndIsJudged) {
  NEEDS_PYTHON;
  const Gated gate = gated({"--count", std::to_string(test::cases(1500, 100'000)), "--seed", "5"}, reference());
  EXPECT_EQ(gate.code, 0) << gate.err << (gate.of("finding").empty() ? "" : gate.of("finding")[0].dump());
  EXPECT_TRUE(gate.of("finding").empty());
  const auto operations = gate.of("operation");
  ASSERT_GE(operations.size(), 18U);
  int proofs = 0;
  for (const json& op : operations) {
    EXPECT_EQ(op.at("disagree"), 0) << op.dump();
    EXPECT_EQ(op.at("undecided_ours"), 0) << op.dump();
    EXPECT_GE(op.at("agree").get<int>() * 3, op.at("asked").get<int>()) << op.dump();
    // What is proved has a certificate that was checked; a yes, of operations that say yes or no.
    const bool decides = op.at("op").get<std::string>().starts_with("decide") || op.at("op") == "construct";
    const int proved = op.at(decides ? "yes" : "proved").get<int>();
    EXPECT_GE(op.at("certificates").get<int>() * 100, proved * 99) << op.dump();
    proofs += proved;
  }
  EXPECT_GE(proofs, test::cases(500, 30'000));
  const json last = gate.lines.back();
  EXPECT_EQ(last.at("kind"), "gate");
  EXPECT_GE(last.at("agree").get<int>() * 10, last.at("cases").get<int>() * 8);
}

TEST(GateRun, TheSameCampaignGivesTheSameLines) {
  NEEDS_PYTHON;
  const auto run = [] {
    Gated gate = gated({"--count", "300", "--seed", "9"}, reference("derive.slice:odd"));
    for (json& line : gate.lines) line.erase("seconds");
    return gate.lines;
  };
  EXPECT_EQ(run(), run());
}

TEST(GateRun, PlantedFaultsAreFound) {
  NEEDS_PYTHON;
  const test::Ran listed = test::run(kPython, {kAdapters + "reference/adapter.py", "--faults"});
  std::istringstream in(listed.out);
  std::uint64_t number = 0;
  std::size_t tried = 0, all = 0;
  const test::Shard shard = test::shard_of_about(3, 231);
  for (std::string fault; std::getline(in, fault); ++number) {
    ++all;
    if (!shard.has(number)) continue;
    ++tried;
    const std::string op = fault.substr(0, fault.find(':'));
    const Gated gate = gated({"--op", op, "--family", "tirx", "--count", "1000"}, reference(fault));
    EXPECT_EQ(gate.code, 10) << fault;
    const auto found = gate.of("finding");
    ASSERT_FALSE(found.empty()) << fault;
    EXPECT_EQ(found[0].at("op"), op);
    const bool disagree = found[0].at("judgement") == "disagree";
    EXPECT_TRUE(disagree || op == "construct") << found[0].dump();
  }
  EXPECT_GE(all, 60U);
  EXPECT_GE(tried, 1U);
}

// Processes whose command line has `path`: the whole one, for tests that run beside this one have adapters of that
// name.
std::size_t left_behind(const std::string& path) {
  std::size_t out = 0;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", code))
    if (test::read_text(entry.path() / "cmdline").find(path) != std::string::npos) ++out;
  return out;
}

TEST(GateRun, HostileAdaptersGetTheirWordAndLeaveNothing) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const std::string copy = folder.file("hostile_of_gate_run_test.py", test::read_text(kAdapters + "hostile.py"));
  ::chmod(folder.path().c_str(), 0755);  // the cage's user reads it
  const test::Ran listed = test::run(kPython, {copy, "--list"});
  std::istringstream in(listed.out);
  std::set<std::string> words;
  std::size_t kinds = 0;
  std::uint64_t number = 0;
  const test::Shard shard = test::shard_of_about(4, 38);
  const json run = gated({"--count", "1", "--op", "measure.size"}, reference()).lines.front();
  const bool full = run.at("cage") == "full";
  for (std::string kind, word; in >> kind >> word; ++number) {
    ++kinds;
    if (!shard.has(number)) continue;
    if (!full && (kind == "fork-bomb" || kind == "network")) continue;  // what only namespaces prevent
    // Only what hangs is ended by a clock.
    const char* time = word == "hung" ? "0.4" : "600";
    const char* start = kind == "hang-hello" ? "0.4" : "600";
    const Gated gate = gated({"--count", "2", "--no-shrink", "--repeat", "1", "--timeout", time, "--start-timeout",
                              start, "--memory", "512MiB"},
                             {kPython, copy, kind});
    EXPECT_EQ(gate.code, word == "start" ? 2 : 10) << kind << ": " << gate.err;
    if (word == "start") continue;
    words.clear();
    for (const json& finding : gate.of("finding")) words.insert(finding.at("found").get<std::string>());
    EXPECT_TRUE(words.contains(word)) << kind << ": expected " << word << ", got " << json(words).dump();
    EXPECT_EQ(left_behind(copy), 0U) << kind;
  }
  EXPECT_GE(kinds, 24U);
}

// "size" is its word where no connection can be made, also none to the machine itself.
TEST(GateRun, ACageWithoutNamespacesHasNoNetwork) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const std::string copy = folder.file("hostile_of_gate_run_test.py", test::read_text(kAdapters + "hostile.py"));
  ::chmod(folder.path().c_str(), 0755);
  const Gated gate =
      gated({"--cage", "limits", "--count", "2", "--no-shrink", "--repeat", "0"}, {kPython, copy, "network"});
  const json& run = gate.lines.front();
  EXPECT_EQ(run.at("cage"), "limits");
  const std::string why = run.at("cage_why");
  if (why.find("there is no seccomp filter") != std::string::npos) GTEST_SKIP() << why;
  EXPECT_EQ(why, "--cage limits was asked for; seccomp refuses networks");
  ASSERT_FALSE(gate.of("finding").empty());
  for (const json& finding : gate.of("finding")) EXPECT_EQ(finding.at("found"), "size") << finding.dump();
}

TEST(GateRun, ShardsMergeToTheBytesOfOneRun) {
  NEEDS_PYTHON;
  const test::Folder one, many;
  const auto run = [&](const std::string& shard, const test::Folder& folder) {
    EXPECT_EQ(gated({"--count", "600", "--seed", "7", "--op", "derive.slice", "--op", "place", "--shard", shard,
                     "--out", folder.path()},
                    reference("derive.slice:odd"))
                  .code,
              10);
  };
  run("0/1", one);
  for (const char* shard : {"0/3", "1/3", "2/3"}) run(shard, many);
  std::vector<std::string> merge{"gate", "merge"};
  for (const auto& [name, content] : many.content()) merge.push_back(many.at(name));
  ASSERT_EQ(merge.size(), 5U);
  const test::Ran merged = test::verify_layout(merge);
  EXPECT_EQ(merged.code, 10);
  EXPECT_EQ(merged.out, test::read_text(one.at("reference-7.json")));
  merge.pop_back();
  EXPECT_EQ(test::verify_layout(merge).code, 10);  // a finding, though cases are missing
  const std::string altered = many.file("altered.json", merged.out.substr(0, 200) + "7" + merged.out.substr(201));
  EXPECT_EQ(test::verify_layout({"gate", "merge", altered}).code, 2);
}

TEST(GateRun, AFindingIsReplayedAndReportedAsLongAsItFails) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const std::string fault = "derive.slice:odd";
  const auto words = [&](std::vector<std::string> out, const std::string& plant) {
    out.insert(out.begin(), "gate");
    out.insert(out.end(), kPatience.begin(), kPatience.end());
    out.emplace_back("--");
    for (const std::string& word : reference(plant)) out.push_back(word);
    return out;
  };
  const test::Ran found =
      test::verify_layout(words({"--op", "derive.slice", "--count", "300", "--format", "jsonl"}, fault));
  ASSERT_EQ(found.code, 10);
  const std::string report = folder.file("report.jsonl", found.out);
  const std::size_t at = found.out.find("\"signature\":\"") + 13;
  const std::string signature = found.out.substr(at, found.out.find('"', at) - at);
  EXPECT_EQ(test::verify_layout(words({"replay", report}, fault)).code, 10);
  EXPECT_EQ(test::verify_layout(words({"replay", report}, "")).code, 0);
  const test::Ran page = test::verify_layout(words({"report", signature, report, "--out", folder.at("out")}, fault));
  EXPECT_EQ(page.code, 0) << page.err;
  const std::string text = test::read_text(page.out.substr(0, page.out.size() - 1));
  EXPECT_NE(text.find("by the law of the operation."), std::string::npos) << text;
  EXPECT_NE(text.find(signature), std::string::npos) << text;
  const std::string alone = page.out.substr(0, page.out.rfind('/')) + "/case.jsonl";
  EXPECT_NE(text.find("verify-layout gate replay " + alone + " -- "), std::string::npos) << text;
  EXPECT_NE(text.find("adapter.py --plant derive.slice:odd\n"), std::string::npos) << text;
  EXPECT_EQ(test::verify_layout(words({"replay", alone}, fault)).code, 10);
  EXPECT_EQ(test::verify_layout(words({"report", signature, report, "--out", folder.at("out")}, "")).code, 2);
  EXPECT_EQ(test::verify_layout(words({"report", "no/such", report, "--out", folder.at("out")}, fault)).code, 2);
}

// Nothing of an operation that is always too hard is judged: neither the run nor a merge is a success.
TEST(GateRun, AbstentionIsNoSuccess) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const auto shy = adapter_of(folder,
                              "@layout_gate.op('measure.size', family='tirx')\n"
                              "def size(c):\n    raise layout_gate.Undecided('too hard')\n");
  const std::string out = folder.at("out");
  EXPECT_EQ(gated({"--count", "40", "--out", out}, shy).code, 5);
  std::vector<std::string> merge{"gate", "merge"};
  for (const auto& entry : std::filesystem::directory_iterator(out))
    if (entry.path().extension() == ".json") merge.push_back(entry.path());
  ASSERT_EQ(merge.size(), 3U);
  EXPECT_EQ(test::verify_layout(merge).code, 5);
}

// A witness is looked at where a claim has one of elements. S[4:2] hits 4 of 7 slots, and slot 1 is none of them.
TEST(GateRun, ARightNoIsRightWithAWitnessThatCannotBeLookedAt) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const auto adapter = adapter_of(folder,
                                  "@layout_gate.op('decide.onto', family='tirx')\n"
                                  "def onto(c):\n    return {'answer': 'no', 'witness': {'slot': [1]}}\n");
  const auto replayed = [&](const std::string& request) {
    std::vector<std::string> words{"gate", "replay", folder.file("case.json", request)};
    words.insert(words.end(), kPatience.begin(), kPatience.end());
    words.emplace_back("--");
    words.insert(words.end(), adapter.begin(), adapter.end());
    return test::verify_layout(words).code;
  };
  const std::string tensor = R"("tensor":{"dtype":"u8","shape":[4]})";
  EXPECT_EQ(replayed(R"({"op":"decide.onto","family":"tirx","layout":"S[4:2]",)" + tensor + "}\n"), 0);
  EXPECT_EQ(replayed(R"({"op":"decide.onto","family":"tirx","layout":"S[4:1]",)" + tensor + "}\n"), 10);
  // No slots to look up, and no image of elements without a slot.
  EXPECT_EQ(replayed(R"({"op":"back","family":"tirx","layout":"S[4:1]",)" + tensor + R"(,"slots":[]})"), 2);
  EXPECT_EQ(replayed(R"({"op":"image.pack","family":"tirx","layout":"S[4:1]","data":"AAECAw==",)"
                     R"("tensor":{"dtype":"u8","shape":[4],"box":[["m",2]]}})"),
            2);
}

TEST(GateRun, ASlurmArrayMergesToTheBytesOfOneRun) {
  const test::Ran ran =
      test::run("/usr/bin/env", {"bash", VL_SOURCE_DIR "/tests/cluster/slurm.sh", test::program("verify-layout"),
                                 kPython, kAdapters + "reference/adapter.py", "--plant", "derive.slice:odd"});
  if (ran.code == 77) GTEST_SKIP() << ran.out;
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

TEST(GateRun, WhatIsWrongWithTheCommandIsSaid) {
  EXPECT_EQ(test::verify_layout({"gate"}).code, 64);
  EXPECT_EQ(test::verify_layout({"gate", "--", "/nonexistent/adapter"}).code, 2);
  EXPECT_EQ(test::verify_layout({"gate", "--op", "derive.slica", "--", "true"}).code, 64);
  EXPECT_EQ(test::verify_layout({"gate", "--", "true"}).code, 2);
  EXPECT_EQ(test::verify_layout({"gate", "schema"}).code, 0);
}

}  // namespace oracle_gate_run_campaign
}  // namespace vl::gate
