// Calls of cuTensorMapEncodeTiled in C, CUDA and Python: as people write them, and what is seen and not read.
#include <gtest/gtest.h>

#include "tests/use/seen_descriptors.h"

namespace vl::use {
namespace use_descriptor_calls_test {

using test::seen;

// CUDA C++ Programming Guide, "Using TMA to transfer multi-dimensional arrays".
constexpr std::string_view kGuide = R"(
  CUtensorMap tensor_map{};
  // rank is the number of dimensions of the array.
  constexpr uint32_t rank = 2;
  uint64_t size[rank] = {GMEM_WIDTH, GMEM_HEIGHT};
  uint64_t stride[rank - 1] = {GMEM_WIDTH * sizeof(int)};
  uint32_t box_size[rank] = {SMEM_WIDTH, SMEM_HEIGHT};
  uint32_t elem_stride[rank] = {1, 1};
  // Get a function pointer to the cuTensorMapEncodeTiled driver API.
  auto cuTensorMapEncodeTiled = get_cuTensorMapEncodeTiled();
  CUresult res = cuTensorMapEncodeTiled(
    &tensor_map,                // CUtensorMap *tensorMap,
    CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_INT32,
    rank,                       // cuuint32_t tensorRank,
    tensor_ptr,                 // void *globalAddress,
    size,                       // const cuuint64_t *globalDim,
    stride,                     // const cuuint64_t *globalStrides,
    box_size,                   // const cuuint32_t *boxDim,
    elem_stride,                // const cuuint32_t *elementStrides,
    CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
    CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
    CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
    CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
  );
)";

// mlc-ai/tirx-kernels @f495258b tirx_kernels/deepgemm/mega_moe.py, with a number for the swizzle.
constexpr std::string_view kCtypes = R"(
def encode(desc, tensor, gmem_inner_dim, gmem_outer_dim, smem_inner_dim, smem_outer_dim, stride_bytes):
    global_shape = (ctypes.c_uint64 * 2)(int(gmem_inner_dim), int(gmem_outer_dim))
    global_strides = (ctypes.c_uint64 * 1)(int(stride_bytes))
    box_dim = (ctypes.c_uint32 * 2)(int(smem_inner_dim), int(smem_outer_dim))
    element_strides = (ctypes.c_uint32 * 2)(1, 1)
    result = _get_cuda_driver().cuTensorMapEncodeTiled(
        desc.ptr,
        CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
        ctypes.c_uint32(2),
        ctypes.c_void_p(int(tensor.data_ptr())),
        global_shape,
        global_strides,
        box_dim,
        element_strides,
        0,  # CU_TENSOR_MAP_INTERLEAVE_NONE
        int(3),
        2,
        0,
    )
)";

constexpr std::string_view kTail = ", 0, CU_TENSOR_MAP_SWIZZLE_64B, 0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)";

// A call after some lines of C.
std::string c(std::string lines, std::string arguments = "d, s, b, e") {
  return seen("a.cu", lines + "\nencode(cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, " +
                          arguments + std::string(kTail) + ");\n");
}

constexpr std::string_view kLists =
    "uint64_t d[2] = {K, M}, s[1] = {(uint64_t)K * sizeof(half)};\nuint32_t b[] = {64u, 32}, e[2]{1, 1};\n";
constexpr std::string_view kRead = "tensormap(f16, dim (K,M), stride (2*K), box (64,32), step (1,1), swizzle 64B)";

TEST(DescriptorCalls, ReadsTheGuide) {
  EXPECT_EQ(seen("a.cu", kGuide),
            "tensormap(i32, dim (GMEM_WIDTH,GMEM_HEIGHT), stride (4*GMEM_WIDTH), box (SMEM_WIDTH,SMEM_HEIGHT), step "
            "(1,1))");
  EXPECT_EQ(seen("issue.md", "Why?\n```cpp\n" + std::string(kGuide) + "```\n"), seen("a.cu", kGuide));
  EXPECT_EQ(seen({}, kGuide), seen("a.cu", kGuide)) << "a paste without a name";
}

