// Whether two layouts put each element into the same set of slots, decided over digits. With the same swizzle at the
// end of both, or none, a bijection can be left out: the places of element x are D(x) + R, D linear in digits, R the
// sums of the replicas, and D_A(x) + R_A = D_B(x) + R_B for every x iff
//   (1) R_A - min R_A = R_B - min R_B as sets, the minimum lexicographic: it moves with its set; and
//   (2) D_A(x) + min R_A = D_B(x) + min R_B for every x.
// (1) Duplicates collapse: R[(2,2):(2,1)] = R[4:1]. Small sets are listed; large ones are brought to modes that do not
//     merge ((e,v) and (f,k·v) with k <= e are (e + (f-1)·k, v)); equal modes are equal sets, unequal sums of all modes
//     (the maxima) are unequal sets.
// (2) *Steps* (boundary, vector): merge an outer digit into the inner one if its vector is the inner's times its
//     extent. The rest is a normal form: the first n with f(n) != n·f(1) is the first boundary, and its multiples are a
//     function of the same kind. So two functions are equal iff their steps are equal, for any boundaries. The first
//     step in which they differ gives the smallest n with f(n) != g(n).
//
// Example: S[12:1] and S[(3,4):(4,1)] are both the one step (1, 1). S[(3,4):(5,1)] has the steps (1, 1), (4, 5): it
// differs from S[12:1] first at element 4.
#pragma once

#include "verifier/engines/engine.h"
#include "verifier/engines/forms/digit_domain.h"

namespace vl::engines {

/// Requires: a question of kind Differs; `a` and `b` are its layouts' digits. The witness is the smallest.
[[nodiscard]] Answer decide_same_places(const Question& question, const DigitDomain& a, const DigitDomain& b);

/// An element at which the two differ, among some that are told apart by few digits; nothing says nothing.
[[nodiscard]] std::optional<Witness> differing_sample(const Question& question);

}  // namespace vl::engines
