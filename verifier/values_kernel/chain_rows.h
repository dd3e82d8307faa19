// Rows as steps of chains (chains.h): which codes they can give, and the evaluation of one.
//
// Softmax: differences x - m are at most 0, and the sum of exponentials is at least exp(0) = 1, so quotients lie in
// [+0 .. 1]; this takes it that exp(x) of x <= 0 is at most 1. A NaN comes of a NaN, of +inf, or of a row of -inf
// alone. Where even the greatest code minus the least element is so low that its exponential is +0, so is the result.
// Cumulative sums are sums of at most as many leaves; orders move codes. Of the rest any code is taken.
#pragma once

#include "verifier/values_kernel/code_ranges.h"
#include "verifier/values_kernel/images.h"

namespace vl::values_kernel {

/// What rows are asked about: a step as a statement about codes, which has no contents and no fill yet.
[[nodiscard]] ReductionText row_text_of(const StepText& step, const std::string& type, const std::string& equal);

/// A result for each slot, or one for each row (k of topk).
[[nodiscard]] bool is_per_slot(const StepText& step);
[[nodiscard]] bool gives_places(const StepText& step);

struct RowParts {
  CodeRanges elements;    // one of them at least is in the row
  CodeRanges all;         // and of what else
  CodeRanges here;        // where the result is
  std::int64_t size = 1;  // how many there are
};
/// Every code of the step's tensor that the result can be. Requires: no part is empty.
[[nodiscard]] CodeRanges image_of_row(const StepText& step, const Format& type, const RowParts& parts);

/// What sums of a mean are divided by: the count of its valid elements, or with `divide P` also of all.
[[nodiscard]] CodeRanges divisors_of_mean(const Format& wide, const StepText& step, Wide valid, Wide all);
/// Whether it orders its elements and computes nothing.
[[nodiscard]] bool is_order(const StepText& step);

}  // namespace vl::values_kernel
