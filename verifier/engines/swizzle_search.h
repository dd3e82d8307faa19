// Swizzle search: the smallest swizzle of a tile that makes all accesses free of bank conflicts, or the proof that the
// family has none.
//
// The family: inner swizzles (M, B, S), which exclusive-or the B bits of the element address that start at bit M + S
// into those that start at bit M, with
//   B = 0 (no swizzle), or 1 <= B <= S, which makes it a bijection of the addresses and its own inverse;
//   2^M >= the elements of the widest access, so that the run of bytes of one lane stays one run;
//   M + S + B <= the bits of the tile's largest address. A swizzle whose field reaches beyond them reads zeros there:
//   on this tile it is the same as the one with B cut off at those bits, which comes earlier, or as none.
//
// So the family is finite. The order is B, then S, then M, ascending: the fewest bits moved, over the shortest
// distance. A candidate is right if every access is conflict-free for every choice of its variables and no address
// leaves the tile's box, which is [0, 1 + largest address) unless it is declared. Each candidate is decided before the
// next one; a candidate that no engine decides ends the search. The swizzles work on the tile's own addresses; absolute
// addresses, whose bits are also the buffer's, are not searched.
//
// Example: f16[8,64] row-major, lanes=8 width=16 at=[lane, 8*j] for j=0:8. Addresses have 9 bits, M >= 3, B + S <= 6:
// (3,3,3) is the first.
#pragma once

#include <variant>

#include "verifier/engines/banks.h"

namespace vl::engines {

struct SwizzleAccess {
  use::Access access;
  const map::Layout* tv = nullptr;  // of an access with one
};

struct SwizzleTask {
  const map::Layout* tile = nullptr;  // no swizzle in it, one memory axis
  std::vector<SwizzleAccess> accesses;
  int element_bits = 0;
  use::Hardware hardware;
};

/// Why a candidate is not right.
struct SwizzleRefusal {
  std::optional<std::size_t> access = {};  // the first that conflicts; nothing: an element leaves the tile's box
  Point at = {};                           // the access's variables (a Reach's), or the element
};

struct SwizzleFound {
  map::Swizzle swizzle;                  // bits = 0: the tile as it is
  map::Layout layout;                    // the tile, swizzled
  std::vector<SwizzleRefusal> rejected;  // one per candidate before it
};
struct SwizzleNone {
  std::vector<SwizzleRefusal> rejected;  // one per candidate
};
/// One candidate was not decided.
struct SwizzleUndecided {
  map::Swizzle swizzle;
  Abstained why;
};
using SwizzleAnswer = std::variant<SwizzleFound, SwizzleNone, SwizzleUndecided>;

/// Errors: those of reach_of, of the first access that has one (`access` says which); Value for a tile that has a
/// swizzle or negative addresses.
struct SwizzleError {
  std::optional<std::size_t> access;
  Error error;
};
[[nodiscard]] std::variant<SwizzleAnswer, SwizzleError> find_swizzle(const SwizzleTask& task, const Options& options);

/// The accesses of a task, as certificates state them.
struct SwizzleParts {
  std::vector<Reach> reaches;       // under the tile as it is
  std::vector<map::Map> addresses;  // addresses_of (banks.h): under a swizzle, bytes start at swizzled·element + start
};
/// Errors: those of reach_of, of the first access that has one.
[[nodiscard]] Result<SwizzleParts> swizzle_parts(const SwizzleTask& task);

/// The candidates in order, over addresses of so many bits and runs of 2^least elements.
[[nodiscard]] std::vector<map::Swizzle> swizzle_candidates(int address_bits, int least);

}  // namespace vl::engines