TEST(DescriptorCalls, ReadsPython) {
  EXPECT_EQ(seen("a.py", kCtypes),
            "tensormap(u4a16, dim (gmem_inner_dim,gmem_outer_dim), stride (stride_bytes), box "
            "(smem_inner_dim,smem_outer_dim), step (1,1), swizzle 128B)");
  // cuda-python has no argument for the map.
  EXPECT_EQ(seen("a.py",
                 "r, m = cuda.cuTensorMapEncodeTiled(\n  cuda.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_UINT8, 2,\n"
                 "  src.data_ptr(), [U64(COLS), U64(ROWS)], [U64(COLS)], [U32(COLS), 8], [1] * rank,\n"
                 "  cuda.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,\n"
                 "  cuda.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B, 0, 1)\n"),
            "tensormap(u8, dim (COLS,ROWS), stride (COLS), box (COLS,8), step (1,1), swizzle 128B, fill nan)");
}

TEST(DescriptorCalls, ReadsListsOfC) {
  EXPECT_EQ(c(std::string(kLists)), kRead);
  EXPECT_EQ(c("std::array<uint64_t, 2> d{K, M}; std::vector<cuuint64_t> s = {2 * d[0]};\n"
              "cuuint32_t b[5] = {64, 32, 1, 1, 1}; const cuuint32_t e[] = {1, 1};",
              "d.data(), s.data(), b, e"),
            kRead);
  EXPECT_EQ(c("uint64_t d[2] = {K, M}, s[2] = {2, 2 * K}; uint32_t x[3] = {7, 64, 32};",
              "(const cuuint64_t*)d, &s[1], x + 1, (cuuint32_t[]){1, 1}"),
            kRead);
  EXPECT_EQ(c("void f(uint64_t d[2]) {}\nvoid g() {" + std::string(kLists)), kRead) << "another function's parameter";
  EXPECT_EQ(c("{ uint64_t d[2] = {7, 7}; d[0] = 1; }\n" + std::string(kLists)), kRead) << "braces that are closed";
  EXPECT_EQ(
      c("using T = __half;\nuint64_t d[] = {K, M}, s[] = {K * sizeof(T)}; uint32_t b[] = {64, 32}, e[] = {1, 1};"),
      kRead);
}

TEST(DescriptorCalls, FollowsNamesOfWords) {
  const std::string call =
      std::string(kLists) +
      "CHECKED(cuTensorMapEncodeTiled)(&m, type, 2, p, d, s, b, e, (CUtensorMapInterleave)0, mode, "
      "0, 0);";
  EXPECT_EQ(seen("a.cu", "constexpr int mode = 2; auto type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;\n" + call), kRead);
  EXPECT_EQ(seen("a.cu", "#define mode 2\nauto type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;\n" + call), kRead);
  EXPECT_EQ(seen("a.cu", "void f(int mode) { auto type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;\n" + call + "}"),
            "refused: the text gives the swizzle 'mode' no value");
  EXPECT_EQ(seen("a.cu", "auto mode = wide ? A : B; auto type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;\n" + call),
            "refused: the text gives the swizzle 'mode' no value");
  EXPECT_EQ(seen("a.cu", "int mode = 2; int type = 6; if (wide) mode = 3;\n" + call),
            "refused: the text gives the swizzle 'mode' no value")
      << "it may have changed";
  EXPECT_EQ(seen("a.cu", "constexpr int mode = 9; auto type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;\n" + call),
            "refused: the swizzle is 9, which cuda.h does not name");
}

