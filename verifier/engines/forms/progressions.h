// Progressions: sets of points that are a product of arithmetic progressions, one a coordinate. What a loop nest writes
// and where a box of elements lives are unions of a few such blocks; whether one is covered by the others exactly once
// is then counting, whatever the extents.
//
// Example: {0,64} × {0,…,63} and {128} × {0,…,21} as coordinates (c, lane).
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/pieces.h"

namespace vl::engines {

/// start, start + step, …: `count` numbers. step >= 1, count >= 1; step is 1 when count is 1.
struct Progression {
  Index start = 0;
  Index step = 1;
  Index count = 1;

  bool operator==(const Progression&) const = default;
};

/// The points, each of them `times` times.
struct Block {
  std::vector<Progression> dims;
  Index times = 1;
};

/// The numbers in both. Exact (Chinese remainder theorem). Requires: values within ±2^62.
[[nodiscard]] std::optional<Progression> intersect(const Progression& a, const Progression& b);
/// The points in both, `times` multiplied; nothing when there are none.
[[nodiscard]] std::optional<Block> intersect(const Block& a, const Block& b);
/// The number of points, without `times`. Requires: it fits in 64 bits, as it does within a space.
[[nodiscard]] Index volume(const Block& block);

/// The values of a piece's lines from `first` on, counted with multiplicity: Σ times·|block| is the number of the
/// piece's points. Variables that one line takes as nested digits become one progression; a variable that no line
/// takes multiplies `times`; others are fixed to each of their values. Nothing when those are too many.
[[nodiscard]] std::optional<std::vector<Block>> blocks_of(const map::Piece& piece, std::size_t first);

/// How `cover` meets the disjoint blocks of `area`.
struct Coverage {
  bool twice = false;  // some point of the area is covered more than once
  Index covered = 0;   // Σ of the multiplicities over the area; not meaningful when twice
  Index area = 0;      // the number of its points
};
[[nodiscard]] Coverage coverage(const std::vector<Block>& area, const std::vector<Block>& cover);

/// Whether blocks of multiplicity 1 are pairwise disjoint.
[[nodiscard]] bool disjoint(const std::vector<Block>& blocks);

}  // namespace vl::engines
