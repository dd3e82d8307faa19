// Everything that a user can get wrong on the command line: each exits 2, says where and what would be right, and
// claims nothing.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/cli/records.h"
#include "tests/support/compiled_once.h"
#include "tests/support/no_proof.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_bad_input_test {

using test::expect_no_proof;
using test::Folder;
using test::Ran;
using Words = std::vector<std::string>;

const std::string kGood =
    "SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)";

void expect_refused(const Words& arguments, const std::string& name, const std::string& where) {
  const Ran ran = called(arguments);
  EXPECT_EQ(ran.code, 2) << name << "\n" << ran.out << ran.err;
  EXPECT_NE(ran.err.find(where), std::string::npos) << name << ": expected " << where << "\n" << ran.err;
  EXPECT_GE(ran.err.size(), where.size() + 15) << name << "\n" << ran.err;  // and something is said about it
  expect_no_proof(ran.out, name);
}

// ---- texts on the command line

struct Flag {
  const char* name;
  Words arguments;      // behind `check`
  const char* where;    // what the message must hold: the option with line and column
  const char* expects;  // and what would be right, or what is wrong
};

Words with(const std::string& layout, const std::string& tensor = "f16[512,256]", Words more = {}) {
  Words arguments{"check", "--layout", layout, "--tensor", tensor};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const std::vector<Flag> kFlags = {
    {"no family", with("OtherLayout([4])"), "--layout:1:1: ", "SpyreTensorLayout("},
    {"a blank layout", with("  \n "), "--layout:1:1: ", "SpyreTensorLayout("},
    {"just the name", with("SpyreTensorLayout"), "--layout:1:18: ", "'('"},
    {"second line",
     with("SpyreTensorLayout(device_size=[4, 512, 64],\n  stride_map=[64, !, 1], device_dtype=SEN169_FP16)"),
     "--layout:2:19: ", "integer"},
    {"behind a tab", with("SpyreTensorLayout(\t[4, 512, 64],\t[64, 256, 1],\tSEN170_FP16)"),
     "--layout:1:48: ", "SEN169_FP16"},
    {"behind CRLF", with("SpyreTensorLayout([4, 512, 64],\r\n[64, 256],\r\nSEN169_FP16)"),
     "--layout:2:1: ", "device_size has 3"},
    {"unknown field", with("SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=SEN169_FP16, shape=[3])"),
     "--layout:1:79: ", "unknown field 'shape'"},
    {"duplicate field",
     with("SpyreTensorLayout(device_size=[64], device_size=[64], stride_map=[1], device_dtype=SEN169_FP16)"),
     "--layout:1:37: ", "twice"},
    {"negative size",
     with("SpyreTensorLayout(device_size=[4, -512, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)"),
     "--layout:1:35: ", "negative"},
    {"stride below -1",
     with("SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, -7, 1], device_dtype=SEN169_FP16)"),
     "--layout:1:61: ", "-1 or more"},
    {"lengths differ",
     with("SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, 256], device_dtype=SEN169_FP16)"),
     "--layout:1:56: ", "one for each"},
    {"no geometry", with("SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, 256, 1], device_dtype=SENINT24)"),
     "--layout:1:83: ", "geometry"},
    {"overflowing product",
     with(
         "SpyreTensorLayout(device_size=[4294967296, 4294967296, 64], stride_map=[1, 1, 1], device_dtype=SEN169_FP16)"),
     "--layout:1:31: ", "64 bits"},
    {"overflowing number",
     with("SpyreTensorLayout(device_size=[99999999999999999999], stride_map=[1], device_dtype=SEN169_FP16)"),
     "--layout:1:32: ", "64 bits"},
    {"overflowing offset",
     with("SpyreTensorLayout(device_size=[4, 64], stride_map=[9223372036854775807, 1], device_dtype=SEN169_FP16)",
          "f16[4,64]", {"--strides", "4611686018427387904,1"}),
     "--layout:", "64 bits"},
    {"text behind it", with(kGood + " and more"), "--layout:1:96: ", "the end"},
    {"invalid UTF-8", with("SpyreTensorLayout(\xff\xfe)"), "--layout:1:19: ", "0xff"},
    {"a control character", with("SpyreTensorLayout(\x1b[31m)"), "--layout:1:19: ", "0x1b"},
    {"dim_map beyond the rank",
     with("SpyreTensorLayout(device_size=[2, 64], dim_map=[0, 2], device_dtype=SEN169_FP16)"), "--layout:", "rank 2"},
    {"view of a dim_map",
     with("SpyreTensorLayout(device_size=[2, 64], dim_map=[0, 0], device_dtype=SEN169_FP16)", "f16[128]",
          {"--view-offset", "64"}),
     "--layout:", "view offset"},
    {"constructor of another dtype", with("SpyreTensorLayout((5, 100), torch.float64)", "f16[5,100]"),
     "--layout:1:29: ", "device format"},
    {"no permutation", with("SpyreTensorLayout((5, 100), torch.float16, [0, 0])", "f16[5,100]"),
     "--layout:1:44: ", "permutation"},
    {"unbalanced", with("SpyreTensorLayout((5, 100]"), "--layout:1:26: ", "')'"},
    {"a long run of brackets", with("SpyreTensorLayout(" + std::string(100000, '[') + ")"),
     "--layout:1:20: ", "integer"},
    // tensors
    {"tensor without brackets", with(kGood, "f16"), "--tensor:1:4: ", "brackets"},
    {"empty tensor", with(kGood, ""), "--tensor:1:1: ", "element type"},
    {"unknown element type", with(kGood, "f17[512,256]"), "--tensor:1:1: ", "bf16"},
    {"negative extent", with(kGood, "f16[512,-256]"), "--tensor:1:9: ", "negative"},
    {"a letter behind an extent", with(kGood, "f16[512,2N]"), "--tensor:1:10: ", "after the digits"},
    {"a fraction as extent", with(kGood, "f16[512,2.5]"), "--tensor:1:10: ", "integer"},
    {"no closing bracket", with(kGood, "f16[512,256"), "--tensor:1:12: ", "']'"},
    {"text behind the tensor", with(kGood, "f16[512,256]x"), "--tensor:1:13: ", "the end"},
    {"extent beyond 64 bits", with(kGood, "f16[9223372036854775808]"), "--tensor:1:5: ", "64 bits"},
    {"elements beyond 64 bits", with(kGood, "f16[4294967296,4294967296]"), "--tensor:1:4: ", "64 bits"},
    // strides, offsets
    {"a sign as stride", with(kGood, "f16[512,256]", {"--strides", "256,#"}), "--strides:1:5: ", "integer"},
    {"strides without commas", with(kGood, "f16[512,256]", {"--strides", "256 1"}), "--strides:1:5: ", "the end"},
    {"a stride beyond 64 bits", with(kGood, "f16[512,256]", {"--strides", "9223372036854775808,1"}),
     "--strides:1:1: ", "64 bits"},
    {"open strides", with(kGood, "f16[512,256]", {"--strides", "[256,1"}), "--strides:1:7: ", "']'"},
    {"a sign as offset", with(kGood, "f16[512,256]", {"--offset", "#"}), "--offset:1:1: ", "a name"},
    {"half a sum as offset", with(kGood, "f16[512,256]", {"--offset", "K +"}), "--offset:1:4: ", "the end"},
    {"a name as offset where no layout is on sticks", with("(x0:16) -> (m:16)", "f16[16]", {"--offset", "K"}),
     "--offset:1:1: ", "of layouts on sticks"},
    {"two offsets in one", with(kGood, "f16[512,256]", {"--offset", "1,2"}), "--offset:1:2: ", "the end"},
    {"a negative offset", with(kGood, "f16[512,256]", {"--offset=-1"}), "--offset:1:1: ", "not negative"},
    {"a negative view offset", with(kGood, "f16[512,256]", {"--view-offset=-64"}),
     "--view-offset:1:1: ", "not negative"},
    {"a fraction as view offset", with(kGood, "f16[512,256]", {"--view-offset", "6.4"}),
     "--view-offset:1:2: ", "integer"},
    // second layouts
    {"a bad second layout",
     with(kGood, "f16[512,256]", {"--claim", "equal=SpyreTensorLayout((512, 256), torch.floaty)"}),
     ":1:31: ", "torch.float16"},
    {"a second layout of no family", with(kGood, "f16[512,256]", {"--claim", "equal=Other()"}),
     ":1:1: ", "SpyreTensorLayout("},
    {"a second layout of equal",
     {"equal", "--layout", kGood, "--tensor", "f16[512,256]", "--with", "SpyreTensorLayout((512, 256), torch.floaty)"},
     "--with:1:31: ",
     "torch.float16"},
    // boxes, profiles, notations
    {"a box of an axis that there is not",
     {"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--box", "lane=64"},
     "--box:1:1: ",
     "'lane'"},
    {"a region outside of the tensor",
     {"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--claim",
      "slice=region=3:99,0:64; with=S[(3,64):(64,1)]"},
     "--claim slice: region:1:1: ",
     "3:99 is not a part"},
    {"a profile that there is not",
     {"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--access", "lanes=8 width=16 at=[lane, 0]",
      "--hardware", "sm90"},
     "--hardware:1:1: ",
     "did you mean 'sm_90'?"},
    {"a TTNN layout without its memref", with("#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>>", "f16[512,256]"),
     "--layout:1:46: ", "expected ',', found '>'"},
};

TEST(BadInput, OnTheCommandLineIsPointedAt) {
  ASSERT_GE(kFlags.size(), 45U);
  for (const Flag& row : kFlags) {
    const Ran ran = called(row.arguments);
    EXPECT_EQ(ran.code, 2) << row.name << "\n" << ran.out << ran.err;
    EXPECT_NE(ran.err.find(row.where), std::string::npos) << row.name << ": expected " << row.where << "\n"
                                                          << ran.err.substr(0, 2000);
    EXPECT_NE(ran.err.find(row.expects), std::string::npos) << row.name << ": expected " << row.expects << "\n"
                                                            << ran.err.substr(0, 2000);
    EXPECT_TRUE(test::has_match(ran.err.substr(0, 2000), R"(:\d+:\d+: )")) << row.name;
    EXPECT_EQ(ran.err.find('\x1b'), std::string::npos) << row.name;
    expect_no_proof(ran.out, row.name);
  }
}

// An empty text is an error: no family reads it, or the usage is wrong.
TEST(BadInput, OfEmptyTextsIsRefused) {
  for (const Words& arguments : {with(""), with("", ""), with(kGood, "")}) {
    const Ran ran = called(arguments);
    EXPECT_TRUE(ran.code == 2 || ran.code == 64) << ran.code;
    EXPECT_NE(ran.err, "");
    expect_no_proof(ran.out, "empty");
  }
}

TEST(BadInput, OfStridesOfAnotherRankIsRefused) {
  for (const std::string strides : {"1", "131072,256,1"}) {
    const Ran ran = called(with(kGood, "f16[512,256]", {"--strides", strides}));
    EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
    EXPECT_NE(ran.err.find("rank 2"), std::string::npos) << ran.err;
  }
}

TEST(BadInput, OfExplainIsPointedAt) {
  const auto explain = [](Words more) {
    Words arguments{"explain", "--layout", kGood, "--tensor", "f16[512,256]"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  expect_refused(explain({"--at", "1,x"}), "a letter", "--at:1:3: ");
  expect_refused(explain({"--at", "512,0"}), "beyond the tensor", "--at:1:1: ");
  expect_refused(explain({"--at=-1,0"}), "before the tensor", "--at:1:1: ");
  expect_refused(explain({"--at", "1"}), "another rank", "--at:1:1: ");
  expect_refused(explain({"--slot", "0,0,64"}), "beyond the box", "--slot:1:1: ");
  expect_refused({"explain", "--layout", "?", "--tensor", "f16[512,256]"}, "no layout", "--layout:1:1: ");
  expect_refused({"equal", "--layout", kGood, "--with", "SpyreTensorLayout(", "--tensor", "f16[512,256]"}, "with",
                 ":1:19: ");
}

TEST(BadInput, OfPathsIsNamed) {
  const Folder folder;
  folder.file("empty/readme.txt", "no case here");
  std::filesystem::create_directory(folder.at("folder.toml"));
  std::filesystem::create_directories(folder.at("deep/dir.toml"));
  ASSERT_EQ(::mkfifo(folder.at("pipe.toml").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder.at("gone"), folder.at("dangling.toml"));
  for (const char* path :
       {"missing.toml", "missing", "empty", "folder.toml", "deep", "pipe.toml", "dangling.toml", "empty/readme.txt/x"})
    expect_refused({"check", folder.at(path)}, path, folder.at(path) + ": ");
  expect_refused({"check", "/dev/null"}, "/dev/null", "/dev/null: ");
  if (::geteuid() != 0) {  // root may read everything
    ::chmod(folder.file("closed.toml", "schema = 1\n").c_str(), 0);
    expect_refused({"check", folder.at("closed.toml")}, "closed", "closed.toml: ");
  }
  // A file in place of a folder for dumps.
  const std::string file = folder.file("file", "x");
  expect_refused(with(kGood, "f16[512,256]", {"--dump-smt", file + "/x"}), "dump into a file", file);
}

}  // namespace cli_bad_input_test
}  // namespace vl
