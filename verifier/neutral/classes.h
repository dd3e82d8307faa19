// Classes: which kinds of codes the partial results of a sum can be. A set of classes stands for all codes in them; the
// operations on sets give every class that a result can have, and sometimes more. So what is absent is impossible: a
// proof may use that -0 is absent, and never that something is present.
//
// Worked example: f32, contents without -0. Two numbers of which none is -0 add to -0 in no case, so the sums of
// {neg, +0, pos} are again in {neg, +0, pos}, infinities and NaN. In dl16, neg + pos can be a negative number too small
// for a code: -0.
#pragma once

#include <cstdint>

#include "verifier/neutral/question.h"

namespace vl::neutral {

enum Class : std::uint8_t {
  kNegativeInfinity = 1,
  kNegative = 2,  // finite, not zero
  kNegativeZero = 4,
  kPositiveZero = 8,
  kPositive = 16,
  kPositiveInfinity = 32,
  kQuietNan = 64,
  kSignallingNan = 128,
};
using Classes = std::uint8_t;

[[nodiscard]] Class class_of(const Format& format, Code code);
[[nodiscard]] Classes classes_of(const Format& format, const CodeSet& codes);

/// Every class of a + b, a·b, and a·b + c with one rounding, of operands of these classes; in whatever direction of
/// values::Rounding. Requires: a float format; flush as in neutral::flush_of.
[[nodiscard]] Classes sum_of(const Format& format, values::Flush flush, Classes a, Classes b);
[[nodiscard]] Classes product_of(const Format& format, values::Flush flush, Classes a, Classes b);
/// `exact`: no product of two operands is smaller than the least number of the format, unless it is zero.
[[nodiscard]] Classes fused_of(const Format& format, values::Flush flush, Classes a, Classes b, Classes c, bool exact);

/// Every class of a partial result with which a pad can be combined, of an additive operation on floats:
/// - Start::First: each sum of leaves.
/// - Start::Zero, MinusZero: each sum that includes the start, and the start itself. The others are the subject of the
/// lemma of laws.h.
[[nodiscard]] Classes partial_sums(const Question& question);

}  // namespace vl::neutral
