// A work division: the tensor is cut into slices for cores. The claim and its words are those of
// verifier/claims/partition.cpp; here it is shown so:
//
//   splits     their product is at most the number of cores, and each divides the count of its dimension, which is in
//              sticks where the last coordinate depends on that dimension of the tensor alone: its form has digits of
//              no other one, and it is seen to change along this one
//   slices     computed from the splits; given ones are those. They lie in the tensor or in the padding of its last
//              stick, no two have an element in common, and their elements are as many as the tensor's
//   sticks     "strided": all coordinates but the last one are equal, so some digits are, by steps; and every boundary
//              of a slice is a multiple of the smallest weight down to which the digits of its dimension are known.
//              "exhaustion": every point, with its slice
//   reach      of each slice: the ranges of the coordinates over its box. The first one that may vary, times the
//              extents behind it, contains the slice
//
// Example: f16[8,128] on sticks of 64 ([2, 8, 64]), splits [4,2]: boundaries 2, 4, 6 and 64; x1 is known down to its
// digit of weight 64.
#pragma once

#include "verifier/checker/questions.h"

namespace vl::checker {

/// Takes "division" and "bits" of the statement; of the evidence "escapes", "sticks" and the digits.
void check_division(const Layout& layout, Statement& statement, Evidence& evidence, Questions& questions);

}  // namespace vl::checker
