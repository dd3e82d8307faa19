// Fills that no reduction notices (the claim neutral). A reduction is a binary tree over terms, as the statement says;
// pads are terms of codes of the fill, and the reference is the same tree without its pads.
//
// `proved`: what is looked at here is that leaves of the contents, and of pads, are of the kinds that a law of the book
// of lemmas (lemmas/book.h) speaks of. The law, for any number of terms and any tree, and the facts about single
// operations that it rests on, were checked there; the statement names the digest of that book.
// `refuted`: the evidence has terms and a tree in postfix notation ('c' a valid term, 'p' a pad, 's' the start, '+' a
// node), which are evaluated with their pads and without; in the mode of the statement (`rounding`, `flush`,
// `integers`) and from its start. Of proofs, reductions.cpp says which laws hold in which mode and from a start -0.
// None about fused products out of order is accepted: the laws are not about these.
//
// `fills` is the claim that a fill is neutral and the largest one, of a type of at most 16 bits: for every other code
// some element that the evidence lists, alone in its row, gives another result beside that code. The fill may be empty.
//
// Example: f16 sum, fill +0: valid -0, "cp+": -0 + +0 = +0, and -0 without the pad.
#pragma once

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {

/// Rejects what shows no such thing.
void check_neutral(bool refuted, const ReductionText& said, Evidence& evidence);
void check_fills(const ReductionText& said, Evidence& evidence);

/// Whether the fill, or of dot the fill of operand 0 or 1, has every code that the operand's elements hold. Rejects
/// elements that the contents do not have. The lanes of a block float share the greatest exponent field of them all, so
/// a pad of field 0 leaves every lane as it is, and is read as +0: the fill of such an operand has to be that alone.
[[nodiscard]] bool holds_elements(const ReductionText& said, std::size_t operand, const HeldText& held);

}  // namespace vl::values_kernel
