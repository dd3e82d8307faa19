// The domain: the cell with which a derivation of pieces begins, and the effect of an affine stage on a cell's lines.
#pragma once

#include "oracle/executor/planner_pieces.h"

namespace vl::oracle {

/// The relation's domain, with the initial lines of the two sides; `empty` if it has no point. Lines of the side whose
/// stages are walked first are behind those of the other. Requires: no nests.
[[nodiscard]] std::optional<Error> begin_domain(const PiecesRequest& request, Cell& cell, bool& empty);

/// A given nest: its loops, and two lines that already are addresses.
[[nodiscard]] std::optional<Error> begin_nest(const use::Nest& nest, Cell& cell);

/// The stage of a side that is done at the start: the first stage, if it is affine.
[[nodiscard]] const map::Affine* leading(const SidePlan& side);

/// The rows of the stage replace the lines of the side that is walked.
[[nodiscard]] std::optional<Error> take_rows(const map::Affine& affine, Cell& cell);

}  // namespace vl::oracle
