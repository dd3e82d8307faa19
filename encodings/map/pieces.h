// Pieces: boxes on which a map is affine. A map of affine and split stages is piecewise affine. If its digits nest with
// their strides, the pieces are few, and their number does not depend on the extents. Loop nests are such boxes, so
// nests are made of pieces, and judged by them.
//
// The question is when floor(g / w) is affine for an affine g on a box. Terms whose coefficient w divides go to the
// quotient. If the rest stays below w, the quotient is found. Else the variable with the largest coefficient is blocked
// (v = q·y + z, where q steps make w), cut at the beginning or the end of a block, or, as the last resort, fixed to
// each of its values.
//
// There are two deliberate copies: the executor's (oracle/executor/planner_pieces.h), for speed, and that of proofs
// about nests (verifier/engines/cells/moves.h), which names the kernel's steps.
//
// Example: f16[150] in sticks of 64, v in [0,150), g = v, w = 64: cut at 128; the first part is blocked into y < 2 and
// z < 64 with quotient y and rest z; the second has quotient 2 and rest z < 22. Two pieces, hence two loop nests.
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/map.h"

namespace vl::map {

/// constant + Σ coefficients[k]·v_k over the variables of a piece.
struct Line {
  Index constant = 0;
  std::vector<Index> coefficients;

  bool operator==(const Line&) const = default;
};

/// The box 0 <= v_k < extents[k] with lines over it. No extent is 0.
struct Piece {
  std::vector<Index> extents;
  std::vector<Line> lines;

  bool operator==(const Piece&) const = default;
};

/// Σ coefficients·lines + constant as a line over the same variables; nothing if it leaves 64 bits.
[[nodiscard]] std::optional<Line> combined(const Row& row, std::span<const Line> lines, std::size_t variables);

/// The exact range of a line over its piece's box; nothing if it leaves 64 bits.
[[nodiscard]] std::optional<Range> range_of(const Line& line, std::span<const Index> extents);

/// Joins variables: v_j and v_k with coefficient_j = coefficient_k·extent_k in all lines become one variable of
/// extent_j·extent_k. Drops variables of extent 1.
void fuse(Piece& piece);

/// Divides a piece until the stages are affine on each part. Lines from `first` on are the values that the stages read;
/// in the results they are replaced by the outputs. Lines before `first` are carried along. The parts are disjoint and
/// cover the piece, up to a bijection of their variables.
/// Nothing if a stage is outside the fragment (a swizzle), a number leaves 64 bits, or there would be more than
/// kMostPieces parts.
[[nodiscard]] std::optional<std::vector<Piece>> run(const Piece& piece, std::size_t first,
                                                    std::span<const Stage> stages);

/// The piece with its variable k fixed, once per value; nothing if there are more than 64 values.
[[nodiscard]] std::optional<std::vector<Piece>> each_value(const Piece& piece, std::size_t k);

/// The inputs that the map does not read: its first stage is affine, and no row has a term of them.
[[nodiscard]] std::vector<bool> unread(const Map& map);

constexpr std::size_t kMostPieces = 4096;

}  // namespace vl::map
