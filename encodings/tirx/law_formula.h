// Formulas: the required result of an operation, as a map. Internal to laws*.cpp.
//
//   x, r --before--> columns --flat--> a number per operand --split--> digits --affine--> coordinates --after--> result
//
// An operand is a tile whose L is evaluated at a flat number; its coordinates are multiplied by its scales and added to
// those of the other operands. Nothing is simplified on the way: the map follows the definition and looks at each iter
// once, so a wrong identity in operations*.cpp cannot occur here too.
#pragma once

#include <map>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {

struct Operand {
  TileLayout tile;
  map::Row flat;                // the element's number, over the columns
  std::map<Axis, Index> scale;  // of an axis; 1 for an axis without an entry
};

struct Formula {
  map::ElementType type = map::ElementType::F16;
  std::vector<Index> size;         // of the result
  std::vector<map::Stage> before;  // on the dimensions; the columns are their outputs
  std::size_t columns = 0;
  std::vector<Operand> operands;
  map::Row digit;                       // one more column, after the coordinates
  std::vector<Axis> axes;               // of the coordinates, ascending
  std::vector<SwizzleLayout> swizzles;  // of m, in the order in which they apply
  std::vector<map::Stage> after;        // on the coordinates and the digit
  std::vector<Axis> result;             // the axes of the outputs of `after`, ascending
};

/// The axes of the operands, and also m if `with_m`.
[[nodiscard]] std::vector<Axis> axes_of(const std::vector<Operand>& operands, bool with_m);
/// The position of an axis in a list. Requires: the axis is in the list.
[[nodiscard]] std::size_t position(const std::vector<Axis>& axes, Axis axis);
/// Picks columns 0 to n-1: the stage `after` that only drops the digit.
[[nodiscard]] map::Affine keep(std::size_t columns);

/// The stage of a swizzle of one column. Error: Value (S < 1, bits that leave 62).
[[nodiscard]] Result<map::Stage> stage_of(const SwizzleLayout& swizzle, std::size_t input);

/// The formula of L itself over a tensor: one operand, at the element's own number. Errors: Shape (another number of
/// elements, none at all), Overflow.
[[nodiscard]] Result<Formula> formula_of(const Layout& layout, const map::Tensor& tensor);

/// The law of a formula whose coordinates are the result's: `after` only drops the digit.
[[nodiscard]] Result<use::Law> plain(Formula formula);

/// The map, in the box that holds every coordinate. Errors: Overflow; Value if a swizzled address may be negative.
[[nodiscard]] Result<use::Law> law_of(const Formula& formula);

}  // namespace vl::tirx
