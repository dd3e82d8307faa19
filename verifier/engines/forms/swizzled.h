// Where a swizzle at the end of a map sends addresses out of [0, extent), and which addresses stay.
//
// A Down swizzle writes bits [base, base+bits) and so permutes within aligned blocks of 2^(base+bits); an Up swizzle
// writes bits [base+shift, base+shift+bits), blocks of 2^(base+shift+bits). Whole blocks below the extent stay below
// it, blocks above it stay above. Only in the block that the extent cuts does it matter where an address goes, and
// there a chunk of 2^base addresses goes to a chunk of the block, in order: of each chunk an interval stays, the rest
// leaves. Example: (base 0, bits 1, shift 1, Down), extent 3: blocks of 2, the block {2, 3} is cut; 2 -> 3 leaves, 3 ->
// 2 stays. Without this a layout's span before the swizzle would pass for the box that it needs
// (004_aaf373591abbdff6.txt).
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/map.h"

namespace vl::engines {

/// Addresses of [0, most] by where the swizzle sends them, as disjoint ascending intervals.
struct Sides {
  std::vector<map::Range> stay;
  std::vector<map::Range> leave;
};

/// Requires: most >= 0. Nothing when the block that the extent cuts has more than 4096 chunks.
[[nodiscard]] std::optional<Sides> sides_of(const map::Swizzle& swizzle, Index extent, Index most);

/// The period of apply(swizzle, a) - a in a: 2^(base+bits+shift).
[[nodiscard]] Index period_of(const map::Swizzle& swizzle);

/// The addresses a of [0, period) with apply(a + shift) - apply(a) != shift, the swizzle's reading of a buffer that
/// starts at `shift` against its reading of the buffer's own addresses. Requires: 0 <= shift < period. Nothing beyond
/// 4096 chunks.
[[nodiscard]] std::optional<std::vector<map::Range>> moved_by(const map::Swizzle& swizzle, Index shift);

}  // namespace vl::engines
