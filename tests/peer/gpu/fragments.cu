// What the matrix instructions of a GPU take for the fragments of a matrix: mma.sync, ldmatrix, stmatrix and movmatrix
// of a warp, and wgmma of a warpgroup with operands in registers and in shared memory, under each swizzle.
// Standard input has cases, each of a line "NAME BYTES" and so many bytes, the images of its operands one behind the
// other: registers as [warp][element][lane], shared memory as it lies. Standard output has the result's image, also
// [warp][element][lane], of each case. fragments.py writes the one and reads the other.
//   nvcc -O3 -gencode arch=compute_90a,code=sm_90a -o fragments fragments.cu && ./fragments < cases.bin > results.bin
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kMost = 64 * 1024;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

__device__ int lane() { return static_cast<int>(threadIdx.x % 32); }
__device__ int warp() { return static_cast<int>(threadIdx.x / 32); }

// The 32-bit register number r of this lane, of an image of `elements` a lane, each of `Size` bytes.
template <int Size>
__device__ uint32_t taken(const uint8_t* image, int elements, int r) {
  uint32_t bits = 0;
  for (int i = 0; i < 4 / Size; ++i)
    for (int byte = 0; byte < Size; ++byte)
      bits |= static_cast<uint32_t>(image[((warp() * elements + r * (4 / Size) + i) * 32 + lane()) * Size + byte])
              << (i * Size + byte) * 8;
  return bits;
}

template <int Size>
__device__ void given(uint8_t* image, int elements, int r, uint32_t bits) {
  for (int i = 0; i < 4 / Size; ++i)
    for (int byte = 0; byte < Size; ++byte)
      image[((warp() * elements + r * (4 / Size) + i) * 32 + lane()) * Size + byte] =
          static_cast<uint8_t>(bits >> (i * Size + byte) * 8);
}

__device__ double taken_double(const uint8_t* image, int i) {
  return reinterpret_cast<const double*>(image)[i * 32 + lane()];
}

// mma.sync with 32-bit results, four a lane.
#define MMA_1_1(NAME, INSTRUCTION, SIZE, LETTER, TYPE)                                    \
  __global__ void NAME(const uint8_t* in, uint8_t* out) {                                 \
    const uint32_t a0 = taken<SIZE>(in, 8 / SIZE, 0), a1 = taken<SIZE>(in, 8 / SIZE, 1);  \
    const uint32_t b0 = taken<SIZE>(in + 256, 4 / SIZE, 0);                               \
    TYPE d[4] = {};                                                                       \
    asm volatile(INSTRUCTION " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"              \
                 : "+" LETTER(d[0]), "+" LETTER(d[1]), "+" LETTER(d[2]), "+" LETTER(d[3]) \
                 : "r"(a0), "r"(a1), "r"(b0));                                            \
    for (int i = 0; i < 4; ++i) reinterpret_cast<TYPE*>(out)[i * 32 + lane()] = d[i];     \
  }
#define MMA_4_2(NAME, INSTRUCTION, SIZE, LETTER, TYPE)                                    \
  __global__ void NAME(const uint8_t* in, uint8_t* out) {                                 \
    uint32_t a[4], b[2];                                                                  \
    for (int r = 0; r < 4; ++r) a[r] = taken<SIZE>(in, 16 / SIZE, r);                     \
    for (int r = 0; r < 2; ++r) b[r] = taken<SIZE>(in + 512, 8 / SIZE, r);                \
    TYPE d[4] = {};                                                                       \
    asm volatile(INSTRUCTION " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"     \
                 : "+" LETTER(d[0]), "+" LETTER(d[1]), "+" LETTER(d[2]), "+" LETTER(d[3]) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));     \
    for (int i = 0; i < 4; ++i) reinterpret_cast<TYPE*>(out)[i * 32 + lane()] = d[i];     \
  }
MMA_1_1(m16n8k8_f16, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, "f", float)
MMA_1_1(m16n8k8_bf16, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, "f", float)
MMA_1_1(m16n8k4_tf32, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4, "f", float)
MMA_1_1(m16n8k16_s8, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 1, "r", int)
MMA_4_2(m16n8k16_f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2, "f", float)
MMA_4_2(m16n8k16_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2, "f", float)
MMA_4_2(m16n8k8_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, "f", float)
MMA_4_2(m16n8k32_s8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 1, "r", int)
MMA_4_2(m16n8k32_e4m3, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 1, "f", float)

