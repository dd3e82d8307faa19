// check for all sizes as a command: the records that INTERFACES describes, its options, and inputs that are refused.
// What it answers, corpus/*/all-sizes*.toml says case by case.
#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_test {

const Words kRows = {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]"};
const Words kPitch = {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]"};

Words with(Words words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
  return words;
}

TEST(AllSizes, ARefutationNamesItsSizesAndWhenTheClaimHolds) {
  const Json record = verdict_of({"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--claim", "injective"}, 10);
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

// K rows of N are M rows of N only where K is M.
TEST(AllSizes, AProofMaySayWhereBothLayoutsExist) {
  const Json record =
      verdict_of({"--tensor", "f16[M,N]", "--layout", "(M,N):(K,1)", "--claim", "equal=(K,N):(K,1)"}, 0);
  EXPECT_EQ(record.at("holds").dump(), R"([["M*N == K*N"]])");
  EXPECT_EQ(record.at("exact"), false);
}

TEST(AllSizes, AProofIsCheckedAndSaysItsConditions) {
  const Json record = verdict_of(
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
  const Json record = verdict_of(
      {"--tensor", "f16[N,M,150]", "--layout", "SpyreTensorLayout((N, M, 150), torch.float16)", "--claim", "padding"},
      0);
  EXPECT_TRUE(record.at("value").is_null());
  EXPECT_EQ(record.at("value_expression"), "42*N*M");
  EXPECT_EQ(record.at("exists"), "384*N*M <= 2**63 - 1");
}

// Numbers of accesses and of values that are no number at every size are said in words.
TEST(AllSizes, WhatIsOpenIsSaid) {
  const auto note = [](const Words& words) { return verdict_of(words, 5).dump(); };
  EXPECT_NE(note({"--tensor", "f16[M,64]", "--layout", "S[(M,64):(64,1)]", "--where", "M >= 4", "--claim",
                  "conflicts<=7", "--access", "lanes=8 width=16 at=[lane, 0]"})
                .find("[7, 0], outside of the tensor where M <= 7"),
            std::string::npos);
  EXPECT_NE(note({"--tensor", "f16[M,64]", "--layout",
                  "SpyreTensorLayout(device_size=[max(M, 2), 64], stride_map=[64, 1], "
                  "device_dtype=DataFormats.SEN169_FP16)",
                  "--claim", "padding"})
                .find("a maximum"),
            std::string::npos);
  EXPECT_NE(note({"--tensor", "f16[2]", "--layout", "S[2:N@laneid]", "--where", "M*M == N*N*N", "--claim", "injective"})
                .find("no instance was decided"),
            std::string::npos);
}

// 4 rows of 150 in a box of 3 sticks and Q rows.
TEST(AllSizes, ANameOfTheLayoutAloneIsASize) {
  const Words layout = {"--layout",
                        "SpyreTensorLayout(device_size=[3, Q, 64], dim_map=[1, 0, 1], "
                        "device_dtype=DataFormats.SEN169_FP16)",
                        "--claim", "in-bounds"};
  const Json rows = verdict_of(with(layout, {"--tensor", "f16[4,150]"}), 10);
  EXPECT_EQ(rows.at("scope"), "all-sizes");
  EXPECT_EQ(rows.at("holds").dump(), R"([["Q >= 4"]])");
  EXPECT_EQ(verdict_of(with(layout, {"--tensor", "f16[0,150]"}), 5).at("reason"), "vacuous");
}

// 80 remainders, with a condition for each, are too many to print.
TEST(AllSizes, AConditionOfManyRemaindersIsNotPrinted) {
  const Json many =
      verdict_of({"--tensor", "f16[Q]", "--layout", "S[Q:1@TCol] + (Q%80)@TCol", "--claim", "in-bounds"}, 10);
  EXPECT_TRUE(many.at("holds").is_null());
}

TEST(AllSizes, OneInstanceIsJudgedAsAnyOtherLayout) {
  const Json record = verdict_of(
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--at-sizes", "M=2,N=3,P=2", "--claim", "injective"}, 10);
  EXPECT_EQ(record.at("scope"), "instance");
  EXPECT_EQ(record.at("tensor"), "f16[2,3]");
  EXPECT_EQ(record.at("counterexample").dump(), R"({"a":[0,2],"b":[1,0],"physical":[2]})");
  const Json bound = verdict_of({"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--define", "M=2", "--define",
                                 "N=3", "--define", "P=3", "--claim", "injective"},
                                0);
  EXPECT_EQ(bound.at("scope"), "instance");
  const Json strides = verdict_of(
      {"--tensor", "f16[M,N]", "--strides", "P,1", "--layout",
       "SpyreTensorLayout((M, N), (P, 1), torch.float16, [0, 1])", "--at-sizes", "M=2,N=2,P=1", "--claim", "injective"},
      10);
  EXPECT_EQ(strides.at("scope"), "instance");
  EXPECT_EQ(strides.at("counterexample").at("a").dump(), "[0,1]");
  EXPECT_EQ(strides.at("counterexample").at("b").dump(), "[1,0]");
}

// A size of tt-mlir's texts is a part of a word: MxN.
TEST(AllSizes, DefinedNamesOfTextsWithAnXAreNumbers) {
  const std::string layout =
      "tensor<8x4xceil(M/256)xceil(N/128)x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = MxN, "
      "dim_alignments = 256x128, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>";
  const Json one = verdict_of(
      {"--tensor", "f32[M,N]", "--layout", layout, "--define", "M=300", "--define", "N=129", "--claim", "padding"}, 0);
  EXPECT_EQ(one.at("scope"), "instance");
  EXPECT_EQ(one.at("value"), 8 * 4 * 2 * 2 * 1024 - 300 * 129);
  const Json some =
      verdict_of({"--tensor", "f32[M,N]", "--layout", layout, "--define", "M=300", "--claim", "padding"}, 0);
  EXPECT_EQ(some.at("scope"), "all-sizes");
  EXPECT_EQ(some.at("value_expression"), "-300*N + 65536*ceil(N/128)");
  const Json banks = verdict_of({"--tensor", "bf16[M,N]", "--layout", "layout=TILE, banks=2*B: ttnn.DRAM_MEMORY_CONFIG",
                                 "--define", "M=64", "--define", "N=64", "--define", "B=1", "--claim", "padding"},
                                0);
  EXPECT_EQ(banks.at("value"), 0);
}

TEST(AllSizes, BothTextsOfAClaimTakeTheNumbers) {
  const auto asked = [](const std::string& other, const Words& numbers, int code) {
    Words words = with(kRows, {"--claim", "equal=" + other});
    words.insert(words.end(), numbers.begin(), numbers.end());
    return verdict_of(words, code);
  };
  for (const Words& numbers : {Words{"--at-sizes", "M=4, N=5"}, Words{"--define", "M=4", "--define", "N=5"}}) {
    const Json same = asked("(M,N):(N,1)", numbers, 0);
    EXPECT_FALSE(same.contains("scope") && same.at("scope") == "all-sizes");
    EXPECT_EQ(asked("(M,N):(1,M)", numbers, 10).at("counterexample").dump(),
              R"({"a":[0,1],"physical":[1],"other":[4]})");
  }
  asked("(M,N):(N,1)", {"--define", "M=4"}, 0);  // for all N
}

// A name that is defined has its number in a condition, too; and those that are not defined stay names.
TEST(AllSizes, DefinedNamesAreNumbersInConditions) {
  const auto asked = [](const std::string& condition, int code) {
    return verdict_of({"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--define", "P=3", "--where", condition,
                       "--claim", "injective"},
                      code)
        .at("verdict");
  };
  EXPECT_EQ(asked("P >= N", 0), "proved");  // N is 3 at most
  EXPECT_EQ(asked("P <= N", 10), "refuted");
  EXPECT_EQ(asked("P >= 5", 5), "vacuous");
  for (const auto& [condition, code] : {std::pair("P >= N", 0), {"P > N", 2}, {"P >=", 2}})
    EXPECT_EQ(called({"check", "--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--define", "M=2", "--define",
                      "N=3", "--define", "P=3", "--where", condition, "--claim", "injective"})
                  .code,
              code)
        << condition;
  const Json spyre = verdict_of({"--tensor", "f16[N,M]", "--layout", "SpyreTensorLayout((N, M), torch.float16)",
                                 "--define", "N=3", "--claim", "injective"},
                                0);
  EXPECT_EQ(spyre.at("scope"), "all-sizes");
  EXPECT_EQ(spyre.at("layout"), "SpyreTensorLayout((3, M), torch.float16)");
}

// An access that begins at an element that has a name: a name of the access alone is one of its symbols.
TEST(AllSizes, NamesOfAnAccessAreNumbersToo) {
  const Words column = {"--claim", "wavefronts", "--access", "lanes=8 width=16 at=[R + lane, 0]"};
  const auto asked = [&](Words words, int code) {
    words.insert(words.end(), column.begin(), column.end());
    return verdict_of(words, code);
  };
  const Words square = {"--tensor", "f16[64,64]", "--layout", "S[(64,64):(64,1)]", "--where", "R <= 56"};
  EXPECT_EQ(asked(square, 0).at("symbols").dump(), R"({"R":{"low":1}})");
  asked(with(square, {"--define", "R=3"}), 0);
  asked({"--tensor", "f16[M,64]", "--layout", "S[(M,64):(64,1)]", "--where", "R + 8 <= M", "--at-sizes", "M=9,R=1"}, 0);
}

TEST(AllSizes, WhetherAllSizesAreAskedMayBeSaid) {
  const auto ran = [](const Words& more) {
    Words words = {"check", "--claim", "injective"};
    words.insert(words.end(), more.begin(), more.end());
    return called(words);
  };
  const Words& named = kRows;
  const Words numbers{"--tensor", "f16[4,4]", "--layout", "S[(4,4):(4,1)]"};
  EXPECT_EQ(ran(with(named, {"--sizes", "all"})).code, 0);
  EXPECT_EQ(ran(with(named, {"--sizes", "one"})).code, 2);
  EXPECT_EQ(ran(with(named, {"--sizes", "one", "--at-sizes", "M=2,N=3"})).code, 0);
  EXPECT_EQ(ran(with(named, {"--sizes", "one", "--define", "M=2", "--define", "N=3"})).code, 0);
  EXPECT_EQ(ran(with(named, {"--sizes", "all", "--at-sizes", "M=2,N=3"})).code, 64);
  EXPECT_EQ(ran(with(named, {"--sizes", "some"})).code, 64);
  EXPECT_EQ(ran(with(numbers, {"--sizes", "one"})).code, 0);
  const Ran none = ran(with(numbers, {"--sizes", "all"}));
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("there is no name in it whose sizes could be all"), std::string::npos) << none.err;
  EXPECT_EQ(called({"check", "corpus/seeds", "--sizes", "all"}).code, 64);
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
      const Ran ran = called({"check", "--tensor", tensor, "--layout", layout, "--where", where});
      EXPECT_EQ(ran.code, 2) << layout << ran.out;
      EXPECT_NE(ran.err.find("unused condition P >= "), std::string::npos) << layout << ran.err;
    }
}

const std::string kByDims = "SpyreTensorLayout(device_size=[ceil(N/64), 64], dim_map=";
const std::string kLast = ", device_dtype=DataFormats.SEN169_FP16)";
const std::string kRaw = "SpyreTensorLayout(device_size=[M, N - 5, 64], stride_map=[N, 64, 1]" + kLast;
const std::string kPitched = "SpyreTensorLayout((M, N), (P, 1), torch.float16, [0, 1])";
const struct {
  Words words;
  std::string error;
} kWrongTexts[] = {
    {{"--tensor", "f16[M,N", "--layout", "S[(M,N):(N,1)]"}, ""},
    {{"--tensor", "f16[M,N/2]", "--layout", "S[(M,N):(N,1)]"}, ""},
    {{"--tensor", "f16[M]", "--layout", "S[(M,N):(N,1,1)]"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--where", "M >"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--where", "M >= 99999999999999999999"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "M>=2,N=3"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "M=2,N=3", "--where", "M >= N"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "M=9223372036854775807,N=3"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float64)"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16, [0, 0])"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16).restickify(2)"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16).restickify(1)"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16).restickify(0"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16).restickify(0) x"}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "SpyreTensorLayout((M, N), torch.float16, [0, 1, -1]).restickify(0)"}, ""},
    {{"--tensor", "f16[N]", "--layout", kByDims + "[1, 1]" + kLast}, ""},
    {{"--tensor", "f16[N]", "--layout", kByDims + "[0, 0, 0]" + kLast}, ""},
    {{"--tensor", "f16[N]", "--layout", kByDims + "[N, 0]" + kLast}, ""},
    {{"--tensor", "f16[N]", "--layout", kByDims + "[-2, 0]" + kLast}, ""},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "N=2, M = -3"},
     "--at-sizes:1:10: M is -3; expected 1 or more"},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(P,1)]", "--at-sizes", "N=2,M=2,P=0"},
     "--at-sizes:1:11: P is 0; expected 1 or more"},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "N=2,M=3", "--where", "N >= 3"},
     "--at-sizes:1:3: N is 2; expected 3 or more"},
    {{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--at-sizes", "N=2,M=3", "--where", "N >= 1, M < N"},
     "--where:1:9: M < N does not hold at these sizes"},
    {{"--tensor", "f16[max(M, 2), N - 5]", "--layout", "S[(M,N - 5):(N - 5,1)]", "--at-sizes", "N=2,M=3"},
     "--tensor:1:16: the size -3 is negative"},
    {{"--tensor", "f16[M,N]", "--layout", kRaw, "--at-sizes", "N=2,M=3"}, "--layout:1:35: N - 5 is -3"},
    {with(kRows, {"--claim", "fits=x"}), ""},
    {with(kRows, {"--claim", "equal=S[(M,N:(N,1)]"}), ""},
    {{"--tensor", "f16[M,64]", "--layout", "S[(M,64):(64,1)]", "--claim", "conflict-free", "--access",
      "lanes=8 width=16 at=[lane]"},
     ""},
    {{"--tensor", "f16[M,64]", "--layout", "S[(M,64):(64,1)]", "--claim", "wavefronts", "--access",
      "lanes=8 width=16 at=[Q + lane, 0]"},
     "--access:1:22: 'Q' is not known here"},
    {{"--tensor", "f16[5,70]", "--layout", "SpyreTensorLayout((M, 70), torch.float16)"}, ""},
    {{"--tensor", "f16[4,150]", "--layout", "SpyreTensorLayout(device_size=[3, 5O, 64], dim_map=[1, 0, 1]" + kLast},
     ""},
    {{"--tensor", "f16[M,N]", "--strides", "P", "--layout", kPitched}, "--strides:1:1: 1 strides for 2 sizes"},
    {{"--tensor", "f16[M,N]", "--strides", "P,", "--layout", kPitched}, "--strides:1:"},
    {{"--tensor", "f16[M,N]", "--strides", "P,1", "--layout", "SpyreTensorLayout((M, N), (P, 1), torch.float16)"},
     "dim_order is missing"},
    // The reader of numbers refuses a swizzle beside a thread axis, so no instance exists.
    {{"--tensor", "f16[M,64]", "--layout", "ComposeLayout(3, 3, 3, S[(M,64):(64,1)] + R[M:1@laneid])"},
     "--layout:1:24: a swizzle works on addresses"},
    {{"--tensor", "f16[2,64]", "--layout", "ComposeLayout(3, 3, 3, S[(2,64):(64,1)] + R[2:1@laneid])"},
     "--layout:1:24: a swizzle works on addresses"},
};

