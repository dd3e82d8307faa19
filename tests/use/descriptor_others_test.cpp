// Descriptors of other hardware in sources and logs: 2-D blocks of SPIR-V, DataCopyPad of Ascend C, access patterns of
// NKI, and matrix descriptors of CUDA, which are found and not read.
#include <gtest/gtest.h>

#include "tests/use/seen_descriptors.h"

namespace vl::use {
namespace use_descriptor_others_test {

using test::seen;

TEST(DescriptorOthers, ReadsBlocksOfSpirv) {
  // intel/intel-xpu-backend-for-triton#8154: 4 bytes, 16 columns, 2 rows, 1 block.
  EXPECT_EQ(seen("a.cpp", "__spirv_Subgroup2DBlockLoadINTEL(4, 16, 2, 1, base, 52, 7, 52, coord, dst);"),
            "block2d(load, bits 32, columns 16, rows 2, width 52, height 7, pitch 52)");
  // intel/cutlass-sycl include/cute/arch/copy_xe_legacy_U16.hpp
  EXPECT_EQ(seen("a.hpp",
                 "static void copy(const void *baseoffset, int width) {\n"
                 "  __spirv_Subgroup2DBlockLoadTransformINTEL(2, 16, 32, 1, baseoffset, width, height, pitch, "
                 "coord, (void*)dst);\n}"),
            "block2d(load, bits 16, columns 16, rows 32, width width, height height, pitch pitch, mode vnni)");
  EXPECT_EQ(seen("a.cpp", "__spirv_Subgroup2DBlockLoadTransposeINTEL(4, 8, 16, 1, base, w, h, p.x, coord, dst);"),
            "block2d(load, bits 32, columns 8, rows 16, width w, height h, mode transpose)");
  EXPECT_EQ(seen("a.cpp", "__spirv_Subgroup2DBlockStoreINTEL(4, 16, 8, 1, src, base, 64, 7, 128, coord);"),
            "block2d(store, bits 32, columns 16, rows 8, width 64, height 7, pitch 128)");
  EXPECT_EQ(
      seen("a.cpp", "__spirv_Subgroup2DBlockPrefetchINTEL(1, 32, 8, N::v, base, 64, 8, 64, coord);").substr(0, 16),
      "refused: blocks:");
  EXPECT_EQ(seen("a.cpp", "__spirv_Subgroup2DBlockLoadINTEL(4, 16, 2);"), "refused: a call with 3 arguments");
  EXPECT_EQ(seen("a.cpp", "__spirv_Subgroup2DBlockLoadINTEL(4, 16"), "refused: a call whose bracket is not closed");
  EXPECT_EQ(seen("a.cpp", "__spirv_Subgroup2DBlockOtherINTEL(4, 16);"),
            "refused: '__spirv_Subgroup2DBlockOtherINTEL' is not read");
  EXPECT_EQ(seen("a.hpp", "void __spirv_Subgroup2DBlockLoadINTEL(\n  int element_size, int block_width);"), "");
}

TEST(DescriptorOthers, ReadsDataCopyPad) {
  // As Ascend's samples write it: one block of n floats into the buffer, and 16 blocks of 4 bytes out of it.
  EXPECT_EQ(seen("a.cpp",
                 "DataCopyExtParams copyParams{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};\n"
                 "DataCopyPadExtParams<float> padParams{false, 0, 0, 0};\n"
                 "DataCopyPad(local, global[offset], copyParams, padParams);\n"),
            "datacopypad(load, count 1, length 4*n)");
  EXPECT_EQ(seen("a.cpp", "AscendC::DataCopyPad(out, local, {16, 4, 0, 0, 0});\n"),
            "datacopypad(store, count 16, length 4)");
  EXPECT_EQ(seen("a.cpp", "DataCopyPad<T, MODE>(out, local, DataCopyExtParams{2, 32, 1, 8, 0});\n"),
            "datacopypad(store, count 2, length 32, source_gap 1, target_gap 8)");
  EXPECT_EQ(seen("a.cpp", "DataCopyExtParams p;\np.blockCount = 3;\nDataCopyPad(a, b, p);\n"),
            "refused: 'p' is declared without a value, or by what is not read");
  EXPECT_EQ(seen("a.cpp", "DataCopyExtParams p{1, 1, 0, 0, 0};\np.blockLen = n;\nDataCopyPad(a, b, p);\n"),
            "refused: 'p' is bound twice, or may be changed before the call");
  EXPECT_EQ(seen("a.cpp", "DataCopyPad(a, b);\n"), "refused: a call with 2 arguments; expected 3 or 4");
  EXPECT_EQ(seen("a.cpp", "inline void DataCopyPad(const LocalTensor<T>& a, const GlobalTensor<T>& b, P p);\n"), "");
}

// aws-neuron/aws-neuron-sdk nki/deep-dives/nki-aps.rst, "A Concrete Example".
constexpr std::string_view kNki =
    "t = nl.ndarray((16, 16), dtype=nl.float32, buffer=nl.sbuf)\naccess = t.ap(pattern=[[16, 16], [1, 8]], offset=8)\n";

std::string nki(std::string_view from, std::string_view to) {
  std::string text(kNki);
  return seen("a.py", text.replace(text.find(from), from.size(), to));
}

TEST(DescriptorOthers, ReadsAccessPatterns) {
  EXPECT_EQ(seen("a.py", kNki), "nki(tensor (16,16), step (16,1), count (16,8), offset 8)");
  EXPECT_EQ(nki("access", "nisa.memset(t, 0)\nu"), "nki(tensor (16,16), step (16,1), count (16,8), offset 8)")
      << "its content does not matter";
  EXPECT_EQ(nki(", offset=8", ""), "nki(tensor (16,16), step (16,1), count (16,8))");
  EXPECT_EQ(nki("[1, 8]", "[1, n // 2]"), "nki(tensor (16,16), step (16,1), count (16,(n//2)), offset 8)");
  EXPECT_EQ(nki("offset=8", "offset=8, vector_offset=i"), "refused: an indirect access pattern, which is not read");
  EXPECT_EQ(nki("buffer=nl.sbuf", "buffer=nl.shared_hbm"),
            "refused: 't' is not said to lie in sbuf or psum, where a pattern has partitions");
  EXPECT_EQ(nki("t = ", "u = "), "refused: of which shape 't' is: the text gives 't' no value");
  EXPECT_EQ(nki("access", "t = f()\na"),
            "refused: of which shape 't' is: 't' is bound twice, or may be changed before the call");
  EXPECT_EQ(nki("nl.ndarray(", "make("), "refused: the text does not say of which shape 't' is");
  EXPECT_EQ(seen("a.py", "x.ap(3)\n# t.ap(pattern=[[1, 2]])\n"), "");
}

// aws-neuron/aws-neuron-sdk#600
constexpr std::string_view kNeuron = R"(
2022-11-22T15:27:23.003+00:00	Argument AP:

2022-11-22T15:27:23.004+00:00	Access Pattern: [[406,36],[1,1],[1,203]]

2022-11-22T15:27:23.004+00:00	Offset: 19488

2022-11-22T15:27:23.004+00:00	Memory Location: {Conv2d_16/aten__convolution/Conv2D-t2960_i0}@SB<0,0>(84x1624)#Internal DebugInfo: <Conv2d_16/aten__convolution/Conv2D||float32||UNDEF||[84, 406, 1]>
)";

std::string neuron(std::string_view from, std::string_view to) {
  std::string text(kNeuron);
  return seen("a.log", text.replace(text.find(from), from.size(), to));
}

TEST(DescriptorOthers, ReadsDumpsOfAccessPatterns) {
  EXPECT_EQ(seen("a.log", kNeuron), "nki(tensor (84,406,1), step (406,1,1), count (36,1,203), offset 19488)");
  EXPECT_EQ(neuron("@SB<", "@DRAM<"), "refused: a memory location that is not @SB, where a pattern has partitions");
  EXPECT_EQ(neuron("Offset", "Start"), "refused: a dump without an offset or a memory location");
  EXPECT_EQ(neuron("Offset: 19488", "Offset: n"), "refused: an offset or a shape that is no number");
  EXPECT_EQ(neuron("[406,36]", "[406,n]"), "refused: an access pattern that is no list of pairs");
}

TEST(DescriptorOthers, FindsMatrixDescriptors) {
  // NVIDIA/cutlass include/cute/arch/mma_sm90_desc.hpp, print
  EXPECT_EQ(seen("a.log", "GmmaDescriptor: 0x4000004000010040\n  start_addr :  0x0040\n"),
            "refused: a matrix descriptor without the operand's type and major; its bits are a layout: "
            "wgmma:0x4000004000010040");
  // mlc-ai/tirx-kernels @f495258b tirx_kernels/gemm_comm/allgather_gemm.py
  EXPECT_EQ(seen("a.py",
                 "T.cuda.tcgen05.encode_matrix_descriptor(T.address_of(d), p, ldo=1, sdo=64, swizzle=3)\n"
                 "def encode_matrix_descriptor(desc, addr, ldo, sdo, swizzle):\n  pass\n"),
            "refused: a matrix descriptor whose call states neither the operand's type and major nor its address "
            "(state it as a smemdesc(…))");
}

}  // namespace use_descriptor_others_test
}  // namespace vl::use
