// Chains of operations on padded tensors (the claim chain-neutral): no padding reaches a result. The program's words
// are those of verifier/neutral/program/program.h; a statement has its steps, and evidence has for each region of each
// step's tensor a set of codes, and for each step an equality.
//
// Regions are sets of padded dimensions; the slots of one are past the size in these and in no others. Every step
// computes all slots of its result from all slots of its operands; a reduction, a row (softmax, sort …) and matmul also
// read the padding of what they reduce. The reference is the same without those reads.
//
// An unknown step whose function is `pointwise` may make any code of the same slots of its operands, the same of the
// same bits; one that is `elements`, of their valid elements; one that is `numbers`, too, and it sees neither which NaN
// nor which zero an element is. Another one may make it of all of their slots. Where none of these has padding and
// their bits are the reference's, so are its results; else nothing is shown of what depends on it.
//
// What is looked at, step by step: shapes fit; a region's set has all that the step makes of its operands' sets there
// (images.h; what no step computes holds any code); each reading of padding is neutral for these sets (reductions.h) up
// to the step's equality; that is no finer than its operands', and each function keeps theirs: `any-nan` is kept by all
// but signbit; recip, rsqrt, pow and a divisor see the sign of zero. Behind exp, abs and sums with what holds no zero
// that sign is no difference any more. So by induction over the steps every run has codes
// of the sets, and valid elements that equal the reference's.
//
// Example: padding 0, exp, sum: the sum reads {1}, which is not neutral; with a mask of 0 behind exp it reads {+0}.
#pragma once

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {

/// Rejects what shows no such thing.
void check_chain(const ChainText& said, const ChainProof& proof);

/// A refutation: padding reaches the valid elements of the last step. `codes` has a code for each region that exists of
/// each input, in the order of the steps and of the regions, and at last one that padding holds which no step computes
/// (its low bits). The chain is executed with its padding and without, reductions from left to right, and the element
/// `at` of the last step has to differ (chain_runs.cpp).
/// Example: f32[2] to 4 with padding 1, sum: codes 0 and 1, the element is 2, and 0 without padding.
void check_chain_run(const ChainText& said, const std::vector<std::string>& codes, const Point& at);

/// Rejects steps whose operands and sizes do not fit, whatever they hold.
void check_chain_shapes(const ChainText& said);

}  // namespace vl::values_kernel
