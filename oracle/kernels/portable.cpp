// The portable kernels: plain loops over bytes, what every other set must agree with.
#include <cstring>

#include "oracle/kernels/kernels.h"

namespace vl::oracle {
namespace {

bool run(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) {
  if (from < step.rank) {
    const Loop& loop = step.loops[from];
    for (Index i = 0; i < loop.extent; ++i)
      if (!run(step, from + 1, source + i * loop.source, destination + i * loop.destination, buffers)) return false;
    return true;
  }
  const auto bytes = static_cast<std::size_t>(step.run);
  std::byte* to = buffers.destination + apply(step.destination_swizzle, destination);
  const std::byte* what = buffers.source + apply(step.source_swizzle, source);
  switch (step.kernel) {
    case Kernel::Run:
    case Kernel::Transpose:
    case Kernel::Strided: std::memcpy(to, what, bytes); break;
    case Kernel::Fill:
      for (std::size_t k = 0; k < bytes; ++k) to[k] = buffers.fill[(static_cast<std::size_t>(destination) + k) % 64];
      break;
    case Kernel::Compare: return std::memcmp(to, what, bytes) == 0;
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(step.fill); ++k)
    to[bytes + k] = buffers.fill[(static_cast<std::size_t>(destination) + bytes + k) % 64];
  return true;
}

constexpr std::array<KernelSet, 1> kSets = {KernelSet{"portable", run, [] {}}};

}  // namespace

std::span<const KernelSet> kernel_sets() { return kSets; }

}  // namespace vl::oracle
