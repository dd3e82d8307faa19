// accepts at the command line: descriptors as options, their targets, and descriptors in files.
#include "tests/cli/records.h"

namespace vl {
namespace cli_accepts_test {

const std::string kMap = "tensormap(bf16, dim (512,128), stride (1024), box (64,64), swizzle 128B";

Json of_transfer(const std::string& text, int code) {
  const Ran run = called({"check", "--transfer", text, "--target", "tma-sm_90", "--format", "jsonl"});
  EXPECT_EQ(run.code, code) << run.out << run.err;
  const auto all = records(run.out).all;
  for (const Json& each : all)
    if (each.at("kind") == "verdict") return each;
  return {};
}

TEST(Accepts, SaysWhichRulesFailAndWhoSaysSo) {
  const Json answer = of_transfer("tensormap(f16, dim (16,16), stride (32), box (16,16), interleave 32B)", 10);
  EXPECT_EQ(answer.at("verdict"), "refuted");
  EXPECT_EQ(answer.at("counterexample"), Json::parse(R"({"rule": "interleave-rank", "have": 2, "want": 3,
                                                         "rules": "interleave-rank, interleave-swizzle"})"));
  EXPECT_EQ(answer.at("asked").at("target"), "tma-sm_90");
  EXPECT_NE(answer.at("words").at(0).get<std::string>().find("cuda.h"), std::string::npos);
}

TEST(Accepts, ListsWhatTheTextDoesNotState) {
  const Json answer = of_transfer(kMap + ")", 0);
  EXPECT_EQ(answer.at("verdict"), "proved");
  EXPECT_NE(answer.at("note").get<std::string>().find("not stated: at (coordinates), base (global-address"),
            std::string::npos);
  const Json stated = of_transfer("load " + kMap + ", base 4096, desc at 64) at (0,0) to 1024", 0);
  EXPECT_EQ(stated.at("note").get<std::string>().find("not stated"), std::string::npos) << stated;
}

// The dimension of 2^32 + 8 is beyond a descriptor's 32 bits, whatever its remainder is.
TEST(Accepts, IsAnsweredForAllSizes) {
  const std::string map = "tensormap(f16, dim (K,M), stride (2*K), box (64,64), swizzle 128B)";
  const auto under = [&](const std::string& where, int code) {
    const Ran run =
        called({"check", "--transfer", map, "--target", "tma-sm_90", "--where", where, "--format", "jsonl"});
    EXPECT_EQ(run.code, code) << run.out << run.err;
    return records(run.out).all.at(1);
  };
  const Json at_one = of_transfer(map, 10);
  EXPECT_EQ(at_one.at("scope"), "all-sizes");
  EXPECT_EQ(at_one.at("counterexample"),
            Json::parse(R"({"sizes": {"K": 1, "M": 1}, "rule": "stride-alignment[0]", "have": 2, "want": 0,
                            "rules": "stride-alignment[0]"})"));
  EXPECT_EQ(at_one.at("minimal"), true);
  const Json large = under("K % 8 = 0", 10);
  EXPECT_EQ(large.at("counterexample").at("sizes"), Json::parse(R"({"K": 4294967304, "M": 1})"));
  EXPECT_EQ(large.at("counterexample").at("rule"), "global-dim[0]");
  const Json proved = under("K % 8 = 0, K <= 2**32, M <= 2**32", 0);
  EXPECT_EQ(proved.at("certificate"), "checked");
  EXPECT_NE(proved.at("note").get<std::string>().find("not stated: at (coordinates)"), std::string::npos);
  under("K % 8 = 0, N = 2*K", 10);
  under("N >= 8", 2);
}

TEST(Accepts, TakesNumbersForNames) {
  const std::string map = "tensormap(f16, dim (K,M), stride (2*K), box (64,64), swizzle 128B)";
  const auto code = [&](Words more) {
    more.insert(more.begin(), {"check", "--transfer", map, "--target", "tma-sm_90"});
    return called(more).code;
  };
  EXPECT_EQ(code({"--define", "K=64", "--define", "M=4"}), 0);
  EXPECT_EQ(code({"--define", "K=63", "--define", "M=4"}), 10);
  EXPECT_EQ(code({"--define", "K=64", "--where", "M <= 64"}), 0);
  EXPECT_EQ(code({"--define", "L=64"}), 2);
  EXPECT_EQ(code({"--at-sizes", "K=64,M=4"}), 0);
  EXPECT_EQ(code({"--at-sizes", "K=63,M=4"}), 10);
  EXPECT_EQ(code({"--at-sizes", "K=63,M=4", "--where", "K % 8 = 0"}), 2);
}

TEST(Accepts, DisputedRulesAreWarningsUnlessStrict) {
  const Words words = {"check", "--transfer", kMap + ", base 4112)", "--target", "tma-sm_90"};
  const Ran plain = called(words);
  EXPECT_EQ(plain.code, 0) << plain.out;
  EXPECT_NE(plain.out.find("warning: global-address-swizzled"), std::string::npos) << plain.out;
  Words strict = words;
  strict.emplace_back("--strict");
  EXPECT_EQ(called(strict).code, 10);
}

TEST(Accepts, TakesATargetOfOnesOwn) {
  const Folder folder;
  const std::string head =
      "schema = 1\nname = \"mine\"\nkind = \"noc\"\n[[rule]]\nname = \"r\"\nthen = \"src % 3 = 0\"\n";
  const std::string own = folder.file("mine.toml", head + "level = \"driver\"\nsource = \"measured\"\n");
  const auto code = [&](const std::string& text, const std::string& target) {
    return called({"check", "--transfer", text, "--target", target}).code;
  };
  EXPECT_EQ(code("noc(dram, l1, src 9)", own), 0);
  EXPECT_EQ(code("noc(dram, l1, src 8)", own), 10);
  EXPECT_EQ(code("noc(dram, l1, dst 8)", own), 5);
  EXPECT_EQ(code("noc(dram, l1, src 8)", "tma-sm_90"), 2);
  EXPECT_EQ(code("noc(dram, l1, src 8)", "tma-sm_9"), 2);
  for (const std::string& wrong :
       {std::string("schema = 1\nname = \"mine\"\nkind = \"nok\"\n"), head,
        head + "level = \"rumour\"\nsource = \"\"\n", head + "level = \"driver\"\nsource = \"\"\neach = \"dim\"\n",
        head + "level = \"driver\"\nsource = \"\"\nif = \"a\"\n",
        std::string("schema = 1\nname = \"mine\"\nkind = \"noc\"\n")})
    EXPECT_EQ(code("noc(dram, l1, src 9)", folder.file("wrong.toml", wrong)), 2) << wrong;
}

const std::string kDump =
    "cu_dtype: 9\nTMA Interleave:  0\nTMA OOBFill:     0\nSMEM Swizzle:    3\ntensor rank: 2\n"
    "global prob shape: 511 128 \nglobal prob stride: 1022 \nsmem box shape: 64 64 \nsmem box stride: 1 1 \n";

TEST(Accepts, SaysWhatIsUnused) {
  const std::vector<std::string> tile = {
      "--layout",   "ComposeLayout(3,3,3,S[(64,64):(64,1)])",
      "--tensor",   "f16[64,64]",
      "--transfer", "load tensormap(f16, dim (64,64), stride (128), box (64,64), swizzle 128B) at (0,0) to 1024"};
  const auto code = [&](std::vector<std::string> more) {
    more.insert(more.begin(), tile.begin(), tile.end());
    more.insert(more.begin(), "check");
    return called(more).code;
  };
  EXPECT_EQ(code({}), 0);
  EXPECT_EQ(code({"--target", "tma-sm_90"}), 0);
  EXPECT_EQ(code({"--claim", "carries", "--target", "tma-sm_90"}), 64);
  EXPECT_EQ(code({"--claim", "injective"}), 64);
  const Folder folder;
  const std::string head = "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"" + tile[1] + "\"\ntensor = \"" + tile[3] +
                           "\"\n",
                    transfer = "transfer = \"" + tile[5] + "\"\n";
  const auto file = [&](const std::string& rest) {
    return called({"check", folder.file("case.toml", head + rest)}).code;
  };
  const std::string carries = "expect = { carries = \"proved\" }\n", target = "target = \"tma-sm_90\"\n";
  EXPECT_EQ(file(transfer + carries), 0);
  EXPECT_EQ(file(transfer + target + carries), 2);
  EXPECT_EQ(file(carries), 2);
  EXPECT_EQ(file(target + "expect = { injective = \"proved\" }\n"), 2);
  EXPECT_EQ(file(transfer + "expect = { injective = \"proved\" }\n"), 2);
  EXPECT_EQ(file(transfer + "[[case.claim]]\nclaim = \"accepts\"\n" + target + "expect = \"proved\"\n"), 2);
}

TEST(Accepts, IsAskedOfDescriptorsInFiles) {
  const Folder folder;
  const std::string log = folder.file("a.log", kDump);
  const auto refuted = called({"check", log});
  EXPECT_EQ(refuted.code, 10) << refuted.out;
  EXPECT_NE(refuted.out.find("stride-alignment[0]: expected stride % 16 = 0, here it is 14"), std::string::npos);
  const std::string call =
      "T.call_packed(\"runtime.cuTensorMapEncodeTiled\", m, \"float16\", 2, A.data, K, M, K * 2, 64, 64, 1, 1, 0, 3, "
      "0, 0)\n";
  EXPECT_EQ(called({"check", folder.file("a.py", "K, M = 512, 128\n" + call)}).code, 0);
  EXPECT_EQ(called({"check", folder.file("b.py", "K, M = 511, 128\n" + call)}).code, 10);
  EXPECT_EQ(called({"check", folder.file("c.py", call)}).code, 5);
  EXPECT_EQ(called({"check", folder.file("d.py", call), "--define", "K=512", "--define", "M=128"}).code, 0);
  EXPECT_EQ(called({"check", folder.file("e.log", "globalDim 0x7f\nboxDim 0x80\n")}).code, 5);
}

// A step of two in the innermost dimension is refused by every target; an atom of 32 bytes by sm_90 alone.
TEST(Accepts, AsksDescriptorsInFilesOfOneTarget) {
  const Folder folder;
  const std::string call =
      "cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, p, size, nullptr, box, step, "
      "CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_L2_PROMOTION_NONE, "
      "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);\n";
  const std::string file = folder.file("map.cu",
                                       "void f() {\n  cuuint64_t size[1] = {64};\n  cuuint32_t box[1] = {32};\n"
                                       "  cuuint32_t step[1] = {1};\n  " +
                                           call + "}\n");
  EXPECT_EQ(called({"check", file}).code, 0);
  EXPECT_EQ(called({"check", file, "--target", "tma-sm_100"}).code, 0);
  const Ran refused = called({"check", file, "--target", "tma-sm_90"});
  EXPECT_EQ(refused.code, 10) << refused.out;
  EXPECT_NE(refused.out.find("swizzle-target"), std::string::npos) << refused.out;
  const Ran other = called({"check", file, "--target", "noc-wormhole"});
  EXPECT_EQ(other.code, 2) << other.out;
  EXPECT_NE(other.out.find("unused: no descriptor in these texts is of its kind"), std::string::npos) << other.out;
  EXPECT_EQ(called({"check", file, "--target", "nonsense"}).code, 2);
  EXPECT_EQ(called({"check", file, "--target", "tma-sm_90", "--claim", "accepts"}).code, 64);
  EXPECT_EQ(called({"check", folder.file("a.toml", "schema = 1\n[[case]]\n"), "--target", "tma-sm_90"}).code, 64);
}

}  // namespace cli_accepts_test
}  // namespace vl
