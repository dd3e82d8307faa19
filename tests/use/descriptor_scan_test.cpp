// Descriptors in longer texts: dumps as CUTLASS, tilelang and TVM print them, calls of TIRx, and what is seen and not
// read.
#include "encodings/use/descriptor_scan.h"

#include <gtest/gtest.h>

namespace vl::use {
namespace use_descriptor_scan_test {

// NVIDIA/cutlass#947, and an error behind it.
constexpr std::string_view kCutlass = R"(Running kernel
TMA Desc Addr:   0x7ffd56e3c940
format         6
dim            3
gmem_address   0
globalDim      (1024,1024,1,1,1)
globalStrides  (2,2048,2097152,0,0)
boxDim         (64,128,1,1,1)
elementStrides (1,1,1,1,1)
interleave     0
swizzle        3
l2Promotion    2
oobFill        0
Error: Failed to initialize the TMA descriptor 1
)";

// As tilelang's ToDebugString prints what tile-ai/tilelang#2630 gives.
constexpr std::string_view kTilelang = R"(TMA Desc Addr:   0x7ffd56e3c940 (mod64=0)
format         6 (CU_TENSOR_MAP_DATA_TYPE_FLOAT16)
dim            2
gmem_address   0x7f0000000000 (mod16=0, mod32=0)
globalDim      [256, 128]
globalStridesRaw [2, 512]
cudaGlobalStrides [512]
boxDim         [48, 64]
elementStrides [1, 1]
interleave     0 (CU_TENSOR_MAP_INTERLEAVE_NONE)
swizzle        1 (CU_TENSOR_MAP_SWIZZLE_32B)
l2Promotion    2 (CU_TENSOR_MAP_L2_PROMOTION_L2_128B)
oobFill        0 (CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
)";

constexpr std::string_view kTvm = R"(cu_dtype: 9
TMA Desc Addr:   0x7ffd56e3c940
TMA Interleave:  0
TMA L2Promotion: 0
TMA OOBFill:     0
SMEM Swizzle:    3
tensor rank: 2
global prob shape: 511 128 
global prob stride: 1022 
smem box shape: 64 64 
smem box stride: 1 1 
)";

std::string print_only(std::string_view text) {
  const auto all = descriptors_in({}, text);
  EXPECT_EQ(all.size(), 1U) << text;
  if (all.size() != 1) return {};
  const auto* descriptor = std::get_if<Descriptor>(&all[0].what);
  return descriptor != nullptr ? print(*descriptor) : "refused: " + std::get<std::string>(all[0].what);
}

TEST(DescriptorScan, ReadsDumps) {
  EXPECT_EQ(print_only(kCutlass),
            "tensormap(f16, dim (1024,1024,1), stride (2048,2097152), box (64,128,1), step (1,1,1), swizzle 128B, desc "
            "at 140726061222208)");
  EXPECT_EQ(print_only(kTilelang),
            "tensormap(f16, dim (256,128), stride (512), box (48,64), step (1,1), swizzle 32B, base 139637976727552, "
            "desc at 140726061222208)");
  EXPECT_EQ(print_only(kTvm),
            "tensormap(bf16, dim (511,128), stride (1022), box (64,64), step (1,1), swizzle 128B, desc at "
            "140726061222208)");
  EXPECT_EQ(descriptors_in({}, std::string(kCutlass) + std::string(kTilelang) + std::string(kTvm)).size(), 3U);
}

TEST(DescriptorScan, ReadsCalls) {
  EXPECT_EQ(
      print_only("T.call_packed(\"runtime.cuTensorMapEncodeTiled\", A_map, \"float16\", 2, A.data,\n    K, M, K * 2, "
                 "BLK_K, BLK_N // 2, 1, 1, 0, 3, 0, 0)"),
      "tensormap(f16, dim (K,M), stride (2*K), box (BLK_K,(BLK_N//2)), step (1,1), swizzle 128B)");
  EXPECT_EQ(
      print_only("T.call_packed(\"runtime.cuTensorMapEncodeTiled\", m, \"float8_e4m3fn\", 1, f(a, [b, c]), 64, 64, 1, "
                 "0, 0, 2, 0)"),
      "tensormap(u8, dim (64), stride (), box (64), step (1))");
}

// mlc-ai/tirx-kernels @f495258b tirx_kernels/gemm_comm/gemm_reduce_scatter.py
TEST(DescriptorScan, FollowsTheNameOfAType) {
  const std::string call =
      "T.call_packed(\"runtime.cuTensorMapEncodeTiled\", A_tensor_map, a_type, 2, A.data, K, M, K * F16_BYTES, BLK_K, "
      "BLK_M, 1, 1, 0, 3, 0, 0)\n";
  const std::string read =
      "tensormap(f16, dim (K,M), stride (K*F16_BYTES), box (BLK_K,BLK_M), step (1,1), swizzle 128B)";
  const std::string refused = "refused: the type is 'a_type', which is no text";
  EXPECT_EQ(print_only("d_type, a_type, b_type = (\"int8\", \"float16\", \"float16\")\n" + call), read);
  EXPECT_EQ(print_only("a_type = 'float16'\n" + call), read);
  EXPECT_EQ(print_only("a_type = \"float16\"\na_type = \"int8\"\n" + call), refused);
  EXPECT_EQ(print_only("a_type = \"float16\"\ndef f(A: Tx.Buffer((M, K), a_type)):\n  " + call), read);
  EXPECT_EQ(print_only("a_type = \"float16\"\ndef f(x: int, a_type: str = \"int8\"):\n  " + call), refused);
  EXPECT_EQ(print_only("a_type = \"float16\"\ndef f(a_type):\n  " + call), refused);
  EXPECT_EQ(print_only("a_type = \"float16\"\ndef f(*, a_type=\"int8\"):\n  " + call), refused);
  EXPECT_EQ(print_only("a_type = \"float16\"\nfor a_type in x:\n  " + call), refused);
  EXPECT_EQ(print_only("b_type, a_type = f()\n" + call), refused);
  EXPECT_EQ(print_only("a_type = \"float\"\na_type += \"16\"\n" + call), refused);
}

