// Form: the pairs of addresses of a loop nest, in a shape that does not depend on the notation of the loops.
//
// A loop of n iterations with the step v = (source, destination) is the sum of X^(k·v) over 0 <= k < n, with one term
// per pair. For v != 0 this is (1 - X^(n·v)) / (1 - X^v). Nested loops are the product. So the pairs, counted with
// multiplicity, are given by an offset, the multiset of ends n·v above, and the multiset of steps v below; an end
// cancels an equal step. Therefore equal forms have equal pairs, even if loops were split, fused or reordered. (The
// converse also holds: a product of 1 - X^v determines its v if all v are positive. Here they are, because a loop that
// goes down is counted from its other end.)
//
// Example: 4 x 3 bytes, loops (4: 3), (3: 1): ends {12, 3}, steps {3, 1}; 3 cancels: ends {12}, steps {1}. The form is
// that of (12: 1).
#pragma once

#include <array>
#include <cstddef>

#include "oracle/plan/plan.h"

namespace vl::oracle::checker {

class Form {
 public:
  /// Empties the form, with these offsets.
  void start(Index source, Index destination);
  /// Adds a loop; false if a number leaves 64 bits. Requires: extent >= 1; at most kMostVariables + 2 loops.
  [[nodiscard]] bool add(Index extent, Index source, Index destination);
  /// Cancels equal ends and steps; then forms can be compared.
  void settle();
  /// Becomes the form of the other's destinations alone; false if the other goes to a destination more than once
  /// because of a loop whose destination stays the same. Requires: the other is settled.
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
  Index repeats_ = 1;  // by loops with step 0
  Pairs ends_;
  Pairs steps_;
};

}  // namespace vl::oracle::checker
