// Fill values: the text of a number of an element type becomes the bits of a padding slot. All floats use one
// conversion from double, which knows only the numbers of exponent and mantissa bits of the type. Integers never become
// a double.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "encodings/base/result.h"
#include "encodings/map/tensor.h"

namespace vl::oracle {

/// The bytes, little-endian, of one fill value: a number of the element type, `nan`, `inf`, `-inf`, `true`,
/// `false` or bits in hexadecimal. parse_fill("1", F16) = 00 3c; parse_fill("bits:0xFE01", F16) = 01 fe.
///   integers  decimal, and within the type's range
///   floats    read as the nearest double, then rounded to the nearest value of the type, ties to even; a number
///             that would become an infinity is an error, which names the largest value; write `inf` for an
///             infinity. f8e4m3 (the fn variant) has no infinity
///   nan       the quiet NaN without a payload: f16 7e00, f8e4m3 7f, f8e5m2 7e
/// Errors: Syntax for a text that is not such a number; Value for a number that the type does not have, and for types
/// without units of whole bytes or with shared exponents (i4, bfp8, bfp4).
[[nodiscard]] Result<std::vector<std::byte>> parse_fill(std::string_view text, map::ElementType type);

}  // namespace vl::oracle