__global__ void m8n8k4_f64(const uint8_t* in, uint8_t* out) {
  double d[2] = {};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(taken_double(in, 0)), "d"(taken_double(in + 256, 0)));
  for (int i = 0; i < 2; ++i) reinterpret_cast<double*>(out)[i * 32 + lane()] = d[i];
}

__global__ void m16n8k4_f64(const uint8_t* in, uint8_t* out) {
  double d[4] = {};
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
               : "d"(taken_double(in, 0)), "d"(taken_double(in, 1)), "d"(taken_double(in + 512, 0)));
  for (int i = 0; i < 4; ++i) reinterpret_cast<double*>(out)[i * 32 + lane()] = d[i];
}

__global__ void m16n8k8_f64(const uint8_t* in, uint8_t* out) {
  double d[4] = {}, a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = taken_double(in, i);
  for (int i = 0; i < 2; ++i) b[i] = taken_double(in + 1024, i);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
  for (int i = 0; i < 4; ++i) reinterpret_cast<double*>(out)[i * 32 + lane()] = d[i];
}

__global__ void m16n8k16_f64(const uint8_t* in, uint8_t* out) {
  double d[4] = {}, a[8], b[4];
  for (int i = 0; i < 8; ++i) a[i] = taken_double(in, i);
  for (int i = 0; i < 4; ++i) b[i] = taken_double(in + 2048, i);
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
  for (int i = 0; i < 4; ++i) reinterpret_cast<double*>(out)[i * 32 + lane()] = d[i];
}

__device__ uint32_t shared_address(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

// Matrices of 8 x 8, 16 bits, one behind the other in shared memory, to registers.
template <bool Transposed>
__global__ void ldmatrix(const uint8_t* in, uint8_t* out) {
  __shared__ alignas(16) uint8_t memory[512];
  for (int i = lane(); i < 512; i += 32) memory[i] = in[i];
  __syncwarp();
  uint32_t r[4];
  const uint32_t at = shared_address(memory + lane() * 16);
  if constexpr (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
  for (int i = 0; i < 4; ++i) given<2>(out, 8, i, r[i]);
}

// Registers to matrices in shared memory: the result is the memory.
template <bool Transposed>
__global__ void stmatrix(const uint8_t* in, uint8_t* out) {
  __shared__ alignas(16) uint8_t memory[512];
  uint32_t r[4];
  for (int i = 0; i < 4; ++i) r[i] = taken<2>(in, 8, i);
  const uint32_t at = shared_address(memory + lane() * 16);
  if constexpr (Transposed)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0,%1,%2,%3};" ::"r"(r[0]), "r"(r[1]),
                 "r"(r[2]), "r"(r[3]), "r"(at)
                 : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0,%1,%2,%3};" ::"r"(r[0]), "r"(r[1]), "r"(r[2]),
                 "r"(r[3]), "r"(at)
                 : "memory");
  __syncwarp();
  for (int i = lane(); i < 512; i += 32) out[i] = memory[i];
}

__global__ void movmatrix(const uint8_t* in, uint8_t* out) {
  uint32_t d = 0;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(taken<2>(in, 2, 0)));
  given<2>(out, 2, 0, d);
}

// An operand in shared memory: bits 0 to 13 the address, 16 to 29 the leading, 32 to 45 the stride byte offset, each in
// units of 16 bytes, bits 62 and 63 the swizzle (PTX ISA, Matrix Descriptor Format).
__device__ uint64_t descriptor(uint32_t at, int leading, int stride, int swizzle) {
  return static_cast<uint64_t>(at >> 4 & 0x3FFF) | static_cast<uint64_t>(leading >> 4 & 0x3FFF) << 16 |
         static_cast<uint64_t>(stride >> 4 & 0x3FFF) << 32 | static_cast<uint64_t>(swizzle) << 62;
}

struct Operand {
  int bytes;            // of the image in shared memory, 0: in registers
  int at;               // bytes from the image's begin to the part that is multiplied
  int leading, stride;  // in bytes
  int swizzle;          // as in the descriptor: 0 none, 1 of 128, 2 of 64, 3 of 32 bytes
};

enum class Kind { f16, tf32, e4m3, s8, f16_from_registers, f16_a_transposed, f16_b_transposed };

