// Clauses over bits, and proofs that no assignment satisfies them: lemmas about values are proved by such refutations.
#pragma once

#include <string>
#include <vector>

#include "verifier/kernel/core/work.h"

namespace vl::rup {
using kernel::charge;
using kernel::hold;
using kernel::require;
using kernel::Wide;

/// Literals: a variable, or -variable, its complement. Variable 1 is true.
using Word = std::vector<int>;

struct Number {
  Wide low, high;
  Word bits;  // of value - low, the lowest first
};

struct Clauses {
  int variables = 1;
  std::vector<Word> clauses{{1}};
  std::vector<std::vector<Number>> points;  // numbers that an assignment gives
};

/// Rejects what is no proof that the clauses are not satisfiable. The proof is DRAT text without deletions (a clause
/// that holds never has to go): clauses, each literals and 0, the last one empty. Each has to follow from those before
/// by reverse unit propagation: its complement leads to a contradiction through unit clauses alone. No RAT is
/// understood.
void check_refutation(int variables, const std::vector<Word>& clauses, const std::string& proof);

}  // namespace vl::rup
