// Layout texts of every family with names for sizes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vl::differential {

struct Text {
  std::string layout;
  std::string tensor;
  const char* where = "";
  const char* strides = "";
  const char* view_offset = "";
};

inline std::vector<Text> texts_of_cute() {
  return {
      {"(M,N):(N,1)", "f16[M,N]"},
      {"(M,N):(N,1)", "f16[M*N]"},
      {"make_layout(make_shape(M, N, L))", "f16[M,N,L]"},
      {"cute.make_layout((M, (4, N)), stride=(4*N, (N, 1)))", "f16[M,4*N]"},
      {"make_layout(make_shape(M, make_shape(4, N)), LayoutRight{})", "f16[M,4,N]"},
      {"make_layout(make_shape(M, N), make_stride(N + P, 1))", "f16[M,N]"},
      {"Layout<Shape<M, N>, Stride<_1, Int<2*M + P>>>", "f16[M,N]"},
      {"Sw<3,3,3> o 0 o ((8,M),64):((64,512),1)", "f16[8*M,64]"},
      {"composition(Swizzle<2,3,3>{}, Layout<Shape<Shape<_8,M>,Shape<_32,N>>, Stride<Stride<_32,_256>, Stride<_1,"
       "Int<256*M>>>>{})",
       "f16[8*M,32*N]"},
      {"Sw<1,0,-2> o 0 o (8,M):(1,8)", "f16[8,M]"},
      {"Sw<1,0,2> o 8*P o (8,M):(1,8)", "f16[8*M]"},
      {"((2,M),(N,3)):((3*N,6*N),(3,1))", "f16[2*M,N*3]"},
      {"((2,M),N):((M*N,N),1)", "f16[M*2,N]"},
      {"(M,_1,N):(N,_0,_1)", "f16[M,1,N]"},
      {"make_layout(make_shape(ceil_div(M, 8), 8), make_stride(8, 1))", "f16[ceil(M/8),8]"},
      {"(round_up(M, 4),(M + 1)*2):(2*(M + 1),1)", "f16[align(M, 4)*(M + 1)*2]"},
  };
}

inline std::vector<Text> texts_of_strided() {
  return {
      {"size=(M, N), stride=(N, 1)", "f16[M,N]"},
      {"size=(M, N), stride=(N + P, 1), storage_offset=P", "f16[M,N]"},
      {"empty_strided_cuda((L, M, N), (1, L, L*M), torch.float16)", "f16[L,M,N]"},
      {"shape=(M, N), strides=(2*N, 2), dtype=float16", "f16[M,N]"},
      {"ne=[N, M], nb=[2, 2*(N + 3)], type=f16", "f16[M,N]"},
      {"size=(L, 3, M, N), memory_format=channels_last", "f16[L,3,M,N]"},
      {"size=(L, M*N).view(L, M, N).transpose(0, 1)", "f16[M,L,N]"},
      {"size=(L, M, N).permute(2, 0, 1).unsqueeze(1)", "f16[N,1,L,M]"},
      {"size=(L, 8, N), stride=(8*N, N, 1)[:, 2:5].flatten(1, 2)", "f16[L,3*N]"},
      {"torch.empty(1, M, N).expand(1, M, -1).contiguous().mT", "f16[1,N,M]"},
  };
}

inline std::vector<Text> texts_of_xla() {
  return {
      {"f32[M,N]", "f32[M,N]"},
      {"f32[M,N]{0,1}", "f32[M,N]"},
      {"f32[M,N]{1,0:T(2,4)}", "f32[M,N]"},
      {"f32[M,N]{0,1:T(2,4)}", "f32[M,N]"},
      {"f32[M,N]{1,0:T(4,4)(2,1)}", "f32[M,N]"},
      {"f32[L,M,N]{2,0,1:T(2,2)}", "f32[L,M,N]"},
      {"f32[L,M]{1,0:T(*,4)}", "f32[L,M]"},
      {"f32[M]{0:T(2,2)}", "f32[M]"},
      {"f32[M,N]{1,0:T(2,4)L(16)}", "f32[M,N]"},
      {"f32[L,M,N]{1,0,2:T(2,3)(1,3)}", "f32[L,M,N]"},
  };
}

// MemoryConfig in shards of two dimensions, on the cores from (x, y) to (x, y).
inline std::string sharded(std::string_view keys, std::string_view kind, std::string_view cores, std::string_view shape,
                           std::string_view order = "ROW_MAJOR") {
  return fmt::format(
      "{}: MemoryConfig(TensorMemoryLayout.{}_SHARDED, BufferType.L1, ShardSpec(CoreRangeSet([CoreRange({}"
      ")]), [{}], ShardOrientation.{}))",
      keys, kind, cores, shape, order);
}
inline std::string nd(std::string_view keys, std::string_view cores, std::string_view shape, std::string_view deal,
                      std::string_view order = "ROW_MAJOR") {
  return fmt::format(
      "{}: MemoryConfig(BufferType.L1, NdShardSpec([{}], CoreRange({}), ShardOrientation.{}, "
      "ShardDistributionStrategy.{}))",
      keys, shape, cores, order, deal);
}

