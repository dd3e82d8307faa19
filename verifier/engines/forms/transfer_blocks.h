// Places of boxes of moves and of elements, as pieces and as blocks of progressions in one digit system: the parts of
// the strided engine's questions (transfer_strided.cpp). Nothing stands for an overflow, or for too many pieces.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "encodings/map/pieces.h"
#include "encodings/use/memory.h"
#include "encodings/use/transfer.h"
#include "verifier/engines/forms/bisect.h"
#include "verifier/engines/forms/progressions.h"

namespace vl::engines {

/// The values of rows on a box, over variables that are joined where they can be.
[[nodiscard]] std::optional<map::Piece> piece_of(const Box& box, const map::Affine& rows);

/// Weights that take a memory offset apart, the last one 1; the first that lead to an answer are good. For a row-major
/// space its own; for one flat dimension that an affine map fills (a host), the strides of that map: as they are, or
/// those of the contiguous runs.
[[nodiscard]] std::vector<std::vector<Index>> digit_systems(const use::Memory& memory);
/// What a nest writes in a box of its moves.
[[nodiscard]] std::optional<std::vector<Block>> written(const use::Memory& memory, const use::Nest& nest,
                                                        const Box& box, const std::vector<Index>& weights);

/// Whether some point of the piece takes line number `first` + j out of [0, bounds[j]), or out of 64 bits.
[[nodiscard]] bool outside(const map::Piece& piece, std::size_t first, std::span<const Index> bounds);

/// Where a box of the domain lives.
struct Image {
  bool escapes = false;  // some point has no slot; then there are no blocks
  std::vector<Block> blocks;
};
[[nodiscard]] std::optional<Image> image_of(const use::Memory& memory, const Box& box,
                                            const std::vector<Index>& weights);

}  // namespace vl::engines
