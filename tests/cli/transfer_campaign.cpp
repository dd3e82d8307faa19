// transfer: images, verdicts and errors of the command, against results worked by hand.
#include <gtest/gtest.h>

#include "tests/cli/records.h"

namespace vl {
namespace transfer_campaign {

Json transfer(const Words& words, int code) { return one_record("transfer", words, code); }

// inf + -inf is NaN, so inf plus anything is not always inf.
TEST(TransferCommand, RefutesWithOperands) {
  const Json record = transfer({"add", "f32", "inf", "any", "--claims", "inf"}, 10);
  EXPECT_EQ(record["claim"], "transfer");
  EXPECT_EQ(record["verdict"], "refuted");
  EXPECT_EQ(record["counterexample"]["operands"].dump(), R"(["0x7f800000","0xff800000"])");
  EXPECT_EQ(record["counterexample"]["results"].dump(), R"([["0x7fc00000","0x7fffffff"],["0xffc00000","0xffffffff"]])");
}

TEST(TransferCommand, ProvesAndSaysWhatItAssumes) {
  const Json record = transfer({"add", "f32", "inf", "any", "--claims", "inf|NaN"}, 0);
  EXPECT_EQ(record["verdict"], "proved");
  EXPECT_EQ(record["assumes"].size(), 0u);
  const Json exp = transfer({"exp", "f16", "--operand", "-inf", "--claims", "+0"}, 0);
  EXPECT_EQ(exp["verdict"], "proved");
  EXPECT_EQ(exp["exact"], true);
  EXPECT_EQ(exp["assumes"].size(), 1u);
  EXPECT_EQ(transfer({"gelu", "f32", "--operand", "-inf", "--claims", "0"}, 5)["verdict"], "unknown");
}

TEST(TransferCommand, PrintsTheImage) {
  EXPECT_EQ(transfer({"exp", "bf16", "0"}, 0)["ranges"].dump(), R"([["0x3f80","0x3f80"]])");
  EXPECT_EQ(transfer({"relu", "i16", "[-3..2]"}, 0)["ranges"].dump(), R"([["0x0000","0x0002"]])");
  EXPECT_EQ(transfer({"sub", "i32", "{-2147483648}", "{1}"}, 0)["ranges"].dump(), R"([["0x7fffffff","0x7fffffff"]])");
}

TEST(TransferCommand, RejectsWithPlaces) {
  struct Row {
    Words words;
    int code;
    const char* message;
  };
  const Row rows[] = {
      {{"add", "f32", "0"}, 64, "add has 2 operands"},
      {{"exp", "i32", "0"}, 64, "exp has no meaning for i32"},
      {{"exp", "f17", "0"}, 64, "f17"},
      {{"expo", "f16", "0"}, 64, "expo"},
      {{"exp", "dl16", "--operand", "-inf"}, 2, "dl16 has no infinity"},
      {{"exp", "f16", "0", "--claims", "{1"}, 2, "expected ',' or '}'"},
  };
  for (const Row& row : rows) {
    Words words = row.words;
    words.insert(words.begin(), "transfer");
    const Ran run = verify_layout(words);
    EXPECT_EQ(run.code, row.code) << run.err;
    EXPECT_NE(run.err.find(row.message), std::string::npos) << run.err;
  }
}

}  // namespace transfer_campaign
}  // namespace vl
