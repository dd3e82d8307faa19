// neutral --program: verdicts, masks and errors of the command.
#include <gtest/gtest.h>

#include "tests/cli/records.h"

namespace vl {
namespace neutral_program_command_test {

const std::string kBad =
    "A = input f32[2,3] tile(2,2) padding 0\n"
    "a = exp A\n"
    "s = sum a over 1 from +0\n"
    "output s\n";

std::vector<Json> answers(const std::string& text, Words words, int code) {
  const Folder folder;
  words.insert(words.begin(), {"neutral", "--program", folder.file("p.program", text)});
  words.insert(words.end(), {"--format", "jsonl"});
  const Ran run = verify_layout(words);
  EXPECT_EQ(run.code, code) << run.out << run.err;
  return records(run.out).all;
}

// exp(0) = 1: four ones where there are three elements.
TEST(NeutralProgram, RefutesAndPlacesAMask) {
  const auto all = answers(kBad, {"--fill"}, 10);
  ASSERT_EQ(all.size(), 2u);
  const Json& verdict = all[0];
  EXPECT_EQ(verdict["claim"], "chain-neutral");
  EXPECT_EQ(verdict["verdict"], "refuted");
  EXPECT_EQ(verdict["line"], 3);
  EXPECT_EQ(verdict["counterexample"]["got"], "0x40800000");
  EXPECT_EQ(verdict["counterexample"]["want"], "0x40400000");
  EXPECT_EQ(verdict["lines"].size(), 1u);
  EXPECT_EQ(verdict["lines"][0]["certificate"], "checked");
  const Json& fill = all[1];
  EXPECT_EQ(fill["kind"], "fill");
  EXPECT_EQ(fill["cheapest"], true);
  EXPECT_EQ(fill["slots"], 2);
  const auto again = answers(fill["program"].get<std::string>(), {}, 0);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0]["verdict"], "proved");
  EXPECT_EQ(again[0]["certificate"], "checked");
}

// A layout pads 55 to a stick of 64, and its device's elements are dl16.
TEST(NeutralProgram, ReadsThePaddingOfLayouts) {
  const std::string stick = "layout \"SpyreTensorLayout((5,55), torch.float16)\"";
  const std::string rest =
      "y = input dl16[55,64] tile(64,64) padding finite\nz = matmul x y accumulate f32 from +0\noutput z\n";
  const auto proved = answers("x = input dl16[5,55] " + stick + " padding 1: 0\n" + rest, {}, 0);
  ASSERT_EQ(proved.size(), 1u);
  EXPECT_EQ(proved[0]["verdict"], "proved");
  EXPECT_EQ(proved[0]["states"][1]["slots"], 5 * 9);
  EXPECT_EQ(answers("x = input dl16[5,55] " + stick + "\n" + rest, {}, 10)[0]["verdict"], "refuted");
  EXPECT_TRUE(answers("x = input f16[5,55] " + stick + "\noutput x\n", {}, 2).empty());
}

TEST(NeutralProgram, RejectsWithPlaces) {
  const Folder folder;
  const std::string path = folder.file("p.program", "A = input f32[2,3]\nb = exp c\noutput b\n");
  const Ran bad = verify_layout({"neutral", "--program", path});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("p.program:2:9: 'c' is not defined above"), std::string::npos) << bad.err;
  EXPECT_EQ(verify_layout({"neutral", "--program", folder.at("none.program")}).code, 2);
  EXPECT_EQ(verify_layout({"neutral", "sum", "--program", path}).code, 64);
  EXPECT_EQ(verify_layout({"neutral", "--type", "f16"}).code, 64);
  // Options that a program does not read are no options of it: an answer without them would be one to another question.
  using Options = std::vector<std::string>;
  for (const Options& option : {Options{"--arithmetic", "spyre"},
                                {"--start", "+0"},
                                {"--order", "seq"},
                                {"--max", "x86"},
                                {"--fused"},
                                {"--divide", "P"},
                                {"--ties", "last"},
                                {"--contents", "finite"},
                                {"--equal", "bits"},
                                {"--k", "2"}}) {
    Options words{"neutral", "--program", path};
    words.insert(words.end(), option.begin(), option.end());
    const Ran ran = verify_layout(words);
    EXPECT_EQ(ran.code, 64) << option.front();
    EXPECT_NE(ran.err.find("profiles have no part in it"), std::string::npos) << option.front() << ran.err;
  }
}

}  // namespace neutral_program_command_test
}  // namespace vl
