// Results of rows, for the campaign `neutral`: norms, variances, softmax, orders and cumulative sums, executed
// from left to right by the definitions of verifier/neutral/rows.h, and with exp and log of the C library in double
// precision. No laws and no facts.
//
// Example: f16 softmax of {0, pad -inf}: {1} with the pad and without; with a pad 0 it is {1/2}.
#pragma once

#include "oracle/ops/rows.h"
#include "verifier/neutral/question.h"

namespace vl::oracle {

/// What an order takes of elements that compare equal.
enum class Taken { First, Last };

/// The results at the valid elements, or the k first of an order: codes of the accumulator, or places in the padded
/// row. Requires: neutral::is_row of a whole row, to nearest even and without flushing; at least k valid elements.
[[nodiscard]] std::vector<values::Code> results_of_list(const neutral::Question& question,
                                                        std::span<const ops::Term> row, bool with_pads, Taken taken);

}  // namespace vl::oracle
