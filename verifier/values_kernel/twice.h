// Images of functions of two operands that are one value: x - x.
//
// Of a number x that is neither 0 nor infinite, rounded to nearest and without flushing:
//
//   sub, xor 0            div 1        eq, le, ge 1        ne, lt, gt 0
//   max, min, and, or x   mul x·x      add of floats 2·x, a product with the number 2, rounded once as the sum is
//
// What is left, zeros of either sign, infinities, NaN and all other functions, is looked at as if there were two values
// of the same kind: -0 - -0 is +0, inf - inf NaN, and all NaNs are alike.
//
// Example: f32, sub of [1 .. 2]: {0}, where two values of it have [-1 .. 1]; of any code, NaN, too.
#pragma once

#include "verifier/values_kernel/images.h"

namespace vl::values_kernel {

/// Every code that a result may be, and maybe more. Requires: a function of two operands; the set is not empty.
[[nodiscard]] CodeRanges image_of_twice(const std::string& function, const Format& format, const std::string& max,
                                        const CodeRanges& set, Code most = kMostOfSteps);

}  // namespace vl::values_kernel
