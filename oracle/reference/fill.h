// Fill values: a number of an element type, written as text, to the bits that stand in a padding slot. All
// floats go through one conversion from double that knows only how many exponent and mantissa bits the type
// has; integers never touch a double.
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
///             that would become an infinity by that is an error, which names the largest value: an infinity is
///             said, `inf`. f8e4m3 (the fn variant) has none
///   nan       the quiet NaN without a payload: f16 7e00, f8e4m3 7f, f8e5m2 7e
/// Errors: Syntax for a text that is no such number; Value for one that the type does not have, and for the
/// types without units of whole bytes or shared exponents (i4, bfp8, bfp4).
[[nodiscard]] Result<std::vector<std::byte>> parse_fill(std::string_view text, map::ElementType type);

}  // namespace vl::oracle