TEST(DescriptorCalls, SaysWhichListMayHaveChanged) {
  const std::string lists(kLists), changed = "' is bound twice, or may be changed before the call";
  EXPECT_EQ(c(lists + "d[0] = 7;"), "refused: dim: 'd" + changed);
  EXPECT_EQ(c(lists + "b[1] += 7;"), "refused: box: 'b" + changed);
  EXPECT_EQ(c(lists + "fill(d, 2);"), "refused: dim: 'd" + changed);
  EXPECT_EQ(c(lists + "fill(&s);"), "refused: stride: 's" + changed);
  EXPECT_EQ(c(lists + "if (x) { b[0] = 8; }"), "refused: box: 'b" + changed);
  EXPECT_EQ(c(lists + "#if X\nuint64_t d[2] = {1, 2};\n#endif"), "refused: dim: 'd" + changed);
  EXPECT_EQ(c(lists + "use(d[0], sizeof(d)); if (d[1] == 3) return;"), kRead) << "nothing is changed";
  EXPECT_EQ(
      seen("a.cu", lists + "for (;;) {\n cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, d, s, b, "
                           "e, 0, 0, 0, 0);\n d[1] = 3; }"),
      "refused: dim: 'd" + changed)
      << "the second time it is another one";
  EXPECT_EQ(c("uint64_t d[2];"), "refused: dim: 'd' is declared without a value, or by what is not read");
  EXPECT_EQ(c("{" + lists + "}"), "refused: dim: the text gives 'd' no value");
  EXPECT_EQ(c("uint64_t d[2] = {K};"), "refused: dim: 'd' has 1 of 2 entries; what has no entry is not read");
  EXPECT_EQ(c(lists + "uint64_t t[] = {K * sizeof(T)};", "d, t, b, e").substr(0, 56),
            "refused: stride: 'K * sizeof(T)' is not read as a number");
  EXPECT_EQ(
      seen("a.py",
           "d = [K, M]\nd.append(1)\ncuTensorMapEncodeTiled(m, 6, 2, p, d, [2 * K], [64, 8], [1, 1], 0, 0, 0, 0)"),
      "refused: dim: 'd" + changed);
  EXPECT_EQ(
      seen("a.py",
           "d = [K, M]\ndef f(d):\n  cuTensorMapEncodeTiled(m, 6, 2, p, d, [2 * K], [64, 8], [1, 1], 0, 0, 0, 0)"),
      "refused: dim: 'd' is declared without a value, or by what is not read");
}

TEST(DescriptorCalls, LooksForCodeInCodeOnly) {
  EXPECT_EQ(seen("a.json", kGuide), "");
  EXPECT_EQ(seen("a.md", kGuide), "") << "prose";
}

TEST(DescriptorCalls, SaysWhatItDoesNotRead) {
  EXPECT_EQ(seen("a.cu", "cuTensorMapEncodeIm2col(&m, t, 4, p, d, s, l, u, 64, 64, e, 0, 3, 0, 0);"),
            "refused: an im2col tensor map, which is not read");
  EXPECT_EQ(seen("a.cu", "cuTensorMapEncodeTiled(&m, t, 2, p);"),
            "refused: 'cuTensorMapEncodeTiled' has 4 arguments; cuTensorMapEncodeTiled has 12");
  EXPECT_EQ(seen("a.cu", "cuTensorMapEncodeTiled(&m, t, 2, p;"), "refused: a call whose bracket is not closed");
  EXPECT_EQ(seen("a.cu", "cuTensorMapEncodeTiled(&m, 0, 6, p, d, s, b, e, 0, 0, 0, 0);"),
            "refused: the rank is 6; expected 1 to 5");
  EXPECT_EQ(seen("a.py", "cuTensorMapEncodeTiled(*a)").substr(0, 8), "refused:");
}

TEST(DescriptorCalls, TakesNoDeclarationForACall) {
  for (const std::string_view text :
       {"CUresult cuTensorMapEncodeTiled(CUtensorMap* m, CUtensorMapDataType t, cuuint32_t r, void* p);\n",
        "// cuTensorMapEncodeTiled(&m, 0, 2, p, d, s, b, e, 0, 0, 0, 0);\n",
        "/* cuTensorMapEncodeTiled(&m, 0, 2, p, d, s, b, e, 0, 0, 0, 0); */\n",
        "auto text = \"cuTensorMapEncodeTiled(&m, 0, 2, p, d, s, b, e, 0, 0, 0, 0)\";\n",
        "PFN_cuTensorMapEncodeTiled_v12000 get_cuTensorMapEncodeTiled() { return nullptr; }\n",
        "auto f = reinterpret_cast<PFN_cuTensorMapEncodeTiled>(p); auto g = get_cuTensorMapEncodeTiled();\n",
        "DECLARE(cuTensorMapEncodeTiled);\n"})
    EXPECT_EQ(seen("a.cu", text), "") << text;
  EXPECT_EQ(seen("a.py",
                 "def cuTensorMapEncodeTiled(a, b):\n  \"\"\"cuTensorMapEncodeTiled(1, 2)\"\"\"\n"
                 "  driver.cuTensorMapEncodeTiled.argtypes = [1]  # cuTensorMapEncodeTiled(1)\n"),
            "");
}

}  // namespace use_descriptor_calls_test
}  // namespace vl::use
