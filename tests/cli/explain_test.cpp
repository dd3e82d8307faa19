// explain: a layout in words and numbers, and one element or slot of it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_explain_test {

using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;

const std::string kDoc =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";

Json explained(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"explain", "--format", "json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ran ran = verify_layout(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(Json::accept(ran.out)) << ran.out;
  return Json::accept(ran.out) ? Json::parse(ran.out) : Json();
}

TEST(Explain, GivesTheRecordOfTheInterfaces) {
  const Json json = explained({"--layout", kDoc, "--tensor", "f16[5,100,150]", "--at", "2,7,40"});
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"logical", "host_offset", "axes", "physical", "device_offset", "stages",
                                            "normal"}));
  EXPECT_EQ(json["logical"].dump(), "[2,7,40]");
  EXPECT_EQ(json["host_offset"], 31090);
  EXPECT_EQ(json["axes"].dump(), R"(["d0","d1","d2","d3"])");
  EXPECT_EQ(json["physical"].dump(), "[[7,0,2,40]]");
  EXPECT_EQ(json["device_offset"].dump(), "[6888]");
  EXPECT_TRUE(json["stages"].is_array());
  EXPECT_EQ(json["normal"], kDoc);
}

// [0, 0, 128] is the first element of the third stick of a row, and the box has two.
TEST(Explain, OpensWithWhatIsWrong) {
  const std::string narrow =
      "SpyreTensorLayout(device_size=[100, 2, 5, 64], stride_map =[150, 64, 15000, 1], "
      "device_dtype=DataFormats.SEN169_FP16)";
  const Ran wrong = verify_layout({"explain", "--layout", narrow, "--tensor", "f16[5,100,150]"});
  EXPECT_TRUE(wrong.out.starts_with("WRONG     in-bounds: element [0, 0, 128] has no slot")) << wrong.out;
  const Ran right = verify_layout({"explain", "--layout", kDoc, "--tensor", "f16[5,100,150]"});
  EXPECT_EQ(right.out.find("WRONG"), std::string::npos) << right.out;
}

TEST(Explain, GivesTheNormalTextOfAConstructor) {
  const Json json = explained({"--layout", "SpyreTensorLayout((5, 100, 150), torch.float16)", "--tensor",
                               "f16[5,100,150]", "--at", "[2, 7, 40]"});
  EXPECT_EQ(json["normal"], kDoc);
  EXPECT_EQ(json["device_offset"].dump(), "[6888]");
}

TEST(Explain, ListsThePlacesOfAReplicatedElement) {
  const Json json = explained(
      {"--layout", "SpyreTensorLayout(device_size=[1, 4, 64], stride_map=[64, 0, 1], device_dtype=SEN169_FP16)",
       "--tensor", "f16[60]", "--at", "7"});
  EXPECT_EQ(json["physical"].dump(), "[[0,0,7],[0,1,7],[0,2,7],[0,3,7]]");
  EXPECT_EQ(json["device_offset"].dump(), "[7,71,135,199]");
}

TEST(Explain, KeepsTheTwoOffsetsApart) {
  const Json json = explained({"--layout", "SpyreTensorLayout((10, 20, 30), torch.float16)", "--tensor",
                               "f16[10,20,30]", "--offset", "256", "--at", "3,1,25"});
  EXPECT_EQ(json["host_offset"], 256 + 1855);
  EXPECT_EQ(json["physical"].dump(), "[[1,0,3,25]]");
  const Json view = explained({"--layout", "SpyreTensorLayout((10, 20, 30), torch.float16)", "--tensor", "f16[5,20,30]",
                               "--view-offset", "1800", "--at", "0,1,25"});
  EXPECT_EQ(view["physical"].dump(), "[[1,0,3,25]]");
}

TEST(Explain, OfRankZeroNeedsNoPlace) {
  const Json json = explained({"--layout", "SpyreTensorLayout((), torch.float16)", "--tensor", "f16[]"});
  EXPECT_EQ(json["logical"].dump(), "[]");
  EXPECT_EQ(json["physical"].dump(), "[[0,0]]");
}

TEST(Explain, GivesNoPlaceToAnElementWithoutASlot) {
  const Json json = explained(
      {"--layout", "SpyreTensorLayout(device_size=[1, 1, 64], stride_map=[64, 128, 1], device_dtype=SEN169_FP16)",
       "--tensor", "f16[2,128]", "--at", "0,64"});
  EXPECT_EQ(json["physical"].dump(), "[]");
  EXPECT_EQ(json["device_offset"].dump(), "[]");
}

