// Axes of TIRx: the named coordinates that strides are bound to, as data.
//
// A thread axis counts `inner` units within one `outer` unit (laneid: threads in a warp). A capacity is what the axis'
// own name fixes on every chip that has it; the number of warps or blocks is the launch's, so those axes have none and
// a declared box (map::Tensor::box) states it. Sources: upstream's registration of axes (python/tvm/tirx/layout.py and
// src/tirx/layout), the seed document's "Explicit hardware axes" and tensor memory sections; Trainium's P and PSUM
// banks.
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

/// The axis' capacity in elements of so many bits; nothing where it has none. TCol of 16 bits: 2048 bytes, 1024
/// elements. F: 512 where the layout also has the axis Bank (a PSUM bank), else none.
[[nodiscard]] std::optional<Index> capacity(Axis axis, int element_bits, bool with_bank);

}  // namespace vl::tirx
