// Kernels: what runs the steps of a plan. Each kernel is written once (runs*.inc.h, transpose*.inc.h) and compiled for
// several instruction sets, each in a translation unit and a namespace of its own (set_*.cpp); the best one that this
// processor has is chosen at run time, and all give the same bits. Memory is moved as opaque bytes.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "oracle/plan/plan.h"

namespace vl::oracle {

/// The two memories of a plan and the fill value, repeated to 16 bytes. Its size divides 16 and every address that is
/// filled, so what is written from any such address on begins with fill[0].
struct Buffers {
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
  alignas(16) std::array<std::byte, 16> fill{};
};

struct KernelSet {
  std::string_view name;  // "portable", "sse2", "avx2", "avx512"
  /// Runs the loops [from, rank) of a step whose outer loops have brought the addresses to `source` and `destination`
  /// (byte offsets into the memories, before swizzles). False when a Compare found a difference.
  bool (*run)(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) = nullptr;
  /// Runs the steps of a group (see Group), of their outermost loops the iterations [first, last). A step without loops
  /// has one iteration. False when a Compare found a difference.
  /// Requires: last > first; `shared` >= 1 unless count == 1.
  bool (*run_group)(const Step* steps, std::size_t count, std::size_t shared, Index first, Index last,
                    const Buffers& buffers) = nullptr;
  /// Makes non-temporal stores visible to other threads.
  void (*fence)() = nullptr;
};

/// Every set that this processor can run, the portable one first, the best one last.
[[nodiscard]] std::span<const KernelSet> kernel_sets();

}  // namespace vl::oracle
