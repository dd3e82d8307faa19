// Which value padding has to have so that an operation does not notice it, for the command compatible --plan. It is the
// first of 0, 1, the least and the greatest number of the operand's format that verifier/neutral proves to be neutral,
// for elements of any value, in any order, with partial results of the element's format or f32, and with or without a
// start +0. What else the proof takes for granted is in `assumes`.
//
// Worked example: max of f16 on Spyre, dl16: 0xfffe (-8573157376), if a NaN wins over every number. -inf has no code
// there. sum: 0, if the sign of a sum of zeros does not matter.
#pragma once

#include <string>

#include "encodings/use/operation.h"

namespace vl::claims {

struct PaddingValue {
  std::string value;    // "0", "-inf", "0xfffe (-8573157376)", "the least number of the type"
  std::string assumes;  // parts joined by "; ", or nothing
};
/// Requires: a need of the family's judgement of the operation, which reduces the need's dimension.
[[nodiscard]] PaddingValue padding_value(const use::Operation& operation, const use::PaddingNeed& need);

}  // namespace vl::claims
