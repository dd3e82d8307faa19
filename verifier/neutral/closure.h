// Closures: what partial results can be, where the accumulator has at most 8 bits. They are few, so all are computed,
// and fills that the laws leave open are decided.
//
// From left to right. R has the pairs (with pads, without) of partial results: of the start (s, s), or of no term yet;
// with (a, b) also (a∘c, b∘c) for each leaf c of the contents and (a∘p, b) for each leaf p of the pads. The fill is
// neutral if and only if no pair of at least one valid term is unequal, because each pair is that of a row.
//
// Any tree. A has every result of valid terms, with the start or without it, and Q every result of pads alone. If
// a∘q ~ a and q∘a ~ a for all a of A and q of Q, the fill is neutral: by induction over the tree a node of which one
// side has pads alone is ~ its other side, and ∘ keeps ~. A pair that is not so is a tree, if there is no start or a
// has it; of others the trees in which the start, or a valid term, is joined last are looked at.
//
// Example: f8e5m2 sum of 4 and a pad 0.5: 4 + 0.5 is rounded to 4, and 1 + 0.5 is not to 1.
#pragma once

#include "verifier/neutral/neutral.h"

namespace vl::neutral {

/// Nothing: it is not about the question (rows, means, unrounded products, wide accumulators), or the fill stays open.
/// Requires: as of decide().
[[nodiscard]] std::optional<Verdict> decide_by_closure(const Question& question, const CodeSet& a, const CodeSet* b);

}  // namespace vl::neutral
