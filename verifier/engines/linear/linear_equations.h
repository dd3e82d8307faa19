// Linear equations over a box: are there integers x, 0 <= x_i < e_i, with Σ a_ji·x_i = b_j for every j? Common places
// of two layouts, and two points of one layout in one place, are such equations; subset sum in general, so there is a
// budget.
//
// Three arguments, each on one integer combination a·x = b of the equations that hold:
//   bounds   b is not between the least and the largest value of a·x                                  no solution
//   gcd      gcd(a) does not divide b                                                                 no solution
//   split    a = m·q + r: y = q·x is an integer, and m·y = b - r·x leaves few values for y            one branch each
//            In a branch q·x = y is one more equation. m is one of the coefficients, which separates strides that nest,
//            or nearly nest.
//
// The combinations cancel one coordinate of two equations (two coordinates of three), as in linear programming: for two
// equations the best bound is always one of these. The last resort is a single coordinate as q.
//
// Example (documentation of numpy.shares_memory): 36674·x0 + 61119·x1 + 85569·x2 - 12223·y0 - 12224·y1 = 64023025, all
// coordinates below 1049. With m = 12224 and q = (3, 5, 7, -1, -1) the rest is 2·x0 - x1 + x2 + y0, in [-1048, 4192];
// but 64023025 = 5237·12224 + 5937, so no multiple of 12224 is left for it: no solution.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::engines {

struct LinearSystem {
  std::vector<std::vector<Index>> rows;  // coefficients, one row an equation
  std::vector<Index> right;              // one an equation
  std::vector<Index> extents;            // one a coordinate
};

/// Why there is no solution: a tree, whose nodes each combine the equations that hold there to one, a·x = b. A node
/// without a modulus is a leaf: b is beyond the range of a·x, or gcd(a) does not divide it. Else y = quotients·x, and
/// each y with modulus·y = b - (a - modulus·quotients)·x for some x of the box has a branch, ascending, in which
/// quotients·x = y is one more equation. As steps of the kernel: engines/cells/equations.h.
struct LinearProof {
  std::vector<Index> combine;  // one factor an equation, that of the youngest last
  std::optional<Index> modulus;
  std::vector<Index> quotients;
  std::vector<LinearProof> branches;
};

struct Solution {
  Point x;
};
struct Unsolvable {
  LinearProof proof;
};
/// The budget is used up, or numbers leave 64 bits (of the proof) or 128 (on the way).
struct Unsolved {};
using LinearAnswer = std::variant<Solution, Unsolvable, Unsolved>;

/// How many nodes all searches of one question may visit together.
struct LinearEffort {
  Index nodes = 10'000;
};

/// Requires: rows as long as extents, as many right sides as rows.
[[nodiscard]] LinearAnswer solve(const LinearSystem& system, LinearEffort& effort);

/// Do two points of the box have equal rows? Solution: x = p - q of two such points, the first coordinate in `order`
/// that is not 0 positive. Unsolvable's proof is empty; `first` has one for each coordinate, in `order`.
struct OneToOne {
  LinearAnswer answer;
  std::vector<std::size_t> order;
  std::vector<LinearProof> first;
};
/// Requires: rows as long as extents. Extents are at least 1.
[[nodiscard]] OneToOne one_to_one(const std::vector<std::vector<Index>>& rows, const std::vector<Index>& extents,
                                  LinearEffort& effort);

}  // namespace vl::engines
