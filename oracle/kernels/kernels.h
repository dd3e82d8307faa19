// Kernels run the steps of a plan. Each kernel is written once (runs*.inc.h, transpose*.inc.h) and compiled for several
// instruction sets, each in its own translation unit and namespace (set_*.cpp). The best set of this processor is
// chosen at run time. All sets give the same bits. Memory is moved as opaque bytes.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "oracle/plan/plan.h"

namespace vl::oracle {

/// The two memories of a plan and the fill value, repeated to 16 bytes. The fill value's size divides 16 and every
/// filled address, so the bytes at each such address begin with fill[0].
struct Buffers {
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
  alignas(16) std::array<std::byte, 16> fill{};
};

struct KernelSet {
  std::string_view name;  // "portable", "sse2", "avx2", "avx512"
  /// Runs the loops [from, rank) of a step whose outer loops have brought the addresses to `source` and `destination`
  /// (byte offsets into the memories, before swizzles). False if a Compare found a difference.
  bool (*run)(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) = nullptr;
  /// Runs the iterations [first, last) of the outermost loops of the steps of a group (see Group). A step without loops
  /// has one iteration. False if a Compare found a difference.
  /// Requires: last > first; `shared` >= 1 unless count == 1.
  bool (*run_group)(const Step* steps, std::size_t count, std::size_t shared, Index first, Index last,
                    const Buffers& buffers) = nullptr;
  /// Makes non-temporal stores visible to other threads.
  void (*fence)() = nullptr;
};

/// The sets that this processor can run: the portable set first, the best set last.
[[nodiscard]] std::span<const KernelSet> kernel_sets();

}  // namespace vl::oracle
