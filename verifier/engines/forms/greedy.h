// Greedy digits in closed form. A number o >= 0 is taken apart by weights w_1 >= w_2 >= … >= w_m = 1 (d_k = rem div
// w_k); each digit has an interval in which it is allowed. How many numbers below M have all digits allowed?
//
//   G_k(M) = #allowed q < M div w_k  ·  G_{k+1}(w_k)   +   [M div w_k allowed] · G_{k+1}(M mod w_k)
//
// since below the digit q every remainder in [0, w_k) occurs, except for the last q. Weights need not divide each
// other. O(m) a call after O(m^2) preparation, any size. The greedy-split fact (every offset below N has a slot iff
// (min(N, w_{k-1}) - 1) div w_k < size_k for all k) is the special case G(N) = N.
// Example: weights 720, 60, 1 with digits below 2, 12, 60: G(1440) = 1440 and G(1500) = 1440.
#pragma once

#include <span>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::engines {

struct Level {
  Index weight = 1;
  Index low = 0;   // allowed digits [low, high]; low >= 0
  Index high = 0;  // high < low: none
};

class GreedyCounter {
 public:
  /// Requires: weights do not ascend, the last is 1.
  explicit GreedyCounter(std::span<const Level> levels);

  /// #{o in [0, bound) : every digit allowed}. Requires: bound >= 0.
  [[nodiscard]] Index below(Index bound) const { return below(bound, 0); }
  /// #{o in [first, last] : o >= 0 and every digit allowed}; 0 for an empty interval. Requires: last < 2^63 - 1.
  [[nodiscard]] Index within(Index first, Index last) const;

 private:
  [[nodiscard]] Index below(Index bound, std::size_t level) const;

  std::vector<Level> levels_;
  std::vector<Index> full_;  // full_[k] = G_{k+1}(w_k)
};

}  // namespace vl::engines
