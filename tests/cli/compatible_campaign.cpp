// The command `compatible`, and its keys in case files.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_compatible_campaign {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

const std::string kX = "f16[4,67] SpyreTensorLayout((4, 67), torch.float16)";
const std::string kY = "f16[67,256] SpyreTensorLayout((67, 256), torch.float16)";
const std::string kOut = "f16[4,256] SpyreTensorLayout((4, 256), torch.float16)";

Words matmul(const std::string& y = kY) {
  return {"compatible", "matmul", "--operand", kX, "--operand", y, "--result", kOut};
}
Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Compatible, ProvesAMatmulAndShowsItsSticks) {
  const Ran ran = verify_layout(matmul());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "proved      compatible (upstream)")) << ran.out;
  EXPECT_TRUE(has(ran.out, "dimensions M=4, K=67, N=256")) << ran.out;
  EXPECT_TRUE(has(ran.out, "operand 1 (y) f16[67,256] scales [-1, 0, 1] stick Mod(N, 64)")) << ran.out;
  EXPECT_FALSE(has(ran.out, "padding")) << ran.out;
}

TEST(Compatible, RefutesInWordsWithExitCode10) {
  const Ran ran = verify_layout(matmul("f16[67,256] SpyreTensorLayout((67, 256), torch.float16, [1,0])"));
  EXPECT_EQ(ran.code, 10);
  EXPECT_TRUE(has(ran.out, "operand 1 (y) has its stick on K, matmul needs N")) << ran.out;
}

TEST(Compatible, NamesTheElementOfAnOperandThatHasNoSlot) {
  const Ran ran = verify_layout({"compatible", "pointwise", "--operand",
                                 "f16[4,100] SpyreTensorLayout([1,4,64], [-1,100,1], SEN169_FP16)", "--operand",
                                 "f16[1,1] SpyreTensorLayout((1, 1), torch.float16)", "--result",
                                 "f16[4,100] SpyreTensorLayout((4, 100), torch.float16)"});
  EXPECT_EQ(ran.code, 10) << ran.err;
  EXPECT_TRUE(has(ran.out, "operand 0 (a): element [0, 64] has no slot")) << ran.out;
  EXPECT_TRUE(has(ran.out, "element = [0, 64]\n")) << ran.out;
}

TEST(Compatible, ShowsTheDifferenceOfBothRules) {
  const Ran ran =
      verify_layout({"compatible", "pointwise", "--operand", "f16[512,1] SpyreTensorLayout((512, 1), torch.float16)",
                     "--result", "f16[512,256] SpyreTensorLayout((512, 256), torch.float16)", "--rule", "both"});
  EXPECT_EQ(ran.code, 10);
  EXPECT_TRUE(has(ran.out, "refuted     compatible (documents)")) << ran.out;
  EXPECT_TRUE(has(ran.out, "proved      compatible (upstream)")) << ran.out;
}

