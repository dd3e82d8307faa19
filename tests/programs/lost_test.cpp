// What readers of programs may lose, and must not.
#include "tests/cli/records.h"

namespace vl {
namespace programs_lost_test {

// Texts by which a reader of the importer made it prove what is not so: in each, padding may reach what the function
// returns, in a way that a careless reading loses.
struct Lost {
  const char *why, *function, *text;
};

const Lost kLost[] = {
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

TEST(Programs, NothingIsProvedByWhatIsLost) {
  const Folder folder;
  int number = 0;
  for (const Lost& row : kLost) {
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

}  // namespace programs_lost_test
}  // namespace vl
