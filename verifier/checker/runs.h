// Blocks that are read in one piece (the claim contiguous): the statement's map is `reads`, (core…, block k, step j) ->
// place, its other one `runs`, and its value the length g of a block.
//
//   (1) `runs` counts up: its value at j is its value at 0, and j more on the axis m. Its stages show it: column j is
//       carried from stage to stage as it is, and only the last one adds it to m.
//   (2) reads = runs, so that every block is read in one piece (questions.h, same_places).
//   (3) no greater number does: between the blocks k - 1 and k of the cores that the evidence lists the next place is
//       not one more, and the greatest common divisor of these k and the number of blocks is 1.
//
// A block of one step is read in one piece whatever the map is: where g is 1 there is no `runs`, and (3) is all.
#pragma once

#include "verifier/checker/questions.h"

namespace vl::checker {

/// Rejects what shows no such thing.
void check_runs(const Layout& reads, const Layout* runs, Statement& statement, Evidence& evidence,
                Questions& questions);

}  // namespace vl::checker
