// The reader of MLIR: what it makes of the forms that compilers print, and of texts that are none.
#include "encodings/notation/mlir.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tests/support/sanitized.h"

namespace vl::mlir {
namespace programs_mlir_test {

// "%0 %1 = d.op(%a, %b) : T -> T", with the regions' operations in braces.
std::string shown(const Operation& operation) {
  std::string out = operation.results.empty() ? "" : fmt::format("{} = ", fmt::join(operation.results, " "));
  out += fmt::format("{}({}) : {} -> {}", operation.name, fmt::join(operation.operands, ", "),
                     fmt::join(operation.inputs, ", "), fmt::join(operation.outputs, ", "));
  for (const Region& region : operation.regions) {
    out += " {";
    for (const Argument& argument : region.arguments)
      out += argument.name + (argument.type.empty() ? "; " : fmt::format(": {}; ", argument.type));
    for (const Operation& inner : region.operations) out += shown(inner) + "; ";
    out += "}";
  }
  return out;
}

// Functions are pieces of a text, which is kept here.
const std::string& kept(std::string text) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(text));
}

Function one(const std::string& body) {
  auto all = functions_of(kept("func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n" + body + "\n}\n"));
  EXPECT_EQ(all.size(), 1U) << body;
  return all.empty() ? Function{} : all[0];
}

std::string only(const std::string& body) {
  const Function function = one(body);
  EXPECT_EQ(function.refused, "") << body;
  EXPECT_EQ(function.body.operations.size(), 1U) << body;
  return function.body.operations.empty() ? "" : shown(function.body.operations[0]);
}

TEST(Mlir, ReadsOperationsInEitherForm) {
  EXPECT_EQ(only("%0 = \"ttir.sum\"(%a) <{dim_arg = [-1 : i32]}> : (tensor<4xf32>) -> tensor<1xf32>"),
            "%0 = ttir.sum(%a) : tensor<4xf32> -> tensor<1xf32>");
  EXPECT_EQ(only("%0:2 = \"d.topk\"(%a) {k = 3 : i32} : (tensor<4xf32>) -> (tensor<3xf32>, tensor<3xi32>)"),
            "%0#0 %0#1 = d.topk(%a) : tensor<4xf32> -> tensor<3xf32>, tensor<3xi32>");
  EXPECT_EQ(only("%x, %y = \"d.two\"() : () -> (f32, f32)"), "%x %y = d.two() :  -> f32, f32");
  EXPECT_EQ(only("%0 = stablehlo.add %a, %b#1 : tensor<4xf32>"),
            "%0 = stablehlo.add(%a, %b#1) : tensor<4xf32> -> tensor<4xf32>");
  EXPECT_EQ(only("return %a : tensor<4xf32> loc(\"x.py\":3:4)"), "return(%a) : tensor<4xf32> -> tensor<4xf32>");
  EXPECT_EQ(only("%0 = d2m.mask %a, %b logical_shape = [50, 64] fill_value = <zero> : tensor<2xf32, #l> into "
                 "tensor<2xf32, #l> -> tensor<2xf32, #m>"),
            "%0 = d2m.mask(%a, %b) : tensor<2xf32, #l>, tensor<2xf32, #l> -> tensor<2xf32, #m>");
  EXPECT_EQ(only("%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : "
                 "(tensor<4xf32>, tensor<f32>) -> tensor<f32>"),
            "%0 = stablehlo.reduce(%a, %z) : tensor<4xf32>, tensor<f32> -> tensor<f32>");
  EXPECT_EQ(only("%0 = stablehlo.reduce(%a init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> "
                 "tensor<f32>\n reducer(%p: tensor<f32>, %q: tensor<f32>) {\n  %1 = stablehlo.add %p, %q : "
                 "tensor<f32>\n  stablehlo.return %1 : tensor<f32>\n }"),
            "%0 = stablehlo.reduce(%a, %z) : tensor<4xf32>, tensor<f32> -> tensor<f32> {%p: tensor<f32>; %q: "
            "tensor<f32>; %1 = stablehlo.add(%p, %q) : tensor<f32> -> tensor<f32>; stablehlo.return(%1) : tensor<f32> "
            "-> tensor<f32>; }");
  EXPECT_EQ(
      only("%0:2 = stablehlo.reduce(%a init: %z), (%b init: %y) across dimensions = [0] : (tensor<4xf32>, "
           "tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)\n reducer(%p: tensor<f32>, %q: "
           "tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) {\n  stablehlo.return %p, %r : tensor<f32>, "
           "tensor<i32>\n }"),
      "%0#0 %0#1 = stablehlo.reduce(%a, %z, %b, %y) : tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32> -> "
      "tensor<f32>, tensor<i32> {%p: tensor<f32>; %q: tensor<f32>; %r: tensor<i32>; %s: tensor<i32>; "
      "stablehlo.return(%p, %r) : tensor<f32>, tensor<i32> -> tensor<f32>, tensor<i32>; }");
  EXPECT_EQ(only("%0:2 = stablehlo.while(%i = %a, %j = %b) : tensor<i32>, tensor<f32> cond {\n  stablehlo.return %i : "
                 "tensor<i32>\n } do {\n  stablehlo.return %i, %j : tensor<i32>, tensor<f32>\n }"),
            "%0#0 %0#1 = stablehlo.while(%a, %b) : tensor<i32>, tensor<f32> -> tensor<i32>, tensor<f32> {%i; %j; "
            "stablehlo.return(%i) : tensor<i32> -> tensor<i32>; } {%i; %j; stablehlo.return(%i, %j) : tensor<i32>, "
            "tensor<f32> -> tensor<i32>, tensor<f32>; }");
}

