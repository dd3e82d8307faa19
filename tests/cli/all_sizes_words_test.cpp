// check for all sizes as a program: what its answers may consist of, which instances a proof needs, and where errors
// point.
#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_words_test {

Json record_of(const Words& words) {
  Words all = {"check", "--format", "jsonl"};
  all.insert(all.end(), words.begin(), words.end());
  const Ran ran = verify_layout(all);
  const auto verdicts = records(ran.out).of("verdict");
  EXPECT_EQ(verdicts.size(), 1U) << ran.out << ran.err;
  return verdicts.empty() ? Json::object() : verdicts.front();
}

std::string slots_of(const char* extent) {
  return fmt::format(
      "SpyreTensorLayout(device_size=[{}, 64], stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)", extent);
}

// INTERFACES has integers, names, + - * // %, parentheses and ceil(a/b), and no maximum.
TEST(AllSizesWords, AValueThatNeedsAMaximumIsUnknown) {
  const Json open = record_of({"--tensor", "f16[M,64]", "--layout", slots_of("max(M, 2)"), "--claim", "padding"});
  EXPECT_EQ(open.at("verdict"), "unknown");
  EXPECT_TRUE(open.at("value_expression").is_null());
  EXPECT_NE(open.at("note").get<std::string>().find("a maximum"), std::string::npos) << open.at("note");
}

// With M >= 2 it is M, and (M - M)*64 slots are padding.
TEST(AllSizesWords, AMaximumThatTheConditionsDecideIsNone) {
  const Json known = record_of(
      {"--tensor", "f16[M,64]", "--layout", slots_of("max(M, 2)"), "--where", "M >= 2", "--claim", "padding"});
  EXPECT_EQ(known.at("verdict"), "proved");
  EXPECT_EQ(known.at("value_expression"), "0");
}

// Rows of 7 and columns of 6 hold N x N elements up to N = 6: N <= 7 is no condition of its own.
TEST(AllSizesWords, OfTwoBoundsTheStrongerOneIsSaid) {
  const Json refuted =
      record_of({"--tensor", "f16[N,N]", "--layout",
                 "SpyreTensorLayout(device_size=[7, 6], stride_map=[N, 1], device_dtype=DataFormats.SEN169_FP16)",
                 "--claim", "in-bounds"});
  EXPECT_EQ(refuted.at("verdict"), "refuted");
  EXPECT_EQ(refuted.at("holds"), Json::parse(R"([["N <= 6"]])")) << refuted.dump();
  EXPECT_EQ(refuted.at("counterexample").at("sizes"), (Json{{"N", 7}}));
}

// 4 rows of 150 in a box of 3 sticks and Q rows; a name stands in the layout alone.
TEST(AllSizesWords, ANameOfTheLayoutAloneIsASize) {
  const std::string layout =
      "SpyreTensorLayout(device_size=[3, Q, 64], dim_map=[1, 0, 1], device_dtype=DataFormats.SEN169_FP16)";
  const Json rows = record_of({"--tensor", "f16[4,150]", "--layout", layout, "--claim", "in-bounds"});
  EXPECT_EQ(rows.at("scope"), "all-sizes");
  EXPECT_EQ(rows.at("verdict"), "refuted");
  EXPECT_EQ(rows.at("holds"), Json::parse(R"([["Q >= 4"]])")) << rows.dump();
  EXPECT_EQ(record_of({"--tensor", "f16[0,150]", "--layout", layout, "--claim", "in-bounds"}).at("reason"), "vacuous");
  const Ran mixed =
      verify_layout({"check", "--tensor", "f16[5,70]", "--layout", "SpyreTensorLayout((M, 70), torch.float16)"});
  EXPECT_EQ(mixed.code, 2) << mixed.out;
  const Ran wrong = verify_layout({"check", "--tensor", "f16[4,150]", "--layout",
                                   "SpyreTensorLayout(device_size=[3, 5O, 64], dim_map=[1, 0, 1], "
                                   "device_dtype=DataFormats.SEN169_FP16)"});
  EXPECT_EQ(wrong.code, 2) << wrong.out;
}

