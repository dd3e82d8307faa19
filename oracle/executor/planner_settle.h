// The next rewrite of a cell that makes the quotient of one of its lines by a weight affine (planner_pieces.h).
#pragma once

#include "oracle/executor/planner_cell.h"

namespace vl::oracle {

/// The rest of a line after its multiples of w went to the quotient: its numbers are in [0, w).
struct Residue {
  std::size_t rank = 0;
  Index constant = 0;
  Index high = 0;           // the largest value
  std::size_t leading = 0;  // a variable with the largest coefficient, of those that vary
  std::array<Index, kMostVariables> coefficient;
};

/// False if its largest value leaves 64 bits.
[[nodiscard]] bool residue_of(const Cell& cell, std::size_t line, Index w, Residue& out);

struct Action {
  enum class Kind { Nothing, Cut, Block, Fix, Stuck };
  Kind kind = Kind::Nothing;
  std::size_t variable = 0;
  Index n = 0;
  bool clean = false;  // a block of a variable into which no sum carries, or a cut where such a block begins or ends
};

[[nodiscard]] Action next_action(const Cell& cell, const Residue& residue, Index w);

}  // namespace vl::oracle
