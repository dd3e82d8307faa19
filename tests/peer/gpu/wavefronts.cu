// What accesses to shared memory cost on the GPU itself. Standard input has one access a line:
//   OP MASK ADDRESS×32       OP: ld1 … ld16, st1 … st16 (bytes a lane), ldmatrix.x1 .x2 .x4, stmatrix.x1 .x2 .x4
// with the mask of active lanes in hexadecimal and each lane's first byte. Two kernels run each line: `counted` has one
// warp that makes the access 64 times, for the counters of Nsight Compute, which see one launch of it a line; `timed`
// has 32 warps that make it 512 times, and a line of standard output says how many cycles of the multiprocessor one
// access took. A wavefront takes one cycle; returning data takes one cycle per 128 bytes, so that time is an upper
// bound.
//   nvcc -O3 -arch=sm_90 -o wavefronts wavefronts.cu
//   README.md has the call of ncu
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kMemory = 96 * 1024;  // bytes of shared memory
constexpr int kCounted = 64;        // accesses of the counted warp
constexpr int kTimed = 512;         // accesses of each timed warp
constexpr int kWarps = 32;

enum class Op { Ld1, Ld2, Ld4, Ld8, Ld16, St1, St2, St4, St8, St16, Lm1, Lm2, Lm4, Sm1, Sm2, Sm4 };
constexpr const char* kNames[] = {
    "ld1", "ld2",  "ld4",         "ld8",         "ld16",        "st1",         "st2",         "st4",
    "st8", "st16", "ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "stmatrix.x1", "stmatrix.x2", "stmatrix.x4"};

struct Access {
  uint32_t mask;
  uint32_t address[32];
};

template <Op op>
__device__ __forceinline__ uint32_t once(uint32_t at) {
  uint32_t a = at, b = 0, c = 0, d = 0;
#define VL_ASM(text, ...) asm volatile(text __VA_ARGS__ : "memory")
  if constexpr (op == Op::Ld1) VL_ASM("ld.shared.u8 %0, [%1];", : "=r"(a) : "r"(at));
  if constexpr (op == Op::Ld2) VL_ASM("{.reg .u16 h; ld.shared.u16 h, [%1]; cvt.u32.u16 %0, h;}", : "=r"(a) : "r"(at));
  if constexpr (op == Op::Ld4) VL_ASM("ld.shared.u32 %0, [%1];", : "=r"(a) : "r"(at));
  if constexpr (op == Op::Ld8) VL_ASM("ld.shared.v2.u32 {%0,%1}, [%2];", : "=r"(a), "=r"(b) : "r"(at));
  if constexpr (op == Op::Ld16)
    VL_ASM("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];", : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  if constexpr (op == Op::St1) VL_ASM("st.shared.u8 [%0], %1;", ::"r"(at), "r"(a));
  if constexpr (op == Op::St2) VL_ASM("{.reg .u16 h; cvt.u16.u32 h, %1; st.shared.u16 [%0], h;}", ::"r"(at), "r"(a));
  if constexpr (op == Op::St4) VL_ASM("st.shared.u32 [%0], %1;", ::"r"(at), "r"(a));
  if constexpr (op == Op::St8) VL_ASM("st.shared.v2.u32 [%0], {%1,%2};", ::"r"(at), "r"(a), "r"(b));
  if constexpr (op == Op::St16)
    VL_ASM("st.shared.v4.u32 [%0], {%1,%2,%3,%4};", ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d));
  if constexpr (op == Op::Lm1) VL_ASM("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];", : "=r"(a) : "r"(at));
  if constexpr (op == Op::Lm2)
    VL_ASM("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];", : "=r"(a), "=r"(b) : "r"(at));
  if constexpr (op == Op::Lm4)
    VL_ASM("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];",
           : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
           : "r"(at));
  if constexpr (op == Op::Sm1) VL_ASM("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};", ::"r"(at), "r"(a));
  if constexpr (op == Op::Sm2)
    VL_ASM("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};", ::"r"(at), "r"(a), "r"(b));
  if constexpr (op == Op::Sm4)
    VL_ASM("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};", ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d));
#undef VL_ASM
  return a ^ b ^ c ^ d;
}

