// Rules whose places are the digits of a greedy split by weights that need not be a mixed radix: Spyre's stride_map.
//
// The levels that take part are sorted by their weights. The number start + Σ stride·x is divided by each weight w in
// turn: a term whose stride is a multiple of w goes into the digit; of a term whose stride c divides w, with t = w/c,
// the digit gets x div t and the rest keeps x mod t, taken with its whole range; of the start each summand that is a
// multiple goes into the digit, and of the others what their sum has of w; what is left has to stay below w. Where only
// the start and one term of stride 1 are left, and their sum reaches w, they are a run of numbers: the last one has the
// greatest digit, and the rest is anything below w. Each x is free, so a digit's greatest value is the sum of its
// parts' and is attained.
//   InBox     each digit below its extent, and no rest behind the last weight
//   Apart     the digits and the rest are the number, so elements that have slots share one iff they have one number:
//             peeling of the strides
//   Decoded   InBox, and each stride exceeds what the smaller ones reach: Σ weight·digit is the number, and its greedy
//             digits by the strides are the element
//   Identity  Σ weight·digit is the number, always
#pragma once

#include "verifier/engines/polynomial/obligations.h"

namespace vl::engines {

/// A leaf's outcome. Requires: rule.decodes.
[[nodiscard]] PartOutcome shown_greedily(std::span<const AllSizesPart> parts, const map::Rule& rule, const Cell& cell);

}  // namespace vl::engines
