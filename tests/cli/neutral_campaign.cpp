// neutral: verdicts, largest fills and errors of the command, against counterexamples worked by hand.
#include <gtest/gtest.h>

#include "tests/cli/records.h"

namespace vl {
namespace neutral_campaign {

Ran neutral(Words words) {
  words.insert(words.begin(), "neutral");
  return verify_layout(words);
}

Json answer(const Words& words, int code) { return one_record("neutral", words, code); }

TEST(Neutral, RefutesPlusZeroBySmallestRow) {
  const Json record = answer({"sum", "--type", "f16", "--fill", "+0"}, 10);
  EXPECT_EQ(record["verdict"], "refuted");
  EXPECT_EQ(record["claim"], "neutral");
  EXPECT_EQ(record["counterexample"].dump(),
            R"json({"contents":["0x8000"],"fill":["0x0000"],"got":"0x0000","want":"0x8000",)json"
            R"json("evaluation":"(c0 + p0)"})json");
  EXPECT_EQ(record["minimal"], true);
  EXPECT_EQ(record["certificate"], "checked");
  EXPECT_EQ(record["asked"]["fill"].dump(), R"(["+0"])");
}

TEST(Neutral, ProvesMinusZero) {
  const Json record = answer({"sum", "--type", "f16", "--fill", "-0"}, 0);
  EXPECT_EQ(record["verdict"], "proved");
  EXPECT_EQ(record["engine"], "sweep");
  EXPECT_EQ(record["certificate"], "checked");
  EXPECT_EQ(record["counterexample"], nullptr);
  EXPECT_EQ(answer({"sum", "--type", "f32", "--fill", "-0"}, 0)["engine"], "law");
}

// 2^-149 times -2^-149 is added to +0 with one rounding: -0, which a product of zeros makes +0. With the product
// rounded first, the sum is +0, and products of f16 are exact in f32.
TEST(Neutral, TellsFusedProductsFromRoundedOnes) {
  const Words dot{"dot", "--start", "+0", "--order", "seq", "--fill", "0", "--fill", "0", "--type"};
  const auto with = [&](const Words& more) {
    Words out = dot;
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  const Json refuted = answer(with({"f32", "--fused"}), 10);
  EXPECT_EQ(refuted["counterexample"]["want"], "0x80000000");
  EXPECT_EQ(refuted["counterexample"]["contents"].dump(), R"([["0x00000001","0x80000001"]])");
  EXPECT_EQ(answer(with({"f32"}), 0)["verdict"], "proved");
  EXPECT_EQ(answer(with({"f16", "--accumulate", "f32", "--fused"}), 0)["verdict"], "proved");
  EXPECT_EQ(answer(with({"bf16", "--accumulate", "f32", "--fused"}), 10)["verdict"], "refuted");
  EXPECT_EQ(answer(with({"f32", "--fused", "--equal", "any-nan+zero"}), 0)["verdict"], "proved");
}

TEST(Neutral, PrintsTheLargestFill) {
  struct Row {
    Words words;
    std::string count;
    std::string ranges;
  };
  const Row rows[] = {
      {{"sum", "--type", "f16"}, "1", R"([["0x8000","0x8000"]])"},
      {{"sum", "--type", "f16", "--start", "+0"}, "2", R"([["0x0000","0x0000"],["0x8000","0x8000"]])"},
      {{"sum", "--type", "f16", "--equal", "bits"}, "0", "[]"},
      {{"sum", "--type", "dl16", "--start", "+0"}, "1", R"([["0x8000","0x8000"]])"},
      {{"sum", "--type", "f8e4m3fnuz"}, "1", R"([["0x00","0x00"]])"},
      {{"sum", "--type", "f64", "--equal", "any-nan+zero"},
       "2",
       R"([["0x0000000000000000","0x0000000000000000"],["0x8000000000000000","0x8000000000000000"]])"},
      {{"prod", "--type", "bf16"}, "1", R"([["0x3f80","0x3f80"]])"},
      {{"max", "--type", "dl16"}, "1", R"([["0xfffe","0xfffe"]])"},
      {{"max", "--type", "dl16", "--contents", "[-65536..inf]|NaN"}, "8703", R"([["0xde00","0xfffe"]])"},
      {{"max", "--type", "f32", "--contents", "finite"}, "2", R"([["0xff7fffff","0xff800000"]])"},
      {{"max", "--type", "f16", "--max", "nan-loses"}, "2046", R"([["0x7c01","0x7fff"],["0xfc01","0xffff"]])"},
      {{"max", "--type", "f16", "--max", "x86", "--contents", "non-nan"}, "1", R"([["0xfc00","0xfc00"]])"},
      {{"min", "--type", "i32"}, "1", R"([["0x7fffffff","0x7fffffff"]])"},
      {{"any", "--type", "bf16"}, "2", R"([["0x0000","0x0000"],["0x8000","0x8000"]])"},
      {{"all", "--type", "i8"}, "255", R"([["0x01","0xff"]])"},
      {{"sumsq", "--type", "f16", "--accumulate", "f32"}, "2", R"([["0x0000","0x0000"],["0x8000","0x8000"]])"},
      {{"sumsq", "--type", "f16", "--order", "seq", "--fused"}, "4946", R"([["0x0000","0x09a8"],["0x8000","0x89a8"]])"},
      {{"sumsq", "--type", "bf16", "--order", "seq", "--fused"},
       "15360",
       R"([["0x0000","0x1dff"],["0x8000","0x9dff"]])"},
  };
  for (const Row& row : rows) {
    const Json record = answer(row.words, 0);
    EXPECT_EQ(record["kind"], "fills");
    EXPECT_EQ(record["count"].dump(), row.count) << row.words[0] << " " << row.words[2];
    EXPECT_EQ(record["ranges"].dump(), row.ranges) << row.words[0] << " " << row.words[2];
    EXPECT_EQ(record["unknown"].dump(), "[]");
    // The checker looks at each code, and does not know the law of what a fused accumulation never notices.
    const bool wide = row.words[2] == "f32" || row.words[2] == "f64" || row.words[2] == "i32";
    // Of dl16 +0 is refuted by a row of two elements, and it looks at rows of one.
    const bool unnoticed = row.words.back() == "--fused", underflows = row.words[2] == "dl16" && row.words[0] == "sum";
    EXPECT_EQ(record["certificate"], wide || unnoticed || underflows ? "trusted" : "checked")
        << row.words[0] << " " << row.words[2];
    EXPECT_FALSE(record["outside"].empty());
  }
}

// By the profile of x86 the start is the program's: +0 is neutral from +0, and beside -0 alone it is not.
TEST(Neutral, AnswersForEveryArithmeticThatAProfileAllows) {
  const Json open = answer({"sum", "--type", "f32", "--arithmetic", "x86", "--fill", "+0"}, 5);
  EXPECT_EQ(open["verdict"], "unknown");
  EXPECT_EQ(open["decides"], "start");
  EXPECT_EQ(open["asked"]["arithmetic"], "x86");
  const Json proved = answer({"sum", "--type", "dl16", "--arithmetic", "spyre", "--fill", "-0"}, 0);
  EXPECT_EQ(proved["verdict"], "proved");
  const Json known = answer({"sum", "--type", "f32", "--arithmetic", "x86 start=+0", "--fill", "0"}, 0);
  EXPECT_EQ(known["certificate"], "checked");
  const Json refuted = answer({"max", "--type", "f16", "--arithmetic", "max=unknown", "--fill", "{1}"}, 10);
  EXPECT_EQ(refuted["alternatives"], 3);
  EXPECT_EQ(refuted["certificate"], "checked");
  EXPECT_EQ(refuted["counterexample"]["arithmetic"], "accumulate=f16 order=any max=nan-wins flush=none");
  const Json flushed = answer({"sum", "--type", "f32", "--arithmetic", "flush=results start=+0", "--fill", "-0"}, 10);
  EXPECT_EQ(flushed["verdict"], "refuted");
  const Json fills = answer({"max", "--type", "f16", "--arithmetic", "max=unknown", "--contents", "non-nan"}, 5);
  EXPECT_EQ(fills["ranges"].dump(), R"([["0xfc00","0xfc00"]])");
  EXPECT_EQ(fills["unknown"].dump(), R"([["0x7c01","0x7fff"],["0xfc01","0xffff"]])");
}

TEST(Neutral, SaysWhatItDoesNotKnow) {
  const Json record = answer({"sum", "--type", "f16", "--contents", "[1..2]", "--fill", "bits:1"}, 5);
  EXPECT_EQ(record["verdict"], "unknown");
  EXPECT_EQ(record["certificate"], "none");
  EXPECT_EQ(record["reason"], "incomplete");
  EXPECT_EQ(answer({"dot", "--type", "f16"}, 5)["unsupported"].is_string(), true);
  EXPECT_EQ(answer({"sumsq", "--type", "i64"}, 5)["unsupported"].is_string(), true);
}

TEST(Neutral, WordsItsAnswers) {
  const Ran refuted = neutral({"sum", "--type", "f16", "--fill", "0"});
  EXPECT_EQ(refuted.out,
            "sum of f16, start first, order any, equal any-nan, contents any\n"
            "  refuted     neutral         (c0 + p0) is 0x0000 (0); without its pads it is 0x8000 (-0)\n"
            "      c0 = 0x8000 (-0)\n"
            "      p0 = 0x0000 (0)\n");
  const Ran proved = neutral({"max", "--type", "f16", "--contents", "finite", "--fill", "-inf"});
  EXPECT_EQ(proved.out,
            "max of f16, nan-wins, order any, equal any-nan, contents finite\n"
            "  proved      neutral         the pads are no greater than every number of the contents\n");
}

TEST(Neutral, RejectsWithThePlaceAndTheReason) {
  struct Row {
    Words words;
    int code;
    std::string want;
  };
  const Row rows[] = {
      {{"max", "--type", "dl16", "--fill", "-inf"}, 2, "--fill:1:1: dl16 has no infinity; its largest numbers are"},
      {{"sum", "--type", "f16", "--fill", "0|{0.1}"}, 2, "--fill:1:4: 0.1 is no number of f16"},
      {{"sum", "--type", "f16", "--contents", "valid"}, 2, "--contents:1:1: expected any"},
      {{"sum", "--type", "f7"}, 64, "'f7' is not known"},
      {{"median", "--type", "f16"}, 64, "'median' is not known"},
      {{"sum"}, 64, "--type"},
      {{"prod", "--type", "f16", "--start", "+0"}, 64, "prod has no start +0"},
      {{"sum", "--type", "f16", "--fused"}, 64, "sum has no products to fuse"},
      {{"sum", "--type", "f16", "--arithmetic", "spire"}, 2, "--arithmetic:1:1: 'spire' is not an arithmetic"},
      {{"sum", "--type", "f16", "--arithmetic", "x86 flush=al"}, 2, "--arithmetic:1:11: 'al' is no flush"},
      {{"sum", "--type", "f16", "--arithmetic", "accumulate=bf16"}, 64, "has every number of f16"},
      {{"sum", "--type", "f16", "--arithmetic", "x86", "--start", "+0"}, 64, "excludes"},
      {{"sum", "--type", "f16", "--accumulate", "bf16"}, 64, "bf16 does not hold every number of f16"},
      {{"sum", "--type", "i8", "--accumulate", "f32"}, 64, "integers are accumulated in integers"},
      {{"any", "--type", "f16", "--accumulate", "f32"}, 64, "any accumulates truth values"},
      {{"dot", "--type", "f16", "--fill", "0"}, 64, "it needs --fill twice"},
      {{"sum", "--type", "f16", "--fill", "0", "--fill", "0"}, 64, "sum takes one --fill"},
  };
  for (const Row& row : rows) {
    const Ran run = neutral(row.words);
    EXPECT_EQ(run.code, row.code) << row.want << "\n" << run.out << run.err;
    EXPECT_NE(run.err.find(row.want), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace neutral_campaign
}  // namespace vl
