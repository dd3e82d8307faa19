// Quantised dot: whether pads change the sum over k of (a - z_a)·(b - z_b), which kernels compute as
//
//   sum a·b - z_a·sum b - z_b·sum a + K·z_a·z_b          in integers modulo 2^n
//
// and where the padded run has more terms in some of these sums than in others:
//
//   Correction::Padded         all sums, and K, count the pads
//   Correction::LogicalCount   the three sums count the pads, K does not
//   Correction::Logical        sum a·b alone counts the pads
//
// A pad (p, q) then adds (p - u)·(q - v) - c, with u = z_a, v = z_b, c = 0; u = z_a, v = z_b, c = z_a·z_b; u = v = c =
// 0. The valid terms have no part in it: the fills are neutral if and only if that is 0 modulo 2^n for every pair of
// them, for any number of terms and pads and in any order, as addition modulo 2^n is associative.
//
// It is decided without trying pairs. With some p0, q0 and (p - u)(q - v) = (p0 - u)(q0 - v) + (p - p0)(q0 - v) +
// (p0 - u)(q - q0) + (p - p0)(q - q0), all pairs give c if (p0, q0) does and the other three products are always 0; and
// a product of two free factors is always 0 modulo 2^n if their least numbers of factors 2 add up to n.
//
// Worked example: i8 in i32, z_a = 37, z_b = -121. Padded: p = 37 is neutral beside any q. LogicalCount: it is not,
// beside q = 0 it adds 37·121 = 4477; (0, 0) is neutral for all zero points.
#pragma once

#include <optional>
#include <string>

#include "encodings/values/code_set.h"

namespace vl::neutral {

enum class Correction { Padded, LogicalCount, Logical };

struct QuantisedDot {
  values::Format type;                  // of both operands, an integer of at most 16 bits
  values::Format accumulate;            // an integer that holds them; sums wrap
  values::Code zero_a = 0, zero_b = 0;  // of `type`
  Correction correction = Correction::Padded;
};

/// Why a question has no meaning here; empty if it has one.
[[nodiscard]] std::string misfit(const QuantisedDot& question);

/// A pair of pads and what it adds to the result, a code of the accumulator other than 0.
struct AddedByPad {
  values::Code a = 0, b = 0, sum = 0;
};
[[nodiscard]] values::Code added_by(const QuantisedDot& question, values::Code a, values::Code b);

/// Nothing: the fills are neutral, each pad any pair of their codes. Otherwise a pair that is not.
/// Requires: misfit() is empty, and no fill is.
[[nodiscard]] std::optional<AddedByPad> changed_by(const QuantisedDot& question, const values::CodeSet& a,
                                                   const values::CodeSet& b);

}  // namespace vl::neutral