// What stands between an attribute and the next one's name may be a comment.
TEST(Mlir, ReadsAttributesBesideComments) {
  const Function function =
      one("%0 = \"d.x\"(%a) {\n    // CHECK: first = 1\n    one = #d<word EQ>, // CHECK: one = 2\n    two = [3, 4] /"
          "/ CHECK: two, three = 5\n  } : (f32) -> f32");
  ASSERT_EQ(function.body.operations.size(), 1U);
  const Operation& read = function.body.operations[0];
  EXPECT_EQ(read.attribute("one").value_or(""), "#d<word EQ>");
  EXPECT_EQ(read.attribute("two").value_or(""), "[3, 4]");
  EXPECT_FALSE(read.attribute("three").has_value());
  EXPECT_FALSE(read.attribute("first").has_value());
}

TEST(Mlir, ReadsFunctionsInTheGenericForm) {
  const auto all = functions_of(
      kept("\"builtin.module\"() ({\n  \"func.func\"() <{function_type = (tensor<4xf32>, i32) -> (tensor<4xf32>), "
           "sym_name = \"main\"}> ({\n  ^bb0(%x: tensor<4xf32>, %n: i32):\n    %0 = \"d.exp\"(%x) : (tensor<4xf32>) -> "
           "tensor<4xf32>\n    \"func.return\"(%0) : (tensor<4xf32>) -> ()\n  }) : () -> ()\n  \"func.func\"() "
           "<{function_type = (i32) -> i32, sym_name = \"far\", sym_visibility = \"private\"}> ({\n  }) : () -> ()\n  "
           "\"func.func\"() <{sym_name = \"none\"}> ({\n  }) : () -> ()\n}) : () -> ()\n// \"func.func\"\n"));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "@main");
  ASSERT_EQ(all[0].arguments.size(), 2U);
  EXPECT_EQ(all[0].arguments[0].name, "%x");
  EXPECT_EQ(all[0].results, (std::vector<std::string_view>{"tensor<4xf32>"}));
  ASSERT_EQ(all[0].body.operations.size(), 2U);
  EXPECT_EQ(all[0].body.operations[1].name, "func.return");
  EXPECT_FALSE(all[0].declared);
  EXPECT_TRUE(all[1].declared);
  EXPECT_EQ(all[1].name, "@far");
  EXPECT_EQ(all[2].refused, "expected a function's name and type");
}