/// `zero` is 0, which the compiler does not know: equal accesses would be made once.
template <Op op>
__device__ __forceinline__ uint32_t repeated(uint32_t at, int times, uint32_t zero) {
  uint32_t sum = 0;
  for (int i = 0; i < times; i += 8) {
    uint32_t got[8];
#pragma unroll
    for (uint32_t& one : got) one = once<op>(at += zero);
#pragma unroll
    for (const uint32_t one : got) sum ^= one;
  }
  return sum;
}

template <Op op>
__global__ void counted(Access access, uint32_t zero, uint32_t* result) {
  extern __shared__ uint32_t memory[];
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
  const int lane = static_cast<int>(threadIdx.x);
  if ((access.mask >> lane & 1) != 0) result[lane] = repeated<op>(base + access.address[lane], kCounted, zero);
}

template <Op op>
__global__ void timed(Access access, uint32_t zero, uint32_t* result, long long* cycles) {
  extern __shared__ uint32_t memory[];
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const uint32_t at = base + access.address[lane];
  uint32_t got = 0;
  __syncthreads();
  const long long begin = clock64();
  if ((access.mask >> lane & 1) != 0) got = repeated<op>(at, kTimed, zero);
  __syncthreads();
  const long long end = clock64();
  result[threadIdx.x] = got;
  if (threadIdx.x == 0) *cycles = end - begin;
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

uint32_t* result = nullptr;
long long* cycles = nullptr;

template <Op op>
double run(const Access& access) {
  static const bool set = [] {
    check(cudaFuncSetAttribute(counted<op>, cudaFuncAttributeMaxDynamicSharedMemorySize, kMemory), "counted");
    check(cudaFuncSetAttribute(timed<op>, cudaFuncAttributeMaxDynamicSharedMemorySize, kMemory), "timed");
    return true;
  }();
  (void)set;
  counted<op><<<1, 32, kMemory>>>(access, 0, result);
  long long best = 0;
  for (int time = 0; time < 3; ++time) {  // the first one fills the instruction cache
    timed<op><<<1, 32 * kWarps, kMemory>>>(access, 0, result, cycles);
    check(cudaDeviceSynchronize(), "launch");
    if (time == 0 || *cycles < best) best = *cycles;
  }
  return static_cast<double>(best) / (kTimed * kWarps);
}

using Run = double (*)(const Access&);
constexpr Run kRuns[] = {run<Op::Ld1>, run<Op::Ld2>, run<Op::Ld4>, run<Op::Ld8>,  run<Op::Ld16>, run<Op::St1>,
                         run<Op::St2>, run<Op::St4>, run<Op::St8>, run<Op::St16>, run<Op::Lm1>,  run<Op::Lm2>,
                         run<Op::Lm4>, run<Op::Sm1>, run<Op::Sm2>, run<Op::Sm4>};

}  // namespace

int main() {
  check(cudaMalloc(&result, 32 * kWarps * sizeof(uint32_t)), "malloc");
  check(cudaMallocHost(&cycles, sizeof(long long)), "malloc");
  char op[32];
  for (Access access; std::scanf("%31s %x", op, &access.mask) == 2;) {
    for (uint32_t& one : access.address)
      if (std::scanf("%u", &one) != 1 || one > kMemory - 16) return std::fprintf(stderr, "bad address\n"), 1;
    int which = 0;
    while (which < 16 && std::strcmp(kNames[which], op) != 0) ++which;
    if (which == 16) return std::fprintf(stderr, "no operation %s\n", op), 1;
    std::printf("%.4f\n", kRuns[which](access));
  }
}
