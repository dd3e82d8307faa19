// The claim partition on the command line and in case files, and the messages for mistyped ones.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_partition_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;

Ran ask(const std::string& division, const std::string& format = "jsonl", const std::string& tensor = "f16[67]") {
  const std::string layout =
      "SpyreTensorLayout(" + std::string(tensor == "f16[67]" ? "(67,)" : "(8, 128)") + ", torch.float16)";
  return verify_layout(
      {"check", "--layout", layout, "--tensor", tensor, "--claim", "partition" + division, "--format", format});
}

Json verdict(const Ran& ran) {
  std::istringstream in(ran.out);
  for (std::string line; std::getline(in, line);)
    if (const Json record = Json::parse(line); record["kind"] == "verdict") return record;
  ADD_FAILURE() << ran.out << ran.err;
  return {};
}

TEST(PartitionCommand, AnswersWithTheBareNameAndItsFields) {
  const Ran good = ask("=[4,2] cores=32 order=last-fastest", "jsonl", "f16[8,128]");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(verdict(good)["claim"], "partition");
  EXPECT_EQ(verdict(good)["verdict"], "proved");
  const Ran bad = ask("=slices=[[0:34],[34:67]]");
  EXPECT_EQ(bad.code, 10);
  EXPECT_EQ(verdict(bad)["counterexample"].dump(), R"({"a":[33],"b":[34],"core":0,"other_core":1})");
  const Ran words = ask("=[2] slices=[[0:67]]", "text");
  EXPECT_EQ(words.code, 10);
  EXPECT_NE(words.out.find("core 0 is given [0:67], and the division gives it [0:64]"), std::string::npos) << words.out;
}

TEST(PartitionCommand, PointsIntoADivisionThatItCannotRead) {
  const auto refused = [](const Ran& ran, int code, const char* said) {
    EXPECT_EQ(ran.code, code);
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
  };
  refused(ask("=[2] order=sideways"), 2, "--claim partition:1:11: expected first-fastest");
  refused(ask("=[2,2]"), 2, "2 splits for a tensor of rank 1");
  refused(ask("=[0]"), 2, "expected splits of at least 1");
  refused(ask("=slices=[[0:64],[64]]"), 2, "--claim partition:1:19: expected ':'");
  refused(ask("="), 2, "expected splits");
  refused(ask(""), 64, "needs a work division");
}

TEST(PartitionCommand, ReadsItsKeysInACaseFile) {
  const Folder folder;
  const std::string head =
      "schema = 1\n[[case]]\nid = \"x\"\nlayout = \"SpyreTensorLayout((67,), torch.float16)\"\ntensor = \"f16[67]\"\n";
  const auto run = [&](const std::string& rest) {
    return verify_layout({"check", folder.file("case.toml", head + rest)});
  };
  const std::string claim = "[[case.claim]]\nclaim = \"partition\"\n";
  EXPECT_EQ(
      run(claim +
          "splits = [2]\nslices = [\"0:64\", \"64:67\"]\norder = \"last-fastest\"\ncores = 2\nexpect = \"proved\"\n")
          .code,
      0);
  EXPECT_EQ(run(claim + "splits = [2, 5]\nscales = [0, -1]\norder = [1, 0]\nspan = 128\nexpect = \"proved\"\n").code,
            0);
  EXPECT_EQ(run(claim + "splits = [2]\nspan = 127\nexpect = \"refuted\"\ncounterexample = { span = 128 }\n").code, 0);
  EXPECT_EQ(run(claim + "splits = [2]\nstick = 128\nexpect = \"proved\"\n").code, 10);
  const auto refused = [&](const std::string& rest, const char* said) {
    const Ran ran = run(rest);
    EXPECT_EQ(ran.code, 2) << rest;
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
  };
  refused(claim, "6:1: 'partition' needs splits");
  refused(claim + "splits = [2]\nwith = \"x\"\n", "9:1: unknown key 'with'");
  refused(claim + "splits = [2]\norder = \"sideways\"\n", "9:9: expected \"first-fastest\"");
  refused(claim + "splits = [2]\nslices = [\"0-64\"]\n", "9:11: expected a slice");
  refused(claim + "splits = [2]\nslices = [64]\n", "9:11: expected a slice");
  refused(claim + "splits = [2, 2]\n", "8:10: 2 splits for a tensor of rank 1");
  refused(claim + "splits = [2]\ncores = 5000\n", "expected 1 to 4096 cores");
  refused("expect = { partition = \"proved\" }\n", "needs a work division; write it as [[case.claim]]");
  refused("[[case.claim]]\nclaim = \"injective\"\nsplits = [2]\n", "unknown key 'splits'");
}

}  // namespace cli_partition_test
}  // namespace vl
