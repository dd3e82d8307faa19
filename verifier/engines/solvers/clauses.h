// An obligation about a layout as clauses over bits. Every point that it asks for satisfies its clauses, with the bits
// of all numbers on the way; so when no assignment does, there is none. CaDiCaL is asked about layouts by them.
//
// A number is low + u, u an unsigned word, and lies in [low, high] at every point: width(high - low) bits hold it, and
// arithmetic modulo that power of two loses nothing. Example: of x in [0, 5), y = 3·x - 7 is in [-7, 5]: y = -7 + u
// with u = 3·x modulo 16. A division makes q and r with x = weight·q + r, whose sum has as many bits as it needs.
#pragma once

#include "verifier/kernel/core/layout.h"
#include "verifier/rup/clauses.h"

namespace vl::engines::clauses {

/// ∃ p (and q) ∈ the layout's domain such that …. A slot: an outcome in `box`
/// with guards 0.
struct Obligation {
  enum Kind {
    Escapes,     // p has no slot
    Collides,    // p before q in row-major order have slots, and the same one
    Misdecodes,  // p has a slot s, and decode(s) ≠ p or its guards are not 0
    Breaks,      // p has a slot s, and identity.slot(s) ≠ identity.element(p)
    Differs,     // p has no slot in one of both physical boxes, or the slots' numbers (named: places by axis) differ
  };
  Kind kind;
  const kernel::Layout* layout;
  const kernel::Layout* other;  // of Differs: over the same elements; neither has replicas
  const kernel::Space* box;
};

/// Satisfiable iff there are such points: p and its outcome; of Collides then q and its outcome. Rejects what is not of
/// bits: numbers beyond 62 bits, more than 2^20 clauses, replicas in a comparison, an empty domain.
[[nodiscard]] rup::Clauses encode(const Obligation& obligation);

}  // namespace vl::engines::clauses