TEST(Mlir, EndsAnOperationWhereTheNextOneBegins) {
  const Function function =
      one("%0 = d.long %a,   // a comment: %z = d.none\n    %b\n    {k = \"}\"}\n  : tensor<4xf32>\n"
          "  // another\n  d.nothing\n  ^next(%p: index):\n  %1 = \"d.r\"(%0) ({\n  ^bb0(%q: f32):\n    d.yield %q : "
          "f32\n  "
          "}, {}) : (f32) -> f32\n  return");
  ASSERT_EQ(function.refused, "");
  ASSERT_EQ(function.body.operations.size(), 4U);
  EXPECT_EQ(shown(function.body.operations[0]), "%0 = d.long(%a, %b) : tensor<4xf32> -> tensor<4xf32>");
  EXPECT_EQ(shown(function.body.operations[1]), "d.nothing() :  -> ");
  EXPECT_EQ(shown(function.body.operations[2]), "%1 = d.r(%0) : f32 -> f32 {%q: f32; d.yield(%q) : f32 -> f32; } {}");
  EXPECT_EQ(function.body.operations[2].regions[0].arguments[0].name, "%q");
  EXPECT_EQ(shown(function.body.operations[3]), "return() :  -> ");
}

TEST(Mlir, FindsAttributesWhereverTheyStand) {
  const Function function =
      one("%0 = \"d.a\"(%a) <{x = [1 : i32, 2], y = #m<a, b>}> {z = -3 : i64, flag} : (f32) -> f32\n"
          "%1 = d.b %a map = affine_map<(d0) -> (d0 mod 4)>, dims = [1] x [0] : f32");
  ASSERT_EQ(function.body.operations.size(), 2U);
  const Operation &a = function.body.operations[0], &b = function.body.operations[1];
  EXPECT_EQ(a.attribute("x"), "[1 : i32, 2]");
  EXPECT_EQ(a.attribute("y"), "#m<a, b>");
  EXPECT_EQ(a.attribute("z"), "-3 : i64");
  EXPECT_EQ(a.attribute("flag"), "");
  EXPECT_EQ(a.attribute("fla"), std::nullopt);
  EXPECT_EQ(b.attribute("map"), "affine_map<(d0) -> (d0 mod 4)>");
  EXPECT_EQ(b.attribute("dims"), "[1]");
  EXPECT_EQ(integers_of(*a.attribute("x")), (std::vector<Index>{1, 2}));
  EXPECT_EQ(integers_of("array<i64: 0, -1>"), (std::vector<Index>{0, -1}));
  EXPECT_EQ(integers_of("array<i64>"), (std::vector<Index>{}));
  EXPECT_EQ(integers_of("dense<[0, 7]> : tensor<2xi64>"), (std::vector<Index>{0, 7}));
  for (const std::string_view bad : {"[1, x]", "[99999999999999999999]", "1.5", "[1", "dense<"})
    EXPECT_EQ(integers_of(bad), std::nullopt) << bad;
}

