// Host places: the places of a tensor on the host, each once. The offsets of a view may meet (strides 2,1 of f16[4,4]
// reach 10 places with 16 elements); a transfer reads or writes each of them once.
//
// The distinct values of Σ d_k·x_k, 0 <= x_k < n_k, are built from the smallest stride up, as levels: a level has a
// step and a set of intervals of multiples of it, and all that the levels below reach is smaller than the step. A
// stride beyond the reach is a new level, unless it goes on where the last level ends; a multiple of the last step
// widens that level's set; else levels are joined on the greatest common divisor of their steps.
//
// Example: strides (2,1) of [4,4]: the level of step 1 has [0,4), then with 2·{0,1,2,3} the one interval [0,10).
#pragma once

#include <optional>
#include <vector>

#include "encodings/map/layout.h"

namespace vl::use {

/// The values start + Σ strides[k]·v_k, 0 <= v_k < extents[k]; all of them differ.
struct Progression {
  Index start = 0;
  std::vector<Index> extents;
  std::vector<Index> strides;

  bool operator==(const Progression&) const = default;
};

/// The distinct values of the row over a space without empty dimensions, as disjoint progressions. Nothing if there
/// would be more than map::kMostPieces of them, or a number leaves 64 bits.
/// Example: 3·x0 + 2·x1 over [4,4]: {0}, {2, 3, …, 13} and {15}.
[[nodiscard]] std::optional<std::vector<Progression>> distinct_values(const map::Row& row, const map::Space& space);

/// Whether the greater coefficients of the row, of dimensions with more than one element, exceed what the smaller ones
/// reach together: then no two points have the same value.
[[nodiscard]] bool nests(const map::Row& row, const map::Space& space);

/// The map as a function of the host's offset and the replicas, if it is one: the first stage is affine, and row i of
/// it reads the elements as factors[i]·(offset - constant). Example: f16[4,4] by strides (2,1), whose map begins with
/// affine(2*x0 + x1): {1}.
[[nodiscard]] std::optional<std::vector<Index>> factors_of_offset(const map::Layout& layout);

}  // namespace vl::use
