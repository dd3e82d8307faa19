// What the smt engine's obligations about layouts and about loop nests have in common: slots, their numbers in memory,
// and decoding.
#pragma once

#include <optional>

#include "encodings/map/layout.h"
#include "encodings/smt/solver.h"
#include "verifier/engines/engine.h"

namespace vl::engines {

using Terms = std::vector<smt::TermId>;

/// Outputs of the layout's map are a slot: every physical coordinate is in the box and every guard is 0.
[[nodiscard]] smt::Formula is_slot(const map::Layout& layout, const Terms& outputs);

/// Equal term by term, as far as the shorter of the two goes.
[[nodiscard]] smt::Formula same(const Terms& a, const Terms& b);

/// The row-major number of a slot. Weights leave 64 bits only in a space without slots, where nobody asks for it.
[[nodiscard]] smt::Linear row_major(const map::Space& physical, const Terms& outputs);

/// a - b; nothing when a number leaves 64 bits.
[[nodiscard]] std::optional<smt::Linear> minus(smt::Linear a, const smt::Linear& b);

/// decode(slot) inside a formula. `point` are variables that mean something only where is_point holds:
///   the slot is not valid  iff  not in_domain, or is_point and not lives_here
struct Decoding {
  Terms point;              // of the layout's domain
  smt::Formula in_domain;   // decode(slot) is a point of the domain, its guards 0
  smt::Formula is_point;    // and it is `point`
  smt::Formula lives_here;  // map(point) is this slot
};
/// Requires: variables of the physical space, a decode map, and a domain that is not empty.
[[nodiscard]] Decoding decode(smt::Obligation& obligation, const map::Layout& layout, const Terms& slot);

[[nodiscard]] Abstained abstained(const smt::Undecided& undecided);

}  // namespace vl::engines
