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
  const Ran without = called({"check", file, "--format", "jsonl"});
  EXPECT_TRUE(records_of(without).empty());
  EXPECT_NE(without.err.find("its functions are not judged; --programs asks about them"), std::string::npos);
  EXPECT_EQ(ran.err.find("--programs"), std::string::npos);
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

// Texts by which a reader of the importer made it prove what is not so: in each, padding may reach what the function
// returns, in a way that a careless reading loses.
TEST(Programs, NothingIsProvedByWhatIsLost) {
  struct Row {
    const char *why, *function, *text;
  };
  const std::vector<Row> rows = {
      {"the callee says in which dialect it is", "@main",
       R"mlir(func.func private @g(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}
func.func @main(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
  %0 = call @g(%a) : (tensor<4x33xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
)mlir"},
      {"a view of what is returned is written", "@f",
       R"mlir(func.func @f(%x: tensor<1x1x4x33xf32>, %j: tensor<1x1x4x33xf32>) -> tensor<1x1x4x33xf32> {
  %v = "ttnn.reshape"(%x) <{shape = [4 : i32, 33 : i32]}> : (tensor<1x1x4x33xf32>) -> tensor<4x33xf32>
  %s = "ttnn.sum"(%j) <{dim_arg = [3 : i32], keep_dim = true}> : (tensor<1x1x4x33xf32>) -> tensor<1x1x4x1xf32>
  "ttnn.foo_"(%v, %s) : (tensor<4x33xf32>, tensor<1x1x4x1xf32>) -> ()
  return %x : tensor<1x1x4x33xf32>
}
)mlir"},
      {"a quotient is rounded down", "@f",
       R"mlir(// vl: padding a: 0.5; b: 1; h: 0.5 contents a: finite; b: finite; h: finite
func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>, %h: tensor<3x3xf32>) -> tensor<3x1xf32> {
  %0 = "ttir.div"(%a, %b) <{round_mode = "floor"}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = "ttir.subtract"(%0, %h) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = "ttir.sum"(%1) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<3x3xf32>) -> tensor<3x1xf32>
  return %2 : tensor<3x1xf32>
}
)mlir"},
      {"an attribute of the pretty form is not known", "@f",
       R"mlir(func.func @f(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = ttir.cumsum %a, dim = -1, reverse = true : tensor<3x3xf32> -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
)mlir"},
      {"a name has two meanings", "@f",
       R"mlir(#l = #ttcore.metal_layout<logical_shape = 50x50, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
module {
func.func @f(%x: tensor<1x1x64x64xf32, #l>) -> tensor<1x1x64x64xf32, #l> {
  %0 = "ttir.cumsum"(%x) <{dim = 1 : i64}> : (tensor<1x1x64x64xf32, #l>) -> tensor<1x1x64x64xf32, #l>
  return %0 : tensor<1x1x64x64xf32, #l>
}
}
#l = #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
)mlir"},
      {"an operation without a result writes", "@f",
       R"mlir(func.func @f(%a: tensor<1x1x4x33xf32>, %cache: tensor<1x1x64x32xf32>) -> tensor<1x1x64x32xf32> {
  %s = "ttir.sum"(%a) <{dim_arg = [3 : i32], keep_dim = true}> : (tensor<1x1x4x33xf32>) -> tensor<1x1x4x1xf32>
  %b = "ttir.broadcast"(%s) <{broadcast_dimensions = array<i64: 1, 1, 1, 32>}> : (tensor<1x1x4x1xf32>) -> tensor<1x1x4x32xf32>
  "ttir.fill_cache"(%cache, %b) <{batch_offset = 0 : i32}> : (tensor<1x1x64x32xf32>, tensor<1x1x4x32xf32>) -> ()
  return %cache : tensor<1x1x64x32xf32>
}
)mlir"},
      {"a callee of several blocks", "@f", R"mlir(// vl: tile(32)
func.func private @g(%a: tensor<33xf32>, %c: tensor<i1>) -> tensor<f32> {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %s = "ttir.sum"(%a) <{keep_dim = false}> : (tensor<33xf32>) -> tensor<f32>
  return %s : tensor<f32>
^bb2:
  %z = "ttir.zeros"() : () -> tensor<f32>
  return %z : tensor<f32>
}
func.func @f(%a: tensor<33xf32>, %c: tensor<i1>) -> tensor<f32> {
  %0 = call @g(%a, %c) : (tensor<33xf32>, tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
)mlir"},
      {"a callee writes what it was given", "@f",
       R"mlir(func.func private @g(%a: tensor<4x33xf32>, %b: tensor<4x1xf32>) {
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  "foo.copy"(%s, %b) : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()
  return
}
func.func @f(%a: tensor<4x33xf32>, %b: tensor<4x1xf32>) -> tensor<4x1xf32> {
  call @g(%a, %b) : (tensor<4x33xf32>, tensor<4x1xf32>) -> ()
  return %b : tensor<4x1xf32>
}
)mlir"},
      {"an attribute that changes the operation", "@f", R"mlir(// vl: padding a: 0 contents a: finite contents b: finite
func.func @f(%a: tensor<33x32xf32>, %b: tensor<32x32xf32>) -> tensor<1x32xf32> {
  %0 = "ttnn.matmul"(%a, %b) <{transpose_a = false, transpose_b = false, activation = "sigmoid"}> : (tensor<33x32xf32>, tensor<32x32xf32>) -> tensor<33x32xf32>
  %s = "ttnn.sum"(%0) <{dim_arg = [0 : i32], keep_dim = true}> : (tensor<33x32xf32>) -> tensor<1x32xf32>
  return %s : tensor<1x32xf32>
}
)mlir"},
      {"a layout that says nothing of memory", "@f",
       R"mlir(func.func @f(%a: tensor<4x33xf32, #ttcore.tensor_mesh<"m">>) -> tensor<4x1xf32, #ttcore.tensor_mesh<"m">> {
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32, #ttcore.tensor_mesh<"m">>) -> tensor<4x1xf32, #ttcore.tensor_mesh<"m">>
  return %s : tensor<4x1xf32, #ttcore.tensor_mesh<"m">>
}
)mlir"},
      {"a comment that is no tile", "@f", R"mlir(// vl: tile(32x32)
func.func @f(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}
)mlir"},
      {"of integers it works on bits", "@g", R"mlir(// vl: tile(32) contents b: any padding b: 2
func.func @g(%b: tensor<33xi32>) -> tensor<i32> {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.reduce(%b init: %c) applies stablehlo.and across dimensions = [0] : (tensor<33xi32>, tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
)mlir"},
      {"a reducer reads another tensor", "@f", R"mlir(// vl: tile(32)
func.func @f(%a: tensor<33xf32>, %g: tensor<32xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %bad = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : (tensor<33xf32>, tensor<f32>) -> tensor<f32>
  %r = "stablehlo.reduce"(%g, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %bad : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
)mlir"},
      {"a total order tells zeros apart", "@f", R"mlir(// vl: tile(32) padding a: 0
func.func @f(%a: tensor<33xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %zz = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<33xf32>
  %oo = stablehlo.broadcast_in_dim %o, dims = [] : (tensor<f32>) -> tensor<33xf32>
  %p = "stablehlo.compare"(%a, %zz) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<33xf32>, tensor<33xf32>) -> tensor<33xi1>
  %w = stablehlo.select %p, %oo, %zz : tensor<33xi1>, tensor<33xf32>
  %r = stablehlo.reduce(%w init: %z) applies stablehlo.add across dimensions = [0] : (tensor<33xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
)mlir"},
      {"a place that is written by an unknown operation", "@f",
       R"mlir(func.func @f(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
  %e = ttir.empty() : tensor<4x1xf32>
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  "foo.copy"(%s, %e) : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()
  %r = "ttir.exp"(%e) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}
)mlir"},
      {"a place is no operand", "@f",
       R"mlir(func.func @f(%a: tensor<4x33xf32>, %g: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  %e = d2m.empty() : tensor<4x1xf32>
  "foo.copy"(%s, %e) : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()
  %r = d2m.to_layout %e, %g : tensor<4x1xf32> into tensor<4x1xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}
)mlir"},
      {"a region reads the argument of another block", "@f",
       R"mlir(func.func @f(%a: tensor<4x33xf32>, %i: tensor<i32>) -> tensor<4x1xf32> {
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  cf.br ^bb1(%s : tensor<4x1xf32>)
^bb1(%x: tensor<4x1xf32>):
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4x1xf32>
  }) : (tensor<i32>) -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}
)mlir"},
      {"an operation in a region writes", "@f",
       R"mlir(func.func @f(%a: tensor<4x33xf32>, %b: tensor<4x1xf32>, %i: tensor<i32>) -> tensor<4x1xf32> {
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  "stablehlo.case"(%i) ({
    "ttnn.fill_cache"(%b, %s) : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return %b : tensor<4x1xf32>
}
)mlir"},
      {"another name of a tensor that is written", "@f",
       R"mlir(func.func @f(%a: tensor<4x33xf32>, %b: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %s = "ttnn.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  %v = "ttnn.identity"(%b) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  "ttnn.fill_cache"(%v, %s) : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()
  return %b : tensor<4x1xf32>
}
)mlir"},
      {"two functions of one name", "@f", R"mlir(module {
  module @a {
    func.func private @g(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
      %z = "ttir.zeros"() : () -> tensor<4x1xf32>
      return %z : tensor<4x1xf32>
    }
  }
  module @b {
    func.func private @g(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
      %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
      return %s : tensor<4x1xf32>
    }
    func.func @f(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
      %0 = call @g(%a) : (tensor<4x33xf32>) -> tensor<4x1xf32>
      return %0 : tensor<4x1xf32>
    }
  }
}
)mlir"},
      {"a result in another layout", "@f",
       R"mlir(#rm = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x33xf32, #dram>>
#tl = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, f32>, #dram>>
func.func @f(%a: tensor<4x33xf32, #rm>) -> tensor<4x1xf32, #tl> {
  %0 = "ttnn.exp"(%a) : (tensor<4x33xf32, #rm>) -> tensor<4x33xf32, #tl>
  %s = "ttnn.sum"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32, #tl>) -> tensor<4x1xf32, #tl>
  return %s : tensor<4x1xf32, #tl>
}
)mlir"},
      {"a comment about another function", "@f", R"mlir(// vl: tile(32,32)
func.func @f(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
  %s = "ttir.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}
// vl: padding a: 0
func.func @g(%a: tensor<4x33xf32>) -> tensor<4x33xf32> {
  return %a : tensor<4x33xf32>
}
)mlir"},
      {"a callee writes what has another name", "@f",
       R"mlir(func.func private @w(%x: tensor<4x33xf32>, %c: tensor<4x1xf32>) {
  %s = "ttir.sum"(%x) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x33xf32>) -> tensor<4x1xf32>
  "foo.copy"(%s, %c) : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()
  return
}
func.func @f(%a: tensor<4x33xf32>, %b: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %v = "ttir.identity"(%b) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  call @w(%a, %v) : (tensor<4x33xf32>, tensor<4x1xf32>) -> ()
  return %b : tensor<4x1xf32>
}
)mlir"},
      {"a call says another type than what it calls", "@f",
       R"mlir(func.func private @g(%a: tensor<4x33xf32>) -> tensor<4x33xf32> {
  return %a : tensor<4x33xf32>
}
func.func @f(%a: tensor<4x33xf32>) -> tensor<4x1xf32> {
  %0 = call @g(%a) : (tensor<4x33xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
)mlir"},
      {"rows of tiles are written into a cache", "@f",
       R"mlir(func.func @f(%c: tensor<1x1x64x32xf32>, %x: tensor<1x1x17x32xf32>) -> tensor<1x1x64x32xf32> {
  "ttir.fill_cache"(%c, %x) <{batch_offset = 0 : i32}> : (tensor<1x1x64x32xf32>, tensor<1x1x17x32xf32>) -> ()
  return %c : tensor<1x1x64x32xf32>
}
)mlir"},
      {"padding reaches a convolution", "@f",
       R"mlir(func.func @f(%a: tensor<1x8x8x33xf32>, %w: tensor<6x1x3x3xf32>) -> tensor<1x8x8x6xf32> {
  %s = "ttir.sum"(%a) <{dim_arg = [3 : i32], keep_dim = true}> : (tensor<1x8x8x33xf32>) -> tensor<1x8x8x1xf32>
  %0 = "ttir.conv2d"(%s, %w) <{stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (tensor<1x8x8x1xf32>, tensor<6x1x3x3xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
)mlir"},
      {"what a convolution leaves behind its elements", "@f",
       R"mlir(func.func @f(%a: tensor<1x8x8x32xf32>, %w: tensor<6x32x3x3xf32>) -> tensor<1x8x8x1xf32> {
  %0 = "ttir.conv2d"(%a, %w) <{stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (tensor<1x8x8x32xf32>, tensor<6x32x3x3xf32>) -> tensor<1x8x8x6xf32>
  %s = "ttir.sum"(%0) <{dim_arg = [3 : i32], keep_dim = true}> : (tensor<1x8x8x6xf32>) -> tensor<1x8x8x1xf32>
  return %s : tensor<1x8x8x1xf32>
}
)mlir"},
      {"indices that padding reaches", "@f",
       R"mlir(func.func @f(%a: tensor<4x40xf32>, %w: tensor<64x32xf32>) -> tensor<4x1x32xf32> {
  %i = "ttir.argmax"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x40xf32>) -> tensor<4x1xi32>
  %0 = "ttir.embedding"(%i, %w) : (tensor<4x1xi32>, tensor<64x32xf32>) -> tensor<4x1x32xf32>
  return %0 : tensor<4x1x32xf32>
}
)mlir"},
      {"a constant that is written", "@f", R"mlir(func.func @f(%a: tensor<1x33xf32>) -> tensor<1x32xf32> {
  %c = "ttnn.zeros"() : () -> tensor<1x1xf32>
  %s = "ttnn.sum"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<1x33xf32>) -> tensor<1x1xf32>
  "ttnn.fill_cache"(%c, %s) : (tensor<1x1xf32>, tensor<1x1xf32>) -> ()
  %b = "ttir.broadcast"(%c) <{broadcast_dimensions = array<i64: 1, 32>}> : (tensor<1x1xf32>) -> tensor<1x32xf32>
  return %b : tensor<1x32xf32>
}
)mlir"},
  };
  const Folder folder;
  int number = 0;
  for (const Row& row : rows) {
    const Ran ran =
        called({"check", "--programs", folder.file(fmt::format("{}.mlir", number++), row.text), "--format", "jsonl"});
    int answers = 0;
    for (const Json& record : records(ran.out).of("verdict")) {
      if (record.value("function", "") != row.function || record["claim"] != "chain-neutral") continue;
      ++answers;
      EXPECT_NE(record["verdict"], "proved") << row.why << "\n" << row.text;
    }
    EXPECT_GE(answers, 1) << row.why << ran.out << ran.err;
  }
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
