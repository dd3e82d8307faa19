// Formulas: what the result of an operation has to be, as a map. Internal to laws*.cpp.
//
//   x, r --before--> columns --flat--> one number an operand --split--> digits --affine--> coordinates --after-->
//   result
//
// An operand is a tile whose L is evaluated at a flat number; its coordinates are multiplied by its scales and added to
// those of the other operands. Nothing is simplified on the way: the map follows the definition and no iter is looked
// at twice, so that a wrong identity in operations*.cpp cannot be in here too.
#pragma once

#include <map>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {

struct Operand {
  TileLayout tile;
  map::Row flat;                // the element's number, over the columns
  std::map<Axis, Index> scale;  // of an axis; 1 where it is not named
};

struct Formula {
  map::ElementType type = map::ElementType::F16;
  std::vector<Index> size;         // of the result
  std::vector<map::Stage> before;  // on the dimensions; the columns are what they give
  std::size_t columns = 0;
  std::vector<Operand> operands;
  map::Row digit;                       // one more column, behind the coordinates
  std::vector<Axis> axes;               // of the coordinates, ascending
  std::vector<SwizzleLayout> swizzles;  // of m, in the order in which they apply
  std::vector<map::Stage> after;        // on the coordinates and the digit
  std::vector<Axis> result;             // the axes of what `after` gives, ascending
};

/// The axes of the operands, and m where asked for.
[[nodiscard]] std::vector<Axis> axes_of(const std::vector<Operand>& operands, bool with_m);
/// The position of an axis in a list. Requires: it is there.
[[nodiscard]] std::size_t position(const std::vector<Axis>& axes, Axis axis);
/// Picks columns 0 to n-1: what `after` has to do where it only drops the digit.
[[nodiscard]] map::Affine keep(std::size_t columns);

/// The stage of a swizzle of one column. Error: Value (S < 1, bits that leave 62).
[[nodiscard]] Result<map::Stage> stage_of(const SwizzleLayout& swizzle, std::size_t input);

/// The formula of L itself over a tensor: one operand, at the element's own number. Errors: Shape (another number of
/// elements, none at all), Overflow.
[[nodiscard]] Result<Formula> formula_of(const Layout& layout, const map::Tensor& tensor);

/// The law of a formula whose coordinates are the result's: `after` only drops the digit.
[[nodiscard]] Result<use::Law> plain(Formula formula);

/// The map, in the box that holds every coordinate. Errors: Overflow; Value where a swizzled address may be negative.
[[nodiscard]] Result<use::Law> law_of(const Formula& formula);

}  // namespace vl::tirx