TEST(DescriptorScan, FollowsNamesOfNumbersThatTheSourceGives) {
  const std::string call =
      "T.call_packed(\"runtime.cuTensorMapEncodeTiled\", m, \"float16\", RANK, a, 64, 64, 1, 0, SWIZZLE, 2, 0)\n";
  const std::string read = "tensormap(f16, dim (64), stride (), box (64), step (1), swizzle 128B)";
  EXPECT_EQ(print_only("RANK = 1\nSWIZZLE = 3\n" + call), read);
  EXPECT_EQ(print_only("RANK, SWIZZLE = 1, 3\ndef f():\n  " + call), read);
  EXPECT_EQ(print_only("RANK = 1\ndef f(SWIZZLE):\n  " + call).substr(0, 7), "refused");
  EXPECT_EQ(print_only("SWIZZLE = 3\nRANK = n\n" + call), "refused: the rank is 'RANK'; expected 1 to 5");
}

TEST(DescriptorScan, SaysWhatItDoesNotRead) {
  const auto dump = [](std::string what, const std::string& with) {
    std::string text(kCutlass);
    const std::size_t at = text.find(what);
    return print_only(text.replace(at, text.find('\n', at) - at, with));
  };
  EXPECT_EQ(dump("globalDim", "globalDim      0x7fc24e6b5e40"), "refused: the dump has no 3 numbers for 'dim'");
  EXPECT_EQ(dump("dim   ", "dim            7"), "refused: the dump has no rank of 1 to 5");
  EXPECT_EQ(dump("swizzle", "swizzle        9").substr(0, 7), "refused");
  EXPECT_EQ(dump("swizzle", "swizzle        3 + 1").substr(0, 7), "refused");
  EXPECT_EQ(dump("globalStrides", "globalStrides  (4,2048,2097152,0,0)"),
            "refused: the innermost stride is 4, and elements have 2 bytes");
  EXPECT_EQ(dump("interleave", "smem_box_pixel 64"), "refused: an im2col tensor map, which is not read");
  const std::string call = "call_packed(\"runtime.cuTensorMapEncodeTiled\", m, ";
  EXPECT_EQ(print_only(call + "a_type, 1, a, 64, 64, 1, 0, 0, 2, 0)"),
            "refused: the type is 'a_type', which is no text");
  EXPECT_EQ(print_only(call + "\"float16\", 4, a, *SHAPE, 0, 0, 0, 0)"),
            "refused: '*SHAPE' stands for several arguments");
  EXPECT_EQ(print_only(call + "\"float16\", 2, a, 64"), "refused: a call whose bracket is not closed");
  EXPECT_EQ(print_only(call + "\"float16\", 1, a, 64, 64, 1, 0, SWIZZLE, 2, 0)").substr(0, 7), "refused");
  EXPECT_EQ(print_only(call + "\"float16\", 1, a, 64, 64, 1, 0, 3 if wide else 0, 2, 0)").substr(0, 7), "refused");
  EXPECT_EQ(print_only(call + "\"float32\", 1, a, 64, 64, 1, 0, 0, 2, 0, 11)"),
            "tensormap(tf32, dim (64), stride (), box (64), step (1))");
  EXPECT_EQ(print_only(call + "\"float16\", 1, a, 64, 64, 1, 0, 0, 2, 0, 11)").substr(0, 7), "refused");
  EXPECT_EQ(print_only(call + "\"float32\", 1, a, 64, 64, 1, 0, 0, 2, 0, CODE)").substr(0, 7), "refused");
  EXPECT_EQ(print_only(call + "\"float32\", 1, a, 64, 64, 1, 0, 0, 2, 0, 11, 0)").substr(0, 7), "refused");
  // apache/tvm src/backend/cuda: what registers the function, and a comment, are no calls.
  EXPECT_TRUE(
      descriptors_in({}, ".def_packed(\"runtime.cuTensorMapEncodeTiled\", [](PackedArgs args, Any* ret) {").empty());
  EXPECT_TRUE(descriptors_in({}, "// see \"runtime.cuTensorMapEncodeTiled\", which takes (a, b)").empty());
  EXPECT_TRUE(descriptors_in({}, "f = get_global_func(\"runtime.cuTensorMapEncodeTiled\")\ndim 3\nformat a\n").empty());
}

}  // namespace use_descriptor_scan_test
}  // namespace vl::use
