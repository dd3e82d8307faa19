// Everything that a user can get wrong in a case file: each exits 2, says where and what would be right, claims nothing
// and leaves no trace.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/records.h"
#include "tests/support/compiled_once.h"
#include "tests/support/no_proof.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_bad_cases_test {

using test::expect_no_proof;
using test::Folder;
using test::Ran;

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
     "\"f16[512,~?]\"\n",
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
    {"no family", a_case("layout = \"~Lay(3)\""), "SpyreTensorLayout("},
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
    {"an id that is a number", "schema = 1\n[[case]]\nid = ~7\n", "string"},
    {"no layout", "schema = 1\n[[case]]\nid = \"x\"\ntensor = \"f16[4]\"\n", "'layout' is missing"},
    {"no tensor", "schema = 1\n[[case]]\nid = \"x\"\nlayout = \"SpyreTensorLayout((4,), torch.float16)\"\n",
     "'tensor' is missing"},
    {"a layout that is a list", a_case("layout = ~[4, 512, 64]"), "string"},
    {"a family that does not exist", a_claim("family = ~\"cutlass\""), "family"},
    {"strides as text", a_claim("strides = ~\"256,1\""), "list of integers"},
    {"a fraction as stride", a_claim("strides = [256, ~1.5]"), "integer"},
    {"half a sum as offset", a_claim("offset = \"K +~\""), "a name"},
    {"an offset below 0 as text", a_claim("view_offset = \"~-3\""), "not negative"},
    {"a list as offset", a_claim("offset = ~[3]"), "integer"},
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
    {"a key twice", "schema = 1\nschema = 1\n", ":2:"},
    {"a word", "schema = 1\nschema\n", ":2:"},
    {"an open string", "schema = 1\nx = \"abc\n", ":2:"},
    {"an open table", "schema = 1\n[[case\n", ":2:"},
    {"a NUL", std::string("schema = 1\n\0\n", 13), ":2:"},
    {"a NUL in a string", std::string("schema = 1\n[[case]]\nid = \"a\0b\"\n", 31), ":3:"},
    {"invalid UTF-8", "schema = 1\n# \xff\xfe\n", ":2:"},
    {"a million brackets", "schema = 1\n" + std::string(1 << 20, '['), ":2:"},
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
    const Ran ran = called({"check", file});
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

// The cases of a file are read one by one: what looks like the head of a case inside a string or a comment is none.
TEST(GoodInput, MayHaveTextsThatLookLikeCases) {
  const auto a = [](std::string_view head, std::string_view id, std::string_view source) {
    return fmt::format("{}\nid = \"{}\"\nsource = {}\nlayout = 'S[4:1]'\ntensor = \"u8[4]\"\n", head, id, source);
  };
  const std::string document =
      "schema = 1 # [[case]]\n" + a("[[case]]", "a", "\"\"\"\n[[case]]\nid = \\\"\"x\n  [[case]]\"\"\"") +
      a("\t [[case]] # one more", "b", "'''\n'\n[[case]]\n'''") + a("[[ case ]]", "c", "'[[case]]'") +
      "[[case.claim]]\nclaim = \"injective\"\n" + a("[[case]]", "d", "\"\\\"\"");
  const Folder folder;
  const Ran ran = called({"check", folder.file("a.toml", document), "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  for (const char* id : {"a", "b", "c", "d"})
    EXPECT_NE(ran.out.find(fmt::format("\"case\":\"{}\"", id)), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\"cases\":4"), std::string::npos) << ran.out;
}

TEST(GoodInput, MayHaveCarriageReturnsAByteOrderMarkAndComments) {
  const Folder folder;
  const std::string document =
      "# comment\r\nschema = 1\r\n\r\n[[case]]\r\nid = \"x\"\r\nlayout = '''\r\nSpyreTensorLayout((512, 256),\r\n  "
      "torch.float16)'''\r\n"
      "tensor = \"f16[512,256]\"\r\nexpect = { bijective = \"proved\", padding = 0 }\r\n";
  for (const std::string& text : {document, "\xef\xbb\xbf" + document}) {
    const Ran ran = called({"check", folder.file("ok.toml", text)});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  }
}

}  // namespace cli_bad_cases_test
}  // namespace vl
