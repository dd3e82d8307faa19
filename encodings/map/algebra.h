// Operations on maps that give maps.
#pragma once

#include "encodings/base/result.h"
#include "encodings/map/map.h"

namespace vl::map {

/// Composition: compose(g, f)(x) == g(f(x)) for every x of f.domain().
/// Error: NotComposable if f's ranges do not show that every value of f lies in g.domain().
/// Example: f = (x:6) -> split(0; 3, 1), g = (q:2, r:3) -> affine(q + 2*r); compose(g, f)(4) = g(1, 1) = 3.
[[nodiscard]] Result<Map> compose(const Map& g, const Map& f);

/// Inverse, if the stages show one: a map g with g(f(x)) == x for every x of f.domain(), so also f(g(y)) == y for
/// every y of f's image. g's domain is the box of f's output ranges; outside the image g has no meaning.
/// Splits and swizzles always invert. An affine stage inverts if no two rows share an input, and the coefficients of
/// each row nest (each exceeds the largest sum of the smaller ones), as in every row-major or blocked linearisation.
/// Error: NotInvertible otherwise, also for maps with an inverse that is not of this form, and if an output range does
/// not start at 0.
/// Example: (x0:2, x1:3) -> affine(3*x0 + x1) inverts to (y0:6) -> split(0; 3, 1) -> affine(x0, x1).
[[nodiscard]] Result<Map> invert(const Map& f);

/// The same stages of values behind `columns` more ones, which come first and stay as they are.
/// Example: affine(2*x0) behind one value is affine(x0, 2*x1).
[[nodiscard]] std::vector<Stage> carried(std::vector<Stage> stages, std::size_t columns);

/// The stages of a map that undoes `stage` on the values in `inputs`. Error: NotInvertible.
[[nodiscard]] Result<std::vector<Stage>> undo(const Stage& stage, const std::vector<Range>& inputs);

}  // namespace vl::map
