// Tiles: what loads and stores of tensor maps do to bytes (encodings/use/tile_moves.h), one element after the other. It
// is the definition for device code: fills, bytes that a box leaves as they are, and the clip of a store included.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "encodings/use/tile_moves.h"

namespace vl::oracle {

/// The bytes of memory that the transfers need, from address 0: of the shared memory, and of the tensor's, from its
/// map's address on.
struct TileBytes {
  Index shared = 0;
  Index tensor = 0;
};

/// Example: load tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B) at (64,32) to 1024 needs
/// 1024 + 8192 bytes of shared memory, and reads up to byte 95·512 + 256 of the tensor's.
/// Errors: Value for tiles of which something is not known; Overflow.
[[nodiscard]] Result<TileBytes> bytes_of_tiles(const use::TileMoves& tiles);

/// Moves the bytes of all boxes, in the order of the transfers: loads from the tensor's memory to the shared memory,
/// stores back. Errors: those of bytes_of_tiles; Value for memories that are shorter than that, for a fill of NaN,
/// whose bits are in no document, and for more than 2^28 elements.
[[nodiscard]] std::optional<Error> run_tiles(const use::TileMoves& tiles, std::span<const std::byte> from,
                                             std::span<std::byte> to);

}  // namespace vl::oracle
