// Libraries with the C interface, asked in a process of its own: at once, in the shared memory, and case by case.
#include <gtest/gtest.h>

#include "tests/oracle/gated.h"
#include "tests/support/shard.h"

namespace vl::gate {
namespace oracle_gate_run_library_campaign {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

const char* const kCompiler = "/usr/bin/cc";
#define NEEDS_COMPILER \
  if (::access(kCompiler, X_OK) != 0) GTEST_SKIP() << "there is no " << kCompiler

std::string compiled(const test::Folder& folder, const std::string& name, const std::string& source,
                     std::vector<std::string> options) {
  ::chmod(folder.path().c_str(), 0755);
  const std::string out = folder.at(name + ".so");
  for (const std::string& word :
       {std::string("-std=c99"), std::string("-Wall"), std::string("-Werror"), std::string("-shared"),
        std::string("-fPIC"), std::string("-I") + VL_SOURCE_DIR + "/oracle/gate", std::string("-o"), out, source})
    options.push_back(word);
  const test::Ran built = test::run(kCompiler, options);
  EXPECT_EQ(built.code, 0) << built.err;
  return out;
}

std::string reference_library(const test::Folder& folder, const std::string& plant,
                              const std::vector<std::string>& options = {}) {
  std::vector<std::string> all = options;
  all.push_back("-DPLANT=" + plant);
  return compiled(folder, "library" + plant, kAdapters + "reference/reference.c", std::move(all));
}

Gated asked(const std::string& library, const std::vector<std::string>& options) {
  std::vector<std::string> words{"gate", "--library", library, "--no-shrink", "--format", "jsonl"};
  words.insert(words.end(), kPatience.begin(), kPatience.end());
  words.insert(words.end(), options.begin(), options.end());
  const test::Ran ran = test::verify_layout(words);
  Gated out{ran.code, {}, ran.err};
  std::istringstream in(ran.out);
  for (std::string line; std::getline(in, line);) out.lines.push_back(json::parse(line));
  for (json& line : out.lines) line.erase("seconds");
  return out;
}

TEST(GateLibrary, EachFaultHasItsWord) {
  NEEDS_COMPILER;
  const test::Folder folder;
  const auto found = [&](const std::string& plant) {
    const Gated gate = asked(reference_library(folder, plant, {"-DCRASH=100"}), {"--count", "300"});
    const auto findings = gate.of("finding");
    if (findings.empty()) return std::to_string(gate.code);
    return findings[0].at("found").get<std::string>() + ": " + findings[0].at("detail").get<std::string>();
  };
  EXPECT_EQ(found("0"), "0");
  EXPECT_EQ(found("1").substr(0, 6), "value:");
  EXPECT_EQ(found("4").substr(0, 10), "crashed:6:");
  EXPECT_EQ(found("6").substr(0, 10), "crashed:6:");
  EXPECT_EQ(found("7"), "garbled: the library wrote beside its answer");
  EXPECT_EQ(found("8"), "garbled: the library did not write a place");
  // Asked one by one it is seen where it happened, too.
  for (const auto& [plant, says] :
       {std::pair("7", "lg_place wrote beside its rows"), {"8", "lg_place did not write"}}) {
    const std::string library = reference_library(folder, plant, {R"(-DOPS="\"place.at\"")"});
    const auto some = asked(library, {"--count", "100"}).of("finding");
    ASSERT_FALSE(some.empty());
    EXPECT_EQ(some[0].at("found"), "error");
    EXPECT_NE(some[0].at("detail").get<std::string>().find(says), std::string::npos);
  }
  EXPECT_EQ(test::verify_layout({"gate", "--library", folder.file("none.so", "no library")}).code, 2);
}

// An address that is cut is wrong only where places are far apart.
TEST(GateLibrary, AnAddressOf16Or32BitsIsFound) {
  NEEDS_COMPILER;
  const test::Folder folder;
  for (const std::string plant : {"10", "11"}) {
    const Gated gate = asked(reference_library(folder, plant), {"--count", "1000"});
    ASSERT_FALSE(gate.of("finding").empty()) << plant;
    EXPECT_EQ(gate.of("finding")[0].at("found"), "value");
    EXPECT_LT(gate.of("operation")[0].at("disagree").get<int>(), 400);
    const Gated some =
        asked(reference_library(folder, plant, {R"(-DOPS="\"place.at\"")"}), {"--count", "1000", "--repeat", "8"});
    ASSERT_FALSE(some.of("finding").empty()) << plant;
    EXPECT_EQ(some.of("finding")[0].at("found"), "value");
    EXPECT_GE(some.of("operation")[0].at("sampled").get<int>(), 100);
  }
}

// With --throttle each case is judged by itself, with its text, its map and its own line.
TEST(GateLibrary, WhatIsAskedAtOnceHasTheTotalsOfCaseByCase) {
  NEEDS_COMPILER;
  const test::Folder folder;
  for (const std::string plant : {"0", "1", "3"}) {
    const std::string library = reference_library(folder, plant);
    const std::string count = std::to_string(test::cases(1000, 1024));  // all of which scout, so none is left out
    const Gated at_once = asked(library, {"--count", count}),
                by_itself = asked(library, {"--count", count, "--throttle"});
    EXPECT_EQ(at_once.lines, by_itself.lines);
    const auto operations = at_once.of("operation");
    ASSERT_EQ(operations.size(), 1U);
    EXPECT_GE(operations[0].at("agree").get<int>(), plant == "0" ? 500 : 100);
    EXPECT_GE(operations[0].at("by_definition").get<int>(), 1);
    EXPECT_EQ(operations[0].at("all_elements"), operations[0].at("agree"));
  }
}

TEST(GateLibrary, TotalsAreTheSameForThreadsAndShardsAndAfterCrashes) {
  NEEDS_COMPILER;
  const test::Folder folder;
  const std::string library = reference_library(folder, "9");
  const auto run = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--count", "2500", "--seed", "5"});
    Gated out = asked(library, options);
    for (json& line : out.lines) line.erase("starts");  // of processes: the only thing that depends on threads
    return out;
  };
  const Gated one = run({}), two = run({"--threads", "2"});
  if (two.code == 2) GTEST_SKIP() << two.err;  // without namespaces there is one process at a time
  EXPECT_EQ(one.lines, two.lines);
  ASSERT_EQ(one.of("operation").size(), 1U);
  EXPECT_GE(one.of("operation")[0].at("fault").get<int>(), 5);
  EXPECT_GE(one.of("operation")[0].at("agree").get<int>(), 1500);
  for (const std::string shard : {"0/2", "1/2", "0/1"})
    EXPECT_EQ(run({"--shard", shard, "--out", folder.at("out")}).code, 10);
  const test::Ran merged = test::verify_layout(
      {"gate", "merge", folder.at("out/reference-c-5-0-of-2.json"), folder.at("out/reference-c-5-1-of-2.json")});
  const test::Ran whole = test::run("/bin/cat", {folder.at("out/reference-c-5.json")});
  EXPECT_EQ(merged.out, whole.out);
  EXPECT_FALSE(whole.out.empty());
}

// It echoes the text of the request's layout, which is the same map; without `axes` and `parts` it would not answer.
TEST(GateLibrary, OtherOperationsAreAnsweredInJson) {
  NEEDS_COMPILER;
  const test::Folder folder;
  const std::string source = folder.file("echo.c", R"x(#include <layout_gate.h>
#include <stdio.h>
#include <string.h>
int lg_hello(char *json, size_t room) {
  snprintf(json, room, "{\"protocol\":1,\"impl\":{\"name\":\"echo\",\"version\":\"1\"},"
                       "\"families\":{\"tirx\":{\"form\":\"text\",\"ops\":{\"place.map\":{}}}}}");
  return LG_OK;
}
int lg_call(void *handle, const char *json, size_t n, char *answer, size_t room, size_t *used) {
  const char *at = strstr(json, "\"layout\":\"") + 10, *end = strchr(at, '"');
  if (handle != NULL || n != strlen(json)) return LG_ERROR;
#ifdef BEYOND
  memset(answer + room, 0, BEYOND);
#endif
  if (!strstr(json, "\"axes\":[") || !strstr(json, "\"parts\":{\"shard\":")) return LG_UNSUPPORTED;
  *used = (size_t)snprintf(answer, room, "{\"ok\":{\"layout\":\"%.*s\"}}", (int)(end - at), at);
  return LG_OK;
}
)x");
  const std::string out = compiled(folder, "echo", source, {});
  const test::Ran ran = test::verify_layout({"gate", "--library", out, "--count", "40", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("\"agree\":40"), std::string::npos) << ran.out;
  const Gated beyond = asked(compiled(folder, "beyond", source, {"-DBEYOND=3"}), {"--count", "40"});
  EXPECT_EQ(beyond.of("operation")[0].at("error"), 40);
  EXPECT_NE(beyond.of("finding")[0].at("detail").get<std::string>().find("lg_call wrote beside its answer"),
            std::string::npos);
}

}  // namespace oracle_gate_run_library_campaign
}  // namespace vl::gate
