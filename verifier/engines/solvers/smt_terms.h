// What the obligations about layouts, loop nests and accesses have in common: points with slots, the slots' numbers in
// memory, and decoding.
#pragma once

#include <optional>

#include "encodings/map/layout.h"
#include "encodings/smt/solver.h"
#include "verifier/engines/engine.h"

namespace vl::engines {

using Terms = std::vector<smt::TermId>;

/// Each value is in [0, bound).
[[nodiscard]] smt::Formula in_bounds(const Terms& values, const std::vector<Index>& bounds);
/// Outputs of the layout's map are a slot: every physical coordinate is in the box and every guard is 0.
[[nodiscard]] smt::Formula is_slot(const map::Layout& layout, const Terms& outputs);

/// Equal term by term, as far as the shorter of the two goes.
[[nodiscard]] smt::Formula same(const Terms& a, const Terms& b);

[[nodiscard]] smt::Linear linear(const map::Row& row, const Terms& terms);
/// The row-major number of a slot. Weights leave 64 bits only in a space without slots, where nobody asks for it.
[[nodiscard]] smt::Linear row_major(const map::Space& physical, const Terms& outputs);

/// An obligation, and what its values say. They begin with the witness: from value number `first` on, so many are its
/// p, q and slot; of nests, p and q are iterations of the nests with these numbers.
struct Encoded {
  smt::Obligation obligation = {};
  std::size_t first = 0;
  std::size_t p = 0;
  std::size_t q = 0;
  std::size_t slot = 0;
  std::vector<Index> nests = {};  // of p, then of q
  bool either_way = false;        // p and q may change places
  smt::Theory theory = smt::Theory::Automatic;
  bool fits = true;  // else a number leaves 64 bits, and there is no obligation

  /// a - b, and a = b.
  [[nodiscard]] smt::Linear minus(smt::Linear a, const smt::Linear& b);
  [[nodiscard]] smt::Formula equal(const smt::Linear& a, const smt::Linear& b) { return smt::is_zero(minus(a, b)); }
};

/// A point of the layout's domain, and the outputs of its map there.
struct Located {
  Terms point;
  Terms outputs;
};
[[nodiscard]] Located located(smt::Obligation& obligation, const map::Layout& layout);
/// One that has a slot.
[[nodiscard]] Located landed(smt::Obligation& obligation, const map::Layout& layout);

/// decode(slot) inside a formula. `point` are variables that mean something only where is_point holds:
///   the slot is not valid  iff  not in_domain, or is_point and not lives_here
struct Decoding {
  /// decode(slot) is no point of the domain, or is one for which this does not hold.
  [[nodiscard]] smt::Formula unless(smt::Formula holds) const;

  Terms point;              // of the layout's domain
  smt::Formula in_domain;   // decode(slot) is a point of the domain, its guards 0
  smt::Formula is_point;    // and it is `point`
  smt::Formula lives_here;  // map(point) is this slot
};
/// Requires: variables of the physical space, a decode map, and a domain that is not empty.
[[nodiscard]] Decoding decode(smt::Obligation& obligation, const map::Layout& layout, const Terms& slot);

[[nodiscard]] Abstained abstained(const smt::Undecided& undecided);

}  // namespace vl::engines