inline std::vector<Text> texts_of_ttmetal() {
  const std::string dram = ": MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM)";
  const std::string tile = "layout=TILE", rows = "layout=ROW_MAJOR", small = "layout=TILE, tile=Tile((4, 16))";
  return std::vector<Text>{
      {"layout=TILE, banks=12" + dram, "bf16[M,N]"},
      {"layout=TILE, banks=B" + dram, "bf16[M,N]"},
      {"layout=TILE, banks=2*B, tile=Tile((4, 16), transpose_tile=True)" + dram, "bf16[L,M,N]"},
      {"layout=ROW_MAJOR, banks=B" + dram, "bf16[L,M,N]"},
      {"banks=B: TensorSpec(Shape([L, M, N]), TensorLayout(bfloat16, PageConfig(ROW_MAJOR), "
       "MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM), Alignment([A, 4, 8])))",
       "bf16[L,M,N]"},
      {sharded(tile, "HEIGHT", "(0, 0), (1, G - 1)", "align(ceil(align(M, 32)/(2*G)), 32), align(N, 32)"), "bf16[M,N]"},
      {sharded(small, "HEIGHT", "(1, 2), (H, 3)", "align(ceil(L*align(M, 4)/(2*H)), 4), align(N, 16)", "COL_MAJOR"),
       "bf16[L,M,N]"},
      {sharded(rows, "HEIGHT", "(0, 0), (3, 0)", "ceil(M/4), N"), "bf16[M,N]"},
      {sharded(small, "WIDTH", "(0, 0), (H - 1, 1)", "align(M, 4), align(ceil(align(N, 16)/(2*H)), 16)"), "bf16[M,N]"},
      {sharded(rows, "WIDTH", "(0, 0), (ceil(N/4) - 1, 0)", "L*M, 4"), "bf16[L,M,N]"},
      {sharded(small, "BLOCK", "(0, 0), (H - 1, G - 1)",
               "align(ceil(align(M, 4)/G), 4), align(ceil(align(N, 16)/H), 16)"),
       "bf16[M,N]"},
      {sharded(small, "BLOCK", "(0, 0), (2, 1)", "align(ceil(align(M, 4)/3), 4), align(ceil(align(N, 16)/2), 16)",
               "COL_MAJOR"),
       "bf16[M,N]"},
      {nd(small, "(0, 0), (H - 1, G - 1)", "4, 16", "ROUND_ROBIN_1D"), "bf16[M,N]"},
      {nd(small, "(0, 0), (1, 1)", "2, 8, 16", "ROUND_ROBIN_1D", "COL_MAJOR"), "bf16[L*2,M,N]"},
      {nd(rows, "(0, 0), (1, G - 1)", "S, 4", "ROUND_ROBIN_1D"), "bf16[L,M,N]"},
      {nd(rows, "(0, 0), (G - 1, 0)", "1, N", "CONTIGUOUS_1D"), "bf16[G*M,N]"},
      {nd(rows, "(0, 0), (ceil(N/4) - 1, ceil(M/2) - 1)", "2, 4", "GRID_2D"), "bf16[M,N]"},
  };
}

// Rule B: a device shape, a logical shape, alignments and intervals.
inline Text aligned(const std::string& device, const std::string& shape, const std::string& alignments,
                    const std::string& intervals) {
  std::string names = shape;
  std::ranges::replace(names, 'x', ',');
  const auto count = std::ranges::count(intervals, '[') - 1;
  return {fmt::format("tensor<{}, #ttcore.metal_layout<logical_shape = {}, dim_alignments = {}, collapsed_intervals = "
                      "dense<{}> : tensor<{}x2xi64>, l1, sharded>>",
                      device, shape, alignments, intervals, count),
          fmt::format("f32[{}]", names)};
}

