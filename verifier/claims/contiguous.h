// Runs: what a layout change reads, as the result's shards are filled in order. Units are tiles, or elements of layouts
// without tiles. Position u of core c's shard, row-major, is read from place A(c, u): a core of the source, and a
// number in its shard (row-major too). For a length g that divides a shard's volume, two maps over (core, block k, step
// j), j < g:
//   reads  (c, k, j) -> A(c, k·g + j)
//   runs   (c, k, j) -> A(c, k·g), j added on the axis m
// They are equal iff blocks of g positions are read in one piece each.
#pragma once

#include "verifier/claims/claim.h"

namespace vl::claims {

struct Runs {
  map::Layout reads, runs;
};
/// Requires: length divides the volume of a shard, in units. Errors: those of Layout::create; Overflow.
[[nodiscard]] Result<Runs> runs_of(const use::Remap& change, Index length);

}  // namespace vl::claims
