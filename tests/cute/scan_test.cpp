// CuTe layouts in longer texts: logs of C++ and of the DSL, sources, and texts that only look like layouts.
#include <gtest/gtest.h>

#include "tests/support/scan.h"

namespace vl {
namespace cute_scan_test {

struct Row {
  const char* text;
  std::vector<std::string> found;
};

const std::vector<Row> kRows = {
    {"tCrA: ptr[16b](0x7f00) o ((_2,_2),_1,_4):((_1,_2),_0,_8)\n",
     {"1:26 ((_2,_2),_1,_4):((_1,_2),_0,_8) | u8[4,1,4]"}},
    {"  sA_layout:\tSw<3,4,3> o smem_ptr[16b](unset) o ((_128,_16),_1,_4):((_64,_1),_0,_16)\n",
     {"1:14 Sw<3,4,3> o smem_ptr[16b](unset) o ((_128,_16),_1,_4):((_64,_1),_0,_16) | u8[2048,1,4]"}},
    {"tensor<ptr<f32, smem, align<1024>> o (8,8):(8,1)>\n", {"1:38 (8,8):(8,1) | u8[8,8]"}},
    {"using A = decltype(composition(Swizzle<3,3,3>{},\n                Layout<Shape < _8,_64>, Stride<_64, "
     "_1>>{}));\n",
     {"1:20 composition(Swizzle<3,3,3>{},                 Layout<Shape < _8,_64>, Stride<_64, _1>>{}) | u8[8,64]"}},
    {"auto l = cute::make_layout(cute::make_shape(4, 2), LayoutRight{});\n",
     {"1:10 cute::make_layout(cute::make_shape(4, 2), LayoutRight{}) | u8[4,2]"}},
    {"L = (4, 2):(1, 4) and (3, 5) : (5, 1)\n", {"1:5 (4, 2):(1, 4) | u8[4,2]", "1:23 (3, 5) : (5, 1) | u8[3,5]"}},
    {"dynamic (?,2):(1,?)\n", {"1:9 (?,2):(1,?) ! '?' is a dynamic integer: no number is known for it"}},
    {"\"(?,?{div=64}):(?{i64 div=64},1)\"\n",
     {"1:2 (?,?{div=64}):(?{i64 div=64},1) ! '?' is a dynamic integer: no number is known for it"}},
    // a swizzle that is not read with them
    {"tCsA: Sw<3,4,3>_smem_ptr[16b](0x7f0040) o (_8,_64):(_64,_1)\n",
     {"1:43 (_8,_64):(_64,_1) ! a swizzle in front of it, which is not read"}},
    {"memref<f16, smem, align<1024>, S<3,4,3>, \"((8,8),(64,1)):((64,512),(1,0))\">\n",
     {"1:43 ((8,8),(64,1)):((64,512),(1,0)) ! a swizzle in front of it, which is not read"}},
    // names
    {"auto l = make_layout(make_shape(M, N), make_stride(N, _1{}));\n",
     {"1:10 make_layout(make_shape(M, N), make_stride(N, _1{})) | u8[M,N]"}},
    {"  layout = cute.make_layout((m, (4, n // 4)), stride=(n, (1, 4)))\n",
     {"1:12 cute.make_layout((m, (4, n // 4)), stride=(n, (1, 4))) | u8[m,4*(n//4)]"}},
    // seen, and not read
    {"auto l = make_layout(shape, stride), m = make_layout(make_shape(M, N));\n",
     {"1:10 make_layout(shape, stride) ! 'shape' is a name, and nothing binds it to a number",
      "1:42 make_layout(make_shape(M, N)) ! 'M' is a name, and nothing binds it to a number"}},
    {"l = make_layout((tile, 4), stride=(steps, 1))\n",
     {"1:5 make_layout((tile, 4), stride=(steps, 1)) ! 'tile' is a name, and nothing binds it to a number"}},
    {"auto l = make_layout(make_shape(size<0>(a), N), make_stride(N, _1{}));\n",
     {"1:10 make_layout(make_shape(size<0>(a), N), make_stride(N, _1{})) ! 'size' is a name, and nothing binds it to a "
      "number"}},
    {"x = cute.make_layout((4, 2), stride=(1, 4, 8))\n",
     {"1:5 cute.make_layout((4, 2), stride=(1, 4, 8)) ! it is not read: the shape has 2 modes where the stride has 3; "
      "they must nest alike"}},
    {"l = cute.tile_to_shape(cute.make_layout((8, 64), stride=(64, 1)), (64, 64), (0, 1))\n",
     {"1:5 cute.tile_to_shape(cute.make_layout((8, 64), stride=(64, 1)), (64, 64), (0, 1)) ! calls of tile_to_shape "
      "are not read",
      "1:24 cute.make_layout((8, 64), stride=(64, 1)) | u8[8,64]"}},
    {"auto b = cute::coalesce(a);\n", {"1:10 cute::coalesce(a) ! calls of coalesce are not read"}},
    // no layouts
    {"d = {(1,2):(3,4), (5,6):(7,8)}\n", {}},
    {"f(x):(y)\n", {}},
    {"a ? (3):(-2); b ? (4) : (1)\n", {}},
    {"template <class Shape, class Stride> struct Layout<Shape, Stride> {};\n", {}},
    {"def tile_to_shape(a, b): pass\n", {}},
    {"CUTE_HOST_DEVICE constexpr auto make_layout(Shape const& shape) { }\n", {}},
    {"y = coalesce(a), np.complement(b), Layout(x), composition(f, g)\n", {}},
    {"(4,2):(1,4,8) and (0,2):(1,4)\n", {}},
    {"x[(1,2):(3,4)] and S[(8,4):(4,1)]\n", {}},
    {"std::vector<S<int>> v; a<S<3> b;\n", {}},
};

TEST(CuteScan, FindsTheLayoutsOfATextAndNothingElse) {
  session::ScanOptions options;
  options.family = "cute";
  for (const Row& row : kRows) {
    EXPECT_EQ(test::found_in(row.text, options), row.found) << row.text;
  }
}

}  // namespace cute_scan_test
}  // namespace vl
