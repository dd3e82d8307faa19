// Operations on maps that give maps.
#pragma once

#include "encodings/base/result.h"
#include "encodings/map/map.h"

namespace vl::map {

/// Composition: compose(g, f) over f.domain() with compose(g, f)(x) == g(f(x)) for every x.
/// Requires: every value that f produces lies in g.domain(), shown by f's ranges; otherwise Error{NotComposable}.
/// Example: f = (x:6) -> split(0; 3, 1), g = (q:2, r:3) -> affine(q + 2*r); compose(g, f)(4) = g(1, 1) = 3.
[[nodiscard]] Result<Map> compose(const Map& g, const Map& f);

/// Inverse where the stages show one: a map g with g(f(x)) == x for every x of f.domain(), hence also f(g(y)) == y
/// for every y of f's image. g's domain is the box of f's output ranges; outside the image g means nothing.
/// Exists when each affine row combines inputs of its own with coefficients that nest (each exceeds the largest sum
/// of the smaller ones), as every row-major or blocked linearisation does; splits and swizzles always invert.
/// Error{NotInvertible} otherwise, also for maps that do have an inverse which is not of this form, and when an
/// output range does not start at 0.
/// Example: (x0:2, x1:3) -> affine(3*x0 + x1) inverts to (y0:6) -> split(0; 3, 1) -> affine(x0, x1).
[[nodiscard]] Result<Map> invert(const Map& f);

/// The stages of a map that undoes `stage` on the values that lie in `inputs`. Errors: NotInvertible.
[[nodiscard]] Result<std::vector<Stage>> undo(const Stage& stage, const std::vector<Range>& inputs);

}  // namespace vl::map
