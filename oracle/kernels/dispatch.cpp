// The kernel sets that this processor can run. Only this file names the sets; set.inc.h has their contents.
#include "oracle/kernels/kernels.h"

namespace vl::oracle {

#define VL_KERNEL_SET(name)                                                                                \
  namespace set_##name {                                                                                   \
    bool run(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers); \
    bool run_group(const Step* steps, std::size_t count, std::size_t shared, Index first, Index last,      \
                   const Buffers& buffers);                                                                \
    void fence();                                                                                          \
  }
VL_KERNEL_SET(portable)
#ifdef __x86_64__
VL_KERNEL_SET(sse2)
VL_KERNEL_SET(avx2)
VL_KERNEL_SET(avx512)
#endif
#undef VL_KERNEL_SET

namespace {

struct Sets {
  std::array<KernelSet, 4> sets{};
  std::size_t count = 0;

  Sets() {
    add({"portable", set_portable::run, set_portable::run_group, set_portable::fence});
#ifdef __x86_64__
    add({"sse2", set_sse2::run, set_sse2::run_group, set_sse2::fence});  // every x86-64 has it
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
      add({"avx2", set_avx2::run, set_avx2::run_group, set_avx2::fence});
    if (count == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi"))
      add({"avx512", set_avx512::run, set_avx512::run_group, set_avx512::fence});
#endif
  }
  void add(const KernelSet& set) { sets[count++] = set; }
};

}  // namespace

std::span<const KernelSet> kernel_sets() {
  static const Sets sets;
  return {sets.sets.data(), sets.count};
}

}  // namespace vl::oracle
