// What importers make of operations of TTIR, and of operations of elements.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/programs/imported.h"

namespace vl::program {
namespace programs_import_elements_test {

using programs_test::lines_of, programs_test::tiled_lines_of, programs_test::Row;

// Data that are printed, as constants of one number each.
TEST(Import, SaysDataOfConstants) {
  const std::string m = "tensor<4xf32>";
  const auto constant = [&](const std::string& said, const std::string& type, const std::string& result = "") {
    return lines_of(fmt::format("%0 = \"stablehlo.constant\"() <{{value = {} : {}}}> : () -> {}", said, type,
                                result.empty() ? type : result),
                    m, m);
  };
  EXPECT_EQ(constant("dense<[0.0, 0.0, 0xFF800000]>", "tensor<3xf32>"),
            "t = constant f32[2] 0\nt.1 = constant f32[1] bits:0xFF800000\nv0 = concat t t.1 over 0\n");
  EXPECT_EQ(constant("dense<[[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]]>", "tensor<2x3xf32>"),
            "t = constant f32[1,1] 1\nt.1 = constant f32[1,2] 2.0\nt.2 = concat t t.1 over 1\nt.3 = constant f32[1,3] "
            "3.0\nv0 = concat t.2 t.3 over 0\n");
  // Rows that are the same, which are one.
  EXPECT_EQ(
      constant("dense<[[0, 1], [0, 1], [0, 1]]>", "tensor<3x2xi32>"),
      "t = constant i32[1,1] 0\nt.1 = constant i32[1,1] 1\nt.2 = concat t t.1 over 1\nv0 = broadcast t.2 over 0 to "
      "3\n");
  EXPECT_EQ(constant("dense<[[[5]], [[5]]]>", "tensor<2x1x1xi32>"), "v0 = constant i32[2,1,1] 5\n");
  EXPECT_EQ(constant("dense<[true, false]>", "tensor<2xi1>"),
            "t = constant i1[1] 1\nt.1 = constant i1[1] 0\nv0 = concat t t.1 over 0\n");
  // 1.0 and -inf, the lowest byte first.
  EXPECT_EQ(constant("dense<\"0x0000803F000080FF\">", "tensor<2xf32>"),
            "t = constant f32[1] bits:0x3F800000\nt.1 = constant f32[1] bits:0xFF800000\nv0 = concat t t.1 over 0\n");
  const std::string any = "v0 = unknown \"stablehlo.constant\" -> ";
  EXPECT_EQ(constant("dense<\"0x0000803F0000\">", "tensor<2xf32>"), any + "f32[2]\n");
  EXPECT_EQ(constant("dense<[1.0, 2.0]>", "tensor<3xf32>"), any + "f32[3]\n") << "not so many";
  EXPECT_EQ(constant("dense<[1.0, ...]>", "tensor<2xf32>"), any + "f32[2]\n");
  EXPECT_EQ(constant("dense_resource<__elided__>", "tensor<2xf32>"), any + "f32[2]\n");
  // The result has another type than what is said.
  EXPECT_EQ(constant("dense<[1, 2]>", "tensor<2xi32>", "tensor<2xf32>"), any + "f32[2]\n");
  EXPECT_EQ(constant("dense<0xFF800000>", "tensor<2xf32>", "tensor<2xbf16>"), any + "bf16[2]\n");
  std::string many = "0.0";
  for (int i = 1; i < 65; ++i) many += fmt::format(", {}.0", i);
  EXPECT_EQ(constant("dense<[" + many + "]>", "tensor<65xf32>"), any + "f32[65]\n") << "more than 64 pieces";
}

TEST(Import, SaysOperationsOfTtir) {
  const std::string m = "tensor<4x6xf32>", s = "tensor<2x4x6xf32>", v = "tensor<6xf32>";
  const std::vector<Row> rows = {
      {"%0 = \"ttir.reciprocal\"(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>", m, m, "v0 = recip a\n"},
      {"%0 = \"ttir.add\"(%a, %b) : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>", m, v, "v0 = add a b\n"},
      {"%0 = \"ttir.lt\"(%a, %b) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>", m, m, "v0 = lt a b\n"},
      {"%0 = \"ttir.sum\"(%a) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<4x6xf32>) -> tensor<4x1xf32>", m, m,
       "v0 = sum a over 1 keep\n"},
      {"%0 = \"ttir.sum\"(%a) <{keep_dim = false}> : (tensor<4x6xf32>) -> tensor<f32>", m, m, "v0 = sum a over 0,1\n"},
      {"%0 = \"ttir.softmax\"(%a) <{dimension = -1 : si32}> : (tensor<4x6xf32>) -> tensor<4x6xf32>", m, m,
       "v0 = softmax a over 1\n"},
      {"%0 = \"ttir.argmax\"(%a) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<4x6xf32>) -> tensor<4xui32>", m, m,
       "t = argmax a over 1\nv0 = cast t u32\n"},
      {"%0, %1 = \"ttir.topk\"(%a) <{k = 3 : i32, dim = 1 : i32, largest = true}> : (tensor<4x6xf32>) -> "
       "(tensor<4x3xf32>, tensor<4x3xsi32>)",
       m, m, "v0 = topk a over 1 k 3\nv1 = topk-indices a over 1 k 3\n"},
      {"%0 = \"ttir.rms_norm\"(%a, %b) <{normalized_shape = array<i64: 6>, epsilon = 1.000000e-05 : f32, "
       "operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>",
       m, v, "t = rmsnorm a over 1\nv0 = mul t b\n"},
      {"%0 = \"ttir.rms_norm\"(%a) <{normalized_shape = array<i64: 6>, epsilon = 0.25 : f32, operandSegmentSizes = "
       "array<i32: 1, 0, 0>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>",
       m, v, "t = square a\nt.1 = mean t over 1 keep\nt.2 = add t.1 0.25\nt.3 = rsqrt t.2\nv0 = mul a t.3\n"},
      {"%0 = \"ttir.matmul\"(%a, %b) <{transpose_a = true, transpose_b = false}> : (tensor<4x6xf32>, tensor<4x6xf32>) "
       "-> tensor<6x6xf32>",
       m, m, "v0 = matmul a b ta\n"},
      {"%0 = \"ttir.linear\"(%a, %b, %a) <{transpose_a = false, transpose_b = true}> : (tensor<4x6xf32>, "
       "tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>",
       m, m, "t = matmul a b tb\nv0 = add t a\n"},
      {"%0 = \"ttir.full\"() <{shape = array<i32: 4>, fill_value = 0.5 : f32}> : () -> tensor<4xf32>", m, m,
       "v0 = constant f32[4] 0.5\n"},
      {"%0 = \"ttir.ones\"() <{shape = array<i32: 4>}> : () -> tensor<4xf32>", m, m, "v0 = constant f32[4] 1\n"},
      {"%0 = \"ttir.transpose\"(%a) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<2x4x6xf32>) -> tensor<2x6x4xf32>",
       s, m, "v0 = transpose a (0,2,1)\n"},
      {"%0 = \"ttir.slice_static\"(%a) <{begins = [0 : i32, 1 : i32], ends = [4 : i32, -1 : i32], step = [1 : i32, 1 : "
       "i32]}> : (tensor<4x6xf32>) -> tensor<4x4xf32>",
       m, m, "v0 = slice a over 1 at 1..5\n"},
      {"%0 = \"ttir.index\"(%a) <{dim = 1 : i32, begin = 0 : i32, end = 6 : i32, step = 3 : i32}> : (tensor<4x6xf32>) "
       "-> "
       "tensor<4x2xf32>",
       m, m, "v0 = slice a over 1 at 0..6 step 3\n"},
      {"%0 = \"ttir.pad\"(%a) <{padding = array<i32: 0, 0, 1, 2>, value = 0.000000e+00 : f32}> : (tensor<4x6xf32>) -> "
       "tensor<4x9xf32>",
       m, m, "v0 = pad a low (0,1) high (0,2) with 0\n"},
      {"%0 = \"ttir.clamp_scalar\"(%a) <{max = 3.0 : f32, min = 2.0 : f32}> : (tensor<4x6xf32>) -> tensor<4x6xf32>", m,
       m, "t = max a 2.0\nv0 = min t 3.0\n"},
      {"%0 = \"ttir.repeat\"(%a) {repeat_dimensions = array<i64: 1, 3>} : (tensor<4x6xf32>) -> tensor<4x18xf32>", m, m,
       "v0 = concat a a a over 1\n"},
      {"%0 = \"ttir.repeat_interleave\"(%a) <{dim = 0 : si32, repeats = 2 : ui32}> : (tensor<4x6xf32>) -> "
       "tensor<8x6xf32>",
       m, m, "t = reshape a [4,1,6]\nt.1 = broadcast t to [4,2,6]\nv0 = reshape t.1 [8,6]\n"},
      // The third operand says where the result is to go.
      {"%e = \"ttir.empty\"() : () -> tensor<4x6xf32>\n  %0 = \"ttir.exp\"(%a, %e) : (tensor<4x6xf32>, "
       "tensor<4x6xf32>) -> tensor<4x6xf32>",
       m, m, "v0 = exp a\n"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(tiled_lines_of(row.operation, row.a, row.b), row.lines) << row.operation;
  }
}

// Operations of elements: which function each is, nobody looks at.
TEST(Import, SaysOperationsOfElements) {
  const std::string m = "tensor<4x6xf32>", i = "tensor<3x1xi32>", f = "tensor<3x1xf32>", p = "tensor<1x8x8x6xf32>";
  const std::string one = "tensor<f32>", w = "tensor<6x6x3x3xf32>";
  const auto gather = [](const std::string& type) {
    return "%0 = \"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
           "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>, "
           "indices_are_sorted = false}> : (tensor<4x6xf32>, tensor<3x1x" +
           type + ">) -> tensor<3x6xf32>";
  };
  const auto window = [](const std::string& reducer) {
    return "%0 = \"stablehlo.reduce_window\"(%a, %b) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = "
           "array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    "
           "%r = stablehlo." +
           reducer +
           " : tensor<f32>\n    stablehlo.return %r : tensor<f32>\n  }) : (tensor<4x6xf32>, tensor<f32>) -> "
           "tensor<2x3xf32>";
  };
  const std::vector<Row> rows = {
      {gather("i32"), m, i, "v0 = unknown numbers \"stablehlo.gather\" a b -> f32[3,6]\n"},
      {gather("f32"), m, f, "v0 = unknown elements \"stablehlo.gather\" a b -> f32[3,6]\n"},  // which NaN may count
      {window("add %x, %y"), m, one, "v0 = unknown numbers \"stablehlo.reduce_window\" a b -> f32[2,3]\n"},
      {window("atan2 %x, %y"), m, one, "v0 = unknown elements \"stablehlo.reduce_window\" a b -> f32[2,3]\n"},
      {"%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = "
       "[1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
       "(tensor<1x8x8x6xf32>, tensor<6x6x3x3xf32>) -> tensor<1x8x8x6xf32>",
       p, w, "v0 = unknown numbers \"stablehlo.convolution\" a b -> f32[1,8,8,6]\n"},
      {"%0, %1 = \"stablehlo.sort\"(%a, %b) <{dimension = 1 : i64}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: "
       "tensor<f32>, %v: tensor<f32>):\n    %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) "
       "-> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
       "(tensor<4x6xf32>, tensor<4x6xf32>)",
       m, m,
       "v0 = unknown elements \"stablehlo.sort\" a b -> f32[4,6]\nv1 = unknown elements \"stablehlo.sort\" a b -> "
       "f32[4,6]\n"},
      {"%0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = \"{replicated}\"} : (tensor<4x6xf32>) -> "
       "tensor<4x6xf32>",
       m, m, ""},
      {"%0 = stablehlo.custom_call @mhlo.erf(%a) {mhlo.version = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>", m, m,
       "v0 = erf a\n"},
      {"%0 = stablehlo.composite \"tenstorrent.gather_dim\" %a, %b {composite_attributes = {dim = 0 : i64}, "
       "decomposition = @g} : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x1xf32>",
       m, i, "v0 = unknown numbers \"stablehlo.composite\" a b -> f32[3,1]\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(lines_of(row.operation, row.a, row.b), row.lines) << row.operation;
}

// Without padding an operation reads elements, whatever it does.
TEST(Import, SaysOperationsWithoutPadding) {
  const std::string m = "tensor<4x6xf32>", one = "tensor<f32>";
  const std::vector<Row> rows = {
      {"%0 = \"stablehlo.cholesky\"(%a) <{lower = true}> : (tensor<4x6xf32>) -> tensor<4x6xf32>", m, m,
       "v0 = unknown elements \"stablehlo.cholesky\" a -> f32[4,6]\n"},
      {"%0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>", m, m,
       "v0 = unknown pointwise \"stablehlo.compare\" a b -> i1\n"},
      {"%0 = stablehlo.pad %a, %b, low = [0, 1], high = [0, 2], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> "
       "tensor<4x9xf32>",
       m, one, "v0 = pad a low (0,1) high (0,2) with b\n"},
      {"%1, %0 = stablehlo.optimization_barrier %a, %b : tensor<4x6xf32>, tensor<f32>", m, one, ""},
      {"%0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<4x6xf32>) -> tensor<i32>", m, m,
       "v0 = unknown \"stablehlo.get_dimension_size\" -> i32[]\n"},
      {"%0 = stablehlo.broadcast %a, sizes = [2] : (tensor<4x6xf32>) -> tensor<2x4x6xf32>", m, m,
       "v0 = broadcast a to [2,4,6] (1,2)\n"},
      {"%0, %1 = stablehlo.reduce(%a init: %b), (%a init: %b) across dimensions = [0] : (tensor<4x6xf32>, "
       "tensor<4x6xf32>, tensor<f32>, tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>)\n  reducer(%p: tensor<f32>, %q: "
       "tensor<f32>) (%r: tensor<f32>, %s: tensor<f32>) {\n  stablehlo.return %p, %s : tensor<f32>, tensor<f32>\n  }",
       m, one,
       "v0 = unknown elements \"stablehlo.reduce\" a b a b -> f32[6]\nv1 = unknown elements \"stablehlo.reduce\" a b a "
       "b "
       "-> f32[6]\n"},
      {"%0 = stablehlo.reduce(%a init: %b) across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>\n "
       " "
       "reducer(%p: tensor<f32>, %q: tensor<f32>) {\n  %r = stablehlo.maximum %q, %p : tensor<f32>\n  stablehlo.return "
       "%r : tensor<f32>\n  }",
       m, one, "t = max a over 0\nv0 = max t b\n"},
      {"%0, %1 = stablehlo.while(%i = %a, %j = %a) : tensor<4x6xf32>, tensor<4x6xf32> cond {\n  %p = "
       "\"stablehlo.constant\"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>\n  stablehlo.return %p : "
       "tensor<i1>\n  } do {\n  %q = stablehlo.add %i, %b : tensor<4x6xf32>\n  stablehlo.return %q, %j : "
       "tensor<4x6xf32>, tensor<4x6xf32>\n  }",
       m, m,
       "v0 = unknown elements \"stablehlo.while\" a a b -> f32[4,6]\nv1 = unknown elements \"stablehlo.while\" a a b "
       "-> "
       "f32[4,6]\n"},
      {"%0 = stablehlo.custom_call @check.eq(%a, %b) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<i1>", m, m,
       "v0 = unknown elements \"stablehlo.custom_call\" a b -> i1[]\n"},
      {"%0 = \"ttir.group_norm\"(%a) <{num_groups = 2 : i64}> : (tensor<32x64xf32>) -> tensor<32x64xf32>",
       "tensor<32x64xf32>", m, "v0 = unknown elements \"ttir.group_norm\" a -> f32[32,64] tile(32,32)\n"},
      {"%0 = \"ttir.topk\"(%a) <{k = 3 : i32, largest = false}> : (tensor<32x64xf32>) -> tensor<32x3xf32>",
       "tensor<32x64xf32>", m, "v0 = unknown elements \"ttir.topk\" a -> f32[32,3] tile(32,32)\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(lines_of(row.operation, row.a, row.b), row.lines) << row.operation;
}

TEST(Import, SaysOperationsOfElementsInTiles) {
  const std::string m = "tensor<4x6xf32>", i = "tensor<3x1xi32>", p = "tensor<1x8x8x6xf32>", w = "tensor<6x6x3x3xf32>";
  const std::vector<Row> rows = {
      {"%0 = \"ttir.conv2d\"(%a, %b) <{stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, dilation = "
       "array<i32: "
       "1, 1>, groups = 1 : i32}> : (tensor<1x8x8x6xf32>, tensor<6x6x3x3xf32>) -> tensor<1x8x8x6xf32>",
       p, w, "v0 = unknown numbers \"ttir.conv2d\" a b -> f32[1,8,8,6]\n"},
      {"%0, %1 = \"ttir.max_pool2d_with_indices\"(%a) <{kernel = array<i32: 2, 2>, stride = array<i32: 2, 2>, "
       "ceil_mode = "
       "false}> : (tensor<1x8x8x6xf32>) -> (tensor<1x4x4x6xf32>, tensor<1x4x4x6xi32>)",
       p, w,
       "v0 = unknown elements \"ttir.max_pool2d_with_indices\" a -> f32[1,4,4,6]\n"
       "v1 = unknown elements \"ttir.max_pool2d_with_indices\" a -> i32[1,4,4,6]\n"},
      {"%0 = \"ttir.embedding\"(%b, %a) : (tensor<3x1xi32>, tensor<4x6xf32>) -> tensor<3x1x6xf32>", m, i,
       "v0 = unknown numbers \"ttir.embedding\" b a -> f32[3,1,6]\n"},
      {"%0 = \"ttir.global_avg_pool2d\"(%a) : (tensor<1x8x8x6xf32>) -> tensor<1x1x1x6xf32>", p, w,
       "v0 = mean a over 1,2 keep\n"},
      {"%0 = \"ttnn.nlp_concat_heads_decode\"(%a) <{num_heads = 5 : ui32}> : (tensor<1x8x8x6xf32>) -> "
       "tensor<1x1x8x30xf32>",
       p, w, "t = slice a over 2 at 0..5\nv0 = reshape t [1,1,8,30]\n"},
      {"%0 = \"ttnn.repeat\"(%a) <{repeat_dims = #ttnn.shape<2x1>}> : (tensor<4x6xf32>) -> tensor<8x6xf32>", m, m,
       "v0 = concat a a over 0\n"},
      {"%0 = \"ttnn.matmul\"(%a, %b) <{transpose_b = true, activation = \"relu\"}> : (tensor<4x6xf32>, "
       "tensor<4x6xf32>) -> tensor<4x4xf32>",
       m, m, "t = matmul a b tb\nv0 = relu t\n"},
      {"%0 = \"ttir.gelu\"(%a) <{approximate = \"tanh\"}> : (tensor<4x6xf32>) -> tensor<4x6xf32>", m, m,
       "v0 = unknown pointwise \"ttir.gelu\" a -> f32\n"},
      {"%0 = \"ttnn.batch_norm_inference\"(%a, %b, %b, %b, %b) <{dimension = 1 : i32, epsilon = 1.0e-05 : f32}> : "
       "(tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>",
       m, "tensor<6xf32>",
       "t = reshape b [1,6]\nt.1 = reshape b [1,6]\nt.2 = reshape b [1,6]\nt.3 = reshape b [1,6]\n"
       "v0 = unknown pointwise \"ttnn.batch_norm_inference\" a t t.1 t.2 t.3 -> f32\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(tiled_lines_of(row.operation, row.a, row.b), row.lines) << row.operation;
}

}  // namespace programs_import_elements_test
}  // namespace vl::program