// Beyond N = 31 element 1 has no lane, and the claim is about fewer elements: a case of its own. Its smallest size with
// M*M == N*N*N is N = 36, M = 216, which is not looked at.
TEST(AllSizesWords, AProofNeedsAnInstanceOfEachOfItsCases) {
  const Words words = {"--tensor", "f16[2]", "--layout", "S[2:N@laneid]", "--claim", "injective"};
  Words far = words, near = words;
  far.insert(far.end(), {"--where", "M*M == N*N*N"});
  near.insert(near.end(), {"--where", "M == N*N*N"});
  const Json open = record_of(far);
  EXPECT_EQ(open.at("verdict"), "unknown");
  EXPECT_NE(open.at("note").get<std::string>().find("no instance was decided"), std::string::npos) << open.at("note");
  EXPECT_EQ(record_of(near).at("verdict"), "proved");
}

// (N - 1)*N is at most 6, so no element is beyond the 32 lanes; that case is empty, and needs no instance.
TEST(AllSizesWords, AnEmptyCaseNeedsNoInstance) {
  const Json record = record_of(
      {"--tensor", "f16[4,N]", "--layout", "S[(4,N):(N + 1,N@laneid)]", "--where", "N <= 3", "--claim", "injective"});
  EXPECT_EQ(record.at("verdict"), "proved");
}

TEST(AllSizesWords, ErrorsOfGivenSizesPointAtWhatIsWrong) {
  const std::string raw =
      "SpyreTensorLayout(device_size=[M, N - 5, 64], stride_map=[N, 64, 1], device_dtype=DataFormats.SEN169_FP16)";
  const struct {
    Words words;
    const char* error;
  } rows[] = {
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
      {{"--tensor", "f16[M,N]", "--layout", raw, "--at-sizes", "N=2,M=3"}, "--layout:1:35: N - 5 is -3"},
  };
  for (const auto& row : rows) {
    Words all = {"check"};
    all.insert(all.end(), row.words.begin(), row.words.end());
    const Ran ran = verify_layout(all);
    EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
    EXPECT_NE(ran.err.find(row.error), std::string::npos) << row.error << "\n" << ran.err;
  }
}

TEST(AllSizesWords, WhetherAllSizesAreAskedMayBeSaid) {
  const auto ran = [](const Words& more) {
    Words words = {"check", "--claim", "injective"};
    words.insert(words.end(), more.begin(), more.end());
    return verify_layout(words);
  };
  const Words named{"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]"};
  const Words numbers{"--tensor", "f16[4,4]", "--layout", "S[(4,4):(4,1)]"};
  const auto with = [](Words words, std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
    return words;
  };
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
  EXPECT_EQ(verify_layout({"check", "corpus/seeds", "--sizes", "all"}).code, 64);
}

// A size may be 0 where a condition says so: an instance, whose claims are about no element.
TEST(AllSizesWords, AConditionMayAllowTheSize0) {
  const Json record = record_of({"--tensor", "f16[M,64]", "--layout", slots_of("M"), "--where", "M >= 0", "--at-sizes",
                                 "M=0", "--claim", "in-bounds"});
  EXPECT_EQ(record.at("verdict"), "vacuous");
}

// The reader of numbers refuses a swizzle beside a thread axis, so no instance exists.
TEST(AllSizesWords, ASwizzleOfThreadsIsRefusedAsItsInstancesAre) {
  const Words rows[] = {{"f16[M,64]", "ComposeLayout(3, 3, 3, S[(M,64):(64,1)] + R[M:1@laneid])"},
                        {"f16[2,64]", "ComposeLayout(3, 3, 3, S[(2,64):(64,1)] + R[2:1@laneid])"}};
  for (const Words& row : rows) {
    const Ran ran = verify_layout({"check", "--tensor", row[0], "--layout", row[1]});
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_NE(ran.err.find("--layout:1:24: a swizzle works on addresses"), std::string::npos) << ran.err;
  }
}

}  // namespace cli_all_sizes_words_test
}  // namespace vl