inline std::vector<Text> texts_of_ttmlir() {
  const std::string tile = "x!ttcore.tile<32x32, f32>", pair = "[[0, 1], [1, 2]]", first = "[[0, 2], [2, 3]]";
  const std::string b = "#tt.metal_layout<", c = "#ttnn.ttnn_layout<", l1 = ", #l1>";
  return std::vector<Text>{
      // The compiler's alignments: grids 8x4 and 8x1, of names, over joined rows.
      aligned("8x4xceil(M/256)xceil(N/128)" + tile, "MxN", "256x128", pair),
      aligned("8x1xceil(M/256)xceil(N/32)" + tile, "MxN", "256x32", pair),
      aligned("GxHxceil(M/(32*G))xceil(N/(32*H))" + tile, "MxN", "(32*G)x(32*H)", pair),
      aligned("8x4xceil(N*align(M, 32)/256)xceil(K/128)" + tile, "NxMxK", "256x32x128", first),
      aligned("8x1xceil(N*align(M, 32)/256)xceil(K/32)" + tile, "NxMxK", "256x32x32", first),
      aligned("Gx1xceil(N*align(M, 32)/(32*G))xceil(K/32)" + tile, "NxMxK", "(32*G)x32x32", first),
      aligned("GxHxceil(N*align(M, A)/(32*G))xceil(K/(32*H))" + tile, "NxMxK", "(32*G)xAx(32*H)", first),
      aligned("2x2xceil(L*align(N*align(M, 4), 8)/64)xceil(K/64)" + tile, "LxNxMxK", "64x8x4x64", "[[0, 3], [3, 4]]"),
      aligned("2x1xceil(L*N*M/64)xceil(K/32)" + tile, "LxNxMxK", "64x1x1x32", "[[0, -1]]"),
      aligned("2x2x1xceil(L/2)xceil(N*align(M, 32)/64)xceil(K/32)" + tile, "LxNxMxK", "2x64x32x32",
              "[[0, 1], [1, 3], [3, 4]]"),
      aligned("2x1xceil(J*L*N*M/2)xKxf32", "JxLxNxMxK", "2x1x1x1x1", "[[0, 4]]"),
      aligned("1x2x1xceil(M/64)" + tile, "M", "64", "[[0, 1]]"),
      // Rule A.
      {b + "(d0, d1) -> (d0, d1), undef, <3x2>, memref<ceil(M/3)xceil(N/2)xf32" + l1 + ">", "f32[M,N]"},
      {b + "(d0, d1) -> (d0, d1), undef, <GxH>, memref<ceil(ceil(M/G)/32)xceil(ceil(N/H)/32)x!tt.tile<32x32, f32>" +
           l1 + ">",
       "f32[M,N]"},
      {b + "(d0, d1, d2) -> (d0 * M + d1, d2), undef, <2x4>, memref<ceil(N*M/2)xceil(K/4)xf32" + l1 + ">",
       "f32[N,M,K]"},
      {b +
           "(d0, d1, d2) -> (d0 * align(M, 32) + d1, d2), undef, <1x2>, "
           "memref<ceil(((N-1)*align(M, 32)+M)/32)xceil(ceil(K/2)/32)x!tt.tile<32x32, f32>" +
           l1 + ">",
       "f32[N,M,K]"},
      {b +
           "(d0, d1, d2, d3) -> (d0, d1 * M + d2, d3), undef, <2x2x4>, "
           "memref<ceil(L/2)xceil(ceil(N*M/2)/32)xceil(ceil(K/4)/32)x!tt.tile<32x32, f32>" +
           l1 + ">",
       "f32[L,N,M,K]"},
      // Rule C.
      {c + "(d0, d1) -> (d0, d1), <8x8>, memref<ceil(ceil(align(M, 32)/8)/32)xceil(ceil(align(N, 32)/8)/32)x"
           "!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <block_sharded>, ignorePhysicalLayout = true>",
       "bf16[M,N]"},
      {c + "(d0, d1, d2) -> (d0 * align(M, 32) + d1, d2), <1x1>, memref<ceil(N*align(M, 32)/32)xceil(K/32)x"
           "!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>",
       "bf16[N,M,K]"},
      {c + "(d0, d1, d2) -> (d0 * M + d1, d2), <Gx1>, memref<ceil(N*M/G)xKxbf16, #ttnn.buffer_type<l1>>, "
           "<height_sharded>, ignorePhysicalLayout = true>",
       "bf16[N,M,K]"},
      // Tiles that go round the cores.
      {c + "(d0, d1) -> (d0, d1), <8x8>, memref<1xceil(ceil(M/32)*ceil(N/32)/64)x!ttcore.tile<32x32, bf16>, "
           "#ttnn.buffer_type<l1>>, <interleaved>>",
       "bf16[M,N]"},
      {c + "(d0, d1, d2) -> (d0 * align(M, 32) + d1, d2), <GxH>, memref<1xceil(4*N*ceil(M/32)*ceil(K/32)/(G*H))x"
           "!ttcore.tile<16x16, bf16>, #ttnn.buffer_type<l1>>, <interleaved>>",
       "bf16[N,M,K]"}};
}

