// Nests in case files, and exec run, as a user runs them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/nests.h"

namespace vl {
namespace cli_nest_cases_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using test::nests::answers;
using test::nests::kExample;
using test::nests::kLayout;
using test::nests::kTensor;
using test::nests::replaced;
using Words = std::vector<std::string>;

// ---- case files

std::string case_with(const std::string& claim) {
  return fmt::format("schema = 1\n[[case]]\nid = \"a\"\nlayout = \"{}\"\ntensor = \"{}\"\n[[case.claim]]\n{}", kLayout,
                     kTensor, claim);
}

const std::string kTables =
    "nests = [\n"
    "  { extents = [2, 100, 5, 64], host_strides = [64, 150, 15000, 1], device_strides = [320, 960, 64, 1], "
    "host_offset = 0, device_offset = 0 },\n"
    "  { extents = [1, 100, 5, 22], host_strides = [64, 150, 15000, 1], device_strides = [320, 960, 64, 1], "
    "host_offset = 128, device_offset = 640 },\n"
    "]\n";

TEST(NestCases, HoldTablesOrATextAndADirection) {
  const Folder folder;
  const std::string text = "nests = \"[64,5,100,2]|[1,15000,150,64]|[1,64,960,320]|0,0 ; [22,5,100,1] 128,640\"\n";
  std::string json = "nests = '''" + kExample + "'''\n";
  const std::string file = folder.file(
      "c.toml",
      case_with("claim = \"in-bounds\"\nexpect = \"proved\"\n" + kTables) +
          "[[case.claim]]\nclaim = \"implements\"\nexpect = \"proved\"\ndirection = \"d2h\"\n" + kTables +
          "[[case.claim]]\nclaim = \"implements\"\nexpect = \"proved\"\n" + text +
          "[[case.claim]]\nclaim = \"covers-once\"\nexpect = \"proved\"\ndirection = \"d2h\"\n" + text +
          "[[case.claim]]\nclaim = \"implements\"\nexpect = \"proved\"\n" + json +
          "[[case.claim]]\nclaim = \"implements\"\nexpect = \"refuted\"\ncounterexample = { nest = 1, host = 127 }\n" +
          replaced(kTables, "128", "127") + "[[case.claim]]\nclaim = \"in-bounds\"\nexpect = \"proved\"\n");
  const Ran ran = verify_layout({"check", file, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(answers(ran), (std::vector<std::string>{"in-bounds proved", "implements proved", "implements proved",
                                                    "covers-once proved", "implements proved", "implements refuted",
                                                    "in-bounds proved"}));
}

TEST(NestCases, BetweenDevicesNameTheLayoutTheyComeFrom) {
  const Folder folder;
  const std::string file = folder.file("c.toml",
                                       "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"SpyreTensorLayout([3, 1, 64], "
                                       "[64, 64, 1], SEN169_FP16)\"\ntensor = \"f16[3,64]\"\n"
                                       "[[case.claim]]\nclaim = \"implements\"\ndirection = \"d2d\"\nwith = "
                                       "\"SpyreTensorLayout([1, 3, 64], [64, 64, 1], SEN169_FP16)\"\n"
                                       "expect = \"proved\"\nnests = [ { extents = [192], from_strides = [1], "
                                       "to_strides = [1], from_offset = 0, to_offset = 0 } ]\n");
  const Ran ran = verify_layout({"check", file, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(answers(ran), std::vector<std::string>{"implements proved"});
}

TEST(NestCases, PointAtWhatIsWrong) {
  struct Wrong {
    const char* name;
    std::string claim;
    const char* where;
  };
  const std::string head = "claim = \"implements\"\n";
  const std::vector<Wrong> all = {
      {"no nests", head, ":7:9: 'implements' is about loop nests"},
      {"a claim about layouts", "claim = \"bijective\"\n" + kTables, ":7:9: 'bijective' is not a claim about nests"},
      {"a direction without nests", "claim = \"in-bounds\"\ndirection = \"h2d\"\n",
       ":8:13: a direction goes with nests"},
      {"a direction of no kind", head + "direction = \"up\"\n" + kTables, ":8:13: expected \"h2d\""},
      {"nests that are a number", head + "nests = 3\n", ":8:9: expected a list of nests"},
      {"a nest that is a number", head + "nests = [3]\n", ":8:9: expected a list of nests"},
      {"unknown key", head + "nests = [{ extents = [], host_stride = [] }]\n", ":8:26: unknown key 'host_stride'"},
      {"missing key", head + "nests = [{ extents = [] }]\n", ":8:10: the field 'host_strides' is missing"},
      {"key of another kind", head + replaced(kTables, "host_offset = 0", "from_offset = 0"),
       ":9:3: the field 'host_offset' is missing"},
      {"lengths", head + replaced(kTables, "host_strides = [64, 150, 15000, 1]", "host_strides = [64, 150, 15000]"),
       ":9:47: extents has 4 entries and host_strides has 3"},
      {"negative extent", head + replaced(kTables, "[2, 100,", "[2, -100,"),
       ":9:19: expected an extent that is not negative"},
      {"a string for a number", head + replaced(kTables, "[2, 100,", "[2, \"100\","), ":9:19: expected an integer"},
      {"a list for an offset", head + replaced(kTables, "host_offset = 128", "host_offset = [128]"),
       ":10:118: expected an integer for 'host_offset'"},
      {"a text", head + "nests = \"[64]|[1]|[1]|0\"\n", ":8:24: expected ',', found the end"},
      {"a text of another direction", head + "direction = \"d2h\"\nnests = '{\"direction\":\"h2d\",\"nests\":[]}'\n",
       ":9:23: expected \"d2h\" here"},
      {"a text on two lines", head + "nests = '''\n[64]|[1]|\n[1,2]|0,0'''\n",
       ":10:1: extents has 1 entries and device_strides has 2"},
      {"between devices without a source", head + "direction = \"d2d\"\nnests = []\n", "the key 'with' is missing"},
      {"a second layout for the host", head + "with = \"x\"\n" + kTables, ":8:8: 'implements' has no second layout"},
  };
  const Folder folder;
  for (const Wrong& wrong : all) {
    const std::string file = folder.file("c.toml", case_with(wrong.claim));
    const Ran ran = verify_layout({"check", file});
    EXPECT_EQ(ran.code, 2) << wrong.name << ran.out;
    EXPECT_NE(ran.err.find(wrong.where), std::string::npos) << wrong.name << "\n" << ran.err;
  }
  const std::string in_table =
      "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"x\"\ntensor = \"f16[1]\"\nexpect = { implements = \"proved\" }\n";
  EXPECT_NE(verify_layout({"check", folder.file("c.toml", in_table)})
                .err.find(":6:12: 'implements' is about loop nests; write it as [[case.claim]]"),
            std::string::npos);
}

// ---- exec run

std::string npy(std::string_view shape, std::string_view data) {
  std::string header = fmt::format("{{'descr': '<u2', 'fortran_order': False, 'shape': ({}), }}", shape);
  header.resize(118 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header + std::string(data);
}

std::string counting(std::size_t units) {
  std::string out(units * 2, '\0');
  for (std::size_t i = 0; i < units; ++i) {
    const auto value = static_cast<std::uint16_t>(i * 31 + 7);
    std::memcpy(&out[i * 2], &value, 2);
  }
  return out;
}

TEST(ExecRun, IsPackAndUnpackForTheNestsOfTheLayout) {
  const Folder folder;
  const std::string host = folder.file("host.npy", npy("5, 100, 150", counting(75000)));
  const std::string there = folder.file("h2d.json", kExample);
  const std::string back = folder.file("d2h.json", replaced(kExample, "h2d", "d2h"));
  const Words layout{"--layout", kLayout, "--tensor", kTensor};
  const auto exec = [&](const std::string& verb, const std::string& in, const std::string& out, Words more) {
    Words words{"exec", verb, "--in", in, "--out", folder.at(out)};
    words.insert(words.end(), layout.begin(), layout.end());
    words.insert(words.end(), more.begin(), more.end());
    return verify_layout(words);
  };
  EXPECT_EQ(exec("pack", host, "packed.npy", {"--fill", "bits:0xFE01"}).code, 0);
  EXPECT_EQ(exec("run", host, "run.npy", {"--fill", "bits:0xFE01", "--nests", there}).code, 0);
  EXPECT_EQ(test::read_text(folder.at("run.npy")), test::read_text(folder.at("packed.npy")));
  EXPECT_EQ(exec("run", folder.at("run.npy"), "back.npy", {"--nests", back}).code, 0);
  EXPECT_EQ(test::read_text(folder.at("back.npy")), test::read_text(host));
  // Outside: named, and nothing is written.
  const std::string outside = folder.file("outside.json", replaced(kExample, "5,22]", "5,23]"));
  const Ran ran = exec("run", host, "outside.npy", {"--nests", outside});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("nest 1, iteration [0, 99, 4, 22] reads unit 75000; the source has 75000"), std::string::npos)
      << ran.err;
  EXPECT_FALSE(std::filesystem::exists(folder.at("outside.npy")));
  const std::string devices = folder.file("d2d.json", R"({"direction":"d2d","nests":[]})");
  EXPECT_EQ(exec("run", host, "d2d.npy", {"--nests", devices}).code, 2);
  EXPECT_EQ(exec("run", host, "none.npy", {}).code, 64);
}

}  // namespace cli_nest_cases_test
}  // namespace vl
