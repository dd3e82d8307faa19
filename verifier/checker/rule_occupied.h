// Whether every core has an element, for all sizes: the box is one of cores, and each of its points is an element's.
//
// A coordinate is a digit of a number of its own, or several are digits of one that follow one another: those of
// c = floor(n / w), with w the last one's weight, to the radices that their extents are. Let p be the product of these,
// so that c has to take all of 0 … p - 1; where digits of weights v stand before them, p·w is at most each v, and n
// below all of them. The number n is a sum of stride·x, 0 <= x <= most, and no two x depend on one another. Its values
// begin at 0, and none is followed by a gap wider than w where each stride is at most w + what the smaller ones reach
// together: of their values a copy begins at each multiple of the stride. So each w numbers, up to the greatest one,
// have a value among them; and that is at least w·(p - 1).
//
// A number may join the first digits of other ones, of which no digit is a coordinate; such a digit takes all values up
// to the greatest, in the same way.
//
// Example: 64 rows on 8 cores by shards of 32: n = 0 … 63, w = 32, and core 2 would begin at 64.
#pragma once

#include "verifier/checker/rule_digits.h"

namespace vl::checker {

/// Requires: an element.
void check_every_core(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical);
/// The same of numbers that are coordinates themselves, the sum of their digits times the weights, where besides no
/// number is beyond the box: its extents are the greatest values + 1. Requires: an element.
void check_every_number(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical);

}  // namespace vl::checker
