// neutral of means, norms, variances, softmax, orders and cumulative sums: fills and counterexamples worked by hand.
#include <gtest/gtest.h>

#include "tests/cli/records.h"

namespace vl {
namespace rows_command_campaign {

Json ask(const Words& words, int code) { return one_record("neutral", words, code); }

// -inf is the least value of f16 (f8e5m2: 0xFC), 0xFFFE of dl16; of f16 there are 2,046 NaNs. exp(-17.34375) is below
// 2^-25, half of the least number of f16; -103.97208 is -150·ln 2, of f32; dl16 has nothing below 2^-31: 31·ln 2
// is 21.4876.
TEST(NeutralRows, PrintTheLargestFill) {
  struct Row {
    Words words;
    std::string count, ranges;
  };
  const Row rows[] = {
      {{"argmax", "--type", "f16", "--pads", "after"}, "1", R"([["0xfc00","0xfc00"]])"},
      {{"argmax", "--type", "f8e5m2", "--pads", "after", "--ties", "last"}, "0", "[]"},
      {{"argmax", "--type", "f8e5m2", "--pads", "after", "--ties", "unspecified"}, "0", "[]"},
      {{"argmax", "--type", "f8e5m2"}, "0", "[]"},
      {{"argmax", "--type", "f8e5m2", "--contents", "finite"}, "1", R"([["0xfc","0xfc"]])"},
      {{"argmax", "--type", "dl16", "--pads", "after"}, "1", R"([["0xfffe","0xfffe"]])"},
      {{"argmin", "--type", "i8", "--pads", "after"}, "1", R"([["0x7f","0x7f"]])"},
      {{"topk", "--type", "f8e5m2", "--ties", "unspecified"}, "1", R"([["0xfc","0xfc"]])"},
      {{"topk-indices", "--type", "f8e5m2", "--ties", "unspecified"}, "0", "[]"},
      {{"topk-indices", "--type", "f8e5m2", "--pads", "after", "--k", "3"}, "1", R"([["0xfc","0xfc"]])"},
      {{"sort", "--type", "f16"}, "2046", R"([["0x7c01","0x7fff"],["0xfc01","0xffff"]])"},
      {{"sort", "--type", "f16", "--contents", "non-nan"}, "2047", R"([["0x7c00","0x7fff"],["0xfc01","0xffff"]])"},
      {{"sort-descending", "--type", "f8e5m2"}, "1", R"([["0xfc","0xfc"]])"},
      {{"cumsum", "--type", "bf16", "--pads", "after"}, "65536", R"([["0x0000","0xffff"]])"},
      {{"cumsum", "--type", "f16"}, "1", R"([["0x8000","0x8000"]])"},
      {{"cumsum-reverse", "--type", "f8e5m2", "--pads", "after"}, "1", R"([["0x80","0x80"]])"},
      {{"mean", "--type", "f16"}, "1", R"([["0x8000","0x8000"]])"},
      {{"mean", "--type", "f16", "--divide", "P"}, "0", "[]"},
      {{"variance", "--type", "f8e5m2"}, "0", "[]"},
      {{"welford", "--type", "f8e5m2"}, "0", "[]"},
      {{"layernorm", "--type", "f16"}, "1", R"([["0x8000","0x8000"]])"},
      {{"layernorm", "--type", "f16", "--start", "+0"}, "2", R"([["0x0000","0x0000"],["0x8000","0x8000"]])"},
      {{"softmax", "--type", "f16"}, "1", R"([["0xfc00","0xfc00"]])"},
      {{"softmax", "--type", "f16", "--accumulate", "f32"}, "1", R"([["0xfc00","0xfc00"]])"},
      {{"softmax", "--type", "f8e5m2", "--blocks", "unguarded"}, "0", "[]"},
      {{"softmax", "--type", "f8e5m2", "--blocks", "guarded"}, "1", R"([["0xfc","0xfc"]])"},
      {{"softmax", "--type", "f8e5m2", "--blocks", "valid"}, "1", R"([["0xfc","0xfc"]])"},
      {{"softmax", "--type", "dl16"}, "0", "[]"},
      {{"logsumexp", "--type", "f16"}, "1", R"([["0xfc00","0xfc00"]])"},
      {{"exx2", "--type", "f16", "--accumulate", "f32"}, "2", R"([["0x0000","0x0000"],["0x8000","0x8000"]])"},
      {{"pointwise", "--type", "f16"}, "65536", R"([["0x0000","0xffff"]])"},
  };
  for (const Row& row : rows) {
    const Json record = ask(row.words, 0);
    EXPECT_EQ(record["count"].dump(), row.count) << row.words[0] << " " << row.words.back();
    EXPECT_EQ(record["ranges"].dump(), row.ranges) << row.words[0] << " " << row.words.back();
    EXPECT_EQ(record["certificate"], "checked") << row.words[0] << " " << row.words.back();
  }
}

TEST(NeutralRows, AreProvedOrRefutedAtTheirBorders) {
  struct Row {
    Words words;
    int code;
  };
  const Row rows[] = {
      {{"softmax", "--type", "f16", "--contents", "[0..10]", "--fill", "[-65504..-17.34375]"}, 0},
      {{"softmax", "--type", "f16", "--contents", "[0..10]", "--fill", "{-17.328125}"}, 5},
      {{"softmax", "--type", "f32", "--contents", "[0..10]", "--fill", "{-104}|-inf"}, 0},
      {{"softmax", "--type", "f32", "--contents", "[0..10]", "--fill", "{-103}"}, 5},
      {{"softmax", "--type", "dl16", "--contents", "[0..10]", "--fill", "{-21.5}"}, 0},
      {{"softmax", "--type", "dl16", "--contents", "[0..10]", "--fill", "{-21.4375}"}, 5},
      {{"softmax", "--type", "f8e4m3", "--contents", "finite", "--fill", "{-448}"}, 10},
      {{"softmax", "--type", "f16", "--fill", "{-65504}"}, 10},
      {{"softmax", "--type", "f16", "--blocks", "unguarded", "--fill", "-inf"}, 10},
      {{"welford", "--type", "f32", "--fill", "0"}, 10},
      {{"variance", "--type", "f64", "--fill", "0"}, 10},
      {{"mean", "--type", "f32", "--divide", "P", "--fill", "0"}, 10},
      {{"mean", "--type", "f32", "--fill", "-0"}, 0},
      {{"sort", "--type", "f32", "--fill", "inf"}, 10},
      {{"sort", "--type", "f32", "--fill", "NaN"}, 0},
      {{"sort", "--type", "f32", "--equal", "bits", "--fill", "NaN"}, 10},
      {{"sort", "--type", "f32", "--equal", "bits", "--pads", "after", "--fill", "NaN"}, 0},
      {{"argmax", "--type", "f32", "--pads", "after", "--max", "nan-loses", "--fill", "NaN"}, 0},
      {{"argmax", "--type", "f32", "--pads", "after", "--max", "nan-loses", "--fill", "-inf"}, 10},
      {{"rmsnorm", "--type", "f32", "--fill", "0"}, 0},
  };
  for (const Row& row : rows) {
    const Json record = ask(row.words, row.code);
    const char* certificate = row.code == 5 ? "none" : "checked";
    EXPECT_EQ(record["certificate"], certificate) << row.words[0] << " " << row.words.back();
  }
}

TEST(NeutralRows, ShowWhatAPadChanges) {
  const auto shown = [](Words words) { return ask(std::move(words), 10)["counterexample"].dump(); };
  EXPECT_EQ(
      shown({"argmax", "--type", "f16", "--pads", "after", "--ties", "last", "--contents", "-inf", "--fill", "-inf"}),
      R"json({"contents":["0xfc00"],"fill":["0xfc00"],"got":1,"want":0,"evaluation":"argmax(c0, p0)"})json");
  // The zeros of a row of one 1: 1/2 where 1 is expected; and (1/2)² where no variance is.
  EXPECT_EQ(shown({"mean", "--type", "f16", "--contents", "{1}", "--divide", "P", "--fill", "+0"}),
            R"json({"contents":["0x3c00"],"fill":["0x0000"],"got":"0x3800","want":"0x3c00",)json"
            R"json("evaluation":"mean of (c0 + p0)"})json");
  EXPECT_EQ(shown({"softmax", "--type", "f16", "--contents", "{0}", "--blocks", "unguarded", "--fill", "-inf"}),
            R"json({"contents":["0x0000"],"fill":["0xfc00"],"got":"0x7e00","want":"0x3c00",)json"
            R"json("evaluation":"softmax(p0 | c0)[0]"})json");
  const Json facts = ask({"softmax", "--type", "f16", "--fill", "-inf"}, 0)["assumes"];
  EXPECT_EQ(facts.size(), 5U);
  EXPECT_EQ(facts[0], "exp(-inf) = +0");
  EXPECT_EQ(ask({"argmax", "--type", "f16", "--pads", "after", "--fill", "-inf"}, 0)["assumes"],
            Json({"an order takes -0 and +0 as equal"}));
  EXPECT_FALSE(ask({"argmax", "--type", "i8", "--pads", "after", "--fill", "{-128}"}, 0).contains("assumes"));
  EXPECT_EQ(ask({"rmsnorm", "--type", "f16", "--start", "+0", "--fill", "0"}, 0)["assumes"],
            Json({"eps is 10^-5, rounded to f16"}));
}

TEST(NeutralRows, RejectOptionsWithoutAMeaning) {
  struct Row {
    Words words;
    std::string want;
  };
  const Row rows[] = {
      {{"argmax", "--type", "f16", "--start", "+0"}, "argmax has no start +0"},
      {{"argmax", "--type", "f16", "--max", "x86"}, "it has no rule x86"},
      {{"argmax", "--type", "f16", "--accumulate", "f32"}, "argmax accumulates nothing"},
      {{"sort", "--type", "f16", "--max", "nan-loses"}, "NaN wins in sort"},
      {{"sum", "--type", "f16", "--ties", "last"}, "sum breaks no ties"},
      {{"sum", "--type", "f16", "--pads", "after"}, "sum takes its pads wherever they are"},
      {{"sum", "--type", "f16", "--divide", "P"}, "sum divides by no count"},
      {{"sum", "--type", "f16", "--blocks", "guarded"}, "sum has no blocks"},
      {{"argmax", "--type", "f16", "--k", "2"}, "argmax takes no number k"},
      {{"topk", "--type", "f16", "--k", "0"}, "k is 0, and not 1 to 16"},
      {{"topk", "--type", "f16", "--k", "17"}, "k is 17, and not 1 to 16"},
      {{"topk", "--type", "f16", "--k", "-1"}, "--k"},
      {{"topk", "--type", "f16", "--k", "99999999999999999999"}, "--k"},
      {{"topk", "--type", "f16", "--k", "two"}, "--k"},
      {{"mean", "--type", "i8"}, "mean is an operation on floats"},
      {{"mean", "--type", "f16", "--divide", "M"}, "--divide"},
      {{"softmax", "--type", "f16", "--equal", "bits"}, "results are not compared by bits"},
      {{"softmax", "--type", "dl16", "--blocks", "guarded"}, "dl16 has no infinity"},
      {{"softmax", "--type", "f16", "--fill", "0", "--fill", "0"}, "softmax takes one --fill"},
  };
  for (Row row : rows) {
    row.words.insert(row.words.begin(), "neutral");
    const Ran run = verify_layout(row.words);
    EXPECT_EQ(run.code, 64) << row.want << run.out;
    EXPECT_NE(run.err.find(row.want), std::string::npos) << row.want << ": " << run.err;
  }
}

}  // namespace rows_command_campaign
}  // namespace vl
