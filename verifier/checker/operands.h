// What a kernel of other claims may ask of this one: facts about the layout of one operand, each by its own proof, and
// the rules of a family.
#pragma once

#include "verifier/checker/certificate.h"

namespace vl::checker {

/// Shows that every element of the operand has a slot of its box; and that no two elements share one. Reject an operand
/// without elements, and a proof that shows more.
void all_have_slots(const LayoutText& operand, Evidence& proof);
void all_have_slots_of_their_own(const LayoutText& operand, Evidence& proof);

/// The family's rules, as pairs of integers that have to be equal.
void check_rules(Statement& statement);

}  // namespace vl::checker
