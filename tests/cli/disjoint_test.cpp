// The claim disjoint on the command line: with a second layout alone, with keys, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_disjoint_test {

using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;

Ran disjoint(const std::string& layout, const std::string& tensor, const std::string& argument,
             std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{
      "check", "--layout", layout, "--tensor", tensor, "--claim", "disjoint=" + argument};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return verify_layout(arguments);
}

TEST(DisjointCommand, ProvesNumpysInstance) {
  const std::string x1 = "S[(1049,1049,1049):(36674,61119,85569)]";
  const std::string x2 = "S[(1049,1049):(12223,12224)]";
  const Ran ran =
      disjoint(x1, "i8[1049,1049,1049]", "with=" + x2 + " + 64023025; with_tensor=i8[1049,1049]", {"--explain-engine"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("linear"), std::string::npos) << ran.out;
  EXPECT_EQ(disjoint(x1, "i8[1049,1049,1049]", "at=64023025; with=" + x2 + "; with_tensor=i8[1049,1049]").code, 0);
  EXPECT_EQ(disjoint(x1, "i8[1049,1049,1049]", "at=64029312; with=" + x2 + "; with_tensor=i8[1049,1049]").code, 10);
}

TEST(DisjointCommand, ShowsBothElementsAndTheirSlots) {
  const Ran ran =
      disjoint("S[(8,4):(8,1)]", "f16[8,4]", "with=S[(8,2):(8,1)]; with_tensor=f16[8,2]; at=3", {"--format", "jsonl"});
  EXPECT_EQ(ran.code, 10) << ran.err;
  Json found;
  for (std::size_t from = 0; from < ran.out.size(); from = ran.out.find('\n', from) + 1)
    if (const Json line = Json::parse(ran.out.substr(from, ran.out.find('\n', from) - from));
        line.at("kind") == "verdict")
      found = line;
  EXPECT_EQ(found.at("claim"), "disjoint");
  EXPECT_EQ(found.at("counterexample"), Json::parse(R"({"a": [0, 3], "b": [0, 0], "physical": [3], "other": [0]})"));
  const Ran words = disjoint("S[(8,4):(8,1)]", "f16[8,4]", "with=S[(8,2):(8,1)]; with_tensor=f16[8,2]; at=3");
  EXPECT_NE(words.out.find("both at place 3 of the buffer"), std::string::npos) << words.out;
}

TEST(DisjointCommand, ComparesDeviceMemoryOfLayoutsWithoutNamedAxes) {
  const std::string layout = "SpyreTensorLayout((4, 64), torch.float16)";  // 256 elements
  for (const auto& [at, code] :
       std::vector<std::pair<std::string, int>>{{"256", 0}, {"255", 10}, {"-256", 0}, {"-255", 10}, {"0", 10}})
    EXPECT_EQ(disjoint(layout, "f16[4,64]", "with=" + layout + "; at=" + at).code, code) << at;
}

TEST(DisjointCommand, RefusesWhatItCannotCompare) {
  struct Row {
    std::string argument;
    std::string says;
  };
  for (const Row& row :
       std::vector<Row>{{"with=S[(8,4):(8,1)]; at=x", "where the second layout's memory begins"},
                        {"with=S[(8,4):(8,1)]; at=1,2", "at"},
                        {"with=S[(8,4):(8,1)]; with_tensor=f16[8", "with_tensor"},
                        {"with=S[(8,4):(8,1)]; with_tensor=f16[9,4]", "36 elements"},
                        {"with=S[(8,4):(8,1)]; with_tensor=f32[8,4]", "expected elements of 16 bits, not of 32"}}) {
    const Ran ran = disjoint("S[(8,4):(8,1)]", "f16[8,4]", row.argument);
    EXPECT_EQ(ran.code, 2) << row.argument << ran.out;
    EXPECT_NE((ran.err + ran.out).find(row.says), std::string::npos) << ran.err << ran.out;
  }
}

// Row 3 of 100 bf16 lies at bytes 624 to 824 of an L1 that aligns rows by 16 bytes, and element 400 of slots is byte
// 800. The pages of a tensor of 12 tiles in DRAM lie in 12 banks, at byte 0 of each.
TEST(DisjointCommand, IsNotAnsweredWherePlacesAreNoAddresses) {
  const auto answer = [](const std::string& layout, const std::string& tensor, const std::string& at) {
    const Ran ran = disjoint(layout, tensor, "with=" + layout + "; at=" + at);
    return fmt::format("{} {}", ran.code, ran.out.find("unsupported disjoint") != std::string::npos);
  };
  const auto rows = [](const std::string& shape) {
    return "banks=1: ttnn.TensorSpec(ttnn.Shape([" + shape +
           "]), ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, ttnn.BufferType.L1)";
  };
  const std::string tiles =
      "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x12x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, "
      "<interleaved>>";
  EXPECT_EQ(answer(rows("4, 100"), "bf16[4,100]", "400"), "5 true");
  EXPECT_EQ(answer(rows("4, 256"), "bf16[4,256]", "1024"), "0 false");
  EXPECT_EQ(answer(rows("4, 256"), "bf16[4,256]", "1023"), "10 false");
  EXPECT_EQ(answer(tiles, "bf16[32,384]", "1024"), "5 true");
}

}  // namespace cli_disjoint_test
}  // namespace vl