// The constructors of every order, and raw texts: of hosts that go backwards or repeat elements, and of elements that
// repeat on the device.
inline std::vector<Text> texts_of_spyre() {
  static constexpr const char* kNames[] = {"N", "M", "K"};
  std::vector<Text> out;
  for (std::size_t rank = 1; rank <= std::size(kNames); ++rank) {
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    const std::string size = fmt::format("{}", fmt::join(std::span(kNames).first(rank), ", "));
    const auto add = [&](std::string_view type, std::string_view rest) {
      out.push_back({fmt::format("SpyreTensorLayout(({},), torch.{}, [{}{}", size, type, fmt::join(order, ", "), rest),
                     fmt::format("{}[{}]", type, size)});
    };
    do {
      for (const char* type : {"float16", "float32"})
        for (const char* sparse : {"])", ", -1])"}) add(type, sparse);
      add("float16", "], generation=S3)");
    } while (std::next_permutation(order.begin(), order.end()));
  }
  for (const char* order : {"0, 1, 2, 3, 4, 5", "5, 4, 3, 2, 1, 0", "2, 0, 5, 1, 4, 3"})
    out.push_back(
        {fmt::format("SpyreTensorLayout((A, B, C, D, E, F), torch.float16, [{}])", order), "f16[A,B,C,D,E,F]"});
  const auto raw = [](std::string_view size, std::string_view strides) {
    return fmt::format("SpyreTensorLayout(device_size=[{}], stride_map=[{}], device_dtype=DataFormats.SEN169_FP16)",
                       size, strides);
  };
  const auto by_dims = [](std::string_view size, std::string_view dims) {
    return fmt::format("SpyreTensorLayout(device_size=[{}], dim_map=[{}], device_dtype=DataFormats.SEN169_FP16)", size,
                       dims);
  };
  const std::string rows = raw("ceil(N/64), M, 64", "64, N, 1");
  for (const Text& text : std::vector<Text>{
           {raw("M, ceil(K/64), N, 64", "K, 64, M*K, 1"), "f16[N,M,K]"},
           {by_dims("M, ceil(K/64), N, 64", "1, 2, 0, 2"), "f16[N,M,K]"},
           {by_dims("ceil(N/128), M, 2, 64", "1, 0, 1, 1"), "f16[M,N]"},
           {"SpyreTensorLayout((M, N), torch.float16).restickify(0)", "f16[M,N]"},
           {raw("ceil(N/64), R, 64", "64, 0, 1"), "f16[N]", "R >= 0"},
           {raw("R, ceil(N/64), M, 2*R, 64", "0, 64, N, 0, 1"), "f16[M,N]", "R >= 0"},
           {rows, "f16[M,N]", "", "-N, 1", "(M - 1)*N"},
           {rows, "f16[M,N]", "", "N, -1", "N - 1"},
           {rows, "f16[M,N]", "", "-N, -1", "M*N - 1"},
           {raw("ceil(N/64), 64", "64, 1"), "f16[M,N]", "", "0, 1"},
           {raw("ceil(N/64), R, M, 64", "64, 0, N, 1"), "f16[M,N]", "R >= 0", "-N, 1", "(M - 1)*N"},
           {"SpyreTensorLayout((M, N), (P, 1), torch.float16, [0, 1])", "f16[M,N]", "P >= N", "P, 1"},
           {raw("2, Q, 64", "64, 128, 1"), "f16[R,128]", "T + R <= Q", "128, 1", "128*T"},
           {raw("ceil(K/8), Q, 8", "8, K, 1"), "f16[R,V]", "S + V <= K, T + R <= Q", "K, 1", "K*T + S"},
           {raw("ceil(K/64), Q, 64", "64, K, 1"), "f16[R,V]", "S + V + 3 <= K, T + R <= Q", "K, 1", "K*T + 3 + S"},
           {raw("ceil(K/128), Q, 128", "128, K, 1"), "f16[R,V]", "2*S + V <= K, T + R <= Q", "K, 1", "K*T + 2*S"},
           {raw("ceil(M*N/64), 64", "64, 1"), "f16[M,N]"}})
    out.push_back(text);
  return out;
}

inline std::vector<Text> texts_of_tirx() {
  return {
      {"S[(M,N):(N,1)]", "f16[M,N]"},
      {"S[(M,N):(P,1)]", "f16[M,N]", "P >= N"},
      {"S[(M,N):(1,M)] + P", "f16[M,N]"},
      {"S[(M,8,N):(8*N,1,8)]", "f16[M*8,N]"},
      {"S[(M,N):(1@laneid,1)]", "f16[M,N]", "M <= 32"},
      {"S[(M,N):(N,1)] + R[P:M*N]", "f16[M,N]"},
      {"S[(M,N):(1@laneid,2)] + R[2:1@warpid]", "f16[M,N]", "M <= 32"},
      {"ComposeLayout(3, 3, 3, S[(M,64):(64,1)])", "f16[M,64]"},
      {"ComposeLayout(1, 2, 2, S[(M,8):(8,1)])", "f16[M,8]", "M % 4 == 0"},
  };
}

}  // namespace vl::differential
