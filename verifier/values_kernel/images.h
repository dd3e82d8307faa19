// Sets of codes under pointwise functions (functions.h), and values that a format can store: the claims transfer,
// padding-state (of reductions and rows row_states.h) and storeable.
//
// `images`, proved: for every function and each choice of one code per operand from its sets, every result is in
// `results`. Up to 2^16 choices are evaluated one by one. More are cut into boxes: of each operand an interval of
// numbers of one sign, a zero, an infinity, one NaN for all of its kind; of functions of one operand 1 and -1 are cut
// out, too, and more than 8 intervals between two cuts are one. On such a box a function is monotone in each operand,
// and so are the bounds of its facts, so that a result lies between those of the corners; of a format without infinity
// what is past the greatest number is NaN, and its corner is that number. Where this is not so (frac beyond 1, squares,
// sums and products that wrap, eq of boxes with a number in common) the box is treated by itself.
// `refuted`: the evidence has operands, of which no result is in `results`.
//
// `storing`: either each of at most 4096 `values`, codes of f64, is a number of the type, or a NaN of both. Or, of sets
// in words (finite, an interval) and of integers, it has `codes` of the type itself, and there is one. In padding of a
// block float (bfp8 and the like), whose lanes share the greatest exponent field, every value is a zero: its field is
// 0, so it leaves each element as it is.
//
// Example: add of f32, {inf} and any, results {inf} and every quiet NaN: proved; results {inf} alone: refuted by
// inf + -inf.
#pragma once

#include "verifier/values_kernel/code_ranges.h"
#include "verifier/values_kernel/functions.h"

namespace vl::values_kernel {

/// Rejects what shows no such thing.
void check_images(bool refuted, const std::vector<ImageText>& images, Evidence& evidence);
void check_storing(const StoringText& said);

/// Choices that are evaluated one by one; fewer in steps of chains.
constexpr Code kMostChoices = Code{1} << 16, kMostOfSteps = Code{1} << 10;
[[nodiscard]] CodeRanges normal(CodeRanges ranges);
[[nodiscard]] ReductionText::Ranges texts_of(const CodeRanges& ranges);
/// Every code that results may be, and maybe more, as `images` looks at them. Of a conversion to another format,
/// rounded once or cut, too (cast_to; any code where the integer has none). Requires: no set is empty.
[[nodiscard]] CodeRanges image_of(const std::string& function, const Format& format, const std::string& max,
                                  const std::vector<CodeRanges>& operands, Code most = kMostOfSteps);
[[nodiscard]] CodeRanges image_of_conversion(const Format& from, const Format& to, const CodeRanges& set,
                                             Code most = kMostOfSteps);
/// The ranges of codes that results are.
[[nodiscard]] CodeRanges ranges_of(const Format& format, const Results& results);

}  // namespace vl::values_kernel
