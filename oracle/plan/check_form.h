// Form: the pairs of addresses that loops step through, in a shape that does not depend on how the loops were written.
//
// A loop of n iterations with the step v = (source, destination) is the sum of X^(k·v) over 0 <= k < n, one term a
// pair, which is (1 - X^(n·v)) / (1 - X^v) for v != 0. Loops within one another are the product. So the pairs, counted
// with multiplicity, are given by an offset, the multiset of ends n·v above and the multiset of steps v below, and an
// end cancels an equal step. Equal forms are therefore equal pairs, whatever was split, fused or put in another order.
// (The converse holds as well: a product of 1 - X^v determines its v, all v being positive, as those here are: a loop
// that goes down is counted from its other end.) Example: 4 x 3 bytes, loops (4: 3), (3: 1): ends {12, 3}, steps {3,
// 1}; 3 cancels: ends {12}, steps {1}, as of (12: 1).
#pragma once

#include <array>
#include <cstddef>

#include "oracle/plan/plan.h"

namespace vl::oracle::checker {

class Form {
 public:
  /// Empties it, at these offsets.
  void start(Index source, Index destination);
  /// Adds a loop; false when a number leaves 64 bits. Requires: extent >= 1; at most kMostVariables + 2 loops.
  [[nodiscard]] bool add(Index extent, Index source, Index destination);
  /// Cancels; then forms can be compared.
  void settle();
  /// Becomes the form of the other's destinations alone; false when the other goes to one of them more than once for a
  /// loop that stays there. Requires: the other is settled.
  [[nodiscard]] bool take_destinations(const Form& other);

  /// Requires: both are settled.
  [[nodiscard]] bool operator==(const Form& other) const;

 private:
  struct Pair {
    Index source;
    Index destination;
    bool operator==(const Pair&) const = default;
    [[nodiscard]] bool operator<(const Pair& other) const {
      return destination != other.destination ? destination < other.destination : source < other.source;
    }
  };
  using Pairs = std::array<Pair, kMostVariables + 2>;
  static void insert(Pairs& pairs, std::size_t count, Pair pair);

  std::size_t count_ = 0;  // of ends as of steps, both in order
  Pair offset_{};
  Index repeats_ = 1;  // by loops that step nowhere
  Pairs ends_;
  Pairs steps_;
};

}  // namespace vl::oracle::checker
