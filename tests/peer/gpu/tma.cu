// What the Tensor Memory Accelerator of a GPU writes into shared memory, under each of its swizzles. Standard output
// has a line for each tile, BYTES SWIZZLE EXTENTS…, the bytes of an element, those of the swizzle (0: none) and the
// box, the slowest dimension first; the file that is named has the images, one behind the other: a row takes the bytes
// of the swizzle, also if the box is narrower. Byte i of the source is the low byte of i * 2654435761 >> 13, and the
// box begins in the source's corner.
//   nvcc -O3 -arch=sm_90 -o tma tma.cu && ./tma images.bin > tiles.txt
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kMost = 64 * 1024;

void check(int error, const char* what) {
  if (error == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, error);
  std::exit(1);
}

// `bytes` are those of the box, `image` those of the tile in shared memory.
__global__ void load(const __grid_constant__ CUtensorMap map, int rank, int bytes, int image, uint8_t* out) {
  extern __shared__ uint8_t memory[];
  __shared__ alignas(8) uint64_t barrier;
  const uint32_t raw = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
  const uint32_t tile = (raw + 1023) / 1024 * 1024;
  const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(&barrier));
  for (int i = static_cast<int>(threadIdx.x); i < image; i += static_cast<int>(blockDim.x))
    memory[tile - raw + i] = 0xEE;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    if (rank == 2)
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], "
          "[%2];" ::"r"(tile),
          "l"(&map), "r"(at), "r"(0)
          : "memory");
    else
      asm volatile(
          "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3, %3}], "
          "[%2];" ::"r"(tile),
          "l"(&map), "r"(at), "r"(0)
          : "memory");
  }
  for (uint32_t done = 0; done == 0;)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  for (int i = static_cast<int>(threadIdx.x); i < image; i += static_cast<int>(blockDim.x))
    out[i] = memory[tile - raw + i];
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "usage: tma FILE\n"), 1;
  std::FILE* const images = std::fopen(words[1], "wb");
  if (images == nullptr) return std::perror(words[1]), 1;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found),
        "cuTensorMapEncodeTiled");
  const auto encode = reinterpret_cast<Encode>(entry);
  check(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, kMost + 1024), "shared memory");
  std::vector<uint8_t> source(kMost);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i * 2654435761U >> 13);
  uint8_t *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, kMost), "malloc");
  check(cudaMalloc(&to, kMost), "malloc");
  check(cudaMemcpy(from, source.data(), kMost, cudaMemcpyHostToDevice), "memcpy");
  const struct {
    int bytes;
    CUtensorMapDataType type;
  } types[] = {{1, CU_TENSOR_MAP_DATA_TYPE_UINT8},
               {2, CU_TENSOR_MAP_DATA_TYPE_UINT16},
               {4, CU_TENSOR_MAP_DATA_TYPE_UINT32},
               {8, CU_TENSOR_MAP_DATA_TYPE_UINT64}};
  const struct {
    int bytes;
    CUtensorMapSwizzle swizzle;
  } swizzles[] = {{0, CU_TENSOR_MAP_SWIZZLE_NONE},
                  {32, CU_TENSOR_MAP_SWIZZLE_32B},
                  {64, CU_TENSOR_MAP_SWIZZLE_64B},
                  {128, CU_TENSOR_MAP_SWIZZLE_128B}};
  for (const auto& [bytes, type] : types)
    for (const auto& [span, swizzle] : swizzles)
      for (int row = 16; row <= (span == 0 ? 256 : span); row *= 2)
        for (const int outer : {1, 2, 3, 5})
          for (const int rows : {1, 3, 8, 13, 32, 64}) {
            const int total = outer * rows * row, pitched = outer * rows * (row < span ? span : row);
            if (pitched > kMost || row / bytes > 256) continue;
            const cuuint32_t rank = outer == 1 ? 2 : 3;
            const cuuint64_t size[] = {static_cast<cuuint64_t>(row / bytes), static_cast<cuuint64_t>(rows),
                                       static_cast<cuuint64_t>(outer)};
            const cuuint64_t strides[] = {static_cast<cuuint64_t>(row), static_cast<cuuint64_t>(row * rows)};
            const cuuint32_t box[] = {static_cast<cuuint32_t>(row / bytes), static_cast<cuuint32_t>(rows),
                                      static_cast<cuuint32_t>(outer)};
            const cuuint32_t ones[] = {1, 1, 1};
            CUtensorMap map{};
            check(encode(&map, type, rank, from, size, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                  "encode");
            load<<<1, 128, kMost + 1024>>>(map, static_cast<int>(rank), total, pitched, to);
            check(cudaDeviceSynchronize(), "load");
            std::vector<uint8_t> image(static_cast<std::size_t>(pitched));
            check(cudaMemcpy(image.data(), to, image.size(), cudaMemcpyDeviceToHost), "memcpy");
            if (std::fwrite(image.data(), 1, image.size(), images) != image.size()) return std::perror("write"), 1;
            std::printf("%d %d", bytes, span);
            if (rank == 3) std::printf(" %d", outer);
            std::printf(" %d %d\n", rows, row / bytes);
          }
  return std::fclose(images) == 0 ? 0 : 1;
}