// The predicate p, false, says that the results begin at zero.
#define FIRST "{.reg .pred p; setp.ne.b32 p, 0, 0; "
#define D16 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"
#define REGISTERS(LETTER, d)                                                                                        \
  "+" LETTER(d[0]), "+" LETTER(d[1]), "+" LETTER(d[2]), "+" LETTER(d[3]), "+" LETTER(d[4]), "+" LETTER(d[5]),       \
      "+" LETTER(d[6]), "+" LETTER(d[7]), "+" LETTER(d[8]), "+" LETTER(d[9]), "+" LETTER(d[10]), "+" LETTER(d[11]), \
      "+" LETTER(d[12]), "+" LETTER(d[13]), "+" LETTER(d[14]), "+" LETTER(d[15])

// m64n32: A of `a`, then B of `b` in the input; 16 results a lane.
template <Kind K>
__global__ void wgmma(const uint8_t* in, uint8_t* out, Operand a, Operand b) {
  extern __shared__ uint8_t raw[];
  const uint32_t begin = shared_address(raw);
  uint8_t* const memory = raw + ((begin + 1023) / 1024 * 1024 - begin);
  const int first = a.bytes == 0 ? 4 * 32 * 16 : 0;  // behind the registers' image
  for (int i = static_cast<int>(threadIdx.x); i < a.bytes; i += 128) memory[i] = in[i];
  uint8_t* const second = memory + (a.bytes + 1023) / 1024 * 1024;
  for (int i = static_cast<int>(threadIdx.x); i < b.bytes; i += 128) second[i] = in[first + a.bytes + i];
  uint32_t r[4] = {};
  if (a.bytes == 0)
    for (int i = 0; i < 4; ++i) r[i] = taken<2>(in, 8, i);
  const uint64_t left = descriptor(shared_address(memory) + a.at, a.leading, a.stride, a.swizzle);
  const uint64_t right = descriptor(shared_address(second) + b.at, b.leading, b.stride, b.swizzle);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  float f[16] = {};
  int s[16] = {};
  if constexpr (K == Kind::s8) {
    for (int i = 0; i < 16; ++i) asm volatile("" : "+r"(s[i])::"memory");
  } else {
    for (int i = 0; i < 16; ++i) asm volatile("" : "+f"(f[i])::"memory");
  }
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if constexpr (K == Kind::f16)
    asm volatile(FIRST "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16 ", %16, %17, p, 1, 1, 0, 0;}"
                 : REGISTERS("f", f)
                 : "l"(left), "l"(right));
  if constexpr (K == Kind::f16_a_transposed)
    asm volatile(FIRST "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16 ", %16, %17, p, 1, 1, 1, 0;}"
                 : REGISTERS("f", f)
                 : "l"(left), "l"(right));
  if constexpr (K == Kind::f16_b_transposed)
    asm volatile(FIRST "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16 ", %16, %17, p, 1, 1, 0, 1;}"
                 : REGISTERS("f", f)
                 : "l"(left), "l"(right));
  if constexpr (K == Kind::f16_from_registers)
    asm volatile(FIRST "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D16
                       ", {%16,%17,%18,%19}, %20, p, 1, 1, 0;}"
                 : REGISTERS("f", f)
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(right));
  if constexpr (K == Kind::tf32)
    asm volatile(FIRST "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 " D16 ", %16, %17, p, 1, 1;}"
                 : REGISTERS("f", f)
                 : "l"(left), "l"(right));
  if constexpr (K == Kind::e4m3)
    asm volatile(FIRST "wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3 " D16 ", %16, %17, p, 1, 1;}"
                 : REGISTERS("f", f)
                 : "l"(left), "l"(right));
  if constexpr (K == Kind::s8)
    asm volatile(FIRST "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 " D16 ", %16, %17, p;}"
                 : REGISTERS("r", s)
                 : "l"(left), "l"(right));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 16; ++i) {
    uint8_t* const to = out + ((warp() * 16 + i) * 32 + lane()) * 4;
    if constexpr (K == Kind::s8) *reinterpret_cast<int*>(to) = s[i];
    else *reinterpret_cast<float*>(to) = f[i];
  }
}

struct Warp {
  const char* name;
  void (*kernel)(const uint8_t*, uint8_t*);
  int in, out;  // bytes
};

