// The prover of the book of lemmas (verifier/values_kernel/lemmas/book.h): it finds what the checker asks for, a
// refutation of the clauses of a statement by CaDiCaL, and codes that the hypotheses are true of. The checker looks at
// both.
#pragma once

#include <string>
#include <variant>

#include "verifier/values_kernel/lemmas/book.h"

namespace vl::lemmas {

/// Codes of which a statement is false, as the checker evaluates it.
struct False {
  values_kernel::Codes8 codes;
};
/// The solver gave up, or what it said is not so.
struct Open {
  std::string why;
};

/// Of a lemma of any kind: evidence that the checker accepted, given the lemmas before. Laws are never False.
[[nodiscard]] std::variant<values_kernel::LemmaEvidence, False, Open> prove(
    const values_kernel::Lemma& lemma, const std::vector<values_kernel::Lemma>& before);

}  // namespace vl::lemmas
