// Statistics: the evaluation of norms and variances on codes, step by step as rows.h states it.
#pragma once

#include "verifier/neutral/rows.h"

namespace vl::neutral {

/// Requires: a row with a valid element; a float accumulator.
[[nodiscard]] Outcomes norms(const Question& question, const Row& row, Results which);
[[nodiscard]] Code variance(const Question& question, const Row& row);
/// 10^-5, rounded.
[[nodiscard]] Code epsilon_of(const Format& format);
/// Example: f16, the pad 1 behind the element 0: d = 1, m = 0.5, M2 = 1·(1 - 0.5) = 0.5, where 0 is expected.
[[nodiscard]] Code welford(const Question& question, const Row& row);

}  // namespace vl::neutral
