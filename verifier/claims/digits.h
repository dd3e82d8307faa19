// Digits: the physical coordinates of a layout as sums of radix digits of single logical coordinates
// (encodings/map/digits.h), where its map shows that. What a box of elements touches and what a stick's number reveals
// are then read off, at any size.
//
// Example: [100,3,5,64] for 5x100x150 is x1, floor(x2/64), x0, x2 mod 64. Over x2 in [64,150) the second is 1..2.
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/digits.h"
#include "encodings/map/layout.h"

namespace vl::claims {

using map::Range;

struct Structure {
  /// One a physical dimension; nothing where the map does not take single coordinates apart (a fold of dimensions whose
  /// digits carry into each other, a coordinate that counts down), or where an input has two digits in it. Inputs are
  /// those of the layout's domain: logical dimensions, and behind those replicas.
  std::vector<std::optional<map::DigitSum>> coordinates;
  /// The logical dimensions on which the last physical coordinate depends, ascending; nothing if the map at 2^20 pairs
  /// of neighbours does not decide it.
  std::optional<std::vector<std::size_t>> moves_last;
};

/// Nothing when the map has a stage without radix structure (a swizzle).
[[nodiscard]] std::optional<Structure> structure_of(const map::Layout& layout);

/// A box of the domain: low <= x <= high in each of its dimensions.
using Box = std::vector<Range>;

/// The exact smallest and largest value over a box, and points of the box that have them. Requires: the box is not
/// empty and lies in the domain.
struct Extremes {
  Range values;
  Point low;
  Point high;
};
[[nodiscard]] std::optional<Extremes> extremes_of(const map::DigitSum& coordinate, const Box& box);

/// The finest part of an input x that the first `known` coordinates determine: floor((x + offset) / weight), x over the
/// box. Weight 1 is all of x; nothing if not even the topmost digit is determined.
struct Quotient {
  Index offset = 0;
  Index weight = 1;
};
[[nodiscard]] std::optional<Quotient> known_quotient(const Structure& structure, std::size_t known, std::size_t input,
                                                     const Box& box);

}  // namespace vl::claims
