// convert: a layout in the other notation, printed only after a proof that it is the same.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <tuple>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_convert_test {

using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;

Ran convert(const std::string& layout, const std::string& tensor, const std::string& to,
            std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"convert", "--layout", layout, "--tensor", tensor, "--to", to};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return verify_layout(arguments);
}

TEST(ConvertCommand, PrintsTheOtherNotation) {
  const Ran dims = convert("SpyreTensorLayout((5, 100, 150), torch.float16)", "f16[5,100,150]", "dim_map");
  EXPECT_EQ(dims.code, 0) << dims.err;
  EXPECT_EQ(dims.out,
            "SpyreTensorLayout(device_size=[100, 3, 5, 64], dim_map =[1, 2, 0, 2], "
            "device_dtype=DataFormats.SEN169_FP16)\n");
  const Ran strides = convert(dims.out.substr(0, dims.out.size() - 1), "f16[5,100,150]", "stride_map");
  EXPECT_EQ(strides.code, 0) << strides.err;
  EXPECT_EQ(strides.out,
            "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
            "device_dtype=DataFormats.SEN169_FP16)\n");
  const Ran host = convert("SpyreTensorLayout(device_size=[1, 60, 64], dim_map=[0, 1, 0], device_dtype=SEN169_FP16)",
                           "f16[40,60]", "stride_map", {"--strides", "1,40"});
  EXPECT_NE(host.out.find("stride_map =[-1, 40, 1]"), std::string::npos) << host.out << host.err;
}

TEST(ConvertCommand, RefusesWithTheReasonAndExitCode10) {
  const Ran ran = convert("([60], [1], [2, 1, 2, 64], [15, 64, 30, 1])", "f16[60]", "dim_map");
  EXPECT_EQ(ran.code, 10);
  EXPECT_NE(ran.out.find("no dim_map says the same: the only candidate"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("element [15]"), std::string::npos) << ran.out;
  const Ran json = convert("([60], [1], [1, 512, 64], [64, 0, 1])", "f16[60]", "dim_map", {"--format", "json"});
  EXPECT_EQ(json.code, 10);
  const Json record = Json::parse(json.out);
  EXPECT_TRUE(record["converted"].is_null());
  EXPECT_TRUE(record["equal"].is_null());
  EXPECT_EQ(record["exists"], false);
  EXPECT_NE(record["reason"].get<std::string>().find("512 copies"), std::string::npos);
}

std::string raw(const std::string& sizes, const std::string& strides) {
  return "SpyreTensorLayout(device_size=[" + sizes + "], stride_map =[" + strides +
         "], device_dtype=DataFormats.SEN169_FP16)";
}

TEST(ConvertCommand, CallsNothingImpossibleThatIsNot) {
  for (const auto& [layout, tensor, dims] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {raw("4, 3, 64", "192, 64, 1"), "f16[3,64]", "[0, 0, 1]"},
           {raw("1, 64", "64, 1"), "f16[]", "[-1, -1]"},
           {raw("2, 2, 2, 4, 3", "8, 4, 16, 1, 32"), "f16[2,4,4]", "[1, 1, 0, 2, -1]"}}) {
    const Ran ran = convert(layout, tensor, "dim_map");
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_NE(ran.out.find("dim_map =" + dims), std::string::npos) << ran.out;
  }
}

TEST(ConvertCommand, SaysNoneFoundWhereTheSearchIsNotComplete) {
  // stride_map [63,2] says the same and is not found; [-1,2] does not.
  const std::string layout = "SpyreTensorLayout(device_size=[2, 64], dim_map=[-1, 1], device_dtype=SEN169_FP16)";
  const Ran ran = convert(layout, "f16[2,20]", "stride_map", {"--strides", "64,2"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(ran.out.find("none found: "), 0U) << ran.out;
  const Ran json = convert(layout, "f16[2,20]", "stride_map", {"--strides", "64,2", "--format", "json"});
  EXPECT_EQ(json.code, 5);
  EXPECT_TRUE(Json::parse(json.out)["exists"].is_null());
  EXPECT_TRUE(Json::parse(json.out)["converted"].is_null());
}

TEST(ConvertCommand, ConvertsASparseLayoutWhoseArrangementHasNoDimMap) {
  const Ran ran = convert("SpyreTensorLayout([256, 1, 512, 32], [1, -1, 256, -1], IEEE_FP32, DL16_TO_FP32)",
                          "f32[512,256]", "dim_map");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("dim_map =[1, -1, 0, -1], device_dtype=DataFormats.IEEE_FP32)"), std::string::npos) << ran.out;
}

TEST(ConvertCommand, GivesARecordAsJson) {
  const Ran ran = convert("SpyreTensorLayout([512, 256], torch.float16, [0, 1, -1])", "f16[512,256]", "dim_map",
                          {"--format", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Json record = Json::parse(ran.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : record.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"layout", "to", "converted", "equal", "exists", "reason"}));
  EXPECT_EQ(record["equal"], "proved");
  EXPECT_NE(record["converted"].get<std::string>().find("dim_map =[1, -1, 0, -1]"), std::string::npos);
}

// Proposals that are not the same layout are never printed: here the device is too small on one side only.
TEST(ConvertCommand, PrintsNothingThatItCouldNotProve) {
  const Ran vacuous = convert("SpyreTensorLayout([0, 5], torch.float16)", "f16[0,5]", "dim_map");
  EXPECT_EQ(vacuous.code, 5) << vacuous.out;
  EXPECT_EQ(vacuous.out.find("SpyreTensorLayout"), std::string::npos) << vacuous.out;
}

TEST(ConvertCommand, TakesBadInputAndUsageApart) {
  EXPECT_EQ(convert("SpyreTensorLayout([5], torch.float64)", "f16[5]", "dim_map").code, 2);
  EXPECT_EQ(convert("SpyreTensorLayout([5], torch.float16)", "f16[-5]", "dim_map").code, 2);
  EXPECT_EQ(convert("nothing", "f16[5]", "dim_map").code, 2);
  EXPECT_EQ(convert("SpyreTensorLayout([5], torch.float16)", "f16[5]", "hexagons").code, 64);
  EXPECT_EQ(verify_layout({"convert", "--layout", "SpyreTensorLayout([5], torch.float16)", "--tensor", "f16[5]"}).code,
            64);
}

}  // namespace cli_convert_test
}  // namespace vl
