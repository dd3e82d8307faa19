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
  const Ran ran = called(words);
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
    EXPECT_EQ(called({"check", log}).code, 5) << text;
    EXPECT_EQ(called({"check", log, "--tensor", "f16[2,64]"}).code, 0) << text;
    const Ran skipped = called({"check", "--layout", text, "--format", "jsonl"});
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
  const Ran none = called({"explain", "--layout", kDoc});
  EXPECT_EQ(none.code, 64) << none.out;
  EXPECT_NE(none.err.find("--tensor"), std::string::npos) << none.err;
}

// 8 * 64 elements of 2 bytes, in every notation; what the text says itself is another tensor or none.
TEST(Stated, TheGivenTensorWins) {
  const Folder folder;
  const auto asked = [&](const std::string& text, const std::string& tensor) {
    const auto found = verdicts({folder.file("a.log", text + "\n"), "--tensor", tensor, "--claim", "bytes"}, 0);
    return found.size() == 1 ? found[0] : Json::object();
  };
  const std::string spyre =
      "SpyreTensorLayout(device_size=[1, 8, 64], stride_map =[64, 64, 1], "
      "device_dtype=DataFormats.SEN169_FP16)";
  for (const std::string& text :
       {std::string("S[(8,64):(64,1)]"), std::string("smem (8,64):(64,1)"),
        std::string("(x0:8, x1:64) -> affine(64*x0 + x1)"),
        std::string("make_layout(make_shape(8, 64), make_stride(64, _1{}))"),
        std::string("b = T.alloc_buffer((64, 8), \"float32\", layout=T.TileLayout(T.S[(8, 64) : (64, 1)]))"),
        "FixedTiledLayout('spyre:0', torch.float16, size=[64, 8], stride=[8, 1], device_layout=" + spyre + ")"}) {
    const Json found = asked(text, "f16[8,64]");
    ASSERT_TRUE(found.contains("value")) << text;
    EXPECT_EQ(found.at("value"), 1024) << text;
    EXPECT_EQ(found.at("tensor"), "f16[8,64]") << text;
    EXPECT_EQ(found.at("tensor_source"), "given") << text;
  }
  EXPECT_EQ(asked("b = T.alloc_buffer((64, 8), \"float32\", layout=T.TileLayout(T.S[(8, 64) : (64, 1)]))", "f16[8,64]")
                .at("stated_tensor"),
            "f32[64,8]");
  EXPECT_FALSE(asked("S[(8,64):(64,1)]", "f16[8,64]").contains("stated_tensor"));
  const auto call = verdicts({"--layout", kCall, "--tensor", "f16[5,100,64]", "--claim", "in-bounds"}, 0);
  EXPECT_EQ(call.at(0).at("tensor"), "f16[5,100,64]");
  EXPECT_EQ(call.at(0).at("stated_tensor"), "f16[5,100,150]");
}

TEST(Stated, ATensorIsGivenStatedOrAssumed) {
  const Folder folder;
  const auto source = [&](const std::string& text) {
    const auto found = verdicts({folder.file("a.log", text + "\n"), "--claim", "in-bounds"}, 0);
    return found.empty() ? std::string()
                         : fmt::format("{} {}", found[0].at("tensor").get<std::string>(),
                                       found[0].at("tensor_source").get<std::string>());
  };
  EXPECT_EQ(source("S[(8,64):(64,1)]"), "u8[512] assumed");
  EXPECT_EQ(source("(8,64):(64,1)"), "u8[8,64] assumed");
  EXPECT_EQ(source("T.alloc_buffer((8, 64), \"float16\", layout=S[(8,64):(64,1)])"), "f16[8,64] stated");
  EXPECT_EQ(source("T.alloc_buffer([4*2, 64], dtype=\"float16\", layout=S[(8,64):(64,1)])"), "f16[8,64] stated");
  EXPECT_EQ(source("T.match_buffer(p, (8, 64), \"float16\", layout=S[(8,64):(64,1)])"), "f16[8,64] stated");
  EXPECT_EQ(source("T.alloc_buffer(n, \"float16\", strides=[64, 1], layout=S[(8,64):(64,1)])"), "f16[512] assumed");
  EXPECT_EQ(source("T.alloc_buffer((8, 64), dtype, layout=S[(8,64):(64,1)])"), "u8[8,64] assumed");
  EXPECT_EQ(source("f((3, 5), \"float16\", layout=S[(8,64):(64,1)])"), "f16[512] assumed");
  EXPECT_EQ(source("T.alloc_buffer((9, 9), \"float16\", layout=S[(8,64):(64,1)].tile(a, (2, 2), b))"),
            "u8[512] assumed");
  EXPECT_EQ(source("T.alloc_buffer((8, 64), \"float16\",\n  layout=S[(8,64):(64,1)]  # rows\n)"), "f16[8,64] stated");
  EXPECT_EQ(
      source("FixedTiledLayout('spyre:0', torch.float32, size=[3], stride=[1], device_layout=SpyreTensorLayout((5, "
             "100, 150), torch.float16).f())"),
      "f16[5,100,150] stated");
  EXPECT_EQ(source("T.alloc_buffer((8, 64), \"float16\", layout=SwizzleLayout(3, 3, 3))"), "f16[8,64] stated");
  EXPECT_EQ(source("SpyreTensorLayout((5, 100, 150), torch.float16)"), "f16[5,100,150] stated");
  EXPECT_EQ(source("#l = #ttcore.metal_layout<logical_shape = 64x128, dim_alignments = 32x32, collapsed_intervals = "
                   "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, undef, l1, sharded>\n%0 : tensor<2x4x32x32xf32, #l>"),
            "f32[64,128] stated");
  const auto call =
      verdicts({"--layout", "T.alloc_buffer((8, 64), \"float16\", layout=S[(8,64):(64,1)])", "--claim", "bytes"}, 0);
  EXPECT_EQ(call.at(0).at("value"), 1024);
  EXPECT_EQ(call.at(0).at("layout"), "S[(8,64):(64,1)]");
  const auto given = verdicts({"--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--claim", "bytes"}, 0);
  EXPECT_EQ(given.at(0).at("tensor_source"), "given");
}

