// An obligation as clauses over bits, and proofs that no assignment satisfies clauses. Every point that an obligation
// asks for satisfies its clauses, with the bits of all numbers on the way; so when no assignment does, there is none.
// CaDiCaL is asked about layouts by them; lemmas about values are proved by such refutations.
//
// A number is low + u, u an unsigned word, and lies in [low, high] at every point: width(high - low) bits hold it, and
// arithmetic modulo that power of two loses nothing. Example: of x in [0, 5), y = 3·x - 7 is in [-7, 5]: y = -7 + u
// with u = 3·x modulo 16. A division makes q and r with x = weight·q + r, whose sum has as many bits as it needs.
#pragma once

#include "verifier/checker/questions.h"

namespace vl::checker {

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
  const Layout* layout;
  const Layout* other;  // of Differs: over the same elements; neither has replicas
  const Space* box;
};

/// Literals: a variable, or -variable, its complement. Variable 1 is true.
using Word = std::vector<int>;

struct Number {
  Wide low, high;
  Word bits;  // of value - low, the lowest first
};

struct Clauses {
  int variables = 1;
  std::vector<Word> clauses{{1}};
  std::vector<std::vector<Number>> points;  // p and its outcome; of Collides then q and its outcome
};

/// Satisfiable iff there are such points. Rejects what is not of bits: numbers beyond 62 bits, more than 2^20 clauses,
/// replicas in a comparison, an empty domain.
[[nodiscard]] Clauses encode(const Obligation& obligation);

/// Rejects what is no proof that the clauses are not satisfiable. The proof is DRAT text without deletions (a clause
/// that holds never has to go): clauses, each literals and 0, the last one empty. Each has to follow from those before
/// by reverse unit propagation: its complement leads to a contradiction through unit clauses alone. No RAT is
/// understood.
void check_refutation(int variables, const std::vector<Word>& clauses, const std::string& proof);

}  // namespace vl::checker
