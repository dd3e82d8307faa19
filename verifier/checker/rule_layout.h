// The layout that a rule is at the sizes of a set: maps whose numbers are polynomials, for the kernel's goals.
//
//   number     start + Σ strides_i·x_i; or several, each over dimensions of its own, and over digits that it joins
//   levels     of one number those that count (rules.h) are split by descending weight. Where each weight is the next
//              one times its extent, and no number lies beyond the first, a level that does not count has digit 0 all
//              the same, and all are kept. Of several numbers each is split by its own levels, in their order
//   rests      what the last weight of a number leaves is a guard
//
// Example: S[(M,N):(P,1)] is (x0:M, x1:N) -> affine(N*x0 + x1) -> split(0; N, 1) -> affine(P*x0 + x1).
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/checker/rule_digits.h"

namespace vl::checker {

/// Where every extent is at least 1. Rejected where it is not shown which levels count, and in which order.
[[nodiscard]] kernel::BasicLayout<Polynomial> layout_at(const RuleText& rule, const SizeSet& sizes,
                                                        const Polynomials& logical, const Polynomials& replicas);

}  // namespace vl::checker
