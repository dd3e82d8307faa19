// Presburger: questions as systems of linear equations and inequalities over the integers, given to isl.
//
// What a map does is simplified first (symbolic.h): a division whose quotient is plain to see is none, and digits that
// are added up again are what was split. Each split that is left has hidden digits, 0 <= rest - w·d <= w - 1. Swizzles
// are outside the fragment: bits as unknowns take isl seconds where gf2 takes microseconds.
//
// The formula of an obligation becomes a union of systems, each asked for by itself.
//
// Sizes may be unknowns as well. A collision in a layout of some size is one more existential question: with x < C and
// C unknown, "for all C no two elements share a slot" is the emptiness of one set of (C, p, q). Example: x -> (x div
// 64, x mod 64) over 0 <= x < C is injective for every C. 192·i + j over j < C is so for C <= 192; without that bound C
// = 193 gives (0, 192) and (1, 0) one slot.
#pragma once

#include <variant>
#include <vector>

#include "verifier/engines/engine.h"
#include "verifier/engines/solvers/obligations.h"

namespace vl::engines {

/// The obligation's smallest values, by isl, within its operations: 5 for each millisecond of the budget, at most
/// 50,000.
[[nodiscard]] Solved solve_by_sets(const smt::Obligation& obligation, const Budget& budget);

/// A box whose extents are linear in sizes: dimension i is 0 <= x_i < extents[i], for all sizes that satisfy
/// condition >= 0 for each condition. Rows over the sizes.
struct AllSizes {
  std::size_t sizes = 0;
  std::vector<map::Row> conditions;
  std::vector<map::Row> extents;
};

/// Two points of the box of these sizes with the same outputs; p < q.
struct SizedCollision {
  std::vector<Index> sizes;
  Point p;
  Point q;

  bool operator==(const SizedCollision&) const = default;
};

/// Whether these stages are injective over the box for all sizes (None), or where not: the smallest sizes, then p, then
/// q when isl finds them. Requires: each stage's inputs exist, weights are positive. Abstains on swizzles.
[[nodiscard]] std::variant<None, SizedCollision, Abstained> injective_for_all(std::span<const map::Stage> stages,
                                                                              const AllSizes& box,
                                                                              const Options& options);

}  // namespace vl::engines
