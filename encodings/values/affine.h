// Affine quantisation: an integer q stands for the number scale·(q - zero). The zero point is an integer of the type,
// so padding that is to mean 0 holds the zero point, and 0 means -scale·zero.
//
// Worked example: i8, scale 0.5, zero point 3: 7 is 2 and 3 is 0. 2.2 / 0.5 = 4.4 is rounded to 4, and is 7 again.
#pragma once

#include <string>

#include "encodings/values/arithmetic.h"
#include "encodings/values/code_set.h"

namespace vl::values {

struct Affine {
  Format type;     // i8 u8 i16 i32
  Format real;     // a float format, of the scale and of numbers
  Code scale = 0;  // finite and more than 0
  Code zero = 0;   // of `type`

  bool operator==(const Affine&) const = default;
};

/// Why it is none; empty if it is one.
[[nodiscard]] std::string misfit(const Affine& affine);

/// scale·(q - zero), rounded once, to nearest even. Requires (all below): misfit() is empty, codes of the formats.
/// Example: i8, f16 scale 0x3800 (0.5), zero 3: of 7 0x4000 (2); of 3 +0.
[[nodiscard]] Code dequantised(const Affine& affine, Code q);

/// The integer next to the exact x / scale, ties to even, plus the zero point; at an end of the type if it is beyond.
/// Of infinities an end, of NaN the zero point: what hardware does with NaN, and with a reciprocal of the scale, is not
/// known.
[[nodiscard]] Code requantised(const Affine& affine, Code x);

/// The integers that stand for +0 or -0: the zero point, and more where a product underflows. Requires: at most 16
/// bits.
[[nodiscard]] CodeSet zeros(const Affine& affine);

}  // namespace vl::values
