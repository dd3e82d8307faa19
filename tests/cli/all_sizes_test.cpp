// check for all sizes as a program: the records that INTERFACES describes, one instance, and inputs that are refused.
#include "tests/cli/records.h"
#include "verifier/checker/certificate.h"

namespace vl {
namespace cli_all_sizes_test {

Json only_verdict(const Words& words, int code) {
  Words all = {"check", "--format", "jsonl"};
  all.insert(all.end(), words.begin(), words.end());
  const Ran ran = verify_layout(all);
  EXPECT_EQ(ran.code, code) << ran.out << ran.err;
  const auto verdicts = records(ran.out).of("verdict");
  EXPECT_EQ(verdicts.size(), 1U) << ran.out;
  return verdicts.empty() ? Json::object() : verdicts.front();
}

TEST(AllSizes, ARefutationNamesItsSizesAndWhenTheClaimHolds) {
  const Json record = only_verdict({"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--claim", "injective"}, 10);
  EXPECT_EQ(record.at("verdict"), "refuted");
  EXPECT_EQ(record.at("scope"), "all-sizes");
  EXPECT_EQ(record.at("tensor"), "f16[M,N]");
  EXPECT_EQ(record.at("symbols").dump(), R"({"M":{"low":1},"N":{"low":1},"P":{"low":1}})");
  EXPECT_EQ(record.at("where"), Json::array());
  EXPECT_TRUE(record.at("value").is_null());
  EXPECT_EQ(record.at("holds").dump(), R"([["P >= N"],["M = 1"],["N = 1"]])");
  EXPECT_EQ(record.at("exact"), true);
  EXPECT_EQ(record.at("minimal"), true);
  EXPECT_EQ(record.at("counterexample").dump(), R"({"sizes":{"M":2,"N":2,"P":1},"a":[0,1],"b":[1,0],"physical":[1]})");
  EXPECT_EQ(record.at("exists"), "M*N <= 2**63 - 1 and M*P + N - P <= 2**63 - 1");
}

TEST(AllSizes, AProofIsCheckedAndSaysItsConditions) {
  const Json record = only_verdict(
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--where", "P >= N, N % 4 == 0", "--claim", "injective"},
      0);
  EXPECT_EQ(record.at("verdict"), "proved");
  EXPECT_EQ(record.at("certificate"), "checked");
  EXPECT_FALSE(record.contains("trusted"));
  EXPECT_EQ(record.at("where").dump(), R"(["P >= N","N % 4 == 0"])");
  EXPECT_EQ(record.at("holds").dump(), "[[]]");
  EXPECT_GE(record.at("instances"), 40);
}

TEST(AllSizes, AMeasuredNumberIsAnExpression) {
  const Json record = only_verdict(
      {"--tensor", "f16[N,M,150]", "--layout", "SpyreTensorLayout((N, M, 150), torch.float16)", "--claim", "padding"},
      0);
  EXPECT_TRUE(record.at("value").is_null());
  EXPECT_EQ(record.at("value_expression"), "42*N*M");
  EXPECT_EQ(record.at("exists"), "384*N*M <= 2**63 - 1");
}

TEST(AllSizes, OneInstanceIsJudgedAsAnyOtherLayout) {
  const Json record = only_verdict(
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--at-sizes", "M=2,N=3,P=2", "--claim", "injective"}, 10);
  EXPECT_EQ(record.at("scope"), "instance");
  EXPECT_EQ(record.at("tensor"), "f16[2,3]");
  EXPECT_EQ(record.at("counterexample").dump(), R"({"a":[0,2],"b":[1,0],"physical":[2]})");
  const Json bound = only_verdict({"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--define", "M=2", "--define",
                                   "N=3", "--define", "P=3", "--claim", "injective"},
                                  0);
  EXPECT_EQ(bound.at("scope"), "instance");
}

// A size of tt-mlir's texts is a part of a word: MxN.
TEST(AllSizes, DefinedNamesOfTextsWithAnXAreNumbers) {
  const std::string layout =
      "tensor<8x4xceil(M/256)xceil(N/128)x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = MxN, "
      "dim_alignments = 256x128, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>";
  const Json one = only_verdict(
      {"--tensor", "f32[M,N]", "--layout", layout, "--define", "M=300", "--define", "N=129", "--claim", "padding"}, 0);
  EXPECT_EQ(one.at("scope"), "instance");
  EXPECT_EQ(one.at("value"), 8 * 4 * 2 * 2 * 1024 - 300 * 129);
  const Json some =
      only_verdict({"--tensor", "f32[M,N]", "--layout", layout, "--define", "M=300", "--claim", "padding"}, 0);
  EXPECT_EQ(some.at("scope"), "all-sizes");
  EXPECT_EQ(some.at("value_expression"), "-300*N + 65536*ceil(N/128)");
  const Json banks =
      only_verdict({"--tensor", "bf16[M,N]", "--layout", "layout=TILE, banks=2*B: ttnn.DRAM_MEMORY_CONFIG", "--define",
                    "M=64", "--define", "N=64", "--define", "B=1", "--claim", "padding"},
                   0);
  EXPECT_EQ(banks.at("value"), 0);
}

// A name that is defined has its number in a condition, too; and those that are not defined stay names.
TEST(AllSizes, DefinedNamesAreNumbersInConditions) {
  const auto asked = [](const std::string& condition, int code) {
    return only_verdict({"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--define", "P=3", "--where", condition,
                         "--claim", "injective"},
                        code)
        .at("verdict");
  };
  EXPECT_EQ(asked("P >= N", 0), "proved");  // N is 3 at most
  EXPECT_EQ(asked("P <= N", 10), "refuted");
  EXPECT_EQ(asked("P >= 5", 5), "vacuous");
  for (const auto& [condition, code] : {std::pair("P >= N", 0), {"P > N", 2}, {"P >=", 2}})
    EXPECT_EQ(verify_layout({"check", "--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--define", "M=2",
                             "--define", "N=3", "--define", "P=3", "--where", condition, "--claim", "injective"})
                  .code,
              code)
        << condition;
  const Json spyre = only_verdict({"--tensor", "f16[N,M]", "--layout", "SpyreTensorLayout((N, M), torch.float16)",
                                   "--define", "N=3", "--claim", "injective"},
                                  0);
  EXPECT_EQ(spyre.at("scope"), "all-sizes");
  EXPECT_EQ(spyre.at("layout"), "SpyreTensorLayout((3, M), torch.float16)");
}

TEST(AllSizes, WhatNoSizesSatisfyIsVacuous) {
  const Json record = only_verdict(
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--where", "M > N, N > M", "--claim", "injective"}, 5);
  EXPECT_EQ(record.at("verdict"), "vacuous");
}

// A condition on a name that no text has is about nothing, also where it is one that no number satisfies.
TEST(AllSizes, ConditionsOnNamesOfNoTextAreRefused) {
  const std::pair<std::string, std::string> kNumbers[] = {
      {"f32[20,30]",
       "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x1x!tt.tile<32 x 32, f32>, "
       "#tt.memory_space<l1>>>"},
      {"u8[2,3]", "S[(2,3):(3,1)]"},
      {"f16[100]", "SpyreTensorLayout(device_size=[2, 64], dim_map=[0, 0], device_dtype=DataFormats.SEN169_FP16)"}};
  for (const auto& [tensor, layout] : kNumbers)
    for (const char* where : {"P >= 1", "P >= 2, P <= 1"}) {
      const Ran ran = verify_layout({"check", "--tensor", tensor, "--layout", layout, "--where", where});
      EXPECT_EQ(ran.code, 2) << layout << ran.out;
      EXPECT_NE(ran.err.find("unused condition P >= "), std::string::npos) << layout << ran.err;
    }
}

TEST(AllSizes, WrongTextsAreBadInput) {
  const std::string by_dims = "SpyreTensorLayout(device_size=[ceil(N/64), 64], dim_map=";
  const std::string last = ", device_dtype=DataFormats.SEN169_FP16)";
  const Words rows[] = {
      {"--tensor", "f16[M,N", "--layout", "S[(M,N):(N,1)]"},
      {"--tensor", "f16[M,N/2]", "--layout", "S[(M,N):(N,1)]"},
      {"--tensor", "f16[M]", "--layout", "S[(M,N):(N,1,1)]"},
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--where", "M >"},
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--where", "M >= 99999999999999999999"},
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "M>=2,N=3"},
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "M=2,N=3", "--where", "M >= N"},
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "M=9223372036854775807,N=3"},
      {"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float64)"},
      {"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16, [0, 0])"},
      {"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16).restickify(2)"},
      {"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16).restickify(1)"},
      {"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16).restickify(0"},
      {"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16).restickify(0) x"},
      {"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16, [0, 1, -1]).restickify(0)"},
      {"--tensor", "f16[N]", "--layout", by_dims + "[1, 1]" + last},
      {"--tensor", "f16[N]", "--layout", by_dims + "[0, 0, 0]" + last},
      {"--tensor", "f16[N]", "--layout", by_dims + "[N, 0]" + last},
      {"--tensor", "f16[N]", "--layout", by_dims + "[-2, 0]" + last},
  };
  for (const Words& row : rows) {
    Words all = {"check"};
    all.insert(all.end(), row.begin(), row.end());
    const Ran ran = verify_layout(all);
    EXPECT_EQ(ran.code, 2) << fmt::format("{}", fmt::join(row, " ")) << "\n" << ran.out << ran.err;
    EXPECT_NE(ran.err.find("error: --"), std::string::npos) << ran.err;
  }
}

// A condition for each of 80 remainders is none that one reads; one that is left of many cases is printed: lane Q - 1
// is below 1024, whatever the offset in memory. A box is as large as its stride makes it, whatever that is.
TEST(AllSizes, AConditionThatNobodyReadsIsNotPrinted) {
  const Json many =
      only_verdict({"--tensor", "f16[Q]", "--layout", "S[Q:1@TCol] + (Q%80)@TCol", "--claim", "in-bounds"}, 10);
  EXPECT_EQ(many.at("verdict"), "refuted");
  EXPECT_TRUE(many.at("holds").is_null());
  const Json one = only_verdict({"--tensor", "f16[Q]", "--layout", "S[Q:1@TCol] + Q//3%2", "--claim", "in-bounds"}, 10);
  EXPECT_EQ(one.at("counterexample").at("sizes").dump(), R"({"Q":1025})");
  EXPECT_EQ(one.at("holds").dump(), R"([["Q <= 1024"]])");
  const Json box = only_verdict(
      {"--tensor", "f16[M]", "--layout", "S[M:M%3%2*M%5]", "--where", "M < 500", "--claim", "in-bounds"}, 0);
  EXPECT_EQ(box.at("verdict"), "proved");
}

TEST(AllSizes, NestsAreProvedForAllSizesAndAskedAgain) {
  const test::Folder folder;
  const Words layout = {"--tensor", "f16[N,K]", "--layout", "SpyreTensorLayout((N, K), torch.float16)"};
  Words asked = {"nests", "--format", "json"};
  asked.insert(asked.end(), layout.begin(), layout.end());
  const Ran made = verify_layout(asked);
  EXPECT_EQ(made.code, 0) << made.err;
  const Json nests = Json::parse(made.out);
  EXPECT_EQ(nests.at("scope"), "all-sizes");
  EXPECT_EQ(nests.at("nests").at(0).at("extents").dump(), R"(["N","K//64",64])");
  EXPECT_EQ(nests.at("nests").at(1).at("extents").dump(), R"(["N",1,"K%64"])");
  EXPECT_EQ(nests.at("nests").at(1).at("host_offset"), "64*(K//64)");

  const auto words_of = [&](const std::string& text) {
    Words check = {"check", "--format", "jsonl", "--nests", folder.file("nests.json", text)};
    check.insert(check.end(), layout.begin(), layout.end());
    return records(verify_layout(check).out).of("verdict");
  };
  for (const Json& record : words_of(made.out)) {
    EXPECT_EQ(record.at("verdict"), "proved") << record.dump();
    EXPECT_EQ(record.at("certificate"), "checked");
  }
  // The last stick is taken for full: at K = 65 it is not.
  std::string wrong = made.out;
  wrong.replace(wrong.find("K%64"), 4, "K%32");
  const auto records_of_wrong = words_of(wrong);
  ASSERT_EQ(records_of_wrong.size(), 3U);
  EXPECT_EQ(records_of_wrong[2].at("verdict"), "refuted");
  EXPECT_EQ(records_of_wrong[2].at("counterexample").at("sizes").dump(), R"({"N":1,"K":32})");
}

TEST(AllSizes, NestsBeginWhereTheHostDoesAndArePrintedAsJson) {
  const test::Folder folder;
  const Words layout = {"--tensor", "f16[N,K]", "--layout", "SpyreTensorLayout((N, K), torch.float16)"};
  Words made = {"nests", "--format", "json", "--where", "N\n>= 2, K %\t64 == 0"};
  made.insert(made.end(), layout.begin(), layout.end());
  const Ran ran = verify_layout(made);
  EXPECT_EQ(Json::parse(ran.out).at("where").dump(), R"(["N\n>= 2","K %\t64 == 0"])");
  Words asked = {"check",    "--where", "K % 64 == 0",
                 "--format", "jsonl",   "--offset",
                 "5",        "--nests", folder.file("nests.json", ran.out)};
  asked.insert(asked.end(), layout.begin(), layout.end());
  // The host begins at 5, and the nests at 0. That they write each slot once is true, and not asked here.
  std::map<std::string, std::string> verdicts;
  for (const Json& record : records(verify_layout(asked).out).of("verdict"))
    verdicts[record.at("claim")] = record.at("verdict");
  EXPECT_EQ(verdicts["in-bounds"], "refuted");
  EXPECT_EQ(verdicts["implements"], "refuted");
  made.insert(made.end(), {"--offset", "B + 5"});
  const Json behind = Json::parse(verify_layout(made).out).at("nests").at(0);
  EXPECT_EQ(behind.at("host_offset"), "B + 5") << behind.dump();
  EXPECT_EQ(behind.at("device_offset"), 0) << behind.dump();
}

TEST(AllSizes, NestsWithNamesThatAreNone) {
  const test::Folder folder;
  const std::string head = R"({"direction":"h2d","nests":[{"extents":["N"],"host_strides":[1],"device_strides":[1],)";
  struct Bad {
    std::string text;
    const char* message;
  };
  const std::vector<Bad> table = {
      {head + R"("host_offset":"3 +","device_offset":0}]})", "expected"},
      {head + R"("host_offset":0}]})", "device_offset"},
      {head + R"("host_offset":0,"device_offset":0,"more":1}]})", "more"},
      {R"({"direction":"d2d","nests":[]})", "--from"},
      {R"({"nests":[]})", "direction"},
      {R"({"direction":"h2d"})", "nests"},
      {R"({"direction":"h2d","nests":[{"extents":["N","M"],"host_strides":[1],"device_strides":[1],)"
       R"("host_offset":0,"device_offset":0}]})",
       "one stride"},
      {R"({"direction":"h2d","nests":[{"extents":[1.5]}]})", "integer"},
      {R"({"direction":"h2d","nests":[{"extents":["99999999999999999999"]}]})", "64"},
      {"", "expected"},
      {"[", "expected"},
  };
  for (const Bad& bad : table) {
    const Ran ran = verify_layout({"check", "--tensor", "f16[N]", "--layout", "SpyreTensorLayout((N,), torch.float16)",
                                   "--nests", folder.file("bad.json", bad.text)});
    EXPECT_EQ(ran.code, 2) << bad.text << ran.out;
    EXPECT_NE((ran.out + ran.err).find(bad.message), std::string::npos) << bad.text << ran.out << ran.err;
  }
}

TEST(AllSizes, ARefutationHasTheCertificateOfItsInstance) {
  const Folder folder;
  only_verdict(
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--claim", "injective", "--certificates", folder.at("c")},
      10);
  const Ran ran = verify_layout({"cert", folder.at("c/refuted/layout.0-injective.json")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("refuted injective of S[(2,2):(1,1)] for f16[2,2]"), std::string::npos) << ran.out;
}

TEST(AllSizes, AWayBackIsProvedOfALayoutToItself) {
  const Folder folder;
  const std::string layout =
      "tensor<1xalign(L*N*M, A)xf32, #ttcore.metal_layout<logical_shape = LxNxM, dim_alignments = Ax1x1, "
      "collapsed_intervals = dense<[[0, 3]]> : tensor<1x2xi64>, l1, sharded>>";
  const auto asked = [&](const std::string& with, int code) {
    test::write_text(folder.at("c.toml"),
                     fmt::format("schema = 1\n[[case]]\nid = \"back\"\nlayout = \"{}\"\ntensor = \"f32[L,N,M]\"\n"
                                 "[[case.claim]]\nclaim = \"remap\"\nwith = \"{}\"\n",
                                 layout, with));
    return only_verdict({folder.at("c.toml"), "--certificates", folder.at("c")}, code);
  };
  EXPECT_EQ(asked(layout, 0).at("certificate"), "checked");
  const std::string path = folder.at("c/back.0-remap.json");
  EXPECT_EQ(verify_layout({"cert", path}).code, 0);
  // Another layout that is read from, with its own digest: whoever reads the texts again rejects it.
  auto changed = checker::certificate_in(test::read_text(path));
  (*changed->statement.arguments)["with"] = "tensor<1x(L*N*M)xf32, " + layout.substr(layout.find('#'));
  changed->digest = checker::digest(changed->statement);
  test::write_text(path, checker::print(*changed, false));
  EXPECT_EQ(verify_layout({"cert", path}).code, 10);
  EXPECT_EQ(asked((*changed->statement.arguments)["with"], 5).at("verdict"), "unsupported");
}

}  // namespace cli_all_sizes_test
}  // namespace vl
