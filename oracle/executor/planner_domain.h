// The domain: the cell that a derivation of pieces begins with, and what an affine stage makes of a cell's lines.
#pragma once

#include "oracle/executor/planner_pieces.h"

namespace vl::oracle {

/// The relation's domain, with the lines that the two sides start with; `empty` when it has no point. Lines of the side
/// whose stages are walked first stand behind those of the other. Requires: no nests.
[[nodiscard]] std::optional<Error> begin_domain(const PiecesRequest& request, Cell& cell, bool& empty);

/// A nest as given: its loops, and two lines that are addresses already.
[[nodiscard]] std::optional<Error> begin_nest(const use::Nest& nest, Cell& cell);

/// The stage of a side that is done from the start: an affine one that is the first.
[[nodiscard]] const map::Affine* leading(const SidePlan& side);

/// Rows of the stage take the place of the lines of the side that is walked.
[[nodiscard]] std::optional<Error> take_rows(const map::Affine& affine, Cell& cell);

}  // namespace vl::oracle