// What contradicts its layout: both numbers, and nothing is proved.
TEST(Stated, ATensorThatItsLayoutContradictsIsRefuted) {
  struct Row {
    std::string text;
    std::vector<std::string> words;
  };
  const Row kRows[] = {
      {"b = T.alloc_buffer((64, 64), \"float16\", layout=T.TileLayout(S[(128,64):(64,1)]))", {"4096", "8192"}},
      {"b = T.alloc_buffer((256, 64), \"float16\", layout=T.TileLayout(S[(128,64):(64,1)]))", {"16384", "8192"}},
      {"b = T.alloc_buffer((128, 60), \"float16\", layout=T.ComposeLayout(3, 3, 3, S[(128,64):(64,1)]))",
       {"7680", "8192"}},
      {"b = T.alloc_buffer((M, 64), \"float16\", layout=S[(M, 32):(64, 1)])", {"64*M", "32*M"}},
      {"FixedTiledLayout('spyre:0', torch.float16, size=[5,100,150], stride=[15000,150,1], "
       "device_layout=SpyreTensorLayout((5,100,140), torch.float16))",
       {"[5, 100, 150]", "[5, 100, 140]"}},
      {"FixedTiledLayout('spyre:0', torch.float32, size=[5,100,150], stride=[15000,150,1], "
       "device_layout=SpyreTensorLayout((5,100,150), torch.float16))",
       {"f32", "16", "32"}},
      {"FixedTiledLayout('spyre:0', torch.float16, size=[64], stride=[1], device_layout=SpyreTensorLayout("
       "device_size=[1, 2, 64], dim_map=[1, 0, 1], device_dtype=DataFormats.SEN169_FP16))",
       {"host dimension 1", "rank 1"}}};
  const Folder folder;
  for (const Row& row : kRows) {
    const auto found = verdicts({folder.file("a.py", row.text + "\n")}, 10);
    ASSERT_FALSE(found.empty()) << row.text;
    EXPECT_EQ(found[0].at("claim"), "well-formed") << row.text;
    EXPECT_EQ(found[0].at("verdict"), "refuted") << row.text;
    for (const std::string& word : row.words)
      EXPECT_NE(found[0].at("note").get<std::string>().find(word), std::string::npos) << word << " " << found[0];
    EXPECT_EQ(found[0].at("tensor_source"), "stated") << row.text;
  }
  const auto others =
      verdicts({folder.file("a.py", kRows[0].text + "\n"), "--claim", "bytes", "--claim", "injective"}, 5);
  ASSERT_EQ(others.size(), 2U);
  for (const Json& one : others) EXPECT_EQ(one.at("verdict"), "unsupported");
  const auto wrong =
      verdicts({folder.file("a.py", "S[(8,64):(64,1)] and (8,64):(64,1)\n"), "--tensor", "f16[8,60]"}, 10);
  EXPECT_EQ(std::ranges::count(wrong, Json("refuted"), [](const Json& one) { return one.at("verdict"); }), 2);
  EXPECT_EQ(std::ranges::count(wrong, Json("proved"), [](const Json& one) { return one.at("verdict"); }), 0);
}

