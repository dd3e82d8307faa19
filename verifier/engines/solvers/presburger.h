// Presburger: questions as systems of linear equations and inequalities over the integers, given to isl.
//
// What a map does is simplified first (symbolic.h): a division whose quotient is plain to see is none, and digits that
// are added up again are what was split. Each split that is left has hidden digits, 0 <= rest - w·d <= w - 1. Swizzles
// are outside the fragment: bits as unknowns take isl seconds where gf2 takes microseconds.
//
// The formula of an obligation becomes a union of systems, each asked for by itself.
#pragma once

#include "verifier/engines/engine.h"
#include "verifier/engines/solvers/obligations.h"

namespace vl::engines {

/// The obligation's smallest values, by isl, within its operations: 5 for each millisecond of the budget, at most
/// 50,000.
[[nodiscard]] Solved solve_by_sets(const smt::Obligation& obligation, const Budget& budget);

}  // namespace vl::engines
