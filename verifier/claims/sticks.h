// Sticks: the memory behind the pieces of a tensor. A stick is the slots that differ only in the last physical
// coordinate. Radix digits (digits.h) decide at any size; without them, up to kMostWalked elements are walked over.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/use/division.h"
#include "verifier/claims/digits.h"
#include "verifier/claims/slices.h"

namespace vl::claims {

constexpr Index kMostWalked = Index{1} << 20;

/// If the last physical coordinate depends on only one dimension, that dimension is counted in sticks, and so are those
/// along another operand's sticks (Division::sticks); all others are counted in elements. Requires: moves_last.
[[nodiscard]] CountedExtents counted_extents(const map::Layout& layout, const Structure& structure,
                                             const use::Division& division);

/// Two elements of one stick in two pieces. Both were evaluated.
struct Cut {
  Point a;
  Point b;
  Index core = 0;  // of a
  Index other_core = 0;
};
struct Uncut {};
using Cutting = std::variant<Cut, Uncut, std::string>;  // or why it is not known

/// Whether some stick holds elements of two pieces. The witness is next to the first boundary that cuts a stick: pieces
/// in order, then dimensions. Requires: pieces are disjoint and cover the tensor; every element has a slot.
[[nodiscard]] Cutting cut_stick(const map::Layout& layout, const std::optional<Structure>& structure,
                                const std::vector<Piece>& pieces);

/// The reach of a piece: the slots from the first to the last coordinate in the outermost physical dimension in which
/// it touches more than one, with whole inner dimensions. a and b have these coordinates, and were evaluated.
struct PieceReach {
  std::size_t dim = 0;
  Index steps = 1;
  Index slots = 1;  // the largest Index if it does not fit
  Point a;
  Point b;
};
/// [272,32,64] behind a dimension of which 256 coordinates are touched: 256·272·32·64 slots. Nothing if it is not
/// known.
[[nodiscard]] std::optional<PieceReach> reach_of(const map::Layout& layout, const std::optional<Structure>& structure,
                                                 const Piece& piece);

}  // namespace vl::claims
