// Rows that begin at multiples of so many bytes, for all sizes (row_starts.h has the claim).
//
// A row begins where its last coordinate is 0: at the number Σ stride·x of the dimensions before, which is a sum of
// multiples of their strides. A weight w takes from it a digit and leaves a remainder. Where w divides every stride,
// the digit is a sum of multiples of the quotients, and nothing remains; so it is where all that w does not divide
// stays below w together, and remains as it is. Else the digit is any, and what remains is a sum of multiples of w and
// of the strides that w does not divide. So each digit of each level is known to be a sum of multiples of some
// polynomials, of none where it is 0; and s divides a place if it divides the constant and every coefficient times each
// of these. A swizzle keeps the lowest `base` bits: s has to divide 2^base.
//
// Example: f16[M,N], S[(M,N):(P,1)], 16 bytes, P % 8 == 0: the number is a multiple of N, the first digit one of 1, the
// second one 0; 8 divides P·1.
#pragma once

#include "verifier/checker/rule_digits.h"

namespace vl::checker {

/// Takes the alignment in bytes and the bits of an element from the statement's `base` and `bits`.
void check_rule_row_starts(const Statement& statement, const SizeSet& sizes, const RuleExtents& extents);

}  // namespace vl::checker
