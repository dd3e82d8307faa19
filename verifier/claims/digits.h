// Digits: the physical coordinates of a layout as sums of radix digits of single logical coordinates, if its map shows
// that. They give the coordinates that a box of elements touches, and the digits that a stick's number determines, at
// any size.
//
//   coordinate_j = constant + Σ coefficient · (floor((x_input + offset) / weight) mod modulus)
//
// Example: [100,3,5,64] for 5x100x150 is x1, floor(x2/64), x0, x2 mod 64. Over x2 in [64,150) the second is 1..2.
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/layout.h"

namespace vl::claims {

using map::Range;

struct Digit {
  std::size_t input = 0;  // of the layout's domain: a logical dimension, or after those a replica
  Index offset = 0;
  Index weight = 1;
  Index modulus = 0;  // 0: none, the digit is the whole quotient
  Index coefficient = 1;
};

struct Coordinate {
  Index constant = 0;
  std::vector<Digit> digits;  // of inputs that all differ, coefficients positive
};

struct Structure {
  /// One per physical dimension; nothing if the map does not split single coordinates (a fold of dimensions whose
  /// digits carry into each other, weights that do not nest, a coordinate that counts down).
  std::vector<std::optional<Coordinate>> coordinates;
  /// The inputs on which the last physical coordinate depends, ascending.
  std::vector<std::size_t> last_inputs;
};

/// Nothing if the map has a stage without radix structure (a swizzle), or on overflow.
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
[[nodiscard]] std::optional<Extremes> extremes_of(const Coordinate& coordinate, const Box& box);

/// The finest part of an input x that the first `known` coordinates determine: floor((x + offset) / weight), x over the
/// box. Weight 1 is all of x; nothing if not even the topmost digit is determined.
struct Quotient {
  Index offset = 0;
  Index weight = 1;
};
[[nodiscard]] std::optional<Quotient> known_quotient(const Structure& structure, std::size_t known, std::size_t input,
                                                     const Box& box);

}  // namespace vl::claims
