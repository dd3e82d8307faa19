// A work division: the tensor is cut into slices for cores. The claim and its words are those of
// verifier/claims/partition.cpp; here it is shown so:
//
//   splits     their product is at most the number of cores, and each divides the count of its dimension, which is in
//              sticks where the last coordinate depends on that dimension of the tensor alone: its line has atoms of
//              no other one, and it is seen to change along this one
//   slices     computed from the splits; given ones are those. They lie in the tensor or in the padding of its last
//              stick, no two have an element in common, and their elements are as many as the tensor's
//   sticks     all coordinates but the last one are equal, so some atoms are, by steps; and no boundary of a slice lies
//              between what the others may be: ["sticks"]. Or every point, with its slice: ["sweep"]
//   reach      of each slice: the ranges of the coordinates' lines over its box. The first one that may vary, times the
//              extents behind it, contains the slice
//
// Evidence is a list of steps of the kernel on one cell, the layout's whole domain (kernel/claims/replay.h): run 0
// gives all coordinates but the last one, and run 1 that.
//
// Example: f16[8,128] on sticks of 64 ([2, 8, 64]), splits [4,2]: boundaries 2, 4, 6 and 64; x1 is 64·y + z, of
// which y is known and z in [0, 63].
#pragma once

#include "verifier/checker/questions.h"

namespace vl::checker {

/// Takes "division" and "bits" of the statement; of the evidence "escapes" and "sticks".
void check_division(const Layout& layout, Statement& statement, Evidence& evidence, Questions& questions);

}  // namespace vl::checker