TEST(AllSizes, WrongTextsAreBadInputAndErrorsPointAtThem) {
  for (const auto& row : kWrongTexts) {
    Words all = {"check"};
    all.insert(all.end(), row.words.begin(), row.words.end());
    const Ran ran = called(all);
    EXPECT_EQ(ran.code, 2) << fmt::format("{}", fmt::join(row.words, " ")) << "\n" << ran.out << ran.err;
    EXPECT_NE(ran.err.find("error: --"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find(row.error), std::string::npos) << row.error << "\n" << ran.err;
  }
}

TEST(AllSizes, OtherCommandsReadNoNamesForStrides) {
  const Ran ran = called({"explain", "--tensor", "f16[3,4]", "--strides", "P,1", "--layout",
                          "SpyreTensorLayout((3, 4), torch.float16)", "--at", "0,0"});
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  EXPECT_NE(ran.err.find("has names for strides: check answers for all sizes"), std::string::npos) << ran.err;
}

// Z3 and isl are asked about the cells of a proof, in processes of their own; the verdicts stay what they are.
Json cross_checked(const std::string& layout, const std::string& where) {
  Words words = {"check",    "--format", "jsonl",   "--tensor",  "f16[M,N]",
                 "--layout", layout,     "--claim", "injective", "--cross-check"};
  if (!where.empty()) words.insert(words.end(), {"--where", where});
  const Ran ran = verify_layout(words);
  const auto verdicts = records(ran.out).of("verdict");
  EXPECT_EQ(verdicts.size(), 1U) << ran.out << ran.err;
  return verdicts.empty() ? Json::object() : verdicts.front();
}

TEST(AllSizesCrossCheck, AsksZ3AboutTheCellsOfAProof) {
  const Json record = cross_checked("S[(M,N):(P,1)]", "P >= N");
  EXPECT_EQ(record.at("verdict"), "proved");
  EXPECT_EQ(record.at("certificate"), "checked");
  EXPECT_EQ(record.at("note"), "for all sizes; z3 agrees on 1 of 1 questions; isl cannot state it");
}

TEST(AllSizesCrossCheck, AsksIslWhereAllIsLinear) {
  const Json record = cross_checked("S[(M,N):(1@laneid,32)]", "M <= 32, N >= 2");
  EXPECT_EQ(record.at("verdict"), "proved");
  EXPECT_EQ(record.at("note"), "for all sizes; z3 agrees on 1 of 1 questions; isl agrees on 1 of 1 questions");
}

TEST(AllSizesCrossCheck, LeavesARefutationAsItIs) {
  const Json record = cross_checked("S[(M,N):(P,1)]", "");
  EXPECT_EQ(record.at("verdict"), "refuted");
  EXPECT_EQ(record.at("holds").dump(), R"([["P >= N"],["M = 1"],["N = 1"]])");
}

}  // namespace cli_all_sizes_test
}  // namespace vl
