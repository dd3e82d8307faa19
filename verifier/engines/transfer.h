// The engines' side of questions about transfers; certificate/transfer.h has the questions and what a witness means.
#pragma once

#include "verifier/engines/engine.h"
#include "verifier/question/transfer.h"

namespace vl::engines {

using question::TransferQuestion;

struct TransferEngine {
  std::string_view name;
  std::string_view fragment;
  Answer (*decide)(const TransferQuestion&, const Options&);
};

/// Cheapest first; the names are those of engines().
[[nodiscard]] std::span<const TransferEngine> transfer_engines();
/// As second_opinions() of layouts.
[[nodiscard]] std::span<const TransferEngine> second_transfer_opinions();

/// Affine sets: every nest is taken apart into pieces on which the layouts are affine, and places are counted as
/// products of progressions. The cost does not depend on the extents. Witnesses are minimal, found by bisection.
[[nodiscard]] Answer decide_transfer_strided(const TransferQuestion& question, const Options& options);
/// Runs the moves, sorted by destination; at most 2^22 moves and elements. Witnesses are minimal. Of more it looks at a
/// sample, and a witness from that is any.
[[nodiscard]] Answer decide_transfer_enumerate(const TransferQuestion& question, const Options& options);

/// Z3 on a few obligations: the question's over iterations and points (transfer_obligations.h). Any size; abstains on a
/// nest whose strides do not nest, and where neither side tells which element an offset belongs to. Witnesses are
/// whatever the solver finds first. options.budget.wall is for the whole question.
[[nodiscard]] Answer decide_transfer_smt(const TransferQuestion& question, const Options& options);
/// The same on the second encoding of each obligation, and by cvc5.
[[nodiscard]] Answer decide_transfer_smt_2(const TransferQuestion& question, const Options& options);
[[nodiscard]] Answer decide_transfer_cvc5(const TransferQuestion& question, const Options& options);
/// Calls options.dump with each obligation that decide_transfer_smt may ask about, as SMT-LIB text. Solves nothing; the
/// names say which of them count (encodings/smt/README.md).
void dump_smt(const TransferQuestion& question, const Options& options);

/// Asks all of `panel`, as --cross-check does. Two that decide differently make a disagreement: one finds a witness and
/// one says that there is none, or two minimal witnesses differ. One that abstains changes nothing, nor does one whose
/// witness does not replay.
[[nodiscard]] Decision cross_examine(const TransferQuestion& question, const Options& options,
                                     std::span<const TransferEngine> panel);

/// Whether it is known that a place in `memory`, one side of the question, tells which element lies there, dimensions
/// aside that neither side reads: it decodes, and no two elements share a place.
[[nodiscard]] bool tells(const use::Memory& memory, const TransferQuestion& question);

/// Asks the engines: strided, enumerate up to 2^16 moves and elements, smt, enumerate. What they find is replayed, and
/// minimised by enumerate up to 2^16.
[[nodiscard]] Decision decide(const TransferQuestion& question, const Options& options);

}  // namespace vl::engines
