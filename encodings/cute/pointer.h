// The address of a pointer in front of a layout, smem_ptr[16b](0x7c00): a swizzle acts on it, too.
#pragma once

#include <string_view>

#include "encodings/cute/cute.h"

namespace vl::cute {

/// How many of the lowest bits of a number a swizzle reads or writes: bits + base + |shift|. Sw<3,4,3>: 10.
[[nodiscard]] int reach_of(const Swizzle& swizzle);

/// Whether the address moves nothing: "unset", or a number in hex whose lowest bits are 0. "0x7c00" of 10 bits is one.
/// Requires: 0 <= bits < 64.
[[nodiscard]] bool is_aligned_address(std::string_view address, int bits);

}  // namespace vl::cute