TEST(Explain, SaysInWordsWhatThePaddingHides) {
  const Ran ran = verify_layout({"explain", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--at", "2,7,40"});
  EXPECT_EQ(ran.code, 0);
  for (const char* said : {"21000", "20958", "75000", "96000", "192000 bytes", "31090", "6888", "[7, 0, 2, 40]"})
    EXPECT_NE(ran.out.find(said), std::string::npos) << said << "\n" << ran.out;
}

TEST(Explain, LooksAtASlot) {
  const auto slot = [](const std::string& at) {
    return verify_layout({"explain", "--layout", kDoc, "--tensor", "f16[5,100,150]", "--slot", at}).out;
  };
  EXPECT_NE(slot("7,0,2,40").find("holds element [2, 7, 40]"), std::string::npos);
  const std::string alias = slot("0,2,0,22");
  EXPECT_NE(alias.find("padding"), std::string::npos) << alias;
  EXPECT_NE(alias.find("[0, 1, 0]"), std::string::npos) << alias;
  EXPECT_NE(alias.find("[1, 0, 0, 0]"), std::string::npos) << alias;
}

// Vector of cuda.h and PTX 5.5.7: t (9, 3) of a box at (64, 32) goes from byte 18066 of the tensor to 418 = 402 ^ 3·16,
// here beside a layout of the box's tensor that is the same but for its swizzle.
TEST(Explain, FollowsAnElementThroughTensorMaps) {
  const std::string load =
      "load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (64,32) to 0";
  const std::vector<std::string> tile = {"--layout", "S[(64,64):(64,1)]", "--tensor", "f16[64,64]", "--strides",
                                         "256,1",    "--offset",          "8256",     "--at",       "3,9"};
  std::vector<std::string> words = tile;
  words.insert(words.end(), {"--transfer", load});
  EXPECT_EQ(explained(words)["carried"], Json::parse(R"({"own": [402], "ways": [{"transfer": 0, "t": [9, 3],
    "coordinates": [73, 35], "tensor": 18066, "straight": 402, "byte": 418}]})"));
  words.insert(words.begin(), "explain");
  Ran ran = verify_layout(words);
  EXPECT_NE(ran.out.find("  transfer 0, t (9,3), coordinates (73,35): byte 18066 of the tensor to byte 418, byte 402 "
                         "before the swizzle\n  the layout has it at byte 402\n"),
            std::string::npos)
      << ran.out;
  words.insert(words.end(), {"--transfer", load, "--base", "1024"});  // twice, and the layout elsewhere
  ran = verify_layout(words);
  EXPECT_NE(ran.out.find("  transfer 1, t (9,3)"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("  the layout has it at byte 1426\n"), std::string::npos) << ran.out;
  std::vector<std::string> other = tile;
  other.insert(other.begin(), "explain");
  std::vector<std::string> late = other;
  late.insert(late.end(),
              {"--transfer", "load tensormap(f16, dim (256,128), stride (512), box (64,64)) at (128,32) to 0"});
  EXPECT_NE(verify_layout(late).out.find("  no transfer carries it\n"), std::string::npos);
  std::vector<std::string> base = other;
  base.insert(base.end(), {"--base", "64"});
  EXPECT_EQ(verify_layout(base).code, 64);
  for (const char* wrong : {"9223372036854775807", "-5"}) {
    std::vector<std::string> far = other;
    far.insert(far.end(), {"--transfer", load, "--base", wrong});
    EXPECT_EQ(verify_layout(far).code, 2) << wrong;
  }
  late.erase(std::ranges::find(late, "--at"), std::ranges::find(late, "--at") + 2);
  EXPECT_EQ(verify_layout(late).code, 64);
}

TEST(Explain, FollowsAPlaceOfADescriptorsTile) {
  const std::string load =
      "load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (64,32) to 0";
  const Json json = explained({load, "--at", "0,1"});
  EXPECT_EQ(json["tile"], Json::parse("[64, 64]"));
  EXPECT_EQ(json["from"], 17024);
  EXPECT_EQ(json["to"], 144);
  EXPECT_EQ(json["straight"], 128);
  const auto text = [](const std::vector<std::string>& words) {
    std::vector<std::string> all{"explain"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = verify_layout(all);
    return ran.code == 0 ? ran.out.substr(ran.out.find("\ntile") + 1) : ran.err;
  };
  EXPECT_EQ(text({load, "--at", "0,1"}),
            "tile (64,64), innermost first\n"
            "(0,1)  coordinates (64,33), from byte 17024 of the tensor to byte 144 of shared memory, byte 128 without "
            "the swizzle\n");
  EXPECT_EQ(text({"dmabd(i32, size (8), stride (2))", "--at", "5"}),
            "tile (8), outermost first\n(5)  from element 10 of the buffer to place 5 of the stream\n");
  EXPECT_EQ(text({"tdm(f32, tile (16,16), tensor (0,64), stride (64,1))", "--at", "0,0"}),
            "tile (16,16), outermost first\n(0,0)  filled, to byte 0 of LDS\n");
  EXPECT_EQ(text({"store tensormap(u8, dim (466,32), stride (512), box (128,32)) at (384,0) from 0", "--at", "96,1"}),
            "tile (128,32), innermost first\n"
            "(96,1)  coordinates (480,1), from byte 224 of shared memory, and dropped\n");
  // A matrix descriptor is a layout: 2176 of (9, 8) is slot 1088.
  EXPECT_EQ(explained({"smemdesc(wgmma, K, f16, start 1024, sbo 1024, swizzle 128B)", "--tensor", "f16[64,64]", "--at",
                       "9,8"})["device_offset"],
            Json::parse("[1088]"));
  EXPECT_NE(text({load, "--at", "64,0"}).find("not in the tile of (64,64), innermost first"), std::string::npos);
  EXPECT_NE(text({load, "--tensor", "f16[2]"}).find("--tensor"), std::string::npos);
  EXPECT_NE(text({"load tensormap(f16)", "--at", "0"}).find("--layout:1:"), std::string::npos);
}

}  // namespace cli_explain_test
}  // namespace vl