TEST(Compatible, PlansTheRowsOfYThatMustBeZero) {
  const Ran ran = verify_layout(with(matmul("f16[67,256] SpyreTensorLayout((128, 256), torch.float16)"), {"--plan"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  // 61 rows of 64 lanes in each of 4 tiles of 128 rows: 67·64 = 4288 .. 128·64 - 1 = 8191, and so on.
  EXPECT_TRUE(has(ran.out,
                  "padding of operand 1 (y): K 67..127 must be filled with 0: 15616 slots, device elements 4288..8191, "
                  "12480..16383, 20672..24575, 28864..32767\n"))
      << ran.out;
  EXPECT_TRUE(has(verify_layout(with(matmul(), {"--plan"})).out,
                  "0 slots; 15616 more have no room: y must be allocated for K = 128"));
}

TEST(Compatible, GivesThePlanAndTheRuleInJson) {
  const Ran ran = verify_layout(
      with(matmul("f16[67,256] SpyreTensorLayout((128, 256), torch.float16)"), {"--plan", "--format", "jsonl"}));
  std::vector<Json> lines;
  for (std::size_t at = 0; at < ran.out.size();) {
    const std::size_t end = ran.out.find('\n', at);
    lines.push_back(Json::parse(ran.out.substr(at, end - at)));
    at = end + 1;
  }
  ASSERT_EQ(lines.size(), 3U);
  const Json& verdict = lines[1];
  EXPECT_EQ(verdict["claim"], "compatible");
  EXPECT_EQ(verdict["verdict"], "proved");
  EXPECT_EQ(verdict["rule"], "upstream");
  EXPECT_EQ(verdict["dims"], Json::parse(R"({"M":4,"K":67,"N":256})"));
  EXPECT_EQ(verdict["operands"][0]["stick"], "Mod(K, 64)");
  const Json& fill = verdict["padding"][0];
  EXPECT_EQ(fill["operand"], 1);
  EXPECT_EQ(fill["dim"], "K");
  EXPECT_EQ(fill["means"], "fill");
  EXPECT_EQ(fill["value"], "0");
  EXPECT_EQ(fill["assumes"], "the padding of operand 0 (x) is finite; the sign of a sum of zeros does not matter");
  EXPECT_EQ(fill["slots"], 15616);
  EXPECT_EQ(fill["missing"], 0);
  EXPECT_EQ(fill["complete"], true);
  EXPECT_EQ(fill["ranges"], Json::parse("[[4288,3904],[12480,3904],[20672,3904],[28864,3904]]"));
}

// 2^32·(2 - 2^-8) = 8573157376 is the greatest number of dl16, which has no infinity; f32 has one, integers have ends.
TEST(Compatible, PlansValuesThatTheTypeHas) {
  const std::string zeros = "the sign of a sum of zeros does not matter", nan = "a NaN wins over every number";
  struct Row {
    const char *operation, *type, *device;
    std::string value, assumes;
  };
  const Row rows[] = {
      {"sum", "f16", "float16", "0", zeros},
      {"mean", "f16", "float16", "0", zeros + "; the sum is divided by d1 = 70"},
      {"prod", "f16", "float16", "1", ""},
      {"max", "f16", "float16", "0xfffe (-8573157376)", nan},
      {"max", "bf16", "bfloat16", "0xfffe (-8573157376)", nan},
      {"min", "f16", "float16", "0x7ffe (8573157376)", nan},
      {"max", "f32", "float32", "-inf", nan},
      {"min", "f32", "float32", "+inf", nan},
      {"max", "i8", "int8", "-128", ""},
      {"min", "i32", "int32", "2147483647", ""},
      {"any", "f16", "float16", "0", ""},
      {"all", "f16", "float16", "1", ""},
      {"exx2", "f16", "float16", "0", ""},
      {"reduction", "f16", "float16", "0", "the operation adds, or takes 0 as nothing; " + zeros},
  };
  for (const Row& row : rows) {
    const std::string type = row.device, more = std::string(row.operation) == "exx2" ? ", ElementArrangement.EXX2" : "";
    const Ran ran = verify_layout(
        {"compatible", row.operation, "--operand",
         std::string(row.type) + "[3,70] SpyreTensorLayout((3, 70), (70, 1), torch." + type + ", [0,1])", "--result",
         std::string(row.type) + "[3] SpyreTensorLayout((3,), (1,), torch." + type + ", [0,-1]" + more + ")", "--plan",
         "--format", "jsonl"});
    const std::size_t at = ran.out.find("\"padding\":");
    ASSERT_NE(at, std::string::npos) << row.operation << ran.out << ran.err;
    const std::size_t start = ran.out.rfind('\n', at) + 1;
    const Json verdict = Json::parse(ran.out.substr(start, ran.out.find('\n', at) - start));
    ASSERT_EQ(verdict["padding"].size(), 1U) << row.operation << " " << row.type;
    EXPECT_EQ(verdict["padding"][0]["value"], row.value) << row.operation << " " << row.type;
    EXPECT_EQ(verdict["padding"][0]["assumes"], row.assumes) << row.operation << " " << row.type;
  }
}

TEST(Compatible, TakesScalesAndDimensions) {
  const Words good = with(
      matmul(), {"--dims", "M=4,K=67,N=256", "--scales", "[0,1,-1]", "--scales", "-1,0,1", "--scales", "[0,-1,1]"});
  EXPECT_EQ(verify_layout(good).code, 0) << verify_layout(good).err;
  const Ran wrong = verify_layout(with(
      matmul(), {"--dims", "M=4,K=67,N=256", "--scales", "[1,0,-1]", "--scales", "[-1,0,1]", "--scales", "[0,-1,1]"}));
  EXPECT_EQ(wrong.code, 10);
  EXPECT_TRUE(has(wrong.out, "names its host dimension 1 of size 67 for M, which has extent 4")) << wrong.out;
}

TEST(Compatible, TakesHostViewsBetweenTensorAndLayout) {
  const std::string slice =
      "f16[2,32] strides=[64,1] view_offset=32 SpyreTensorLayout([1,2,64], [64,64,1], SEN169_FP16)";
  const Ran ran = verify_layout({"compatible", "pointwise", "--operand", slice, "--result",
                                 "f16[2,32] SpyreTensorLayout((2, 32), torch.float16)"});
  EXPECT_EQ(ran.code, 10);
  EXPECT_TRUE(has(ran.out, "stick expression d1 + 32")) << ran.out << ran.err;
}

TEST(Compatible, TakesTheReducedDimensionsOfASquare) {
  const Words square = {"compatible", "sum",
                        "--operand",  "f16[64,64] SpyreTensorLayout((64, 64), torch.float16)",
                        "--result",   "f16[64] SpyreTensorLayout((64,), (1,), torch.float16, [0,-1])"};
  EXPECT_EQ(verify_layout(square).code, 2);
  EXPECT_EQ(verify_layout(with(square, {"--reduce", "1"})).code, 0);
  EXPECT_EQ(verify_layout(with(square, {"--reduce", "0"})).code, 10);
}

TEST(Compatible, PointsIntoBadInputWithACaret) {
  const auto bad = [](const Words& words, const std::string& says) {
    const Ran ran = verify_layout(words);
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_TRUE(has(ran.err, says)) << ran.err;
    EXPECT_TRUE(has(ran.err, "^")) << ran.err;
  };
  bad({"compatible", "dot", "--operand", kX, "--result", kX},
      "OPERATION:1:1: 'dot' is not an operation; did you mean 'sort'? expected one of pointwise");
  bad(matmul("f16[67,256]"), "--operand:1:12: no family recognises this layout");
  bad(matmul("f16 SpyreTensorLayout"), "expected 'TENSOR LAYOUT'");
  bad(matmul("f16[67,256] SpyreTensorLayout((67, 256), torch.float64)"),
      "--operand:1:42: torch.float64 has no device format");
  bad(matmul("f17[67,256] SpyreTensorLayout((67, 256), torch.float16)"), "--operand:1:1:");
  bad(matmul("f16[67,256] view_offset=-1 SpyreTensorLayout((67, 256), torch.float16)"),
      "expected an offset that is not negative");
  bad(matmul("f16[66,256] SpyreTensorLayout((66, 256), torch.float16)"), "y [66,256] has K = 66, the others have 67");
  bad(with(matmul(), {"--dims", "M=4,K"}), "--dims:1:6: expected '='");
  bad(with(matmul(), {"--dims", "M=4,K=67,N=-1"}), "--dims:1:12: expected an extent that is not negative");
  bad(with(matmul(), {"--dims", "M=4,K=67,N=9223372036854775808"}), "does not fit in 64 bits");
  bad(with(matmul(), {"--scales", "[0,1,x]", "--scales", "[0]", "--scales", "[0]"}),
      "--scales:1:6: expected an integer");
  bad(with(matmul(), {"--scales", "[0,1,7]", "--scales", "[-1,0,1]", "--scales", "[0,-1,1]"}), "7 is not a scale of x");
  bad(with(matmul(), {"--reduce", "1"}), "matmul reduces nothing");
}

TEST(Compatible, OfWrongUsageIs64) {
  EXPECT_EQ(verify_layout({"compatible", "matmul", "--operand", kX}).code, 64);
  EXPECT_EQ(verify_layout({"compatible"}).code, 64);
  EXPECT_EQ(verify_layout(with(matmul(), {"--rule", "mine"})).code, 64);
  EXPECT_EQ(verify_layout(with(matmul(), {"--scales", "[0,1,-1]"})).code, 64);
  EXPECT_EQ(verify_layout({"check", "--layout", "SpyreTensorLayout((4,), torch.float16)", "--tensor", "f16[4]",
                           "--claim", "compatible"})
                .code,
            64);
}

TEST(Compatible, IsListedWithTheFieldsOfItsWitness) {
  const Ran ran = verify_layout({"claims"});
  EXPECT_TRUE(has(ran.out, "compatible       an operation can compute with these operands")) << ran.out;
  EXPECT_TRUE(has(ran.out, "counterexample: operand, have, want; or operand, element, physical"));
}

std::string case_with(const std::string& claim) {
  return "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"SpyreTensorLayout((4, 6), torch.float16)\"\ntensor = "
         "\"f16[4,6]\"\n" +
         claim;
}
const std::string kOperand =
    "operands = [{ layout = \"SpyreTensorLayout((4, 6), torch.float16)\", tensor = \"f16[4,6]\" }]\n";

TEST(CompatibleCases, AreReadWithAllTheirKeys) {
  const Folder folder;
  const auto path = folder.file(
      "a.toml",
      case_with("[[case.claim]]\nclaim = \"compatible\"\noperation = \"sum\"\nreduce = [1]\nrule = \"documents\"\n"
                "expect = \"proved\"\n" +
                kOperand));
  // The result [4,6] is not [4,6] with a dimension reduced.
  const Ran ran = verify_layout({"check", path});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "a.toml:8:")) << ran.err;
}

TEST(CompatibleCases, WithWrongKeysPointAtThem) {
  const Folder folder;
  const auto bad = [&](const std::string& claim, const std::string& says) {
    const Ran ran = verify_layout({"check", folder.file("a.toml", case_with(claim))});
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_TRUE(has(ran.err, says)) << ran.err;
  };
  const std::string head = "[[case.claim]]\nclaim = \"compatible\"\n";
  bad(head + kOperand, "the key 'operation' is missing");
  bad(head + "operation = \"pointwise\"\nwith = \"x\"\n" + kOperand, "a.toml:9:1: unknown key 'with'");
  bad(head + "operation = \"pointwise\"\nrule = \"theirs\"\n" + kOperand,
      "a.toml:9:8: expected 'documents' or 'upstream'");
  bad(head + "operation = \"pointwise\"\noperands = [1]\n", "a.toml:9:12: expected a list of tables");
  bad(head + "operation = \"pointwise\"\noperands = [{ layout = \"x\" }]\n", "the key 'tensor' is missing");
  bad(head + "operation = \"pointwise\"\noperands = [{ layout = \"x\", tensor = \"f16[4]\" }]\n",
      "a.toml:9:25: no family recognises");
  bad(head + "operation = \"pointwise\"\nscales = [\"a\"]\n" + kOperand, "expected an integer in 'scales'");
  bad(head + "operation = \"pointwise\"\ndims = \"a=4,b\"\n" + kOperand, "a.toml:9:14: expected '='");
  bad("expect = { compatible = \"proved\" }\n", "'compatible' needs an operation; write it as [[case.claim]]");
}

}  // namespace cli_compatible_campaign
}  // namespace vl
