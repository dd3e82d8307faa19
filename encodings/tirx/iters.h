// Iters: functions that the operations on layouts and their laws share. Internal to operations*.cpp and law*.cpp.
#pragma once

#include <span>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {

[[nodiscard]] Error refusal(std::string message);
[[nodiscard]] Error too_large(std::string_view what);
/// "8:4@laneid".
[[nodiscard]] std::string show(const Iter& iter);
/// "[8, 16]".
[[nodiscard]] std::string show(std::span<const Index> shape);

/// The same set-valued map with unit iters and zero offsets dropped, contiguous iters of the shard merged, offsets and
/// replicas in order. A shard with only unit iters becomes 1:1 on its first axis.
[[nodiscard]] TileLayout simplified(TileLayout tile);

/// Adds to the offset of an axis. False if it leaves 64 bits.
[[nodiscard]] bool add_offset(TileLayout& tile, Axis axis, Index value);

/// 1 + the largest less the smallest coordinate of D + R on an axis; 1 if the tile has none. Error: Overflow.
[[nodiscard]] Result<Index> width_on(const TileLayout& tile, Axis axis);

/// The layout's tile; for a swizzle alone, the identity over the shape. Errors: Value (an extent below 1), Overflow.
[[nodiscard]] Result<TileLayout> tile_of(const Layout& layout, std::span<const Index> shape);

/// The layout with that tile. Error: Value if a swizzle then applies to an axis other than m, or to addresses below 0.
[[nodiscard]] Result<Layout> with_tile(const Layout& layout, TileLayout tile);

}  // namespace vl::tirx
