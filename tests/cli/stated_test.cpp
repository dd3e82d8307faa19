// What a layout's text states of its tensor, or the call around it, need not be said again: check, explain, nests,
// exec.
#include "tests/cli/records.h"

namespace vl {
namespace cli_stated_test {

const std::string kCall =
    "FixedTiledLayout('spyre:0', torch.float16, size=[5, 100, 150], stride=[15000, 150, 1], device_layout=" + kDoc +
    ")";
const std::string kNamed =
    "FixedTiledLayout('spyre:0', torch.float16, size=[s0, 100, 150], stride=[15000, 150, 1], device_layout="
    "SpyreTensorLayout(device_size=[100, 3, s0, 64], stride_map =[150, 64, 15000, 1], "
    "device_dtype=DataFormats.SEN169_FP16))";

std::vector<Json> verdicts(Words words, int code) {
  words.insert(words.begin(), {"check", "--format", "jsonl"});
  const Ran ran = verify_layout(words);
  EXPECT_EQ(ran.code, code) << ran.out << ran.err;
  return records(ran.out).of("verdict");
}

TEST(Stated, TheCallAroundALayoutStatesItsTensor) {
  const auto found = verdicts({"--layout", kCall, "--claim", "bijective"}, 0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("layout"), kDoc);
  EXPECT_EQ(found[0].at("tensor"), "f16[5,100,150] strides [15000,150,1]");
  EXPECT_EQ(found[0].at("scope"), "instance");
}

// The layout of [100, 3, s0, 64] has 64·3·100 slots for each of the s0 blocks, and 150·100 elements.
TEST(Stated, ItsSizesMayHaveNames) {
  const Folder folder;
  for (const Words& text : {Words{"--layout", kNamed}, Words{folder.file("a.log", "12:00 " + kNamed + "\n")}}) {
    Words all = text;
    all.insert(all.end(), {"--claim", "bijective", "--claim", "padding"});
    const auto found = verdicts(all, 0);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].at("scope"), "all-sizes");
    EXPECT_EQ(found[0].at("tensor"), "f16[s0,100,150] strides [15000,150,1]");
    EXPECT_EQ(found[1].at("value_expression"), "4200*s0");
    all.insert(all.end(), {"--define", "s0=5"});
    const auto instance = verdicts(all, 0);
    ASSERT_EQ(instance.size(), 2U);
    EXPECT_EQ(instance[0].at("scope"), "instance");
    EXPECT_EQ(instance[0].at("tensor"), "f16[5,100,150] strides [15000,150,1]");
    EXPECT_EQ(instance[1].at("value"), 21000);
  }
}

TEST(Stated, StridesWithNamesAreConditionsOfTheirOwn) {
  const std::string text =
      "FixedTiledLayout('spyre:0', torch.float16, size=[N, 64], stride=[P, 1], device_layout="
      "SpyreTensorLayout((N, 64), (P, 1), torch.float16, [0, 1]))";
  const auto found = verdicts({"--layout", text, "--claim", "injective", "--where", "P >= 64"}, 0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("scope"), "all-sizes");
  EXPECT_EQ(found[0].at("tensor"), "f16[N,64] strides [P,1]");
}

// As with a number for M: a constructor's strides are its tensor's.
TEST(Stated, AConstructorStatesItsStrides) {
  for (const char* rows : {"3", "M"}) {
    const std::string text = fmt::format("SpyreTensorLayout(({}, 64), (100, 1), torch.float16, [0, 1])", rows);
    const auto found = verdicts({"--layout", text, "--claim", "bijective"}, 0);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].at("tensor"), fmt::format("f16[{},64] strides [100,1]", rows));
  }
}