TEST(Stated, NothingIsClaimedThatNeedsMoreOfAnAssumedTensor) {
  const Folder folder;
  const std::string log = folder.file("a.log", "S[(8,64):(64,1)]\n");
  const std::string access = "lanes=32 width=16 at=[lane % 8, lane / 8 * 8]";
  for (const std::string claim :
       {"bytes", "fits=1024", "row-aligned=16", "row-contiguous", "aligned=1024", "storeable=0", "partition=[8,1]"}) {
    const auto found = verdicts({log, "--claim", claim}, 5);
    ASSERT_EQ(found.size(), 1U) << claim;
    EXPECT_EQ(found[0].at("verdict"), "unsupported") << claim;
    EXPECT_NE(found[0].at("note").get<std::string>().find("--tensor 'f16[512]'"), std::string::npos) << found[0];
    EXPECT_EQ(verdicts({"--layout", "S[(8,64):(64,1)]", "--claim", claim}, 5).at(0).at("verdict"), "unsupported");
  }
  const auto costs = verdicts({"--layout", "S[(8,64):(64,1)]", "--access", access}, 5);
  ASSERT_EQ(costs.size(), 3U);
  for (const Json& one : costs) EXPECT_EQ(one.at("verdict"), "unsupported");
  const auto named = verdicts({folder.file("b.log", "S[(M,64):(64,1)]\n"), "--claim", "bytes"}, 5);
  EXPECT_EQ(named.at(0).at("verdict"), "unsupported");
  const Ran plain = called({"check", log});
  EXPECT_EQ(plain.code, 0) << plain.out;
  EXPECT_NE(plain.out.find("u8[512] (assumed)"), std::string::npos) << plain.out;
  const Ran strict = called({"check", log, "--strict"});
  EXPECT_EQ(strict.code, 10);
  EXPECT_NE(strict.out.find("the tensor u8[512] is assumed"), std::string::npos) << strict.out;
  EXPECT_EQ(called({"check", log, "--strict", "--tensor", "f16[8,64]"}).code, 0);
}

TEST(Stated, InBoundsSaysWhoseSpanTheBoxIs) {
  const auto note = [](const Words& words) {
    Words all = {"--claim", "in-bounds", "--layout"};
    all.insert(all.end(), words.begin(), words.end());
    return verdicts(all, 0).at(0).value("note", "");
  };
  EXPECT_EQ(note({"S[(8,64):(64,1)]"}), "of its own span");
  EXPECT_EQ(note({"(8,64):(64,1)"}), "of its own span");
  EXPECT_EQ(note({"(x0:4, x1:8) -> affine(8*x0 + x1)"}), "of its own span");
  EXPECT_EQ(note({"S[(8,4):(4@laneid,1)]"}), "of its own span on m");
  EXPECT_EQ(note({"S[(M,64):(64,1)]", "--tensor", "f16[M,64]"}), "for all sizes, of its own span");
  EXPECT_EQ(note({"S[(8,64):(64,1)]", "--box", "m=512"}), "");
  EXPECT_EQ(note({"(x0:4, x1:8) -> affine(8*x0 + x1) -> (m:32)"}), "");
  EXPECT_EQ(note({"S[32:1@laneid]"}), "");
  EXPECT_EQ(note({"SpyreTensorLayout((5, 100, 150), torch.float16)"}), "");
}

// A part of a text is not taken for the text, nor the argument of a call that may change it.
TEST(Stated, OnlyACallThatTakesALayoutAndItsTensorStates) {
  for (const std::string& text :
       {kCall + " + 3", "x = " + kCall, kCall + kCall, std::string("transpose(S[(8,4):(4,1)])"),
        std::string("restickify(SpyreTensorLayout((5, 100, 150), torch.float16), 1)")}) {
    const Ran ran = called({"check", "--layout", text});
    EXPECT_TRUE(ran.code == 5 || ran.code == 2) << text << ran.code << ran.out << ran.err;
    EXPECT_EQ(ran.out.find("proved  "), std::string::npos) << ran.out;
    EXPECT_EQ(called({"explain", "--layout", text}).code, 64) << text;
  }
  EXPECT_EQ(called({"check", "--layout", "torch_spyre." + kCall}).code, 0);
}

TEST(Stated, SizesAndDefinitionsThatCannotBeMeantAreErrors) {
  const std::string rule = "SpyreTensorLayout((M, 64), torch.float16)";
  const auto says = [](const Words& words, const std::string& what) {
    const Ran ran = called(words);
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
