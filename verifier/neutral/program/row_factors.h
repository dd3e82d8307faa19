// Factors of a row: values that a program computes of each row, and then has all along it.
//
// A program in parts takes the maximum, or the mean of the squares, of each row, moves it along the row again
// (broadcast, reshape), and computes with it there. These functions recognise such a line by the lines above it.
//
// Law (root mean square). Let y = x·r, where r is 1/√(q + c), c >= 10^-12, and q the mean of n squares, or their sum
// over n; x·x is one of them. Sums of what is not below 0 are at least each term, in any order. So q >= x²/n up to two
// roundings, and |y| is at most 1.03·√n in bf16, f32 and f64; where x² underflows, |x| < 2^-47 and r < 2^20, so
// |y| < 1.
#pragma once

#include "verifier/neutral/program/states.h"

namespace vl::neutral::program {

/// Whether `factor` has all along each row of `x` the row's maximum, by the rule that NaN wins. `padding`: also in rows
/// of padding, of which a reshape writes none. Requires: the states of both.
[[nodiscard]] bool is_maximum_along(const Program& program, const States& states, std::size_t x, std::size_t factor,
                                    std::size_t dimension, bool padding);
/// Whether x times `factor` (of `divides`, x over it) is x over the root of its mean square, and a constant of at least
/// 10^-12.
[[nodiscard]] bool is_scale_along(const Program& program, const States& states, std::size_t x, std::size_t factor,
                                  std::size_t dimension, bool padding, bool divides);
/// The numbers that the law allows for n elements, and every NaN; nothing where it says nothing of the format.
/// Example: f32, n = 40: [-28 .. 28].
[[nodiscard]] std::optional<CodeSet> normed(const Format& format, Index n);

}  // namespace vl::neutral::program
