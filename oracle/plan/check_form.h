// Form: a set of pairs of addresses that loops step through, in a shape that does not depend on how the loops were written.
// A loop is { (k·source, k·destination) : 0 <= k < extent }; a form is an offset plus the sum of its loops. These keep the
// sum, every pair as often as it was: dropping a loop of extent 1, reversing one (the offset moves to its other end),
// ordering them, and joining an inner loop with one whose step is the inner one's extent times its step. Two lists of loops
// with the same form are therefore the same pairs; lists of different forms may be, too.
#pragma once

#include <array>

#include "oracle/plan/plan.h"

namespace vl::oracle::checker {

struct Form {
  std::size_t rank = 0;
  Index source = 0;
  Index destination = 0;
  std::array<Loop, kMostVariables + 2> loops;

  /// Empties it, at these offsets.
  void start(Index from, Index to);
  /// Adds a loop. Requires: extent >= 1, at most kMostVariables + 2 of them.
  void add(Index extent, Index from, Index to) {
    if (extent != 1) loops[rank++] = Loop{extent, from, to};
  }
  /// Brings it into its shape. False when a number leaves 64 bits.
  [[nodiscard]] bool settle();
  /// Only the destinations, in shape. False when a number leaves 64 bits.
  [[nodiscard]] bool forget_source();

  [[nodiscard]] bool operator==(const Form& other) const;
};

}  // namespace vl::oracle::checker