TEST(Stated, AHostWithNamesSaysNothingOfALayoutOfNumbers) {
  const std::string layout =
      "SpyreTensorLayout(device_size=[1, 2, 64], stride_map =[64, 64, 1], device_dtype=DataFormats.SEN169_FP16)";
  for (const char* host : {"size=[s0, 64], stride=[64, 1]", "size=[2, 64], stride=[64, 1], offset=s1"}) {
    const std::string text =
        fmt::format("FixedTiledLayout('spyre:0', torch.float16, {}, device_layout={})", host, layout);
    const Folder folder;
    const std::string log = folder.file("a.log", text + "\n");
    EXPECT_EQ(verify_layout({"check", log}).code, 5) << text;
    EXPECT_EQ(verify_layout({"check", log, "--tensor", "f16[2,64]"}).code, 0) << text;
    const Ran skipped = verify_layout({"check", "--layout", text, "--format", "jsonl"});
    EXPECT_EQ(skipped.code, 5) << skipped.out;
    EXPECT_EQ(records(skipped.out).of("skipped").size(), 1U) << skipped.out;
  }
}

TEST(Stated, AScalarHasNoStrides) {
  const auto found =
      verdicts({"--layout",
                "FixedTiledLayout('spyre:0', torch.float16, size=[], stride=[], device_layout=SpyreTensorLayout("
                "device_size=[1, 64], stride_map =[-1, -1], device_dtype=DataFormats.SEN169_FP16))",
                "--claim", "in-bounds"},
               0);
  ASSERT_EQ(found.size(), 1U);
}

TEST(Stated, OtherCommandsTakeTheTensorFromTheTextToo) {
  const auto same = [](Words words) {
    const Ran short_way = verify_layout(words);
    words.insert(words.end(), {"--tensor", "f16[5,100,150]"});
    words[2] = kDoc;
    const Ran long_way = verify_layout(words);
    EXPECT_EQ(short_way.code, 0) << short_way.err;
    EXPECT_EQ(short_way.out, long_way.out);
  };
  same({"explain", "--layout", kCall, "--at", "2,7,40", "--format", "json"});
  same({"nests", "--layout", kCall, "--format", "json"});
  same(
      {"explain", "--layout", "SpyreTensorLayout((5, 100, 150), torch.float16)", "--at", "2,7,40", "--format", "json"});
  const Ran none = verify_layout({"explain", "--layout", kDoc});
  EXPECT_EQ(none.code, 64) << none.out;
  EXPECT_NE(none.err.find("--tensor"), std::string::npos) << none.err;
}

// A part of a text is not taken for the text, nor the argument of a call that may change it.
TEST(Stated, OnlyACallThatTakesALayoutAndItsTensorStates) {
  for (const std::string& text :
       {kCall + " + 3", "x = " + kCall, kCall + kCall, std::string("transpose(S[(8,4):(4,1)])"),
        std::string("restickify(SpyreTensorLayout((5, 100, 150), torch.float16), 1)")}) {
    const Ran ran = verify_layout({"check", "--layout", text});
    EXPECT_TRUE(ran.code == 5 || ran.code == 2) << text << ran.code << ran.out << ran.err;
    EXPECT_EQ(ran.out.find("proved  "), std::string::npos) << ran.out;
    EXPECT_EQ(verify_layout({"explain", "--layout", text}).code, 64) << text;
  }
  EXPECT_EQ(verify_layout({"check", "--layout", "torch_spyre." + kCall}).code, 0);
}

TEST(Stated, SizesAndDefinitionsThatCannotBeMeantAreErrors) {
  const std::string rule = "SpyreTensorLayout((M, 64), torch.float16)";
  const auto says = [](const Words& words, const std::string& what) {
    const Ran ran = verify_layout(words);
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_NE(ran.err.find(what), std::string::npos) << ran.err;
    return ran;
  };
  says({"check", "--layout", rule, "--at-sizes", "M=2,Q=3"}, "no text of the case has the name Q");
  says({"check", "--layout", rule, "--define", "M=2", "--define", "M=3"}, "M is defined twice");
  const Ran ran = says({"check", "--layout", rule, "--define", "M=x", "--format", "jsonl"}, "expected an integer");
  EXPECT_EQ(records(ran.out).of("error").size(), 1U);
  EXPECT_EQ(records(ran.out).of("summary").size(), 1U);
}

}  // namespace cli_stated_test
}  // namespace vl
