// accepts at the command line: descriptors as options, and their targets.
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
  const Json named = of_transfer("tensormap(bf16, dim (K,128), stride (2*K), box (64,64))", 5);
  EXPECT_EQ(named.at("verdict"), "unknown");
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

}  // namespace cli_accepts_test
}  // namespace vl
