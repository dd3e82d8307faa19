// Memory: the places of a layout's elements in one linear memory, the device's or the host's. A transfer moves elements
// between two memories, which are judged in the same way.
#pragma once

#include "encodings/map/layout.h"

namespace vl::use {

/// A memory offset o, in elements, is the slot with row-major number o - base.
struct Memory {
  map::Layout layout;
  Index base = 0;
};

/// The host's memory of a layout's elements: physical (h: span), where x lives at host_offset(x) - base, and base is
/// the lowest host offset. Elements with the same offset (an expanded dimension) share their place. It has a decode map
/// if the offsets nest: each stride exceeds the reach of the smaller ones. A dimension of stride 0 decodes to
/// coordinate 0. Error: Overflow. Example: f16[4,6] with strides (8,1) from 100: span 30, base 100; x = [1,2] lives at
/// 10, offset 110.
[[nodiscard]] Result<Memory> host_memory(const map::Layout& layout);
/// The same of a box of any points, x at the offset row(x).
[[nodiscard]] Result<Memory> memory_along(const map::Space& box, map::Row row);

}  // namespace vl::use
