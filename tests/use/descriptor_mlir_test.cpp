// Descriptors in MLIR and in Triton's Python: as compilers print them, and what is seen and not read.
#include <gtest/gtest.h>

#include "tests/use/seen_descriptors.h"

namespace vl::use {
namespace use_descriptor_mlir_test {

using test::seen;

std::string mlir(std::string_view text) { return seen("a.mlir", text); }

// llvm/llvm-project @46ae5f88 mlir/test/Integration/GPU/CUDA/sm90/gemm_f32_f16_f16_128x128x128.mlir
const std::string kGemm = R"(
!lhsTensorMap = !nvgpu.tensormap.descriptor<tensor = memref<128x64xf16, 3>, swizzle = swizzle_128b, l2promo=none, oob=zero, interleave=none>
func.func @main() {
  %hc64 = arith.constant 64 : index
  %hc128 = arith.constant 128 : index
  %castA = memref.cast %matrixA : memref<128x128xf16> to memref<*xf16>
  // CHECK: nvgpu.tma.create.descriptor %castA box[%hc64, %hc64] : memref<*xf16> -> !lhsTensorMap
  %descA = nvgpu.tma.create.descriptor %castA box[%hc128, %hc64] : memref<*xf16> -> !lhsTensorMap
}
)";
constexpr std::string_view kGemmRead =
    "tensormap(f16, dim (128,128), stride (256), box (64,128), step (1,1), swizzle 128B)";

std::string changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.rfind(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(DescriptorMlir, ReadsTensorMapsOfNvgpu) {
  EXPECT_EQ(mlir(kGemm), kGemmRead);
  EXPECT_EQ(seen({}, kGemm), kGemmRead) << "a paste without a name";
  EXPECT_EQ(seen("issue.md", "```mlir\n" + kGemm + "```\n"), kGemmRead);
  // Dimensions are outermost first in MLIR: 512 rows of 1,024 elements; the strides of rows are 2,048 bytes.
  const std::string rows = changed(kGemm, "memref<128x128xf16>", "memref<512x1024xf16>");
  EXPECT_EQ(
      mlir(changed(rows, "!lhsTensorMap",
                   "<tensor = memref<128x64xf16, 3>, swizzle = swizzle_64b, l2promo = none, oob = nan, interleave "
                   "= none>")),
      "tensormap(f16, dim (1024,512), stride (2048), box (64,128), step (1,1), swizzle 64B, fill nan)");
  EXPECT_EQ(mlir(changed(kGemm, "memref<128x128xf16>", "memref<128x128xf16, strided<[192, 1], offset: ?>>")),
            "tensormap(f16, dim (128,128), stride (384), box (64,128), step (1,1), swizzle 128B)");
}

TEST(DescriptorMlir, SaysWhichPartOfATensorMapIsMissing) {
  EXPECT_EQ(mlir(changed(kGemm, "box[%hc128, %hc64]", "box[%n, %hc64]")),
            "refused: the box '%n, %hc64' is not all constants");
  EXPECT_EQ(mlir(changed(kGemm, "descriptor %castA", "descriptor %other")),
            "refused: the text does not say of which sizes '%other' is");
  EXPECT_EQ(mlir(changed(kGemm, "memref<128x128xf16>", "memref<?x128xf16>")),
            "refused: 'memref<?x128xf16>' has a size that is no number");
  EXPECT_EQ(mlir(changed(kGemm, "memref<128x128xf16>", "memref<128x128xf16, #map>")),
            "refused: 'memref<128x128xf16, #map>' has a layout that is not read");
  EXPECT_EQ(mlir(changed(kGemm, "memref<128x128xf16>", "memref<128x128xf8E4M3FN>")),
            "refused: 'memref<128x128xf8E4M3FN>' has elements that are not known");
  EXPECT_EQ(mlir(changed(kGemm, "!lhsTensorMap", "!other")), "refused: the type of the descriptor is not in the text");
  EXPECT_EQ(mlir(changed(kGemm, "%hc128 = arith.constant 128 : index",
                         "%hc128 = arith.constant 128 : index\n  %hc128 = arith.constant 64 : index")),
            "refused: the box '%hc128, %hc64' is not all constants")
      << "two constants of one name";
  EXPECT_EQ(
      mlir(kGemm + "func.func @g() {\n  %d = nvgpu.tma.create.descriptor %castA box[%hc128, %hc64] : memref<*xf16> "
                   "-> !lhsTensorMap\n}\n"),
      std::string(kGemmRead) + "; refused: the text does not say of which sizes '%castA' is")
      << "names of another function";
  EXPECT_EQ(mlir("%0 = \"nvgpu.tma.create.descriptor\"(%a, %b) : (memref<*xf16>, index) -> !x"),
            "refused: the generic form of the operation, which is not read");
  EXPECT_EQ(mlir("func.func @nvgpu.tma.create.descriptor(%a : i32)\n%s = \"nvgpu.tma.create.descriptor %a\""), "");
}

TEST(DescriptorMlir, ReadsBlocksOfIntel) {
  // intel/intel-xpu-backend-for-triton @e7d0d74c test/TritonGEN/tritongen-2Dblockload-to-llvm.mlir
  EXPECT_EQ(mlir("llvm.func @triton_gen.2Dblockload(%ptr : !llvm.ptr<1>, %base_width : i32, %base_height : i32, "
                 "%base_pitch : i32, %x : i32, %y : i32) {\n"
                 "  %0 = triton_gen.2Dblockload %ptr, %base_width, %base_height, %base_pitch, %x, %y "
                 "{elem_size_in_bits=8, tile_width=32, tile_height=8, v_blocks=1, transpose=false, "
                 "vnni_transform=false, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> "
                 "vector<8xi16>\n"),
            "block2d(load, bits 8, columns 32, rows 8)");
  // As in llvm/llvm-project's integration tests of XeVM.
  const std::string xevm =
      "%base_width = arith.constant 64 : i32 // bytewidth of the block\n"
      "%base_height = arith.constant 8 : i32 // number of rows\n"
      "%base_pitch = llvm.mlir.constant(64 : i32) : i32\n%x = arith.constant 0 : i32\n%y = arith.constant 0 : i32\n"
      "%loaded = xevm.blockload2d %src, %base_width, %base_height, %base_pitch, %x, %y\n"
      "    <{elem_size_in_bits=32 : i32, tile_width=16 : i32, tile_height=8 : i32, v_blocks=1 : i32,\n"
      "      transpose=false, pack_register=false}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>\n";
  EXPECT_EQ(mlir(xevm), "block2d(load, bits 32, columns 16, rows 8, width 64, height 8, pitch 64, x 0, y 0)");
  EXPECT_EQ(mlir(changed(xevm, "pack_register=false", "pack_register=true")),
            "block2d(load, bits 32, columns 16, rows 8, width 64, height 8, pitch 64, x 0, y 0, mode vnni)");
  EXPECT_EQ(mlir("  triton_gen.2Dblockstore %p, %w, %h, %q, %x, %y, %v {elem_size_in_bits=16, tile_width=16, "
                 "tile_height=8, v_blocks=1}"),
            "block2d(store, bits 16, columns 16, rows 8)");
  EXPECT_EQ(mlir(changed(xevm, "tile_width=16 : i32, ", "")), "refused: the attribute 'tile_width' is no number");
  EXPECT_EQ(
      mlir(changed(changed(xevm, "transpose=false", "transpose=true"), "pack_register=false", "pack_register=true")),
      "refused: an operation that transposes and packs");
  EXPECT_EQ(mlir("triton_gen.2Dblockload %p, %w {elem_size_in_bits=8, tile_width=8, tile_height=8, v_blocks=1}"),
            "refused: an operation with fewer than 6 operands");
}

TEST(DescriptorMlir, ReadsTheTensorDataMover) {
  // llvm/llvm-project @52296624 mlir/test/Dialect/AMDGPU/ops.mlir. The unit of padShared is not established.
  EXPECT_EQ(mlir("%descriptor = amdgpu.make_dma_descriptor %base globalSize [128, 64] globalStride [64, 1] sharedSize "
                 "[128, 64] padShared (%c4 every %c64) : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor\n"),
            "tdm(i32, tile (128,64), tensor (128,64), stride (64,1))");
  EXPECT_EQ(mlir("%c64 = arith.constant 64 : index\n%0 = amdgpu.make_dma_descriptor %base\n  globalSize [%n, %c64]\n"
                 "  globalStride [%c64, 1]\n  sharedSize [%c64, %c64]\n  : !amdgpu.tdm_base<f16> -> "
                 "!amdgpu.tdm_descriptor\n"),
            "tdm(f16, tile (64,64), stride (64,1))");
  EXPECT_EQ(mlir("%0 = amdgpu.make_dma_descriptor %base globalSize [1] globalStride [1] sharedSize [%n] : "
                 "!amdgpu.tdm_base<f16>\n"),
            "refused: sharedSize [%n] is not all constants");
  EXPECT_EQ(mlir("%0 = amdgpu.make_dma_descriptor %base globalSize [1]\n%1 = x.y sharedSize [1] : tdm_base<f16>\n"),
            "refused: the type of the elements is not known")
      << "the next operation's words";
}

TEST(DescriptorMlir, ReadsBufferDescriptors) {
  // Xilinx/mlir-aie#3548, in the newest spelling; the older two after it.
  EXPECT_EQ(mlir("  aie.dma_bd(%buf : memref<64xi16> offset = 0 len = 32 sizes = [8, 4] strides = [4, 3])\n"),
            "dmabd(i16, size (8,4), stride (4,3), length 16)");
  EXPECT_EQ(mlir("  aie.dma_bd(%b : memref<256xi32>, 0, 256, [<size = 16, stride = 1>, <size = 16, stride = 16>])\n"),
            "dmabd(i32, size (16,16), stride (1,16), length 256)");
  EXPECT_EQ(mlir("  AIE.dma_bd(%of0_buff_0 : memref<256xi32>, 0, 256, [<wrap = 16, step = 1>, <wrap = 16, step = 16>, "
                 "<wrap = 1, step = 1>])\n"),
            "dmabd(i32, size (16,16,1), stride (1,16,1), length 256)");
  // Xilinx/mlir-aie#2308; of three strides the innermost one is 1.
  EXPECT_EQ(mlir("  aiex.npu.dma_memcpy_nd(%0[0,0,0,0][2,2,32,32][32,0,64,1]) {id = 0 : i64} : memref<4096xi32>\n"),
            "dmabd(i32, size (2,2,32,32), stride (32,0,64,1), length 4096)");
  EXPECT_EQ(mlir("%c4 = arith.constant 4 : i64\n%c8 = arith.constant 8 : i64\n"
                 "  aiex.npu.dma_memcpy_nd(0, 0, %0[%c4, 0, 0, 0] [%c4, 2, 4, %c8] [%c8, 64, 16]) {id = 0 : i64} : "
                 "(i32, memref<8192xi32>, i64) -> ()\n"),
            "dmabd(i32, size (4,2,4,8), stride (8,64,16,1), length 256)");
}

TEST(DescriptorMlir, LeavesTransfersWithoutGaps) {
  const std::string why = "refused: a transfer without gaps, whose sizes are no fields of the hardware";
  EXPECT_EQ(mlir("  aie.dma_bd(%b : memref<256xi32>, 0, 256) {bd_id = 0 : i32}\n"), why);
  EXPECT_EQ(mlir("  aie.dma_bd(%b : memref<256xi32> offset = 0 len = 8)\n"), why);
  EXPECT_EQ(mlir("  aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16000][0, 0, 0, 1])\n    {id = 0 : i64} : "
                 "memref<16000xi32>\n"),
            why);
  EXPECT_EQ(mlir("  aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][2, 1, 1, 8][0, 0, 0, 1]) : memref<8xi32>\n"), why)
      << "repeated";
  EXPECT_EQ(mlir("  aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, %n, 8][0, 0, 16, 1]) : memref<8xi32>\n"),
            "refused: sizes or strides that are not all constants");
  EXPECT_EQ(mlir("  aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 4, 8][0, 0, 16, 1])\n  x.y %a : memref<8xi32>\n"),
            "refused: the type of the buffer is not in the text");
  EXPECT_EQ(mlir("  aie.dma_bd(%b : !t, 0, 4, [<size = 2, stride = 3>, <size = 2, stride = 1>])\n"),
            "refused: '!t' is no memref");
}

TEST(DescriptorTriton, IsFoundAndNotRead) {
  const std::string why =
      "states no element type; its compiler chooses the box and the swizzle (state them as a tensormap(…))";
  EXPECT_EQ(seen("a.py",
                 "a_desc = tl.make_tensor_descriptor(\n  a_ptr, shape=[M, K], strides=[K, 1],\n"
                 "  block_shape=[BLOCK_M, BLOCK_K])\n"),
            "refused: Triton's make_tensor_descriptor " + why);
  EXPECT_EQ(seen("a.py", "d = TensorDescriptor(a, shape=[M, K], strides=[K, 1], block_shape=[1, 1])\n"),
            "refused: Triton's TensorDescriptor " + why);
  // triton-lang/triton#10931
  EXPECT_EQ(seen("a.py", "TensorDescriptor.from_tensor(out[:, :N], [32, 128])\n"),
            "refused: Triton's TensorDescriptor.from_tensor states no element type, no sizes and no strides; its "
            "compiler chooses the box and the swizzle (state them as a tensormap(…))");
  EXPECT_EQ(seen("a.py",
                 "class TensorDescriptor(Base):\n  pass\nx = TensorDescriptor()\n# TensorDescriptor(a, b, c, d)\n"
                 "def make_tensor_descriptor(a, b, c, d): pass\n"),
            "");
}

}  // namespace use_descriptor_mlir_test
}  // namespace vl::use
