// A rule on one cell: all its numbers as polynomials, and each element as independent digits.
#pragma once

#include "verifier/engines/polynomial/prove.h"

namespace vl::engines {

/// coefficient·digit, with the coefficient's sign decided.
struct ShapeTerm {
  std::size_t digit = 0;
  Polynomial size;  // |coefficient|, >= 1
  bool negative = false;
};

/// constant + Σ terms, into [0, extent).
struct ShapePlace {
  Polynomial constant;
  std::vector<ShapeTerm> terms;
  Polynomial extent;
  Polynomial filled;
};

struct Shape {
  std::vector<Polynomial> digits;  // their extents, all >= 1; each value of all digits is one point of the domain
  std::vector<ShapePlace> places;
  Polynomial points = 1;  // how many
  bool no_point = false;
  bool exact = true;  // false: some values of the digits may be no point, as of a rule with numbers
  /// A number's greatest value has a first digit beyond its place in the box: elements that have a slot have digits of
  /// these extents, others may not.
  bool escapes = false;
  bool attained = true;  // some element has it
  /// Of each number whose strides may not nest: these, and the extents of its dimensions.
  std::vector<Shape> numbers = {};
};

/// The shape; or the step that is needed first; or why there is none.
using ShapeOnCell = std::variant<Shape, Refinement, std::string>;
[[nodiscard]] ShapeOnCell shape_of(const map::Rule& rule, const Cell& cell);

}  // namespace vl::engines
