// Memory: where a layout's elements lie in one linear memory, the device's or the host's. A transfer moves between two
// memories; both are judged alike.
#pragma once

#include "encodings/map/layout.h"

namespace vl::use {

/// A memory offset o, in elements, is the slot with row-major number o - base.
struct Memory {
  map::Layout layout;
  Index base = 0;
};

/// The host's memory of a layout's elements: physical (h: span), x lives at host_offset(x) - base, base the lowest host
/// offset. Elements with one offset (an expanded dimension) share it. It has a decode map when the offsets nest: each
/// stride exceeds what the smaller ones reach. A dimension of stride 0 decodes to coordinate 0.
/// Error: Overflow.
/// Example: f16[4,6] with strides (8,1) from 100: span 30, base 100; x = [1,2] lives at 10, offset 110.
[[nodiscard]] Result<Memory> host_memory(const map::Layout& layout);

}  // namespace vl::use
