// The engines, one by one. Closed forms match on a relation's shape and take the question about it; the others take any
// query, and abstain on shapes that they do not know. All but decide_enumerate() require that the query is not one that
// decide_empty() answers; the panel sees to that.
#pragma once

#include "verifier/engines/panel.h"

namespace vl::engines {

/// The answer to a query about nothing: layouts without points or without slots, nests without moves or elements, an
/// access without lanes. Nothing: there is something to ask an engine about.
/// Example: of a box without slots, Escapes is answered with the first point, Count with 0.
[[nodiscard]] std::optional<Answer> decide_empty(const Query& query);

/// Closed forms on mixed-radix structure; any size. Witnesses minimal where the structure allows.
[[nodiscard]] Answer decide_strided(const Question& question, const Options& options);
/// Linear equations over GF(2) on the bits of elements' numbers; any size. Witnesses are minimal.
[[nodiscard]] Answer decide_gf2(const Question& question, const Options& options);
/// Linear equations over bounded digits: collisions, common places and slots; any size, within a budget of steps.
[[nodiscard]] Answer decide_linear(const Question& question, const Options& options);
/// All sums of strides in one bitmap, a few shifts a digit: collisions and counts of up to 2^30 slots, whatever the
/// number of points. Only where every element has a slot.
[[nodiscard]] Answer decide_sums(const Question& question, const Options& options);
/// CaDiCaL on the clauses of a question about points (solvers/propositional.h). Witnesses are whatever it finds
/// first.
[[nodiscard]] Answer decide_propositional(const Question& question, const Options& options);

/// Affine sets: every nest is taken apart into pieces on which the layouts are affine, and places are counted as
/// products of progressions. The cost does not depend on the extents. Witnesses are minimal, found by bisection.
[[nodiscard]] Answer decide_transfer_strided(const TransferQuestion& question, const Options& options);
/// Whether it is known that a place in `memory`, one side of the question, tells which element lies there, dimensions
/// aside that neither side reads: it decodes, and no two elements share a place.
[[nodiscard]] bool tells(const use::Memory& memory, const TransferQuestion& question);

/// Ranks over GF(2) where the addresses are exclusive-or sums of the bits of lane and variables: any number of
/// instances. Witnesses are minimal.
[[nodiscard]] Answer decide_banks_gf2(const BankQuestion& question, const Options& options);

/// Walks over every point: with a bitmap of slots, at most 2^28 points and slots; over moves sorted by what they write,
/// at most 2^22 and as many elements; over instances, at most 2^24 lanes of them. Witnesses are minimal. Of more moves
/// it looks at a sample, and a witness from that is any.
[[nodiscard]] Answer decide_enumerate(const Query& query, const Options& options);
/// The first of the first `most` points that answers a query about single points (of layouts Escapes, Lands,
/// Misdecodes, Breaks, Differs; of accesses Crowds): the smallest witness, when it comes early. Nothing otherwise.
[[nodiscard]] std::optional<Witness> first_early(const Query& query, Index most);

/// isl on the query's obligations (obligations.h); of layouts and nests. Witnesses are minimal when that takes isl no
/// longer than the decision, and the query has one obligation.
[[nodiscard]] Answer decide_presburger(const Query& query, const Options& options);
/// Z3 on the query's obligations: layouts; nests of any size whose strides nest, where a side tells which element an
/// offset belongs to; accesses but for counts and limits other than 0. Witnesses are whatever the solver finds first.
[[nodiscard]] Answer decide_smt(const Query& query, const Options& options);
/// Z3 on the second encoding (solver.h), and cvc5 on the text of the first. As decide_smt otherwise.
[[nodiscard]] Answer decide_smt_2(const Query& query, const Options& options);
[[nodiscard]] Answer decide_cvc5(const Query& query, const Options& options);
/// Calls options.dump with each obligation that decide_smt may ask about; solves nothing.
void dump_obligations(const Query& query, const Options& options);

}  // namespace vl::engines
