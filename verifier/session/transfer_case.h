// A case that is a transfer: descriptors instead of a layout, each asked whether a target takes it (`accepts`).
#pragma once

#include "encodings/use/tile_moves.h"
#include "verifier/session/judge.h"

namespace vl::session {

/// What the transfers of these texts move (encodings/use/tile_moves.h). The diagnostic points into the text that is
/// wrong. Requires: there is one.
[[nodiscard]] std::variant<use::TileMoves, Diagnostic> read_tiles(std::span<const SourceText> texts);

/// Judges each descriptor of the case by its target. Without one it is asked of every target of its kind in
/// corpus/targets, in the order of their names: it is accepted if one of them takes it, else the first one's answer
/// stands. One with names for sizes is asked for all sizes that satisfy the case's conditions (transfer_sizes.h).
/// Requires: request.transfer.
[[nodiscard]] question::Case judge_transfer(const CaseRequest& request, const JudgeOptions& options);

}  // namespace vl::session
