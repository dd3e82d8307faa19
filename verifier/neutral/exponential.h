// Exponentials: softmax and logsumexp, whole or block by block, from facts about exp and log. The functions themselves
// are not computed: a device's exp is an approximation, and nothing here depends on more of it than these facts.
//
//   E1  exp(NaN) is NaN            E3  exp(x) of any other x <= 0 is a number, and its sign bit is clear
//   E2  exp(-inf) is +0            E4  exp(+0) and exp(-0) are 1
//   E5  exp(x) is +0 where e^x is less than half of the least number of the format
//   L   log(1) is +0, log(+0) is -inf, log(NaN) is NaN
//
// E5 holds of an exp that is rounded to nearest. It is decided by a lower bound of -x: where q is the exponent of the
// least number, e^x < 2^(q - 1) if -x >= (1 - q)·L and L is no less than ln 2. L = 0xB17217F7D1CF79AC·2^-64.
// Example: f16, q = -24: exp(-17.34375) is +0, because 25·ln 2 is 17.3287.
#pragma once

#include "verifier/neutral/rows.h"

namespace vl::neutral {

/// exp(x) by E1, E2, E4 and E5, and log(x) by L; nothing where they say nothing.
[[nodiscard]] std::optional<Code> exp_by_facts(const Format& format, Code x);
[[nodiscard]] std::optional<Code> log_by_facts(const Format& format, Code x);
/// E5. Requires: a code that is no NaN.
[[nodiscard]] bool exp_vanishes(const Format& format, Code x);

/// The evaluations of rows.h. A whole row is one block. Blocks have a maximum m and a sum s so far, at first -inf and
/// 0:
///   m' = max(m, max x); s' = s·exp(m - a) + Σ exp(x - a); a = m', but 0 where Blocks::Guarded and m' = -inf
[[nodiscard]] Outcomes softmax(const Question& question, const std::vector<Row>& blocks, Results which);
[[nodiscard]] std::optional<Code> log_sum_exp(const Question& question, const std::vector<Row>& blocks);

}  // namespace vl::neutral
