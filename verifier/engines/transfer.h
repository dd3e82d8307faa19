// The engines' side of questions about transfers; certificate/transfer.h has the questions and what a witness means.
#pragma once

#include "verifier/certificate/transfer.h"
#include "verifier/engines/engine.h"

namespace vl::engines {

using certificate::TransferQuestion;

struct TransferEngine {
  std::string_view name;
  Answer (*decide)(const TransferQuestion&, const Options&);
};

/// Cheapest first; the names are those of engines().
[[nodiscard]] std::span<const TransferEngine> transfer_engines();

/// Affine sets: every nest is taken apart into pieces on which the layouts are affine, and places are counted as
/// products of progressions. The cost does not depend on the extents. Witnesses are minimal, found by bisection.
[[nodiscard]] Answer decide_transfer_strided(const TransferQuestion& question, const Options& options);
/// Runs the moves, sorted by destination; at most 2^22 moves and elements. Witnesses are minimal. Of more it looks at a sample,
/// and a witness from that is any.
[[nodiscard]] Answer decide_transfer_enumerate(const TransferQuestion& question, const Options& options);

/// Asks the engines, replays what they found.
[[nodiscard]] Decision decide(const TransferQuestion& question, const Options& options);

}  // namespace vl::engines
