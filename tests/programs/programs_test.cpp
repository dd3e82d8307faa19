// Functions at the command line and as cases.
#include "tests/cli/records.h"

namespace vl {
namespace programs_test {

const std::string kView =
    "#l = #ttcore.metal_layout<logical_shape = 64x96, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, "
    "2]]> : tensor<2x2xi64>, l1, sharded>\n"
    "func.func @good(%a: tensor<1x1x64x96xf32, #l>) -> tensor<2x3x32x32xf32, #l> {\n"
    "  %0 = d2m.view_layout %a remapping = affine_map<(d0, d1, d2, d3) -> ((d0*32 + d2) floordiv 64, (d1*32 + d3) "
    "floordiv 96, (d0*32 + d2) mod 64, (d1*32 + d3) mod 96)> : tensor<1x1x64x96xf32, #l> -> tensor<2x3x32x32xf32, #l>\n"
    "  return %0 : tensor<2x3x32x32xf32, #l>\n}\n"
    "func.func @bad(%a: tensor<1x1x64x96xf32, #l>) -> tensor<2x3x32x32xf32, #l> {\n"
    "  %0 = d2m.view_layout %a remapping = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)> : tensor<1x1x64x96xf32, "
    "#l> "
    "-> tensor<2x3x32x32xf32, #l>\n"
    "  return %0 : tensor<2x3x32x32xf32, #l>\n}\n";

const std::string kSum =
    "// vl: padding a: 0 contents a: finite\n"
    "func.func @f(%a: tensor<32x33xf32>, %b: tensor<4x32xf32>) -> (tensor<32x1xf32>, tensor<4x32xf32>) {\n"
    "  %0 = \"ttir.exp\"(%a) : (tensor<32x33xf32>) -> tensor<32x33xf32>\n"
    "  %1 = \"ttir.sum\"(%0) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<32x33xf32>) -> tensor<32x1xf32>\n"
    "  %2 = \"ttir.relu\"(%b) : (tensor<4x32xf32>) -> tensor<4x32xf32>\n"
    "  %3 = \"ttir.frobnicate\"(%a) : (tensor<32x33xf32>) -> tensor<32x33xf32>\n"
    "  return %1, %2 : tensor<32x1xf32>, tensor<4x32xf32>\n}\n";

// The records of functions and of answers about their operations.
std::vector<Json> records_of(const Ran& ran) {
  std::vector<Json> out;
  for (const Json& record : records(ran.out).all)
    if (record.contains("function")) out.push_back(record);
  return out;
}

std::string told(const std::vector<Json>& records) {
  std::string out;
  for (const Json& record : records)
    if (record["kind"] == "verdict")
      out += fmt::format("{} {} {} {}\n", record["function"].get<std::string>(), record["line"].get<int>(),
                         record["claim"].get<std::string>(), record["verdict"].get<std::string>());
  return out;
}

TEST(Programs, ViewsAreJudgedWhereTheyStand) {
  const Folder folder;
  const std::string file = folder.file("view.mlir", kView);
  const Ran ran = called({"check", "--programs", file, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 10);
  EXPECT_EQ(told(records_of(ran)),
            "@good 3 view-in-bounds proved\n@good 3 view-elements proved\n@good 4 chain-neutral proved\n"
            "@bad 7 view-in-bounds refuted\n@bad 7 view-elements refuted\n@bad 7 chain-neutral unknown\n");
  // Core [0, 1] of the result: there is one core in the source.
  const auto found = records_of(ran);
  const Json& bad = found.at(5);
  EXPECT_EQ(bad["counterexample"]["slot"], (Json{0, 1, 0, 0}));
  EXPECT_EQ(bad["operation"], "d2m.view_layout");
  EXPECT_EQ(bad["result"], "%0");
}

// Of a text that is named, unless it is asked about layouts alone; beneath a folder when that is said.
TEST(Programs, AreJudgedWhereATextIsNamed) {
  const Folder folder;
  const std::string view = folder.file("view.mlir", kView);
  const auto judged = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"check", "--format", "jsonl"};
    words.insert(words.end(), more.begin(), more.end());
    return told(records_of(called(words)));
  };
  const std::string all = judged({view, "--programs"});
  EXPECT_EQ(std::ranges::count(all, '\n'), 6);
  EXPECT_EQ(judged({view}), all);
  EXPECT_EQ(judged({view, "--no-programs"}), "");
  EXPECT_EQ(judged({view, "--claim", "injective"}), "");
  EXPECT_EQ(judged({view, "--claim", "injective", "--programs"}), all);
  EXPECT_EQ(judged({"--scan", folder.at("")}), "");
  EXPECT_EQ(judged({"--scan", folder.at(""), "--programs"}), all);
  EXPECT_NE(called({"check", view, "--no-programs"}).err.find("its functions are not judged"), std::string::npos);
  EXPECT_EQ(called({"check", view}).err, "");
  EXPECT_EQ(called({"check", view, "--programs", "--no-programs"}).code, 64);
  EXPECT_EQ(called({"check", view, "--no-programs", "--fill"}).code, 64);
}

// A file is as good as its answers: an unknown one of a function is one of the file.
TEST(Programs, MakeTheExitCodeOfTheirFile) {
  const Folder folder;
  const std::string unknown =
      "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = \"ttir.frobnicate\"(%a) : (tensor<4xf32>) -> "
      "tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
  const std::string file = folder.file("f.mlir", "// S[(2,3):(3,1)] on u8[2,3]\n" + unknown);
  EXPECT_EQ(called({"check", file, "--tensor", "u8[2,3]"}).code, 5);
  EXPECT_EQ(called({"check", file, "--tensor", "u8[2,3]", "--no-programs"}).code, 0);
  // Neither a layout nor a function of which something is asked.
  const Ran none = called({"check", folder.file("m.py", "def forward(self, x):\n    return x\n")});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("no layout is found in it, and no function of which something is asked"), std::string::npos)
      << none.err;
}

