// Axes of TIRx: the named coordinates to which strides belong, as data.
//
// A thread axis counts `inner` units within one `outer` unit (laneid: threads in a warp). A capacity is the size that
// an axis' name fixes on every chip with that axis. The launch decides the numbers of warps and blocks, so those axes
// have no capacity; a declared box (map::Tensor::box) states it. Sources: upstream's registration of axes
// (python/tvm/tirx/layout.py and src/tirx/layout), the seed document's "Explicit hardware axes" and tensor memory
// sections; Trainium's P and PSUM banks.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "encodings/base/integer.h"

namespace vl::tirx {

enum class Axis { Bx, By, Bz, Cbx, Cby, Cbz, Tx, Warpid, Laneid, Wgid, TidInWg, WidInWg, M, P, F, Bank, TCol, TLane };

/// Levels of the thread hierarchy, outermost first. None: a memory axis.
enum class Scope { None, Kernel, Cluster, Cta, Warpgroup, Warp, Thread };

struct AxisInfo {
  Axis axis;
  std::string_view name;
  Scope outer = Scope::None;
  Scope inner = Scope::None;
  Index capacity = 0;        // in steps; 0: none
  Index capacity_bytes = 0;  // in bytes of the tensor's elements; 0: none
};

[[nodiscard]] std::span<const AxisInfo> axes();
[[nodiscard]] const AxisInfo& info(Axis axis);
[[nodiscard]] std::optional<Axis> axis_of(std::string_view name);
[[nodiscard]] bool is_thread(Axis axis);

/// The axis' capacity in elements of that many bits; nothing if it has none. TCol of 16 bits: 2048 bytes, 1024
/// elements. F: 512 if the layout also has the axis Bank (a PSUM bank), else none.
[[nodiscard]] std::optional<Index> capacity(Axis axis, int element_bits, bool with_bank);

}  // namespace vl::tirx
