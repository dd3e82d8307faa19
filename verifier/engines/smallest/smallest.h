// Smallest: from a witness to the smallest one. An engine that finds a witness in closed form, by linear equations or
// by a solver often finds any; which one is the smallest is then asked of ever smaller parts of the question.
//
//   points   Escapes, Lands, Breaks, Differs: is there a witness among the points of this box? Bisection goes by
//            coordinates: below the known witness's coordinate there is none, or a new witness is known.
//   pairs    Collides: p of the box, and its partner in the box or in what comes after it, at most `rank` boxes more; a
//            point before the box has no partner at all. Then the smallest partner of that p.
//   slots    Misses: are fewer slots of this box taken than it has? By counts.
//   walk     where the closed forms stop: over everything, if it is short, up to the witness at hand or to the end.
//
// Each answer is a decision of an engine about a restricted layout (restricted.h), and the result is replayed. Only the
// closed forms are asked, at most a few times a bit of the extents: a search that runs out of calls or of time gives
// up, and then nothing is said to be smallest. So a witness never depends on how long a search may take.
//
// Example: 1024·x0 + x1 over 1030 by 1023, 16464 · 64 slots. The far corner [1029, 1022] has none. [0, 1028] by 1023
// has no witness, [1029] by [0, 1021] has one, and so on down to [1029, 0].
#pragma once

#include "verifier/engines/panel.h"

namespace vl::engines {

/// By bisection alone. Nothing when the closed forms do not decide it. Requires: `known` replays.
[[nodiscard]] std::optional<Witness> bisected(const Question& question, const Witness& known, const Budget& budget);

/// Of first_elements(), the part that bisects.
[[nodiscard]] std::optional<Witness> bisected_elements(const Question& question, const Witness& witness,
                                                       const Budget& budget);

/// The smallest witness of a query that has one, by bisection or by a walk; nothing when it takes too long: more than
/// 2^23 points, 2^28 slots, 2^22 moves, or 2^22 lanes of instances. Requires: `known` replays.
[[nodiscard]] std::optional<Witness> smallest(const Query& query, const Witness& known, const Options& options);

/// Of Collides: two points whose elements are the smallest pair, whatever their replicas. The smallest p may meet a
/// later element than a later replica of p's element does. By bisection of each of 256 replicas, or by a walk from one
/// element to the other, of 2^22 points; nothing when it takes longer. Requires: `witness` is the smallest one.
/// Example: elements at 0, 3, 0 and replicas 3 apart: (0, 0) meets (2, 0), and (0, 1) meets (1, 0).
[[nodiscard]] std::optional<Witness> first_elements(const Question& question, const Witness& witness,
                                                    const Budget& budget);

/// Of Escapes and Collides: the same elements, and of their replicas those with the smallest place, of two that meet
/// the smallest in common. Nothing where there are more than 4096 replicas. Example: replicas at 1 and 0 of an element
/// that all share: slot 0, by the second replica.
[[nodiscard]] std::optional<Witness> least_place(const Question& question, const Witness& witness);

}  // namespace vl::engines