TEST(Mlir, ReadsSignaturesAndTypes) {
  const auto all = functions_of(
      "module @m attributes {a = 1} {\n  func.func private @declared(tensor<2xf32>) -> (f32 {x = \"}\"}, i1)\n"
      "  func.func public @f(%a: tensor<4x33xf32, #l> {tt.name = \"a, b\"} loc(\"a\"), %b: !t<f32>) attributes {k} {\n"
      "    return\n  }\n}\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].declared);
  EXPECT_EQ(all[0].results, (std::vector<std::string_view>{"f32", "i1"}));
  EXPECT_EQ(all[1].name, "@f");
  ASSERT_EQ(all[1].arguments.size(), 2U);
  EXPECT_EQ(all[1].arguments[0].type, "tensor<4x33xf32, #l>");
  EXPECT_EQ(all[1].arguments[1].name, "%b");
  const auto type = tensor_type(all[1].arguments[0].type);
  ASSERT_TRUE(type.has_value());
  EXPECT_EQ(type->shape, (std::vector<Index>{4, 33}));
  EXPECT_EQ(type->element, "f32");
  EXPECT_EQ(type->encoding, "#l");
  EXPECT_TRUE(tensor_type("tensor<f32>")->shape.empty());
  EXPECT_EQ(tensor_type("tensor<2x!ttcore.tile<32x32, f32>>")->element, "!ttcore.tile<32x32, f32>");
  for (const std::string_view bad : {"", "f32", "tensor<>", "tensor<?x2xf32>", "tensor<*xf32>", "tensor<2xf32",
                                     "tensor<2x>", "tensor<99999999999999999999xf32>", "tensor<2xf32, a, b>"})
    EXPECT_FALSE(tensor_type(bad).has_value()) << bad;
}

TEST(Mlir, WritesNamesOutOfTheirOwnModule) {
  const auto all = functions_of(
      "#l = #d<1>\n!t = tensor<2xf32, #l>\nfunc.func @f(%a: !t) { return }\n// -----\n"
      "#l = #d<2>\nfunc.func @g(%a: tensor<2xf32, #l>) { return }\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(written_out(all[0].arguments[0].type, *all[0].names), "tensor<2xf32, #d<1>>");
  EXPECT_EQ(written_out(all[1].arguments[0].type, *all[1].names), "tensor<2xf32, #d<2>>");
  EXPECT_EQ(written_out("#unknown", *all[0].names), "#unknown");
  const Names loop{{"#a", "#b"}, {"#b", "x<#a>"}};
  EXPECT_EQ(written_out("#a", loop), std::nullopt);
  // Doubling thirty times would be a gigabyte.
  std::vector<std::string> texts;
  for (int i = 0; i < 30; ++i) texts.push_back(fmt::format("#n{} #n{}", i + 1, i + 1));
  Names doubling;
  for (int i = 0; i < 30; ++i) doubling[fmt::format("#n{}", i)] = texts[i];
  EXPECT_EQ(written_out("#n0", doubling), std::nullopt);
}

TEST(Mlir, RefusesAFunctionAndReadsTheNext) {
  for (const char* bad :
       {"func.func @f(%a: f32 {\n return\n}", "func.func @f() {\n %0 = \n}", "func.func @f() {\n ) \n}",
        "func.func f() { return }", "func.func @f() {\n %0:0 = d.x\n}", "func.func @f() {\n \"d.x\" : () -> ()\n}",
        "func.func @f() {\n \"d.x\"() : () \n}", "func.func @f() {\n d.x {\n"}) {
    const auto all = functions_of(kept(std::string(bad) + "\n// -----\nfunc.func @g() {\n return\n}\n"));
    ASSERT_GE(all.size(), 1U) << bad;
    EXPECT_NE(all[0].refused, "") << bad;
    EXPECT_EQ(all.back().name, "@g") << bad;
    EXPECT_EQ(all.back().refused, "") << bad;
  }
  EXPECT_TRUE(functions_of("# CHECK: func.func @f\nx = \"func.func @g() {}\"\n// func.func @h() {}\n").empty());
}

TEST(Mlir, EndsOnTextsThatNestOrAreCut) {
  const int deep = test::fact_or_campaign(20000, 200000);
  for (const char open : {'(', '[', '{', '<'})
    EXPECT_EQ(functions_of(kept("func.func @f(%a: " + std::string(deep, open))).size(), 1U);
  std::string regions = "func.func @f() {\n";
  for (int i = 0; i < deep; ++i) regions += "\"d.r\"() ({\n";
  EXPECT_NE(functions_of(regions)[0].refused, "");
  const std::string whole =
      "#m = affine_map<(d0) -> (d0)>\nfunc.func @f(%a: tensor<2xf32, #l>) -> tensor<2xf32> {\n"
      "  %0:2 = \"d.a\"(%a) <{x = \"s\\\"t\"}> ({\n  ^b(%p: f32):\n    d.yield %p : f32\n  }) : (f32) -> (f32, f32)\n"
      "  %1 = d.b %0#1 into %a {k = 1} : f32 -> f32 loc(#loc)\n  return %1 : f32\n}\n";
  std::mt19937 random(7);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    (void)functions_of(kept(whole.substr(0, cut)));
    std::string changed = whole;
    for (int k = 0; k < 3; ++k) changed[random() % changed.size()] = "()[]{}<>\"%#!,:=-> \n^x/"[random() % 23];
    (void)functions_of(changed);
  }
  EXPECT_EQ(functions_of(whole)[0].refused, "");
}

}  // namespace programs_mlir_test
}  // namespace vl::mlir
