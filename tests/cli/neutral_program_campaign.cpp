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

// The sum reads padding of any content, and no output reads the sum.
TEST(NeutralProgram, LinesThatNoOutputReadsChangeNothing) {
  const std::string text = "x = input f32[2,2] tile(4,4) padding any\ns = sum x over 1\noutput ";
  const auto proved = answers(text + "x\n", {"--fill"}, 0);
  EXPECT_EQ(proved[0]["verdict"], "proved");
  EXPECT_NE(answers(text + "s\n", {}, 10)[0]["verdict"], "proved");
}

// A record for each of several outputs, the worst first; each line that is neutral once in words.
TEST(NeutralProgram, AnswersByOutput) {
  const std::string text =
      "x = input f32[2,5] tile(2,4) padding 0\ns = sum x over 1\nt = sum x over 1 from +0\n"
      "u = unknown \"d.thing\" t x -> f32[2]\nr = relu t\noutput ";
  const auto all = answers(text + "t u s r\n", {}, 10);
  ASSERT_EQ(all.size(), 4u);
  const char* verdicts[] = {"s refuted", "u unknown", "t proved", "r proved"};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(all[i]["asked"]["output"].get<std::string>() + " " + all[i]["verdict"].get<std::string>(), verdicts[i]);
  EXPECT_EQ(all[1]["note"], "d.thing is not known: its result may hold anything");
  EXPECT_EQ(all[1]["line"], 4);
  EXPECT_EQ(answers(text + "t u\n", {}, 5).size(), 2u);
  const auto one = answers(text + "t\n", {}, 0);
  EXPECT_FALSE(one[0]["asked"].contains("output"));
  const Folder folder;
  const Ran words = verify_layout({"neutral", "--program", folder.file("p.program", text + "t r\n")});
  EXPECT_NE(words.out.find("no padding reaches t\n"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("no padding reaches r\n"), std::string::npos) << words.out;
  const std::size_t line = words.out.find("line 3, t");
  EXPECT_NE(line, std::string::npos) << words.out;
  EXPECT_EQ(words.out.find("line 3, t", line + 1), std::string::npos) << words.out;
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

// The layout's own fill is the padding of an input that states none; one that it contradicts is an error.
TEST(NeutralProgram, ReadsTheFillOfLayouts) {
  const auto input = [](const std::string& fill, const std::string& padding) {
    return "x = input f32[33,33] layout \"#tt.metal_layout<(d0, d1) -> (d0, d1), " + fill +
           ", <1x1>, memref<2x2x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>\"" + padding +
           "\ns = sum x over 1 from +0\noutput s\n";
  };
  EXPECT_EQ(answers(input("zero", ""), {}, 0)[0]["verdict"], "proved");
  EXPECT_EQ(answers(input("one", ""), {}, 10)[0]["verdict"], "refuted");
  EXPECT_EQ(answers(input("undef", ""), {}, 10)[0]["verdict"], "refuted");
  EXPECT_EQ(answers(input("zero", " padding finite"), {}, 0)[0]["verdict"], "proved");
  EXPECT_TRUE(answers(input("zero", " padding {1}"), {}, 2).empty());
}

// The same of an operand of a case: the place is that of the padding that is stated.
TEST(NeutralCases, RejectPaddingThatTheLayoutContradicts) {
  const Folder folder;
  const std::string layout =
      "#tt.metal_layout<(d0, d1) -> (d0, d1), zero, <1x1>, memref<2x2x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>";
  const std::string path = folder.file(
      "c.toml",
      "schema = 1\n[[case]]\nid = \"c\"\nsource = \"by hand\"\nlayout = \"#tt.metal_layout<(d0) -> (0, d0), undef, "
      "<1x1>, memref<1x2x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>\"\ntensor = \"f32[33]\"\n[[case.claim]]\nclaim = "
      "\"neutral\"\noperation = \"sum\"\nreduce = [1]\noperands = [ { layout = \"" +
          layout + "\", tensor = \"f32[33,33]\", padding = \"{1}\" } ]\nexpect = \"proved\"\n");
  const Ran ran = verify_layout({"check", path});
  EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
  EXPECT_NE(ran.err.find("c.toml:11:"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("the layout of operand 0 (input) fills its padding with zero"), std::string::npos) << ran.err;
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
  for (const Options& option : {Options{"--start", "+0"},
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
    EXPECT_NE(ran.err.find("beside it goes --arithmetic"), std::string::npos) << option.front() << ran.err;
  }
}

// A sum of +0 behind its elements: -0 + +0 is +0, but from a start +0 nothing is -0.
TEST(NeutralProgram, IsDecidedUnderAnArithmetic) {
  const std::string sum = "A = input f16[2,3] tile(2,4) padding +0\ns = sum A over 1\noutput s\n";
  const auto proved = answers(sum, {"--arithmetic", "start=+0 order=unknown"}, 0);
  ASSERT_EQ(proved.size(), 1u);
  EXPECT_EQ(proved[0]["alternatives"], 2);
  EXPECT_EQ(proved[0]["asked"]["arithmetic"], "start=+0 order=unknown");
  EXPECT_EQ(proved[0]["certificate"], "checked");
  const auto refuted = answers(sum, {"--arithmetic", "start=first|-0"}, 10);
  ASSERT_EQ(refuted.size(), 1u);
  EXPECT_EQ(refuted[0]["alternatives"], 2);
  EXPECT_EQ(refuted[0]["certificate"], "checked");
  EXPECT_TRUE(refuted[0]["counterexample"]["arithmetic"].get<std::string>().starts_with("accumulate=element start="));
  const auto open = answers(sum, {"--arithmetic", "start=unknown"}, 5);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_NE(open[0]["note"].get<std::string>().find("under accumulate=element start=+0"), std::string::npos);
  EXPECT_EQ(answers(sum, {"--arithmetic", "flush=none", "--fill"}, 10).size(), 2u);

  const Folder folder;
  const std::string path = folder.file("p.program", sum);
  const std::string many = folder.file(
      "many.program", "A = input f16[2,2]\nm = matmul A A\nx = max m over 0\ni = argmax m over 1\noutput x i\n");
  const auto fails = [&](std::vector<std::string> words, int code, const char* why, const std::string& file) {
    words.insert(words.begin(), {"neutral", "--program", file});
    const Ran ran = verify_layout(words);
    EXPECT_EQ(ran.code, code) << why;
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err;
  };
  fails({"--arithmetic", "start=unknown", "--fill"}, 64, "places masks under one arithmetic", path);
  fails({"--arithmetic", "sparse"}, 2, "'sparse' is not an arithmetic", path);
  fails({"--arithmetic", "flush=sometimes"}, 2, "--arithmetic:1:7", path);
  fails({"--arithmetic", "tt-wormhole"}, 2, "too many arithmetics of this program", many);
}

}  // namespace neutral_program_command_test
}  // namespace vl