constexpr Warp kWarps[] = {
    {"m16n8k8.f16", m16n8k8_f16, 384, 512},       {"m16n8k8.bf16", m16n8k8_bf16, 384, 512},
    {"m16n8k4.tf32", m16n8k4_tf32, 384, 512},     {"m16n8k16.s8", m16n8k16_s8, 384, 512},
    {"m16n8k16.f16", m16n8k16_f16, 768, 512},     {"m16n8k16.bf16", m16n8k16_bf16, 768, 512},
    {"m16n8k8.tf32", m16n8k8_tf32, 768, 512},     {"m16n8k32.s8", m16n8k32_s8, 768, 512},
    {"m16n8k32.e4m3", m16n8k32_e4m3, 768, 512},   {"m8n8k4.f64", m8n8k4_f64, 512, 512},
    {"m16n8k4.f64", m16n8k4_f64, 768, 1024},      {"m16n8k8.f64", m16n8k8_f64, 1536, 1024},
    {"m16n8k16.f64", m16n8k16_f64, 3072, 1024},   {"ldmatrix", ldmatrix<false>, 512, 512},
    {"ldmatrix.trans", ldmatrix<true>, 512, 512}, {"stmatrix", stmatrix<false>, 512, 512},
    {"stmatrix.trans", stmatrix<true>, 512, 512}, {"movmatrix", movmatrix, 128, 128},
};

struct Group {
  const char* name;
  void (*kernel)(const uint8_t*, uint8_t*, Operand, Operand);
};

constexpr Group kGroups[] = {
    {"wgmma.f16", wgmma<Kind::f16>},
    {"wgmma.tf32", wgmma<Kind::tf32>},
    {"wgmma.e4m3", wgmma<Kind::e4m3>},
    {"wgmma.s8", wgmma<Kind::s8>},
    {"wgmma.f16.registers", wgmma<Kind::f16_from_registers>},
    {"wgmma.f16.a-transposed", wgmma<Kind::f16_a_transposed>},
    {"wgmma.f16.b-transposed", wgmma<Kind::f16_b_transposed>},
};

}  // namespace

int main() {
  uint8_t *in = nullptr, *out = nullptr;
  check(cudaMalloc(&in, kMost), "malloc");
  check(cudaMalloc(&out, kMost), "malloc");
  for (const Group& group : kGroups)
    check(cudaFuncSetAttribute(group.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kMost + 3072), group.name);
  // NAME BYTES, and of wgmma BYTES AT LEADING STRIDE SWIZZLE of A and of B.
  char line[256];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    char word[64];
    int bytes = 0, used = 0;
    if (std::sscanf(line, "%63s %d%n", word, &bytes, &used) != 2 || bytes < 0 || bytes > kMost)
      return std::fprintf(stderr, "no case: %s", line), 1;
    const std::string name = word;
    Operand a{}, b{};
    const bool grouped = std::sscanf(line + used, "%d %d %d %d %d %d %d %d %d %d", &a.bytes, &a.at, &a.leading,
                                     &a.stride, &a.swizzle, &b.bytes, &b.at, &b.leading, &b.stride, &b.swizzle) == 10;
    std::vector<uint8_t> data(static_cast<std::size_t>(bytes));
    if (std::fread(data.data(), 1, data.size(), stdin) != data.size()) return std::fprintf(stderr, "too short\n"), 1;
    check(cudaMemcpy(in, data.data(), data.size(), cudaMemcpyHostToDevice), "memcpy");
    int size = 0;
    for (const Warp& one : kWarps)
      if (name == one.name && bytes == one.in) {
        one.kernel<<<1, 32>>>(in, out);
        size = one.out;
      }
    for (const Group& one : kGroups)
      if (name == one.name && grouped) {
        one.kernel<<<1, 128, kMost + 3072>>>(in, out, a, b);
        size = 4 * 16 * 32 * 4;
      }
    if (size == 0) return std::fprintf(stderr, "no such case: %s", line), 1;
    check(cudaDeviceSynchronize(), word);
    data.resize(static_cast<std::size_t>(size));
    check(cudaMemcpy(data.data(), out, data.size(), cudaMemcpyDeviceToHost), "memcpy");
    if (std::fwrite(data.data(), 1, data.size(), stdout) != data.size()) return std::perror("write"), 1;
  }
  return 0;
}
