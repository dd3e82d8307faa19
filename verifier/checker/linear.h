// Linear equations over a box: that no integers x with 0 <= x_i < e_i solve Σ a_ji·x_i = b_j for every j.
//
// A proof is a tree. Each node combines the equations that hold there, with factors λ, to one equation a·x = b:
//
//   {"combine": [λ…]}
//       it has no solution: b is beyond the range of a·x in the box, or gcd(a) does not divide b
//   {"combine": [λ…], "modulus": m, "quotients": [q…], "branches": [T…]}
//       y = Σ q_i·x_i is an integer, and m·y = b - Σ (a_i - m·q_i)·x_i lies in an interval: one branch for each y in
//       it, ascending, with Σ q_i·x_i = y as one more equation, the last one
//
// Example: 4·x0 + 6·x1 = 3 has {"combine": [1]}, because 2 does not divide 3. For 12·x0 + 5·x1 = 11 over 10 by 3,
// modulus 12 and quotients [1, 0] leave 12·y = 11 - 5·x1 in [1, 11]: there is no branch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verifier/checker/kernel.h"

namespace vl::checker {

struct LinearProof {
  std::vector<std::int64_t> combine;  // one factor an equation; the branches' equations count, the youngest last
  std::optional<std::int64_t> modulus;
  std::vector<std::int64_t> quotients;
  std::vector<LinearProof> branches;
};

struct OneToOneProof {
  std::vector<std::size_t> order;
  std::vector<LinearProof> first;  // one a coordinate, in that order
};

/// Throws Rejected unless the proof shows it. Requires: one right side a row, one extent a column.
void check_no_solution(const std::vector<std::vector<Wide>>& coefficients, const std::vector<Wide>& right,
                       const std::vector<Wide>& extents, const LinearProof& proof);

/// Throws Rejected unless the proof shows that points of the box with equal rows are equal. Two different ones differ
/// first, in the order of coordinates `order`, in one coordinate, where p is the larger one: {"order": [i…], "first":
/// [T…]}, T the proof that the differences d = p - q with d_j = 0 before, 1 <= d_i < e_i, |d_j| < e_j behind do not
/// solve the equations with right sides 0. Its coordinates are d_i - 1, then d_j + e_j - 1, in that order.
void check_one_to_one(const std::vector<std::vector<Wide>>& coefficients, const std::vector<Wide>& extents,
                      const OneToOneProof& proof);

}  // namespace vl::checker
