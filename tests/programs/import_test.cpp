// What importers make of operations, line by line, written by hand from the dialects' own definitions; what they
// refuse; and texts that are none.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/programs/imported.h"
#include "tests/support/sanitized.h"

namespace vl::program {
namespace programs_import_test {

using programs_test::read, programs_test::lines_of, programs_test::tiled_lines_of, programs_test::Row;

TEST(Import, SaysOperationsInTheLanguage) {
  const std::string m = "tensor<4x6xf32>", v = "tensor<6xf32>", one = "tensor<f32>", i = "tensor<4x6xi32>";
  const std::vector<Row> rows = {
      {"%0 = stablehlo.exponential %a : tensor<4x6xf32>", m, m, "v0 = exp a\n"},
      {"%0 = stablehlo.subtract %a, %b : tensor<4x6xf32>", m, m, "v0 = sub a b\n"},
      {"%0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>", m, m,
       "v0 = lt a b -> i1\n"},
      {"%0 = \"stablehlo.compare\"(%a, %b) {comparison_direction = #stablehlo<comparison_direction GE>} : "
       "(tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>",
       m, m, "v0 = ge a b -> i1\n"},
      {"%0 = stablehlo.convert %a : (tensor<4x6xf32>) -> tensor<4x6xbf16>", m, m, "v0 = cast a bf16\n"},
      {"%0 = stablehlo.cbrt %a : tensor<4x6xf32>", m, m, "v0 = unknown pointwise \"stablehlo.cbrt\" a -> f32\n"},
      {"%0 = stablehlo.constant dense<1.500000e+00> : tensor<4x6xf32>", m, m, "v0 = constant f32[4,6] 1.500000e+00\n"},
      {"%0 = stablehlo.constant dense<0xFF800000> : tensor<f32>", m, m, "v0 = constant f32[] bits:0xFF800000\n"},
      {"%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>", m, m,
       "t = constant f32[1] 1\nt.1 = constant f32[1] 2.0\nv0 = concat t t.1 over 0\n"},
      {"%0 = stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [1, 0] : (tensor<4x6xf32>, "
       "tensor<f32>) -> tensor<f32>",
       m, one, "t = max a over 0,1\nv0 = max t b\n"},
      {"%0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>", m, v,
       "v0 = broadcast b to [4,6] (1)\n"},
      {"%0 = stablehlo.dot_general %a, %b, batching_dims = [] x [], contracting_dims = [1] x [1] : (tensor<4x6xf32>, "
       "tensor<4x6xf32>) -> tensor<4x4xf32>",
       m, m, "v0 = matmul a b contract (1) (1)\n"},
      {"%0 = \"stablehlo.dot_general\"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], "
       "rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>} : "
       "(tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4xf32>",
       m, m, "v0 = matmul a b contract (1) (1) batch (0) (0)\n"},
      {"%0 = stablehlo.slice %a [1:4, 0:6:2] : (tensor<4x6xf32>) -> tensor<3x3xf32>", m, m,
       "t = slice a over 0 at 1..4\nv0 = slice t over 1 at 0..6 step 2\n"},
      {"%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>", m, m,
       "v0 = transpose a (1,0)\n"},
      {"%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>", m, m,
       "v0 = concat a b over 0\n"},
      {"%0 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<24xf32>", m, m, "v0 = reshape a [24]\n"},
      {"%0 = stablehlo.select %a, %b, %b : tensor<4x6xi1>, tensor<4x6xf32>", "tensor<4x6xi1>", m, "v0 = where a b b\n"},
      {"%0 = stablehlo.not %a : tensor<4x6xi32>", i, i, "v0 = not a\n"},
      {"%0 = chlo.erf %a : tensor<4x6xf32> -> tensor<4x6xf32>", m, m, "v0 = erf a\n"},
      {"%0 = chlo.square %a : tensor<4x6xf32> -> tensor<4x6xf32>", m, m, "v0 = square a\n"},
      {"%0, %1 = chlo.top_k(%a, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)", m, m,
       "v0 = topk a over 1 k 2\nv1 = topk-indices a over 1 k 2\n"},
      // The sums over one dimension are summed over the other.
      {"%0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [0, 1] : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
       "tensor<f32>",
       m, m, "t = matmul a b contract (1) (1) batch (0) (0)\nv0 = sum t over 0\n"},
      {"%0 = \"stablehlo.batch_norm_inference\"(%a, %b, %b, %b, %b) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} "
       ": "
       "(tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>",
       m, v,
       "t = broadcast b to [1,6] (1)\nt.1 = broadcast b to [1,6] (1)\nt.2 = broadcast b to [1,6] (1)\nt.3 = broadcast "
       "b "
       "to [1,6] (1)\nt.4 = add t.3 1.0e-3\nt.5 = sqrt t.4\nt.6 = sub a t.2\nt.7 = div t.6 t.5\nt.8 = mul t.7 t\nv0 = "
       "add "
       "t.8 t.1\n"},
      {"%0 = stablehlo.iota dim = 0 : tensor<4xi32>", m, m, "v0 = unknown \"stablehlo.iota\" -> i32[4]\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(lines_of(row.operation, row.a, row.b), row.lines) << row.operation;
}

// As JAX prints argmax. Of equal numbers the one whose place is least is chosen, and behind the last element nobody
// wrote places.
TEST(Import, ReadsTheReducerOfArgmax) {
  const std::string text =
      "func.func @f(%a: tensor<4x6xf32>) -> tensor<4xi32> {\n"
      "  %0 = stablehlo.iota dim = 1 : tensor<4x6xi32>\n"
      "  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
      "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %1:2 = stablehlo.reduce(%a init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x6xf32>, "
      "tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)\n"
      "   reducer(%x: tensor<f32>, %y: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {\n"
      "    %2 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    %3 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    %4 = stablehlo.or %2, %3 : tensor<i1>\n"
      "    %5 = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    %6 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    %7 = stablehlo.and %5, %6 : tensor<i1>\n"
      "    %8 = stablehlo.or %4, %7 : tensor<i1>\n"
      "    %9 = stablehlo.select %4, %x, %y : tensor<i1>, tensor<f32>\n"
      "    %10 = stablehlo.select %8, %i, %j : tensor<i1>, tensor<i32>\n"
      "    stablehlo.return %9, %10 : tensor<f32>, tensor<i32>\n"
      "  }\n  return %1#1 : tensor<4xi32>\n}\n";
  const auto made = [](const std::string& said) {
    const auto all = read(said);
    if (all.size() != 1 || !all[0].dataflow) return std::string("no dataflow");
    const std::string& lines = all[0].dataflow->text;
    const std::size_t at = lines.find(" = max ");
    return at == std::string::npos ? "another operation" : lines.substr(at);
  };
  EXPECT_EQ(made(text), " = max a over 1\nv1.1 = argmax a over 1 ties unspecified\nequal any-nan+zero\noutput v1.1\n");
  for (const auto& [from, to] : {std::pair("LT, %i, %j", "LT, %j, %i"), std::pair("GT, %x, %y", "GE, %x, %y"),
                                 std::pair("NE, %x, %x", "NE, %y, %y"), std::pair("iota dim = 1", "iota dim = 0"),
                                 std::pair("dense<0xFF800000>", "dense<0.0>"), std::pair("dense<0> :", "dense<1> :")}) {
    std::string other = text;
    other.replace(other.find(from), std::string(from).size(), to);
    EXPECT_EQ(made(other), "another operation") << from;
  }
}

// What only compares has no effect on values, and is nothing that is not known.
TEST(Import, TakesChecksForNothing) {
  const auto all = read(
      "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  stablehlo.custom_call @check.expect_close(%a, %a) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) "
      "-> "
      "()\n"
      "  \"stablehlo.custom_call\"(%a) {call_target_name = \"check.expect_eq\"} : (tensor<4xf32>) -> ()\n"
      "  check.expect_eq_const %a, dense<1.0> : tensor<4xf32>\n"
      "  stablehlo.custom_call @checks(%a) : (tensor<4xf32>) -> ()\n  return %a : tensor<4xf32>\n}\n");
  ASSERT_EQ(all.at(0).steps.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(all[0].steps[i].known == Known::Unknown, i == 3) << i;
}

// Tensors of codes: their scales are operands where there is more than one.
TEST(Import, SaysQuantisedTensorsAsCodes) {
  const std::string one = "tensor<4x6x!quant.uniform<i8:f32, 0.1>>", other = "tensor<4x6x!quant.uniform<i8:f32, 0.2>>",
                    axis = "tensor<4x6x!quant.uniform<u8:f32:1, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}>>",
                    m = "tensor<4x6xf32>";
  const std::vector<Row> rows = {
      {"%0 = \"ttir.quantize\"(%b) : (" + m + ") -> " + one, one, m,
       "v0 = unknown pointwise \"ttir.quantize\" b -> i8\n"},
      {"%0 = \"ttir.dequantize\"(%a) : (" + axis + ") -> " + m, axis, m,
       "t = unknown \"ttir.dequantize\" -> f32[1,6]\nv0 = unknown pointwise \"ttir.dequantize\" a t -> f32\n"},
      {"%0 = \"ttir.dequantize\"(%a) : (tensor<4x6x!quant.uniform<i8:f32, 0.25:3>>) -> " + m,
       "tensor<4x6x!quant.uniform<i8:f32, 0.25:3>>", m, "t = cast a f32\nt.1 = sub t 3\nv0 = mul t.1 0.25\n"},
      {"%0 = \"ttir.quantize_unrolled\"(%a, %b, %b) <{axis = 1 : i32}> : (" + m +
           ", tensor<6xf32>, tensor<6xf32>) -> " + axis,
       m, "tensor<6xf32>",
       "t = reshape b [1,6]\nt.1 = reshape b [1,6]\nt.2 = unknown \"ttir.quantize_unrolled\" -> f32[1,6]\n"
       "v0 = unknown pointwise \"ttir.quantize_unrolled\" a t t.1 t.2 -> u8\n"},
      {"%0 = \"ttir.add\"(%a, %b) : (" + one + ", " + one + ") -> " + one, one, one,
       "v0 = unknown pointwise \"ttir.add\" a b -> i8\n"},
      {"%0 = \"ttir.transpose\"(%a) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (" + one +
           ") -> tensor<6x4x!quant.uniform<i8:f32, 0.1>>",
       one, one, "v0 = transpose a (1,0)\n"},
      {"%0 = \"ttir.concat\"(%a, %b) <{dim = 0 : si32}> : (" + one + ", " + other +
           ") -> tensor<8x6x!quant.uniform<i8:f32, 0.1>>",
       one, other, "? it changes the quantisation"},
      {"%0 = \"ttir.sum\"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (" + one +
           ") -> tensor<4x1x!quant.uniform<i8:f32, 0.1>>",
       one, one, "? of quantised numbers it is not known"},
      {"%0 = \"ttir.dequantize\"(%a) : (tensor<4x6x!quant.uniform<i8<-127:127>:f32, 0.1>>) -> " + m,
       "tensor<4x6x!quant.uniform<i8<-127:127>:f32, 0.1>>", m, "? its scales are not known"},
      {"%0 = \"ttir.dequantize\"(%a) : (tensor<4x6x!quant.uniform<i8:f32:7, {0.1, 0.2}>>) -> " + m,
       "tensor<4x6x!quant.uniform<i8:f32:7, {0.1, 0.2}>>", m, "? its scales are not known"},
  };
  for (const Row& row : rows) EXPECT_EQ(tiled_lines_of(row.operation, row.a, row.b), row.lines) << row.operation;
}

// A cache is written over, under each of its names; but not with rows of tiles that hold less than elements.
TEST(Import, WritesOverCaches) {
  const auto text_of = [](const std::string& rows) {
    const std::string input = "tensor<1x2x" + rows + "x64xf32>";
    const auto all = read("func.func @f(%c: tensor<1x2x128x64xf32>, %x: " + input +
                          ", %i: tensor<1xi32>) -> tensor<1x2x128x64xf32> {\n"
                          "  %d = \"ttir.identity\"(%c) : (tensor<1x2x128x64xf32>) -> tensor<1x2x128x64xf32>\n"
                          "  \"ttir.fill_cache\"(%c, %x) <{batch_offset = 0 : i32}> : (tensor<1x2x128x64xf32>, " +
                          input +
                          ") -> ()\n"
                          "  \"ttir.update_cache\"(%d, %x, %i) <{batch_offset = 0 : i32}> : (tensor<1x2x128x64xf32>, " +
                          input + ", tensor<1xi32>) -> ()\n  return %c : tensor<1x2x128x64xf32>\n}\n");
    std::string out = all.at(0).dataflow->text;
    for (std::size_t at = out.find(" tile("); at != std::string::npos; at = out.find(" tile("))
      out.erase(at, out.find(')', at) + 1 - at);
    return out;
  };
  EXPECT_EQ(text_of("64"),
            "c = input f32[1,2,128,64]\nx = input f32[1,2,64,64]\ni = input i32[1]\n"
            "c.1 = unknown numbers \"ttir.fill_cache\" c x -> f32[1,2,128,64]\n"
            "d = unknown numbers \"ttir.update_cache\" c.1 x i -> f32[1,2,128,64]\n"
            "equal any-nan+zero\noutput d\n");
  EXPECT_NE(text_of("33").find("c.1 = unknown \"ttir.fill_cache\""), std::string::npos) << text_of("33");
}

// Its padding stays what it was, which is said where it has any.
TEST(Import, TakesASliceOfAWholeTensorForThatTensor) {
  for (const auto& [columns, notes] : {std::pair(33, 1U), std::pair(64, 0U)}) {
    const auto all = read(fmt::format(
        "func.func @f(%a: tensor<32x{0}xf32>) -> tensor<32x{0}xf32> {{\n  %0 = \"ttir.slice_static\"(%a) <{{begins = "
        "[0 "
        ": i32, 0 : i32], ends = [32 : i32, {0} : i32], step = [1 : i32, 1 : i32]}}> : (tensor<32x{0}xf32>) -> "
        "tensor<32x{0}xf32>\n  return %0 : tensor<32x{0}xf32>\n}}\n",
        columns));
    ASSERT_TRUE(all.size() == 1 && all[0].dataflow);
    EXPECT_NE(all[0].dataflow->text.find("output a\n"), std::string::npos) << all[0].dataflow->text;
    const std::string said = fmt::format("{}", fmt::join(all[0].dataflow->notes, "; "));
    EXPECT_EQ(said.find("a slice of a whole tensor is taken for that tensor") != std::string::npos, notes == 1) << said;
  }
}

TEST(Import, RefusesFormsThatItDoesNotKnow) {
  const std::string m = "tensor<4x6xf32>";
  for (const char* operation :
       {"%0 = \"ttir.frobnicate\"(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = \"ttir.sum\"(%a) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<4x6xf32>) -> tensor<4x1xf32>",
        "%0 = \"ttir.softmax\"(%a) <{}> : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = \"ttir.topk\"(%a) <{k = 3 : i32, largest = false}> : (tensor<4x6xf32>) -> tensor<4x3xf32>",
        "%0 = \"ttir.permute\"(%a) <{permutation = array<i64: 1, 1>}> : (tensor<4x6xf32>) -> tensor<6x4xf32>",
        "%0 = \"ttir.permute\"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = \"ttir.slice_static\"(%a) <{begins = [0 : i32, 7 : i32], ends = [4 : i32, 8 : i32]}> : (tensor<4x6xf32>) "
        "-> "
        "tensor<4x1xf32>",
        "%0 = stablehlo.broadcast_in_dim %a, dims = [5, 9] : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = stablehlo.broadcast_in_dim %a, dims = [-1, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [9] x [0] : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
        "tensor<6x6xf32>",
        "%0 = \"ttir.group_norm\"(%a) <{num_groups = 2 : i64}> : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = \"ttir.argmax\"(%a) <{dim_arg = [0 : i32, 1 : i32], keep_dim = true}> : (tensor<4x6xf32>) -> "
        "tensor<1x1xi32>",
        "%z = \"ttir.zeros\"() : () -> tensor<f32>\n  %0 = \"stablehlo.if\"(%z) ({\n  stablehlo.return %a : "
        "tensor<4x6xf32>\n  }, {\n  stablehlo.return %b : tensor<4x6xf32>\n  }) : (tensor<f32>) -> tensor<4x6xf32>",
        "%0 = \"stablehlo.if\"(%a) ({\n  %1 = stablehlo.abs %a : tensor<4x6xf32, #t>\n  stablehlo.return %1 : "
        "tensor<4x6xf32, #t>\n  }, {\n  stablehlo.return %b : tensor<4x6xf32>\n  }) : (tensor<4x6xf32>) -> "
        "tensor<4x6xf32>",
        "%0 = \"stablehlo.if\"(%a) ({\n  %1 = \"d.read\"() : () -> tensor<4x6xf32>\n  stablehlo.return %1 : "
        "tensor<4x6xf32>\n  }, {\n  stablehlo.return %b : tensor<4x6xf32>\n  }) : (tensor<4x6xf32>) -> "
        "tensor<4x6xf32>",
        "%0 = \"ttir.cumprod\"(%a) <{dim = 0 : i64, backwards = true}> : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = \"ttir.exp\"(%a) <{parameters = 2.0 : f32}> : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = \"ttir.exp\"(%a) <{groups = 2 : i32}> : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = \"ttnn.matmul\"(%a, %b) <{transpose_b = true, activation = \"swish\"}> : (tensor<4x6xf32>, "
        "tensor<4x6xf32>) -> tensor<4x4xf32>",
        "%0 = stablehlo.custom_call @Sharding(%a) : (tensor<4x6xf32>) -> tensor<24xf32>",
        "%0 = stablehlo.custom_call @tt.frobnicate(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>",
        "%0 = stablehlo.composite \"tenstorrent.rms_norm\" %a {decomposition = @g} : (tensor<4x6xf32>) -> "
        "tensor<4x6xf32>",
        "%c = stablehlo.constant dense<1.0> : tensor<f32>\n  %0 = \"stablehlo.reduce_window\"(%a, %c) "
        "<{window_dimensions = array<i64: 2, 2>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %r = "
        "stablehlo.add "
        "%x, %a : tensor<f32>\n    %s = stablehlo.add %r, %b : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  "
        "}) : "
        "(tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>",
        "%0 = stablehlo.add %a, %c : tensor<4x6xf32>",
        "%0 = stablehlo.exponential %a : tensor<?x6xf32>"})
    EXPECT_EQ(lines_of(operation, m, m).substr(0, 1), "?") << operation;
}

// A result of an operation that is not known reads what it names, in its regions, too; one outside of the dialects that
// work on values alone may read and write anything.
TEST(Import, GivesUnknownOperationsAllThatTheyMayRead) {
  const auto all = read(
      "func.func @f(%a: tensor<4x6xf32>, %m: memref<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = \"ttir.frobnicate\"() ({\n    \"d.x\"(%a) : (tensor<4x6xf32>) -> ()\n  }) : () -> tensor<4xf32>\n"
      "  %1 = \"ttir.frobnicate\"(%m) : (memref<4xf32>) -> tensor<4xf32>\n"
      "  %2 = \"x.any\"() : () -> tensor<4xf32>\n"
      "  \"x.write\"(%0) : (tensor<4xf32>) -> ()\n"
      "  return %0, %m : tensor<4xf32>, memref<4xf32>\n}\n");
  ASSERT_EQ(all.size(), 1U);
  ASSERT_TRUE(all[0].dataflow.has_value());
  EXPECT_EQ(all[0].dataflow->text,
            "a = input f32[4,6] tile(32,32)\n"
            "opaque = input u8[1] tile(2)\n"
            "v0 = unknown \"ttir.frobnicate\" a opaque -> f32[4] tile(32)\n"
            "a.1 = unknown \"ttir.frobnicate\" a opaque -> f32[4,6] tile(32,32)\n"
            "v1 = unknown \"ttir.frobnicate\" opaque -> f32[4] tile(32)\n"
            "v2 = unknown \"x.any\" opaque -> f32[4] tile(32)\n"
            "v0.1 = unknown \"x.write\" v0 opaque -> f32[4] tile(32)\n"
            "t = unknown \"%m\" opaque -> u8[1]\n"
            "equal any-nan+zero\n"
            "output v0.1 t\n");
}

TEST(Import, ReadsWhatCommentsSay) {
  const auto all = read(
      "// vl: tile(8,16) padding a: 0; b: 1 contents a: finite; b: [-1..1] equal bits\n"
      "func.func @f(%a: tensor<4x33xf32>, %b: tensor<5xf16>) -> tensor<4x33xf32> {\n  return %a : tensor<4x33xf32>\n}\n"
      "// -----\nfunc.func @g(%a: tensor<4x33xf32>) -> tensor<4x33xf32> {\n  return %a : tensor<4x33xf32>\n}\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].dataflow->text,
            "a = input f32[4,33] tile(8,16) padding 0 contents finite\n"
            "b = input f16[5] tile(16) padding {1} contents [-1..1]\n"
            "equal bits\noutput a\n");
  EXPECT_EQ(all[1].dataflow->text, "a = input f32[4,33]\nequal any-nan+zero\noutput a\n");
}

TEST(Import, TakesACallForWhatItCalls) {
  const auto all = read(
      "func.func private @g(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.add %y, %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
      "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.abs %a : tensor<4xf32>\n"
      "  %1 = call @g(%0, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
      "  %2 = func.call @g(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n  return %2 : tensor<4xf32>\n}\n"
      "func.func @kept(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = ttcore.load_cached(@g, [%a, %a]) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
      "  %1 = \"func.call\"(%0, %a) <{callee = @g}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
      "  return %1 : tensor<4xf32>\n}\n"
      "func.func @loop(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = call @loop(%a) : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[2].dataflow->text,
            "a = input f32[4]\nv0 = add a a\nv0.1 = add a v0\nequal any-nan+zero\noutput v0.1\n");
  EXPECT_EQ(all[1].dataflow->text,
            "a = input f32[4]\nv0 = abs a\nv0.1 = add a v0\nv0.2 = add v0.1 v0.1\nequal any-nan+zero\noutput v0.2\n");
  EXPECT_EQ(all[3].steps.back().operation, "return");
  EXPECT_NE(all[3].dataflow->text.find("unknown \"call\""), std::string::npos);
}

// A layout of the device names the tensor's own shape, which goes on to the end of its last shard.
TEST(Import, ReadsTensorsInTheShapeOfADevice) {
  const std::string type =
      "tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 50x40, dim_alignments = 32x32, "
      "collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>";
  const auto all =
      read(fmt::format("func.func @f(%a: {0}, %o: {0}) -> {0} {{\n"
                       "  %0 = d2m.mask %a, %o logical_shape = [50, 40] fill_value = <neginf> : {0} into {0} -> {0}\n"
                       "  %1 = d2m.mask %0, %o logical_shape = [50, 64] fill_value = <one> : {0} into {0} -> {0}\n  "
                       "return %0 : {0}\n}}\n",
                       type));
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].masks.size(), 2U);
  EXPECT_EQ(all[0].masks[1].shape, (std::vector<Index>{50, 64}));
  EXPECT_EQ(all[0].dataflow->text.substr(0, all[0].dataflow->text.find("opaque")),
            "a = input f32[50,40] tile(64,64)\no = input f32[50,40] tile(64,64)\nv0 = mask a with -inf\n");
  EXPECT_EQ(all[0].steps[1].why, "its shape is not the tensor's");
}

// 2^63 - 1 elements, and a tile of as many, would overflow on the way to whole tiles.
TEST(Import, TakesSizesBeyondTheLanguageForOpaque) {
  const std::string large = "9223372036854775807";
  for (const std::string& type :
       {"tensor<4x" + large + "xf32>", "tensor<4x33xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!" +
                                           ("ttcore.tile<32x" + large) + ", f32>, #dram>>>"}) {
    const auto all = read(fmt::format(
        "// vl: tile(32,32)\nfunc.func @f(%a: {0}) -> {0} {{\n  %0 = \"ttir.exp\"(%a) : ({0}) -> {0}\n  return %0 : "
        "{0}\n}}\n",
        type));
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].dataflow->text.substr(0, 7), "opaque ") << all[0].dataflow->text;
  }
}

TEST(Import, EndsOnTextsThatAreCutOrChanged) {
  const std::string whole =
      "#m = affine_map<(d0, d1) -> (d0, 0)>\n// vl: tile(32,32) padding a: 0; b: 1 contents a: finite\n"
      "func.func @f(%a: tensor<4x33xf32>, %b: tensor<33xf32>) -> tensor<4x1xf32> {\n"
      "  %0 = \"ttir.add\"(%a, %b) : (tensor<4x33xf32>, tensor<33xf32>) -> tensor<4x33xf32>\n"
      "  %1 = \"ttir.slice_static\"(%0) <{begins = [0 : i32, 1 : i32], ends = [4 : i32, 9 : i32], step = [1 : i32, 2 : "
      "i32]}> : (tensor<4x33xf32>) -> tensor<4x4xf32>\n"
      "  %2:2 = \"ttir.topk\"(%1) <{k = 3 : i32, dim = 1 : i32}> : (tensor<4x4xf32>) -> (tensor<4x3xf32>, "
      "tensor<4x3xi32>)\n"
      "  %3 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<33xf32>) -> tensor<4x33xf32>\n"
      "  %4 = stablehlo.dot_general %3, %a, batching_dims = [0] x [0], contracting_dims = [1] x [1] : "
      "(tensor<4x33xf32>, "
      "tensor<4x33xf32>) -> tensor<4xf32>\n"
      "  %5 = \"ttir.sum\"(%2#0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<4x3xf32>) -> tensor<4x1xf32>\n"
      "  return %5 : tensor<4x1xf32>\n}\n";
  programs_test::ends_on_changed(whole, "0123456789-()[]{}<>\"%,:x= \n");
}

}  // namespace programs_import_test
}  // namespace vl::program
