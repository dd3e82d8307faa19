// Orders: in which order a reduction combines its terms, as a binary tree over them.
//
//   seq         from the first term to the last: ((0 + 1) + 2) + 3
//   seq-desc    from the last term to the first: ((3 + 2) + 1) + 0
//   tree        neighbours first, round by round; a last one without a neighbour waits: (0 + 1) + (2 + 3)
//   lanes(n)    n accumulators, of which the j-th takes the terms j, j + n, …; then they are combined by seq
//   random(s)   two parts that are drawn from the seed s are combined, until one is left: any tree over any permutation
//
// A start value is the leaf 0. Of seq, seq-desc and lanes it comes first, in the first accumulator: (0 + 3) + 2 of
// seq-desc; of tree and random it is a leaf as any other.
//
// The order is that of the padded iteration. The run without padding has the *induced order*: the same tree with its
// pads cut out, where a node with one part left is that part. Another order for it, for example `tree` over fewer
// terms, would blame the padding for what is a re-association.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/result.h"

namespace vl::oracle::ops {

struct Order {
  enum class Kind { Sequential, Descending, Tree, Lanes, Random };
  Kind kind = Kind::Sequential;
  std::size_t lanes = 1;   // of Lanes
  std::uint64_t seed = 0;  // of Random

  bool operator==(const Order&) const = default;
};

/// A tree over `leaves` leaves. Part i is leaf i for i < leaves, else node i - leaves, which joins two earlier parts;
/// the last part is the root. Example: seq over 3 leaves is {3, {{0, 1}, {3, 2}}}.
struct Tree {
  std::size_t leaves = 0;
  std::vector<std::array<std::uint32_t, 2>> nodes;

  bool operator==(const Tree&) const = default;
};

/// Requires: at least one leaf, at most 2^31; of Lanes at least one lane.
[[nodiscard]] Tree tree_of(const Order& order, std::size_t leaves, bool start);

/// Reads "seq", "lanes(8)", "random(42)". Errors: Syntax; Value for 0 lanes, or more than 2^20.
[[nodiscard]] Result<Order> parse_order(std::string_view text);
[[nodiscard]] std::string print(const Order& order);

}  // namespace vl::oracle::ops