// exp makes ones of 31 zeros.
TEST(Programs, EachOutputHasItsAnswer) {
  const Folder folder;
  const std::string file = folder.file("sum.mlir", kSum);
  const Ran ran = called({"check", "--programs", file, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 10);
  const auto found = records_of(ran);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(told(found), "@f 4 chain-neutral refuted\n@f 5 chain-neutral proved\n");
  EXPECT_EQ(found[0]["operations"], 5);
  EXPECT_EQ(found[0]["readers"], 1);
  EXPECT_EQ(found[0]["not_neutral"], 1);
  EXPECT_EQ(found[0]["unknown"][0]["line"], 6);
  EXPECT_EQ(found[0]["unknown"][0]["operation"], "ttir.frobnicate");
  EXPECT_EQ(found[1]["note"], "%1[0,0] is 64 where the reference has 33");
  EXPECT_EQ(found[1]["engine"], "evaluation");
  EXPECT_NE(found[0]["notes"].dump().find("assumes: the valid elements of a are finite"), std::string::npos);
}

// What a person wrote and nobody reads is said.
TEST(Programs, CommentsThatAreNotReadAreNoted) {
  const Folder folder;
  const std::string text =
      "// vl: tile(32x32) padding a: 0; c: 1 contents a equal @f @g paddding b: 0\n// vl: x\n" + kSum;
  const auto found = records_of(called({"check", "--programs", folder.file("f.mlir", text), "--format", "jsonl"}));
  ASSERT_FALSE(found.empty());
  const std::string notes = found[0]["notes"].dump();
  for (const char* said :
       {"`vl: tile(32x32)` is not read", "padding c` changes nothing: there is no input %c",
        "`vl: contents a` is not read", "`vl: equal @f @g paddding b: 0` is not read", "`vl: x` is not read"})
    EXPECT_NE(notes.find(said), std::string::npos) << said << notes;
  const std::string in_words = called({"check", "--programs", folder.file("g.mlir", text)}).out;
  EXPECT_NE(in_words.find("`vl: x` is not read"), std::string::npos) << in_words;
}

// Nothing is refuted through an operation that is not known, and what depends on it is not proved.
TEST(Programs, WhatDependsOnAnUnknownOperationIsUnknown) {
  const Folder folder;
  std::string text = kSum;
  text.replace(text.find("return %1, %2 : tensor<32x1xf32>"), 32, "return %3, %2 : tensor<32x33xf32>");
  const Ran ran = called({"check", "--programs", folder.file("f.mlir", text), "--format", "jsonl"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(told(records_of(ran)), "@f 5 chain-neutral proved\n@f 6 chain-neutral unknown\n");
}

// @f puts out nothing that depends on it.
TEST(Programs, AnUnknownOperationIsOpenWithStrict) {
  const Folder folder;
  const std::string unknown = "  %3 = \"ttir.frobnicate\"(%a) : (tensor<32x33xf32>) -> tensor<32x33xf32>\n";
  std::string text = kSum;
  text.replace(text.find("padding a: 0 contents a: finite"), 31, "padding a: -inf");
  const std::string with = folder.file("f.mlir", text);
  EXPECT_EQ(called({"check", "--programs", with}).code, 0);
  const Ran strict = called({"check", "--programs", with, "--strict"});
  EXPECT_EQ(strict.code, 5) << strict.out;
  EXPECT_NE(strict.out.find("line 6, ttir.frobnicate is not known: its result may hold anything"), std::string::npos);
  const std::string test = called({"check", "--programs", with, "--strict", "--format", "junit"}).out;
  EXPECT_NE(test.find("ttir.frobnicate is not known"), std::string::npos) << test;
  text.erase(text.find(unknown), unknown.size());
  EXPECT_EQ(called({"check", "--programs", folder.file("g.mlir", text), "--strict"}).code, 0);
}

TEST(Programs, AFunctionThatCannotBeReadIsAnErrorAndTheOthersAreJudged) {
  const Folder folder;
  const Ran ran =
      called({"check", "--programs", folder.file("f.mlir", "func.func @x(%a: f32 {\n}\n" + kSum), "--format", "jsonl"});
  EXPECT_EQ(ran.code, 10);
  EXPECT_NE(ran.out.find("\"kind\":\"error\""), std::string::npos);
  EXPECT_EQ(records_of(ran).size(), 3U);
}

// A comment speaks of the functions behind it in its module, and of no other one.
TEST(Programs, CommentsAreAboutTheirOwnModule) {
  const Folder folder;
  const auto sum = [](const std::string& name, const std::string& inside) {
    return "func.func @" + name + "(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {\n" + inside +
           "  %0 = \"ttir.sum\"(%a) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>\n"
           "  return %0 : tensor<4x1xf32>\n}\n";
  };
  const std::string comment = "// vl: padding a: 0\n";
  const auto verdicts = [&](const std::string& text) {
    std::string out;
    for (const Json& record :
         records_of(called({"check", "--programs", folder.file("f.mlir", text), "--format", "jsonl"})))
      if (record["kind"] == "verdict") out += record["verdict"].get<std::string>() + " ";
    return out;
  };
  EXPECT_EQ(verdicts(comment + sum("f", "") + sum("g", "")), "proved proved ");
  EXPECT_EQ(verdicts(comment + "module {\n" + sum("f", "") + "}\nmodule {\n" + sum("g", "") + "}\n"), "proved proved ");
  EXPECT_EQ(verdicts("module @one {\n" + comment + sum("f", "") + "}\nmodule @two {\n" + sum("g", "") + "}\n"),
            "proved refuted ");
  EXPECT_EQ(verdicts(sum("f", comment) + sum("g", "")), "refuted refuted ") << "within a function";
  const Ran ran = called({"check", "--programs", folder.file("f.mlir", sum("f", comment) + "// vl: equals @f @g\n")});
  EXPECT_NE(ran.out.find("`vl: padding a: 0` is not read"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("`vl: equals @f @g` is not read"), std::string::npos) << ran.out;
}

// Operations of elements let no padding in, and that is what the answer takes for granted.
TEST(Programs, OperationsOfElementsAreAssumedToReadNoPadding) {
  const std::string text =
      "func.func @f(%a: tensor<1x8x8x6xf32>, %w: tensor<6x6x3x3xf32>, %i: tensor<3x1xi32>) -> tensor<3x1x8x8x6xf32> {\n"
      "  %0 = \"ttir.conv2d\"(%a, %w) <{stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, dilation = "
      "array<i32: "
      "1, 1>, groups = 1 : i32}> : (tensor<1x8x8x6xf32>, tensor<6x6x3x3xf32>) -> tensor<1x8x8x6xf32>\n"
      "  %1 = \"ttir.all_reduce\"(%0) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : "
      "(tensor<1x8x8x6xf32>) -> tensor<1x8x8x6xf32>\n"
      "  %2 = \"ttir.embedding\"(%i, %1) : (tensor<3x1xi32>, tensor<1x8x8x6xf32>) -> tensor<3x1x8x8x6xf32>\n"
      "  return %2 : tensor<3x1x8x8x6xf32>\n}\n";
  const Folder folder;
  const auto found = records_of(called({"check", "--programs", folder.file("f.mlir", text), "--format", "jsonl"}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(told(found), "@f 4 chain-neutral proved\n");
  EXPECT_EQ(found[0]["judged"], 3);
  EXPECT_TRUE(found[0]["unknown"].empty());
  const std::string notes = found[0]["notes"].dump();
  for (const char* said :
       {"assumes: ttir.conv2d reads no padding of its operands",
        "assumes: ttir.all_reduce reads no padding of its operands",
        "assumes: ttir.embedding reads no padding of its operands", "each device runs this function"})
    EXPECT_NE(notes.find(said), std::string::npos) << said << notes;
}

std::string case_of(const std::string& program, const std::string& more) {
  return "schema = 1\n[[case]]\nid = \"p\"\nprogram = '''\n" + program + "'''\n" + more + "\n";
}

TEST(Programs, AreCases) {
  const Folder folder;
  int number = 0;
  const auto code = [&](const std::string& text) {
    return called({"check", folder.file(fmt::format("{}.toml", number++), text)}).code;
  };
  EXPECT_EQ(code(case_of(kSum, "expect = { chain-neutral = \"refuted\" }")), 0);
  EXPECT_EQ(code(case_of(kSum, "expect = { outputs = \"refuted\" }")), 0);
  EXPECT_EQ(code(case_of(kSum, "expect = { chain-neutral = \"proved\" }")), 10) << "an unexpected failure";
  EXPECT_EQ(code(case_of(kSum, "expect = { mask-exact = \"proved\" }")), 10) << "nothing that is asked";
  EXPECT_EQ(code(case_of(kSum, "")), 10);
  EXPECT_EQ(code(case_of(kView, "function = \"@good\"\nexpect = { view-elements = \"proved\" }")), 0);
  EXPECT_EQ(code(case_of(kView, "function = \"@bad\"\nexpect = { view-elements = \"proved\" }")), 10);
  EXPECT_EQ(code(case_of(kView, "function = \"@none\"")), 2);
  const std::string chain = "a = input f32[32,33] tile(32,32) padding {}\ns = sum a over 1\noutput s\n";
  EXPECT_EQ(code(case_of(fmt::format(fmt::runtime(chain), "-0"), "expect = { chain-neutral = \"proved\" }")), 0);
  EXPECT_EQ(code(case_of(fmt::format(fmt::runtime(chain), "{1}"), "expect = { chain-neutral = \"refuted\" }")), 0);
  folder.file("f.mlir", kSum);
  EXPECT_EQ(code("schema = 1\n[[case]]\nid = \"p\"\nprogram = \"f.mlir\"\nexpect = { chain-neutral = \"refuted\" }\n"),
            0);
}

TEST(Programs, CasesThatAreWrongAreRejected) {
  const Folder folder;
  int number = 0;
  for (const std::string& text :
       {case_of(kSum, "expect = { injective = \"proved\" }"), case_of(kSum, "expect = { chain-neutral = 3 }"),
        case_of(kSum, "expect = \"invalid\""), case_of(kSum, "layout = \"x\""), case_of("x = \n", ""),
        std::string("schema = 1\n[[case]]\nid = \"p\"\nprogram = \"none.mlir\"\n"),
        std::string("schema = 1\n[[case]]\nid = \"p\"\nprogram = 3\n")})
    EXPECT_EQ(called({"check", folder.file(fmt::format("{}.toml", number++), text)}).code, 2) << text;
}

}  // namespace programs_test
}  // namespace vl
