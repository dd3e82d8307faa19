// Propositional certificates: an obligation as clauses over bits, and a proof that no assignment satisfies them.
#pragma once

#include "verifier/certificate/checker/questions.h"

namespace vl::certificate::checker {

/// ∃ p (and q ≠ p) ∈ the layout's domain such that …; a certificate shows that there is none. A slot: an outcome in `box`, guards 0.
struct Obligation {
  enum Kind {
    Escapes,     // p has no slot
    Collides,    // p and q have slots, and the same one
    Misdecodes,  // p has a slot s, and decode(s) ≠ p or its guards are not 0
    Breaks,      // p has a slot s, and identity.slot(s) ≠ identity.element(p)
    Differs,     // without replicas, and every element has a slot in both: the slots' numbers, or the places by axis, differ
  };
  Kind kind;
  const Layout* layout;
  const Layout* other;
  const Space* box;
};

/// Takes from the proof what it needs. Rejects an obligation that is not of bits, and what is no proof.
void check_propositional(const Obligation& obligation, Fields& proof);

}  // namespace vl::certificate::checker
