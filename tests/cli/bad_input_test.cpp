// Errors of users: each one exits 2, states its place and what would be right, claims nothing, and leaves no file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/compiled_once.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_bad_input_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Words = std::vector<std::string>;

const std::string kGood =
    "SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)";

/// No word of an answer may be printed where there is none. The summary line may say "0 proved".
void expect_no_proof(const std::string& out, const std::string& name) {
  EXPECT_FALSE(test::has_match(out, R"(^\s*proved|\n\s*proved|[1-9]\d* proved|"verdict")")) << name << "\n" << out;
}

void expect_refused(const Words& arguments, const std::string& name, const std::string& where) {
  const Ran ran = verify_layout(arguments);
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
    {"no family", with("TensorLayout([4])"), "--layout:1:1: ", "SpyreTensorLayout("},
    {"a blank layout", with("  \n "), "--layout:1:1: ", "SpyreTensorLayout("},
    {"just the name", with("SpyreTensorLayout"), "--layout:1:18: ", "'('"},
    {"second line",
     with("SpyreTensorLayout(device_size=[4, 512, 64],\n  stride_map=[64, x, 1], device_dtype=SEN169_FP16)"),
     "--layout:2:19: ", "integer"},
    {"behind a tab", with("SpyreTensorLayout(\t[4, 512, 64],\t[64, 256, 1],\tSEN170_FP16)"),
     "--layout:1:48: ", "SEN169_FP16"},
    {"behind CRLF", with("SpyreTensorLayout([4, 512, 64],\r\n[64, 256],\r\nSEN169_FP16)"),
     "--layout:2:1: ", "device_size has 3"},
    {"unknown field", with("SpyreTensorLayout(device_size=[64], stride_map=[1], device_dtype=SEN169_FP16, shape=[3])"),
     "--layout:1:85: ", "unknown field 'shape'"},
    {"duplicate field",
     with("SpyreTensorLayout(device_size=[64], device_size=[64], stride_map=[1], device_dtype=SEN169_FP16)"),
     "--layout:1:37: ", "twice"},
    {"negative size",
     with("SpyreTensorLayout(device_size=[4, -512, 64], stride_map=[64, 256, 1], device_dtype=SEN169_FP16)"),
     "--layout:1:31: ", "negative"},
    {"stride below -1",
     with("SpyreTensorLayout(device_size=[4, 512, 64], stride_map=[64, -7, 1], device_dtype=SEN169_FP16)"),
     "--layout:1:56: ", "-1 or more"},
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
    {"negative extent", with(kGood, "f16[512,-256]"), "--tensor:1:4: ", "negative"},
    {"a letter as extent", with(kGood, "f16[512,N]"), "--tensor:1:9: ", "integer"},
    {"a fraction as extent", with(kGood, "f16[512,2.5]"), "--tensor:1:10: ", "integer"},
    {"no closing bracket", with(kGood, "f16[512,256"), "--tensor:1:12: ", "']'"},
    {"text behind the tensor", with(kGood, "f16[512,256]x"), "--tensor:1:13: ", "the end"},
    {"extent beyond 64 bits", with(kGood, "f16[9223372036854775808]"), "--tensor:1:5: ", "64 bits"},
    {"elements beyond 64 bits", with(kGood, "f16[4294967296,4294967296]"), "--tensor:1:4: ", "64 bits"},
    // strides, offsets
    {"a letter as stride", with(kGood, "f16[512,256]", {"--strides", "256,x"}), "--strides:1:5: ", "integer"},
    {"strides without commas", with(kGood, "f16[512,256]", {"--strides", "256 1"}), "--strides:1:5: ", "the end"},
    {"a stride beyond 64 bits", with(kGood, "f16[512,256]", {"--strides", "9223372036854775808,1"}),
     "--strides:1:1: ", "64 bits"},
    {"open strides", with(kGood, "f16[512,256]", {"--strides", "[256,1"}), "--strides:1:7: ", "']'"},
    {"a word as offset", with(kGood, "f16[512,256]", {"--offset", "far"}), "--offset:1:1: ", "integer"},
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
};

TEST(BadInput, OnTheCommandLineIsPointedAt) {
  ASSERT_GE(kFlags.size(), 45U);
  for (const Flag& row : kFlags) {
    const Ran ran = verify_layout(row.arguments);
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
    const Ran ran = verify_layout(arguments);
    EXPECT_TRUE(ran.code == 2 || ran.code == 64) << ran.code;
    EXPECT_NE(ran.err, "");
    expect_no_proof(ran.out, "empty");
  }
}

