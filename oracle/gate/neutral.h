// Neutral: a reduction of a tensor that is given as the bytes of its device image, over one dimension. Whatever the
// image's padding holds, the result is that of the elements alone; in half of the cases the padding is what the
// reduction is said not to see (0 of sum, 1 of prod, ∓∞ of max and min), else random bytes, NaNs among them. It is
// computed by oracle/ops and compared value by value: two NaNs are equal, and of all but prod two zeros.
//
// Arithmetic (convention neutral.arithmetic): from the first element to the last (seq) or neighbours first (tree), in
// the type itself, or of types narrower than f32 in f32 and rounded once (seq-f32, tree-f32).
//
// Example: f16 sum over dimension 1 of S[(2,3):(4,1)], image {1, 2, 3, NaN, 4, 5, 6}: 6 and 15.
#pragma once

#include "oracle/gate/drawn.h"

namespace vl::gate {

/// Adds the reduction, its dimension, the image and its bytes. False: there is none of this subject.
[[nodiscard]] bool add_reduction(Random& random, const Drawn& drawn, Json& request);
/// What is wrong with the reduction of a request.
[[nodiscard]] std::optional<Error> check_reduction(const Case& known, const Json& request);
/// Sets the image and the bytes of a request for its layout, with the elements of another case.
[[nodiscard]] bool refit_reduction(const Case& from, Json& request);

}  // namespace vl::gate