TEST(BadInput, OfStridesOfAnotherRankIsRefused) {
  for (const std::string strides : {"1", "131072,256,1"}) {
    const Ran ran = verify_layout(with(kGood, "f16[512,256]", {"--strides", strides}));
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

// ---- case files

// '~' stands where the error must point; a document without one only has to be refused by name.
struct Document {
  const char* name;
  std::string marked;
  const char* expects;
};

std::string a_case(std::string_view layout_line, std::string_view rest = "") {
  return fmt::format("schema = 1\n[[case]]\nid = \"x\"\n{}\ntensor = \"f16[512,256]\"\n{}\n", layout_line, rest);
}
std::string a_claim(std::string_view rest) {
  return a_case("layout = \"SpyreTensorLayout((512, 256), torch.float16)\"", rest);
}

const std::vector<Document> kDocuments = {
    // places inside strings
    {"a dtype in a basic string", a_case("layout = \"SpyreTensorLayout((512, 256), ~torch.float65)\""),
     "torch.float16"},
    {"a dtype in a literal string", a_case("layout   =   'SpyreTensorLayout((512, 256), ~torch.float65)'"),
     "torch.float16"},
    {"in a literal ''' string", a_case("layout = '''SpyreTensorLayout((512, 256), ~torch.float65)'''"),
     "torch.float16"},
    {"on a later line of a ''' string",
     a_case("layout = '''\nSpyreTensorLayout(\n    device_size=[4, 512, 64],\n    stride_map=~[64, 256],\n    "
            "device_dtype=SEN169_FP16)'''"),
     "one for each"},
    {"in a \"\"\" string", a_case("layout = \"\"\"\nSpyreTensorLayout(\n\t(512, 256),\n\t~torch.float65)\"\"\""),
     "torch.float16"},
    {"behind tabs", a_case("\tlayout\t=\t\"SpyreTensorLayout(\t(512, 256),\t~torch.float65)\""), "torch.float16"},
    {"behind a comment line", a_case("# a comment, é\nlayout = \"SpyreTensorLayout((512, 256), ~torch.float65)\""),
     "torch.float16"},
    {"in CRLF",
     "schema = 1\r\n[[case]]\r\nid = \"x\"\r\nlayout = \"SpyreTensorLayout((512, 256), ~torch.float65)\"\r\ntensor = "
     "\"f16[512,256]\"\r\n",
     "torch.float16"},
    {"in the tensor",
     "schema = 1\n[[case]]\nid = \"x\"\nlayout = \"SpyreTensorLayout((512, 256), torch.float16)\"\ntensor = "
     "\"f16[512,~N]\"\n",
     "integer"},
    {"in a second layout",
     a_claim("[[case.claim]]\nclaim = \"equal\"\nwith = 'SpyreTensorLayout((512, 256), ~torch.float65)'\nexpect = "
             "\"proved\""),
     "torch.float16"},
    {"in the second case",
     a_case("layout = 'Other(3)'",
            "expect = \"invalid\"\n[[case]]\nid = \"y\"\ntensor = \"f16[4]\"\nlayout = \"SpyreTensorLayout(~4, "
            "torch.float16)\""),
     "list"},
    {"in a string with escapes, its start", a_case("layout = ~\"SpyreTensorLayout(\\t(512, 256), torch.float65)\""),
     "torch.float16"},
    {"in an inline case",
     "schema = 1\ncase = [{ id = \"x\", layout = \"SpyreTensorLayout((5,), ~torch.float65)\", tensor = \"f16[5]\" }]\n",
     "torch.float16"},
    {"behind letters that are not ASCII",
     "schema = 1\ncase = [{ id = \"é漢\", layout = \"SpyreTensorLayout((5,), ~torch.float65)\", tensor = \"f16[5]\" "
     "}]\n",
     "torch.float16"},
    {"no family", a_case("layout = \"~Layout(3)\""), "SpyreTensorLayout("},
    // keys and values
    {"no schema", "~[[case]]\nid = \"x\"\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\ntensor = \"f16[4]\"\n",
     "schema = 1"},
    {"schema 2",
     "schema = ~2\n[[case]]\nid = \"x\"\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\ntensor = \"f16[4]\"\n",
     "schema = 1"},
    {"schema as text",
     "schema = ~\"1\"\n[[case]]\nid = \"x\"\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\ntensor = "
     "\"f16[4]\"\n",
     "schema = 1"},
    {"no case", "schema = 1\n", "[[case]]"},
    {"an empty list of cases", "schema = 1\ncase = ~[]\n", "[[case]]"},
    {"a table for the cases", "schema = 1\n~[case]\nid = \"x\"\n", "[[case]]"},
    {"numbers for the cases", "schema = 1\ncase = ~[1, 2]\n", "[[case]]"},
    {"an unknown key of the file", "schema = 1\n~title = \"x\"\n[[case]]\nid = \"x\"\n", "unknown key 'title'"},
    {"an unknown key of a case", a_claim("~colour = \"blue\""), "unknown key 'colour'"},
    {"an unknown key of a claim", a_claim("[[case.claim]]\nclaim = \"onto\"\n~expected = \"refuted\""),
     "unknown key 'expected'"},
    {"no id", "schema = 1\n[[case]]\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\ntensor = \"f16[4]\"\n",
     "'id' is missing"},
    {"an empty id",
     "schema = 1\n[[case]]\nid = ~\"\"\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\ntensor = \"f16[4]\"\n",
     "empty"},
    {"an id twice",
     a_claim("[[case]]\nid = ~\"x\"\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\ntensor = \"f16[4]\""),
     "not unique"},
    {"an id that is a number", "schema = 1\n[[case]]\nid = ~7\n", "string"},
    {"no layout", "schema = 1\n[[case]]\nid = \"x\"\ntensor = \"f16[4]\"\n", "'layout' is missing"},
    {"no tensor", "schema = 1\n[[case]]\nid = \"x\"\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\n",
     "'tensor' is missing"},
    {"a layout that is a list", a_case("layout = ~[4, 512, 64]"), "string"},
    {"a family that does not exist", a_claim("family = ~\"cute\""), "family"},
    {"strides as text", a_claim("strides = ~\"256,1\""), "list of integers"},
    {"a fraction as stride", a_claim("strides = [256, ~1.5]"), "integer"},
    {"an offset as text", a_claim("offset = ~\"3\""), "integer"},
    {"a view offset as fraction", a_claim("view_offset = ~1.0"), "integer"},
    {"an integer beyond 64 bits", a_claim("offset = 9223372036854775808"), "offset"},
    {"a claim that does not exist", a_claim("expect = { ~inbounds = \"proved\" }"), "in-bounds"},
    {"an expectation that does not exist", a_claim("expect = { in-bounds = ~\"true\" }"), "refuted"},
    {"a boolean expectation", a_claim("expect = { in-bounds = ~true }"), "refuted"},
    {"a number for a claim that does not measure", a_claim("expect = { in-bounds = ~3 }"), "refuted"},
    {"a fraction for a padding", a_claim("expect = { padding = ~3.5 }"), "number"},
    {"another word for invalid", a_claim("expect = ~\"rejected\""), "invalid"},
    {"a list of expectations", a_claim("expect = ~[\"proved\"]"), "table"},
    {"a comparison in expect", a_claim("expect = { ~equal = \"proved\" }"), "[[case.claim]]"},
    {"a comparison without its layout", a_claim("~[[case.claim]]\nclaim = \"equal\"\nexpect = \"proved\""),
     "'with' is missing"},
    {"a layout for a claim that does not compare",
     a_claim(
         "[[case.claim]]\nclaim = \"onto\"\nwith = ~\"SpyreTensorLayout((4,), torch.float16)\"\nexpect = \"proved\""),
     "no second layout"},
    {"a claim without a name", a_claim("~[[case.claim]]\nexpect = \"proved\""), "'claim' is missing"},
    {"one claim that is not a list", a_claim("claim = ~{ claim = \"onto\" }"), "[[case.claim]]"},
    {"a witness of a proof",
     a_claim("[[case.claim]]\nclaim = \"onto\"\nexpect = \"proved\"\ncounterexample = ~{ a = [0, 0] }"), "refuted"},
    {"a witness that is a list",
     a_claim("[[case.claim]]\nclaim = \"onto\"\nexpect = \"refuted\"\ncounterexample = ~[0, 0]"), "table"},
    {"a witness of words",
     a_claim("[[case.claim]]\nclaim = \"onto\"\nexpect = \"refuted\"\ncounterexample = { a = [~\"0\"] }"), "integer"},
    // no TOML
    {"empty", "", "schema = 1"},
    {"a key twice", "schema = 1\nschema = 1\n", ":2:"},
    {"a word", "schema\n", ":1:"},
    {"an open string", "schema = 1\nx = \"abc\n", ":2:"},
    {"an open table", "schema = 1\n[[case\n", ":2:"},
    {"a NUL", std::string("schema = 1\n\0\n", 13), ":2:"},
    {"a NUL in a string", std::string("schema = 1\n[[case]]\nid = \"a\0b\"\n", 31), ":3:"},
    {"invalid UTF-8", "schema = 1\n# \xff\xfe\n", ":2:"},
    {"a byte order mark of UTF-16", std::string("\xff\xfes\0c\0", 6), ":1:"},
    {"a million brackets", std::string(1 << 20, '['), ":1:"},
    {"a million nested lists", "schema = 1\nx = " + std::string(1 << 20, '['), ":2:"},
    {"many nested tables",
     [] {
       std::string text = "schema = 1\nx = ";
       for (int i = 0; i < 20000; ++i) text += "{a=";
       return text;
     }(),
     ":2:"},
    {"a deep dotted key",
     [] {
       std::string text = "schema = 1\na";
       for (int i = 0; i < 200000; ++i) text += ".a";
       return text + " = 1\n";
     }(),
     ":2:"},
    {"a deep table",
     [] {
       std::string text = "schema = 1\n[ a";
       for (int i = 0; i < 200000; ++i) text += " . 'a'";
       return text + " ]\n";
     }(),
     ":2:"},
    {"a layout of a million brackets", a_case("layout = \"" + std::string(1 << 20, '[') + "\""),
     ":4:13: expected an integer in a list"},
    {"a layout of a million nested lists", a_case("layout = \"SpyreTensorLayout([~" + std::string(1 << 20, '[') + "\""),
     "integer"},
};

TEST(BadInput, InACaseFileIsPointedAt) {
  ASSERT_GE(kDocuments.size(), 60U);
  const Folder folder;
  std::size_t exact = 0;
  for (const Document& row : kDocuments) {
    std::string document = row.marked;
    std::string where = "cases.toml";
    if (const std::size_t mark = document.find('~'); mark != std::string::npos) {
      document.erase(mark, 1);
      const std::string before = document.substr(0, mark);
      const auto line = std::ranges::count(before, '\n') + 1;
      const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
      where += fmt::format(":{}:{}: ", line, mark - start + 1);
      ++exact;
    }
    const std::string file = folder.file("cases.toml", document);
    const auto before = folder.content();
    const Ran ran = verify_layout({"check", file});
    const std::string said = ran.err.substr(0, 4000);
    EXPECT_EQ(ran.code, 2) << row.name << "\n" << ran.out.substr(0, 2000) << said;
    EXPECT_NE(said.find(where), std::string::npos) << row.name << ": expected " << where << "\n" << said;
    EXPECT_NE(said.find(row.expects), std::string::npos) << row.name << ": expected " << row.expects << "\n" << said;
    EXPECT_TRUE(test::has_match(said, R"(:\d+:\d+: )")) << row.name << "\n" << said;
    expect_no_proof(ran.out.substr(0, 4000), row.name);
    EXPECT_LT(ran.err.size() + ran.out.size(), std::size_t{3} << 20) << row.name;
    EXPECT_EQ(folder.content(), before) << row.name;
  }
  EXPECT_GE(exact, 30U);
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

TEST(GoodInput, MayHaveCarriageReturnsAByteOrderMarkAndComments) {
  const Folder folder;
  const std::string document =
      "# comment\r\nschema = 1\r\n\r\n[[case]]\r\nid = \"x\"\r\nlayout = '''\r\nSpyreTensorLayout((512, 256),\r\n  "
      "torch.float16)'''\r\n"
      "tensor = \"f16[512,256]\"\r\nexpect = { bijective = \"proved\", padding = 0 }\r\n";
  for (const std::string& text : {document, "\xef\xbb\xbf" + document}) {
    const Ran ran = verify_layout({"check", folder.file("ok.toml", text)});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  }
}

}  // namespace cli_bad_input_test
}  // namespace vl
